import { spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { lastLines } from './command.ts';
import { freePort } from './free-port.ts';
import { prepareNamespace } from './namespace.ts';
import { findTemporalCli } from './temporal-cli.ts';
import { endWithThisProcess } from './watchdog.ts';

const HOST = '127.0.0.1';
const START_WITHIN_MS = 60_000;
const START_TRIES = 3;
const STOP_WITHIN_MS = 10_000;

export interface DevServerOptions {
  /** Free ones by default. */
  readonly port?: number;
  readonly uiPort?: number;
  /** Keeps everything in this file; in memory by default. */
  readonly dbFilename?: string;
  readonly dynamicConfig?: Readonly<Record<string, string | number | boolean>>;
  readonly searchAttributes?: Readonly<Record<string, 'Keyword' | 'Datetime'>>;
  /** Where the server's own output goes; dropped by default. */
  readonly logFile?: string;
  /** The executable, where the caller has found one already. */
  readonly cliPath?: string;
}

export interface DevServer {
  readonly address: string;
  readonly webUi: string;
  readonly pid: number;
  /** How the process ended, whoever ended it. */
  readonly exited: Promise<string>;
  /** Lets the server finish its writes. */
  stop(): Promise<void>;
  /** SIGKILL: what a crash of the server does. */
  kill(): Promise<void>;
}

const DYNAMIC_CONFIG = {
  // The lane gathers claims, so more of them are in flight than the 10 Updates a server allows by default.
  'history.maxInFlightUpdates': 100,
  // The open polls of a frozen process take tasks until the server drops it, by default after more than a minute.
  'frontend.keepAliveTime': '5s',
  'frontend.keepAliveTimeout': '4s',
};
const SEARCH_ATTRIBUTES = { ReplyState: 'Keyword', ReplyBot: 'Keyword', ReplySince: 'Datetime' } as const;

/** Starts `temporal server start-dev` and resolves once it answers. It does not outlive this process. */
export async function startDevServer(options: DevServerOptions = {}): Promise<DevServer> {
  const cliPath = options.cliPath ?? (await findTemporalCli()).path;
  for (let triesLeft = START_TRIES - 1; ; triesLeft -= 1) {
    try {
      return await startOnce(cliPath, options);
    } catch (error) {
      // Somebody took a port between its being found free and its being bound; the server binds others by itself too.
      if (triesLeft === 0 || options.port !== undefined || !/address already in use/.test(String(error)))
        throw error;
    }
  }
}

async function startOnce(cliPath: string, options: DevServerOptions): Promise<DevServer> {
  const port = options.port ?? (await freePort(HOST));
  const uiPort = options.uiPort ?? (await freePort(HOST));
  const child = spawn(cliPath, startArguments(port, uiPort, options), {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Out of the terminal's process group: Ctrl-C must reach the workers first, which still need the server.
    detached: process.platform !== 'win32',
  });
  const output = keepOutput(child, options.logFile);
  const exited = untilExit(child);
  if (child.pid === undefined) throw new Error(`The Temporal server could not be started: ${await exited}.`);
  const watchdog = endWithThisProcess(child.pid);
  void exited.then(() => watchdog.release());

  const server: DevServer = {
    address: `${HOST}:${port}`,
    webUi: `http://${HOST}:${uiPort}`,
    pid: child.pid,
    exited,
    async stop() {
      child.kill('SIGTERM');
      const killLater = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
      await exited;
      clearTimeout(killLater);
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
  await untilReady(server, output);
  return server;
}

function startArguments(port: number, uiPort: number, options: DevServerOptions): string[] {
  const dynamicConfig = { ...DYNAMIC_CONFIG, ...options.dynamicConfig };
  const searchAttributes = options.searchAttributes ?? SEARCH_ATTRIBUTES;
  const where = ['--ip', HOST, '--port', String(port), '--ui-port', String(uiPort)];
  return [
    'server',
    'start-dev',
    ...where,
    ...(options.dbFilename === undefined ? [] : ['--db-filename', options.dbFilename]),
    ...Object.entries(dynamicConfig).flatMap(([key, value]) => [
      '--dynamic-config-value',
      `${key}=${JSON.stringify(value)}`,
    ]),
    ...Object.entries(searchAttributes).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
  ];
}

async function untilReady(server: DevServer, output: () => string): Promise<void> {
  const giveUp = new AbortController();
  const died = server.exited.then((how) => {
    throw new Error(`The Temporal server ended before it answered (${how}):\n${output()}`);
  });
  const slow = setTimeout(() => giveUp.abort(), START_WITHIN_MS);
  try {
    await Promise.race([prepareNamespace(server.address, giveUp.signal), died]);
  } catch (error) {
    const timedOut = giveUp.signal.aborted;
    giveUp.abort();
    died.catch(() => {});
    await server.kill();
    if (!timedOut) throw error;
    throw new Error(`The Temporal server did not answer within ${START_WITHIN_MS / 1000} s:\n${output()}`);
  } finally {
    clearTimeout(slow);
    died.catch(() => {});
  }
}

async function untilExit(child: ChildProcess): Promise<string> {
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    return signal === null ? `exit code ${code}` : `signal ${signal}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Reads the output always, so that the server never waits on a full pipe, and remembers its last lines. */
function keepOutput(child: ChildProcess, logFile: string | undefined): () => string {
  const log = logFile === undefined ? undefined : createWriteStream(logFile, { flags: 'a' });
  log?.on('error', () => {});
  let tail = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      log?.write(text);
      tail = (tail + text).slice(-8_192);
    });
  }
  child.once('close', () => log?.end());
  return () => lastLines(tail, 12);
}
