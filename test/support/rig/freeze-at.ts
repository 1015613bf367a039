import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../../tools/temporal/package-root.ts';
import { waitUntil } from '../wait-until.ts';
import type { WorkerProcess } from './worker-process.ts';

/** Where a worker can be made to stop by itself: before it asks the lane, connects or reports, or once it has reported. */
export type FreezeStep = 'claim' | 'connect' | 'report' | 'reported';

export interface FreezeOptions {
  /** Narrows all but `connect` to the messages that hold this, such as a key. */
  readonly match?: string;
  /** The service's port, for `connect`. */
  readonly port?: number;
  /** How often the step is passed before. */
  readonly passes?: number;
}

/** Environment for a worker that freezes once, just before the step. */
export function freezeAt(step: FreezeStep, options: FreezeOptions): Record<string, string> {
  const preload = join(packageRoot(), 'test', 'support', 'rig', 'freeze-at.mjs');
  return {
    NODE_OPTIONS: `--import=${pathToFileURL(preload).href}`,
    RIG_FREEZE_AT: step,
    RIG_FREEZE_MATCH: options.match ?? '',
    RIG_FREEZE_PORT: String(options.port ?? ''),
    RIG_FREEZE_PASSES: String(options.passes ?? 0),
  };
}

/** Resolves when the process has stopped itself. */
export function untilFrozen(worker: WorkerProcess): Promise<void> {
  const state = async (): Promise<string> => {
    const stat = await readFile(`/proc/${worker.pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
  };
  return waitUntil(async () => (await state()) === 'T', {
    withinMs: 30_000,
    what: () => `worker ${worker.pid} has not frozen: ${worker.output()}`,
  });
}
