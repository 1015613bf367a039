import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Command } from 'commander';
import { type Config, loadConfig } from '../../config/load.ts';
import { temporalAddressFromEnv } from '../../tools/temporal/address.ts';
import { packageRoot } from '../../tools/temporal/package-root.ts';
import { openLog } from '../../workers/log/worker-log.ts';
import { workerSettings } from '../../workers/settings.ts';
import { readWhole } from '../duration.ts';
import { type ExitCode, exitCode } from '../exit-code.ts';
import type { Cli } from '../session.ts';
import {
  type WorkerFlags,
  type WorkerRun,
  addWorkerOptions,
  requireTemporal,
  runWorker,
  stopSignal,
} from '../worker-run.ts';

interface DevOptions extends WorkerFlags {
  readonly port: number;
  readonly uiPort?: number;
  readonly dbFilename?: string;
  readonly worker: boolean;
}

/** A Temporal to work with: our own, or one that runs already. */
interface DevTemporal {
  readonly address: string;
  /** With which a worker finds it. */
  readonly env: NodeJS.ProcessEnv;
  readonly webUi: string | null;
  /** How it ended, if it is ours and ends by itself. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

/** What the worker in this process works by. */
type DevWorker = Pick<WorkerRun, 'config' | 'settings' | 'log'>;

const uiPortOffset = 1000;
const lostGraceMs = 5000;

export function addDev(program: Command, cli: Cli, end: (code: ExitCode) => void): void {
  const port = readWhole(1, 65_535);
  const command = program
    .command('dev')
    .description('Temporal (embedded, or the one at TEMPORAL_ADDRESS) and a worker, until stopped')
    .option('--port <port>', 'of Temporal', port, 7233)
    .option('--ui-port <port>', 'of its Web UI (1000 above --port if left out)', port)
    .option('--db-filename <path>', 'keep everything in this file; in memory if left out')
    .option('--no-worker', 'Temporal only');
  addWorkerOptions(command).action(async (options: DevOptions) => end(await dev(cli, options)));
}

async function dev(cli: Cli, options: DevOptions): Promise<ExitCode> {
  // Before anything is started: a mistake in it should not cost the start of a server.
  const worker = options.worker ? await workerParts(cli, options) : undefined;
  const signal = stopSignal();
  const temporal = await startTemporal(cli, options);
  const lost = new AbortController();
  const ended = temporal.ended.then((how) => {
    if (signal.aborted) return;
    lost.abort();
    throw new Error(`the Temporal server ended by itself (${how}): start again`);
  });
  const serving = serve(cli, temporal, worker, AbortSignal.any([signal, lost.signal]));
  try {
    await Promise.race([serving, ended]);
  } catch (error) {
    // A worker without its server may take long to give up, and there is nothing left to wait for.
    if (lost.signal.aborted) setTimeout(() => process.exit(exitCode.failed), lostGraceMs).unref();
    throw error;
  } finally {
    serving.catch(() => {});
    ended.catch(() => {});
    await temporal.stop();
  }
  cli.output.note('stopped');
  return exitCode.done;
}

async function workerParts(cli: Cli, flags: WorkerFlags): Promise<DevWorker> {
  const settings = workerSettings(cli.env, flags);
  return { config: loadConfig(undefined, cli.env), settings, log: await openLog(settings.log) };
}

async function serve(
  cli: Cli,
  temporal: DevTemporal,
  worker: DevWorker | undefined,
  stop: AbortSignal,
): Promise<void> {
  const { address, webUi } = temporal;
  const config = worker?.config;
  const tellReady = (): void => {
    cli.output.answer({ temporalAddress: address, webUi }, () =>
      [
        `Temporal   ${address}`,
        `Web UI     ${webUi ?? 'not ours'}`,
        `Worker     ${config ? botList(config) : 'none'}`,
      ].join('\n'),
    );
    if (webUi !== null) for (const link of viewLinks(webUi)) cli.output.note(`view: ${link}`);
    cli.output.note(`ready; Ctrl-C stops it. In another terminal: ${hint(address, config)}`);
  };
  if (worker) {
    await runWorker({ ...worker, env: temporal.env, shutdown: stop, onReady: tellReady });
    worker.log.flush();
    return;
  }
  tellReady();
  await aborted(stop);
}

async function startTemporal(cli: Cli, options: DevOptions): Promise<DevTemporal> {
  const given = temporalAddressFromEnv(cli.env);
  if (given !== undefined) {
    await requireTemporal(cli.env);
    cli.output.note(`using the Temporal at TEMPORAL_ADDRESS (${given})`);
    return { address: given, env: cli.env, webUi: null, ended: new Promise(() => {}), stop: async () => {} };
  }
  const uiPort =
    options.uiPort ??
    (options.port + uiPortOffset <= 65_535 ? options.port + uiPortOffset : options.port - uiPortOffset);
  await requireFree(options.port, '--port');
  await requireFree(uiPort, '--ui-port');
  const { dbFilename, port } = options;
  cli.output.note(
    dbFilename === undefined ? 'starting Temporal, in memory' : `starting Temporal on ${dbFilename}`,
  );
  const { startDevServer } = await import('../../tools/temporal/launcher.ts');
  const server = await startDevServer({ port, uiPort, ...(dbFilename === undefined ? {} : { dbFilename }) });
  return {
    address: server.address,
    env: envOfOwnServer(cli.env, server.address),
    webUi: server.webUi,
    ended: server.exited,
    stop: () => server.stop(),
  };
}

/** Settings for another Temporal (a namespace, TLS, a key, Temporal's own file) must not be used on our server. */
function envOfOwnServer(env: NodeJS.ProcessEnv, address: string): NodeJS.ProcessEnv {
  const others = Object.entries(env).filter(([name]) => !name.startsWith('TEMPORAL_'));
  return {
    ...Object.fromEntries(others),
    TEMPORAL_ADDRESS: address,
    TEMPORAL_CONFIG_FILE: join(packageRoot(), 'no-temporal-settings.toml'),
  };
}

/** Views of the Web UI that answer an operator's first questions. */
function viewLinks(webUi: string): readonly string[] {
  const views = { 'under review': 'review', waiting: 'waiting', rejected: 'rejected' };
  return Object.entries(views).map(([name, state]) => {
    const query = encodeURIComponent(`ReplyState="${state}"`);
    return `${webUi}/namespaces/default/workflows?query=${query}&savedQuery=${encodeURIComponent(name)}`;
  });
}

/** The server's own words about a port in use are many lines long. */
async function requireFree(port: number, option: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const listener = createServer();
    listener.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        new Error(
          `port ${port} cannot be used (${error.code}): end what uses it, or give another with ${option}`,
        ),
      );
    });
    listener.listen(port, '127.0.0.1', () => listener.close(() => resolve()));
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    // A listener on a signal does not keep the process alive; the server's own process does not either.
    const alive = setInterval(() => {}, 60_000);
    signal.addEventListener('abort', () => {
      clearInterval(alive);
      resolve();
    });
  });
}

function botList(config: Config): string {
  return [...config.bots.keys()].join(', ');
}

function hint(address: string, config: Config | undefined): string {
  const elsewhere = address === '127.0.0.1:7233' ? '' : `TEMPORAL_ADDRESS=${address} `;
  const bot = config ? ([...config.bots.keys()][0] ?? 'BOT') : 'BOT';
  return `${elsewhere}npx replylane send --bot ${bot} --chat CHAT --text hello --wait`;
}
