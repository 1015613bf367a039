import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../../tools/temporal/package-root.ts';
import { waitUntil } from '../wait-until.ts';
import type { WorkerProcess } from './worker-process.ts';

/**
 * Where a worker can be made to keep one message to Temporal back: the claim before it leaves, its answer before it is
 * heard, the report before it leaves, its acknowledgement before it is heard.
 */
export type HoldStep = 'taken' | 'claimed' | 'answered' | 'reported';

export interface Hold {
  readonly step: HoldStep;
  /** What the message must hold, such as a key. */
  readonly match: string;
}

/** Environment for a worker that keeps these messages back, each once, until `releaseHeld`. */
export function holdAt(holds: readonly Hold[]): Record<string, string> {
  const preload = join(packageRoot(), 'test', 'support', 'rig', 'hold-at.mjs');
  return { NODE_OPTIONS: `--import=${pathToFileURL(preload).href}`, RIG_HOLD: JSON.stringify(holds) };
}

/** Resolves when each of the messages is held. */
export function untilHeld(worker: WorkerProcess, holds: readonly Hold[]): Promise<void> {
  const missing = (): readonly Hold[] =>
    holds.filter(({ step, match }) => !worker.output().includes(`rig: holding ${step} ${match}\n`));
  return waitUntil(() => missing().length === 0, {
    withinMs: 30_000,
    what: () => `not held: ${JSON.stringify(missing())}; ${worker.output()}`,
  });
}

/** Lets all that is held go on, and what comes later pass. */
export function releaseHeld(worker: WorkerProcess): void {
  process.kill(worker.pid, 'SIGUSR2');
}
