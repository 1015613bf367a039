import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { DefaultLogger, Runtime, type RuntimeOptions } from '@temporalio/worker';
import type { Config, Environment } from '../config/load.ts';
import type { LogLevel, WorkerLog } from './log/worker-log.ts';
import { runReplyWorker } from './reply-worker.ts';
import type { WorkerSettings } from './settings.ts';

export interface WorkerProcessRun {
  readonly config: Config;
  readonly env: Environment;
  readonly settings: WorkerSettings;
  readonly log: WorkerLog;
  readonly shutdown: AbortSignal;
  readonly onReady: () => void;
}

/**
 * Makes this process a worker until `shutdown`: once in a process, since the SDK has one runtime. Signals are left to the
 * caller.
 */
export async function runWorkerProcess(run: WorkerProcessRun): Promise<void> {
  const { settings, log, ...rest } = run;
  const sdkUrl = await installRuntime(settings, log);
  await runReplyWorker({
    ...rest,
    log: (line) => log.line(line),
    observe: log.observe,
    ...(settings.metrics ? { metrics: { ...settings.metrics, sdkUrl } } : {}),
  });
}

/** Gives where the SDK's core serves its metrics, or null where none are wanted. */
async function installRuntime(
  { metrics, log: form }: WorkerSettings,
  log: WorkerLog,
): Promise<string | null> {
  const options: RuntimeOptions = {
    logger: form === 'json' ? sentencesTo(log) : new DefaultLogger('WARN'),
    shutdownSignals: [],
  };
  // Lines of the core would stand between the documents as they are.
  const logging =
    form === 'json' ? { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } } : {};
  if (!metrics) {
    Runtime.install({ ...options, telemetryOptions: { ...logging } } as RuntimeOptions);
    return null;
  }
  for (let triesLeft = 3; ; triesLeft--) {
    const bindAddress = `127.0.0.1:${await freePort()}`;
    const prometheus = {
      bindAddress,
      countersTotalSuffix: true,
      unitSuffix: true,
      useSecondsForDurations: true,
    };
    try {
      Runtime.install({
        ...options,
        telemetryOptions: { ...logging, metrics: { prometheus } },
      } as RuntimeOptions);
      return `http://${bindAddress}/metrics`;
    } catch (error) {
      // Another process may have taken the port meanwhile.
      if (triesLeft === 0) throw error;
    }
  }
}

/** The core takes a port by its number only. */
async function freePort(): Promise<number> {
  const listener = createServer();
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(0, '127.0.0.1', resolve);
  });
  const { port } = listener.address() as AddressInfo;
  await new Promise<void>((resolve) => listener.close(() => resolve()));
  return port;
}

/** The SDK's warnings, without what goes with them: an error there may repeat what it was given (invariant 8). */
function sentencesTo(log: WorkerLog): DefaultLogger {
  return new DefaultLogger('WARN', ({ level, message, meta }) => {
    const { error } = (meta ?? {}) as { error?: unknown };
    const levelOfOurs: LogLevel = level === 'ERROR' ? 'error' : 'warn';
    log.line(error instanceof Error ? `${message} (${error.name})` : message, levelOfOurs);
  });
}
