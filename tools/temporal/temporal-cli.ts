import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runCommand } from './command.ts';
import { buildCli, builtCliPath } from './go-build.ts';
import { startProgress } from './progress.ts';
import { downloadSdkServer, sdkCachedServer } from './sdk-download.ts';

export type TemporalCliSource = 'TEMPORAL_CLI_PATH' | 'PATH' | 'sdk-download' | 'go-build';

export interface TemporalCli {
  readonly path: string;
  readonly source: TemporalCliSource;
}

const CHOICES =
  'set TEMPORAL_ADDRESS to a running server, set TEMPORAL_CLI_PATH to a temporal executable, put temporal on PATH, ' +
  "allow the Temporal SDK's download, or install Go so that the CLI can be built from its module";

/**
 * The `temporal` executable that runs the development server. What is on this machine comes before what must be
 * fetched or built. (TEMPORAL_ADDRESS comes before all of it and is the caller's to ask: see address.ts.)
 */
export async function findTemporalCli(env: NodeJS.ProcessEnv = process.env): Promise<TemporalCli> {
  const named = env['TEMPORAL_CLI_PATH'];
  if (named) return { path: await checkNamed(named), source: 'TEMPORAL_CLI_PATH' };

  for (const path of onPath(env['PATH'] ?? '')) {
    if (await isTemporalCli(path)) return { path, source: 'PATH' };
    process.stderr.write(`replylane: ${path} on PATH is not a working Temporal CLI; looking further\n`);
  }

  const fetched = sdkCachedServer('dev-server');
  if (fetched !== undefined && (await isTemporalCli(fetched)))
    return { path: fetched, source: 'sdk-download' };
  const built = builtCliPath();
  if (existsSync(built) && (await isTemporalCli(built))) return { path: built, source: 'go-build' };

  const progress = startProgress("no Temporal CLI here; asking the Temporal SDK's download for one");
  const downloaded = await downloadSdkServer('dev-server');
  if (downloaded !== undefined && (await isTemporalCli(downloaded))) {
    progress.done('the Temporal CLI was downloaded');
    return { path: downloaded, source: 'sdk-download' };
  }
  progress.done('the download was refused');

  const build = await buildCli();
  if ('path' in build) return { path: build.path, source: 'go-build' };
  throw new Error(`No Temporal server can be started here (${build.refusal}): ${CHOICES}.`);
}

async function checkNamed(path: string): Promise<string> {
  if (!existsSync(path)) throw new Error(`TEMPORAL_CLI_PATH names ${path}, which does not exist.`);
  if (await isTemporalCli(path)) return path;
  throw new Error(`TEMPORAL_CLI_PATH names ${path}, which does not run as a Temporal CLI.`);
}

function onPath(path: string): string[] {
  const name = process.platform === 'win32' ? 'temporal.exe' : 'temporal';
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .filter(isExecutableFile);
}

function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

async function isTemporalCli(path: string): Promise<boolean> {
  const { code, stdout } = await runCommand(path, ['--version'], { timeoutMs: 30_000 });
  return code === 0 && stdout.startsWith('temporal version');
}
