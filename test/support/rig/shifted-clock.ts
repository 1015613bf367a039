import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../../tools/temporal/package-root.ts';
import { waitUntil } from '../wait-until.ts';
import type { WorkerProcess } from './worker-process.ts';

/** Environment for a worker whose wall clock is wrong from the start, or is stepped by `stepClock`. */
export function shiftedClock(options: {
  readonly aheadMs?: number;
  readonly stepsMs?: readonly number[];
}): Record<string, string> {
  const preload = join(packageRoot(), 'test', 'support', 'rig', 'shifted-clock.mjs');
  return {
    NODE_OPTIONS: `--import=${pathToFileURL(preload).href}`,
    RIG_CLOCK_AHEAD_MS: String(options.aheadMs ?? 0),
    RIG_CLOCK_STEPS_MS: (options.stepsMs ?? []).join(','),
  };
}

/** How wrong the worker's wall clock is, by its own word. */
export function clockAheadMs(worker: WorkerProcess): number {
  const told = [...worker.output().matchAll(/clock: (-?\d+) ms ahead, it is (\S+)/g)].at(-1);
  if (!told) throw new Error(`the worker ${worker.pid} has no shifted clock: ${worker.output()}`);
  return Number(told[1]);
}

/** Takes the next of the worker's `stepsMs`; resolves when its clock shows it. */
export async function stepClock(worker: WorkerProcess): Promise<void> {
  const beforeMs = clockAheadMs(worker);
  process.kill(worker.pid, 'SIGUSR2');
  await waitUntil(() => clockAheadMs(worker) !== beforeMs, {
    withinMs: 10_000,
    what: () => `the clock of worker ${worker.pid} has not been stepped`,
  });
}
