import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../tools/temporal/package-root.ts';

/** Files of packages that a process has loaded after importing the compiled client. */
function loadedBy(entry: string): readonly string[] {
  const script = `
    import { createRequire } from 'node:module';
    await import(${JSON.stringify(join(packageRoot(), 'dist', entry))});
    process.stdout.write(JSON.stringify(Object.keys(createRequire(import.meta.url).cache)));`;
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: packageRoot(),
      encoding: 'utf8',
    }),
  ) as string[];
}

test('an app that imports the client loads no native worker and no HTTP client', () => {
  const loaded = loadedBy('client/index.js');
  expect(loaded.some((file) => file.includes('@temporalio/client/'))).toBe(true);
  const unwanted = /node_modules\/(undici|@temporalio\/(worker|core-bridge|activity|testing))\//;
  expect(loaded.filter((file) => unwanted.test(file))).toEqual([]);
});
