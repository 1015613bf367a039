// What the npm scripts run: node tools/run.mjs TASK [arguments]. Each task makes ready what it needs first.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBrowser } from './setup/browser.mjs';
import { ensureBuild } from './setup/build.mjs';
import { ensureFaketime } from './setup/faketime.mjs';
import { ensurePackages } from './setup/packages.mjs';
import { ROOT, SetupError, run, say } from './setup/step.mjs';

const CODE = ['**/*.{ts,mjs,json,yml}'];

/** Chosen once, and kept: what they have found stays found. */
const CHAOS_SEEDS = [7, 21];
const CHAOS_MINUTES = 3;

/** What mutation tests change, and the tests that have to see it. A path belongs to the first part that has it. */
const MUTATED = [
  ...['telegram', 'qivuna', 'unifyport'].map((service) => ({
    name: service,
    has: `contracts/${service}`,
    mutate: [`contracts/${service}.ts`, `contracts/${service}/**/*.ts`],
    tests: `test/contracts/{${service}*,text,token}.test.ts`,
  })),
  {
    name: 'contracts',
    has: 'contracts',
    mutate: ['contracts/*.ts', '!contracts/{telegram,qivuna,unifyport}.ts'],
    tests: 'test/contracts/*.test.ts',
  },
  {
    name: 'lane',
    has: 'domain/lane',
    mutate: ['domain/lane/**/*.ts'],
    tests: 'test/domain/lane/**/*.test.ts',
  },
  {
    name: 'domain',
    has: 'domain',
    mutate: ['domain/**/*.ts', '!domain/lane/**'],
    tests: 'test/domain/*.test.ts',
  },
];

const TASKS = {
  build: async () => (await ensurePackages(), await ensureBuild(), 0),
  demo: (args) => program('dist/tools/demo/main.js', args),
  bench: (args) => program('dist/bench/main.js', args),
  chaos,
  compatibility: (args) => program('dist/tools/compatibility/main.js', args),
  'docs:configuration': (args) => program('dist/tools/configuration/main.js', args),
  'record-histories': (args) => program('dist/test/replay/record.js', args),
  start: (args) => program('dist/cli/main.js', ['dev', ...args]),
  types: (args) => tool('typescript/bin/tsc', ['-p', '.', '--noEmit', ...args]),
  lint: (args) => tool('oxlint/bin/oxlint', ['--type-aware', '--deny-warnings', ...args]),
  format: (args) =>
    tool('prettier/bin/prettier.cjs', ['--write', '--log-level', 'warn', ...(args.length > 0 ? args : CODE)]),
  'format:check': () => tool('prettier/bin/prettier.cjs', ['--check', ...CODE]),
  test: (args) => test(args, 0),
  'test:cluster': cluster,
  'test:mutation': mutation,
  'test:stress': stress,
  'test:browser': browser,
  check,
  ci,
};

/** Types, lint, format, tests: all of them, so that one run tells everything. */
async function check(args, failedBefore = 0) {
  let failed = failedBefore;
  for (const name of ['types', 'lint', 'format:check']) {
    say(`check: ${name}`);
    if ((await TASKS[name]([])) === 0) continue;
    failed += 1;
    say(`check: ${name} failed`);
  }
  say('check: test');
  const code = await test(args, failed);
  return code === 0 && failed > 0 ? 1 : code;
}

/** What continuous integration runs: the stress tests, the chaos of fixed seeds, the cluster, those in a browser, then the checks. */
async function ci(args) {
  const parts = [{ name: 'test:stress', part: stress }];
  for (const seed of CHAOS_SEEDS) parts.push({ name: `chaos, seed ${seed}`, part: () => chaosOf(seed) });
  parts.push({ name: 'test:cluster', part: cluster }, { name: 'test:browser', part: browser });
  let failed = 0;
  for (const { name, part } of parts) {
    say(`ci: ${name}`);
    if ((await failedOr(part)) === 0) continue;
    failed += 1;
    say(`ci: ${name} failed`);
  }
  return check(args, failed);
}

/** A part that cannot even begin has failed: the others still tell something. */
async function failedOr(task) {
  try {
    return await task([]);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(error.message);
    return 1;
  }
}

async function chaos(args) {
  await ensurePackages();
  process.env.REPLYLANE_FAKETIME = await ensureFaketime();
  return program('dist/test/chaos/main.js', args);
}

