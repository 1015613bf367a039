import type { Config } from '../config/load.ts';

export interface WorkerRun {
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  readonly shutdown: AbortSignal;
  readonly onReady: () => void;
}

/**
 * Runs a worker in this process until `shutdown`. The native worker is loaded here and nowhere else, since it takes long.
 * Throws a `TemporalUnreachableError` within seconds where there is no Temporal.
 */
export async function runWorker({ config, env, shutdown, onReady }: WorkerRun): Promise<void> {
  await requireTemporal(env);
  const { DefaultLogger, Runtime } = await import('@temporalio/worker');
  const { runReplyWorker } = await import('../workers/index.ts');
  // Signals are this process's own to handle: the server must outlive the worker.
  Runtime.install({ logger: new DefaultLogger('WARN'), shutdownSignals: [] });
  await runReplyWorker({ config, env, shutdown, onReady });
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
