import { type Command, Option } from 'commander';
import type { Config } from '../config/load.ts';
import type { WorkerLog } from '../workers/log/worker-log.ts';
import { type WorkerFlags, type WorkerSettings, logForms, workerVariables } from '../workers/settings.ts';
import { readWhole } from './duration.ts';

export interface WorkerRun {
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  readonly settings: WorkerSettings;
  readonly log: WorkerLog;
  readonly shutdown: AbortSignal;
  readonly onReady: () => void;
}

export type { WorkerFlags };

/** The options of every command that runs a worker. */
export function addWorkerOptions(command: Command): Command {
  const { metricsPort, metricsHost, log } = workerVariables;
  return command
    .option(
      '--metrics-port <port>',
      `serve /metrics, /healthz and /readyz there; 0 for any port that is free (or ${metricsPort})`,
      readWhole(0, 65_535),
    )
    .option('--metrics-host <host>', `address to serve them on; 127.0.0.1 if left out (or ${metricsHost})`)
    .addOption(
      new Option('--log <form>', `of the worker's log on stderr; text if left out (or ${log})`).choices(
        logForms,
      ),
    );
}

/**
 * Runs a worker in this process until `shutdown`. The native worker is loaded here and nowhere else, since it takes long.
 * Throws a `TemporalUnreachableError` within seconds where there is no Temporal.
 */
export async function runWorker(run: WorkerRun): Promise<void> {
  await requireTemporal(run.env);
  const { runWorkerProcess } = await import('../workers/process.ts');
  // Signals are this process's own to handle: the server must outlive the worker.
  await runWorkerProcess(run);
}

/** Throws a `TemporalUnreachableError` where there is no Temporal. */
export async function requireTemporal(env: NodeJS.ProcessEnv): Promise<void> {
  const { connectTemporal } = await import('../client/index.ts');
  const client = await connectTemporal({ env });
  await client.connection.close();
}

/** A second request to stop, so long after the first, ends the process at once: Ctrl-C often comes twice by itself. */
const insistAfterMs = 2000;

/** Aborted by SIGINT or SIGTERM. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  let firstMs: number | undefined;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      firstMs ??= performance.now();
      if (performance.now() - firstMs > insistAfterMs) process.exit(signal === 'SIGINT' ? 130 : 143);
      stop.abort();
    });
  }
  return stop.signal;
}
