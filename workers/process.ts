import { type AddressInfo, createServer } from 'node:net';
import { DefaultLogger, Runtime, type RuntimeOptions, type TelemetryOptions } from '@temporalio/worker';
import { ReplylaneError } from '../client/errors.ts';
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
  const { runtime, sdkUrl } = await installRuntime(settings, log);
  try {
    await runReplyWorker({
      ...rest,
      log: (line, level) => log.line(line, level),
      rereadConfig: true,
      observe: log.observe,
      version: settings.version,
      ...(settings.metrics ? { metrics: { ...settings.metrics, sdkUrl } } : {}),
    });
  } finally {
    // It ends by itself with the last connection; where none was made, forwarding its log keeps the process alive.
    await runtime.shutdown();
  }
}

interface InstalledRuntime {
  readonly runtime: Runtime;
  /** Where the SDK's core serves its metrics; null where none are wanted. */
  readonly sdkUrl: string | null;
}

async function installRuntime(settings: WorkerSettings, log: WorkerLog): Promise<InstalledRuntime> {
  const isJson = settings.log === 'json';
  const options: RuntimeOptions = {
    logger: isJson ? sentencesTo(log) : new DefaultLogger('WARN'),
    shutdownSignals: [],
  };
  // Lines that the core writes itself would stand between the documents.
  const telemetryOptions: TelemetryOptions = isJson
    ? { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } }
    : {};
  if (!settings.metrics) return { runtime: Runtime.install({ ...options, telemetryOptions }), sdkUrl: null };
  for (let triesLeft = 3; ; triesLeft--) {
    const bindAddress = `127.0.0.1:${await freePort()}`;
    const prometheus = { bindAddress, ...namesAsPrometheusHasThem };
    try {
      const runtime = Runtime.install({
        ...options,
        telemetryOptions: { ...telemetryOptions, metrics: { prometheus } },
      });
      return { runtime, sdkUrl: `http://${bindAddress}/metrics` };
    } catch (error) {
      // Another process may have taken the port meanwhile.
      if (triesLeft === 0) throw error;
    }
  }
}

const namesAsPrometheusHasThem = {
  countersTotalSuffix: true,
  unitSuffix: true,
  useSecondsForDurations: true,
};

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
    // The words of our own errors repeat nothing, and only they tell which key is missing.
    const why = error instanceof ReplylaneError ? error.message : error instanceof Error ? error.name : null;
    log.line(why === null ? message : `${message} (${why})`, levelOfOurs);
  });
}
