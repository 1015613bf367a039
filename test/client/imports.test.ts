import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { packageRoot } from '../../tools/temporal/package-root.ts';

/** Files of packages that a process has loaded after importing a name that apps use. */
function loadedBy(entry: string): readonly string[] {
  const script = `
    import { createRequire } from 'node:module';
    await import(${JSON.stringify(entry)});
    process.stdout.write(JSON.stringify(Object.keys(createRequire(import.meta.url).cache)));`;
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: packageRoot(),
      encoding: 'utf8',
    }),
  ) as string[];
}

test('an app that imports the client loads no native worker and no HTTP client', () => {
  const loaded = loadedBy('replylane');
  expect(loaded.some((file) => file.includes('@temporalio/client/'))).toBe(true);
  const unwanted = /node_modules\/(undici|@temporalio\/(worker|core-bridge|activity|testing))\//;
  expect(loaded.filter((file) => unwanted.test(file))).toEqual([]);
});

test('an app finds the client, the workflows and the worker under the names of the package', () => {
  expect(exportsOf('replylane')).toEqual(
    expect.arrayContaining(['ReplyClient', 'replyStartOptions', 'connectTemporal']),
  );
  expect(exportsOf('replylane/workflows')).toEqual(
    expect.arrayContaining(['replyWorkflow', 'cooldownWorkflow']),
  );
  expect(exportsOf('replylane/worker')).toEqual(expect.arrayContaining(['runReplyWorker']));
});

function exportsOf(entry: string): readonly string[] {
  const script = `process.stdout.write(JSON.stringify(Object.keys(await import(${JSON.stringify(entry)}))));`;
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: packageRoot(),
      encoding: 'utf8',
    }),
  ) as string[];
}
