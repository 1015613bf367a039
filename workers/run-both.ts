import type { Worker } from '@temporalio/worker';

/** The lanes' worker ends last: what is being sent while this process stops may need them. */
export async function runBoth(
  worker: Worker,
  laneWorker: Worker,
  shutdown: AbortSignal | undefined,
  onReady: (() => void) | undefined,
): Promise<void> {
  const stop = (): void => stopWorker(worker);
  shutdown?.addEventListener('abort', stop, { once: true });
  // If the lanes' worker fails, this process is of no more use to anybody.
  const lanes = laneWorker.run().finally(stop);
  const replies = worker.run().finally(() => stopWorker(laneWorker));
  if (shutdown?.aborted) stop();
  else onReady?.();
  try {
    await Promise.all([lanes, replies]);
  } finally {
    await Promise.allSettled([lanes, replies]);
    shutdown?.removeEventListener('abort', stop);
  }
}

function stopWorker(worker: Worker): void {
  if (worker.getState() === 'RUNNING') worker.shutdown();
}
