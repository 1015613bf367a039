import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../../tools/temporal/package-root.ts';
import { waitUntil } from '../wait-until.ts';
import type { WorkerProcess } from './worker-process.ts';

/** Where a worker can be made to stop by itself: before it asks the lane, connects to the service, or reports. */
export type FreezeStep = 'claim' | 'connect' | 'report';

/** Environment for a worker that freezes once, just before the step. `match` narrows `claim` and `report` to one key. */
export function freezeAt(
  step: FreezeStep,
  options: { readonly match?: string; readonly port?: number },
): Record<string, string> {
  const preload = join(packageRoot(), 'test', 'support', 'rig', 'freeze-at.mjs');
  return {
    NODE_OPTIONS: `--import=${pathToFileURL(preload).href}`,
    RIG_FREEZE_AT: step,
    RIG_FREEZE_MATCH: options.match ?? '',
    RIG_FREEZE_PORT: String(options.port ?? ''),
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
