import type { NativeConnection } from '@temporalio/worker';
import { taskQueue } from '../workflows/names.ts';

const shortestRetentionDays = 7;
/** Updates in flight that a server with standard settings lets one workflow have, less what operators need. */
const mostProcesses = 8;

/** Warnings about a namespace that would weaken a promise; empty where all is well, or where it cannot be told. */
export async function bootWarnings(connection: NativeConnection, namespace: string): Promise<string[]> {
  const warnings: string[] = [];
  try {
    const { config } = await connection.workflowService.describeNamespace({ namespace });
    const seconds = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0);
    if (seconds > 0 && seconds < shortestRetentionDays * 86_400) {
      warnings.push(
        `namespace ${namespace} forgets closed replies after ${(seconds / 86_400).toFixed(1)} days: a key that comes again ` +
          `after that is a new reply. Set its retention to ${shortestRetentionDays} days at least, better 30`,
      );
    }
  } catch {
    // A server that does not answer this question may still run workflows.
  }
  try {
    const { pollers } = await connection.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: 2,
    });
    const processes = new Set((pollers ?? []).map((poller) => poller.identity)).size + 1;
    if (processes > mostProcesses) {
      warnings.push(
        `${processes} worker processes serve one task queue: with the server's standard history.maxInFlightUpdates of 10, ` +
          `at most ${mostProcesses} may serve one bot. Raise it to 100, or run fewer`,
      );
    }
  } catch {
    // As above.
  }
  return warnings;
}
