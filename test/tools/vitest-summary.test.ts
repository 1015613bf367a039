import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packageRoot } from '../../tools/temporal/package-root.ts';

const root = packageRoot();
const folder = mkdtempSync(join(tmpdir(), 'replylane-summary-'));
const TWO_PASS = "import { it } from 'vitest';\nit('a', () => {});\nit('b', () => {});\n";

beforeAll(() => {
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const reporter = JSON.stringify(join(root, 'tools', 'vitest-summary.ts'));
  writeFileSync(
    join(folder, 'vitest.config.ts'),
    `export default { test: { reporters: ['default', ${reporter}], maxWorkers: 1 } };\n`,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  ['two tests that pass', TWO_PASS, '2 passed, 0 failed', 0],
  ['a test that fails', `${TWO_PASS}it('c', () => { throw new Error('c'); });\n`, '2 passed, 1 failed', 1],
  ['a test that is skipped', `${TWO_PASS}it.skip('c', () => {});\n`, '2 passed, 0 failed, 1 skipped', 0],
  ['a file that cannot be loaded', `import './missing.ts';\n${TWO_PASS}`, '0 passed, 1 failed', 1],
  [
    'a hook that fails',
    "import { beforeAll, it } from 'vitest';\nbeforeAll(() => { throw new Error('hook'); });\nit('a', () => {});\n",
    '0 passed, 1 failed, 1 skipped',
    1,
  ],
  [
    'an error outside of any test',
    `${TWO_PASS}it('c', () => { void Promise.reject(new Error('left alone')); });\n`,
    '3 passed, 1 failed',
    1,
  ],
  ['a file without tests', 'export {};\n', '0 passed, 1 failed', 1],
  ['a worker that exits', `${TWO_PASS}process.exit(0);\n`, '0 passed, 1 failed', 1],
])('ends with one line of counts: %s', async (title, source, lastLine, exitCode) => {
  const file = `${title.replaceAll(' ', '-')}.test.ts`;
  writeFileSync(join(folder, file), source);
  const run = await vitest(file);
  expect(run).toEqual({ lastLine, exitCode });
});

it('ends with one line of counts: no test at all', async () => {
  expect(await vitest('nothing-has-this-name')).toEqual({ lastLine: '0 passed, 1 failed', exitCode: 1 });
});

function vitest(filter: string): Promise<{ lastLine: string | undefined; exitCode: number | null }> {
  // Without what the run of this very test sets: its counts of failed checks and its worker's settings.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(REPLYLANE_|VITEST|TEST$|NODE_ENV$)/.test(name)),
  );
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', filter], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ lastLine: stdout.trimEnd().split('\n').at(-1), exitCode }));
  });
}