/** In a process of its own, as a run of the harness ends its process. */
function chaosOf(seed) {
  const args = ['chaos', '--seed', String(seed), '--minutes', String(CHAOS_MINUTES)];
  return run(process.execPath, [join(ROOT, 'tools', 'run.mjs'), ...args]);
}

/** With `--screenshots`, writes the pictures of the docs anew. */
async function browser(args) {
  await ensurePackages();
  const chromium = await ensureBrowser();
  if (!(await built())) return 1;
  const rest = args.filter((arg) => arg !== '--screenshots');
  return tool('vitest/vitest.mjs', ['run', '--config', 'vitest.browser.config.ts', ...rest], {
    REPLYLANE_CHROMIUM: chromium,
    ...(rest.length < args.length ? { REPLYLANE_SCREENSHOTS: join(ROOT, 'docs', 'images') } : {}),
  });
}

async function stress(args) {
  await ensurePackages();
  if (!(await built())) return 1;
  return tool('vitest/vitest.mjs', ['run', '--config', 'vitest.stress.config.ts', ...args]);
}

/** docker-compose.yml without a container engine. It builds what it runs by itself, as the Dockerfile does. */
function cluster(args) {
  return tool('vitest/vitest.mjs', ['run', '--config', 'vitest.cluster.config.ts', ...args]);
}

/** Runs the tests. The last line of its output is `N passed, N failed`, whatever goes wrong. */
async function test(args, failedBefore) {
  const folder = mkdtempSync(join(tmpdir(), 'replylane-test-'));
  const marker = join(folder, 'summary');
  let failed = failedBefore;
  let code = 1;
  try {
    await ensurePackages();
    // Tests of the command line run dist/; the others still tell something when the build fails.
    if (!(await built())) failed += 1;
    code = await tool('vitest/vitest.mjs', ['run', ...args], {
      REPLYLANE_FAILED_CHECKS: String(failed),
      REPLYLANE_SUMMARY_MARKER: marker,
    });
    return code === 0 && failed > 0 ? 1 : code;
  } finally {
    if (!existsSync(marker)) process.stdout.write(`0 passed, ${failed + 1} failed\n`);
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Changes the code in a thousand ways and tells which of them no test sees: part by part, each with its own tests only,
 * which takes a fraction of the time. Folders and files limit what is changed.
 */
async function mutation(args) {
  const isOption = args.findIndex((arg) => arg.startsWith('-'));
  const paths = isOption < 0 ? args : args.slice(0, isOption);
  const options = args.slice(paths.length);
  let worst = 0;
  for (const { name, mutate, tests } of MUTATED) {
    const own = paths.filter((path) => MUTATED.find(({ has }) => path.startsWith(has))?.name === name);
    if (paths.length > 0 && own.length === 0) continue;
    say(`mutation: ${name}`);
    const patterns = own.map((path) => (path.endsWith('.ts') ? path : `${path.replace(/\/$/, '')}/**/*.ts`));
    const what = ['--mutate', (patterns.length > 0 ? patterns : mutate).join(',')];
    const kept = ['--incrementalFile', `coverage/mutation/${name}.json`];
    const code = await tool('@stryker-mutator/core/bin/stryker.js', ['run', ...what, ...kept, ...options], {
      REPLYLANE_MUTATED_TESTS: tests,
    });
    worst = Math.max(worst, code);
  }
  return worst;
}

async function built() {
  try {
    await ensureBuild();
    return true;
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(error.message);
    return false;
  }
}

async function tool(path, args, env = {}) {
  await ensurePackages();
  return await run(process.execPath, [join(ROOT, 'node_modules', path), ...args], {
    env: { ...process.env, ...env },
  });
}

/** Goes on as that program, in this process: its signals, its output and its exit code are the program's own. */
async function program(path, args) {
  await ensurePackages();
  await ensureBuild();
  const file = join(ROOT, path);
  if (!existsSync(file)) throw new SetupError(`${path} does not exist.`);
  process.argv = [process.argv[0], file, ...args];
  await import(pathToFileURL(file).href);
  return undefined;
}

const [name, ...args] = process.argv.slice(2);
const task = Object.hasOwn(TASKS, name ?? '') ? TASKS[name] : undefined;
try {
  if (task === undefined) throw new SetupError(`Tasks: ${Object.keys(TASKS).join(', ')}.`);
  const code = await task(args);
  if (code !== undefined) process.exitCode = code;
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  say(error.message);
  process.exitCode = 1;
}
