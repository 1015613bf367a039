import {
  ApplicationFailure,
  CancellationScope,
  continueAsNew,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import {
  type BulkDecisionInput,
  type BulkDecisionView,
  type BulkTarget,
  bulkDecisionProblem,
  bulkRepliesInRun,
  chunkSize,
  newBulkProgress,
  noteBulkOutcomes,
} from '../domain/bulk-decision.ts';
import { isBulkDecisionId } from '../domain/ids.ts';
import { bulkDecisionQuery } from './protocol.ts';

const { decideReplies } = proxyActivities<Activities>({
  startToCloseTimeout: '10m',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', maximumInterval: '30s' },
});

/**
 * One decision on a list of replies that was frozen at the start, each reply by its own Update, paced. Goes on whatever
 * becomes of who started it. A cancellation request ends it after the replies in hand, with its counts as its result.
 */
export async function bulkDecisionWorkflow(input: BulkDecisionInput): Promise<BulkDecisionView> {
  const { workflowId } = workflowInfo();
  checkBulkStart(workflowId, input);
  const { replies, ratePerSecond, progress: before, ...decision } = input;
  const { decision: name, by, reason } = decision;
  let progress = before ?? newBulkProgress(replies.length);
  let state: BulkDecisionView['state'] = 'running';
  const view = (): BulkDecisionView => ({ state, decision: name, by, reason, ...progress });
  setHandler(bulkDecisionQuery, view, {
    description: 'How many are decided, skipped and failed, and which not, and why.',
  });
  let isCancelled = false;
  CancellationScope.current().cancelRequested.catch(() => (isCancelled = true));
  const size = chunkSize(ratePerSecond);
  return CancellationScope.nonCancellable(async () => {
    let at = 0;
    for (; at < replies.length && at < bulkRepliesInRun && !isCancelled; at += size) {
      const chunk: readonly BulkTarget[] = replies.slice(at, at + size);
      const outcomes = await decideReplies({ ...decision, replies: chunk, ratePerSecond, bulk: workflowId });
      progress = noteBulkOutcomes(progress, chunk, outcomes);
    }
    if (at < replies.length && !isCancelled)
      await continueAsNew<typeof bulkDecisionWorkflow>({ ...input, replies: replies.slice(at), progress });
    state = at < replies.length ? 'cancelled' : 'completed';
    return view();
  });
}

function checkBulkStart(workflowId: string, input: BulkDecisionInput): void {
  const problem = isBulkDecisionId(workflowId)
    ? bulkDecisionProblem(input)
    : `the Workflow Id of a bulk decision must be "bulk-decision:" and 1 to 80 letters, digits, _ and -`;
  if (problem !== undefined)
    throw ApplicationFailure.nonRetryable(`not a bulk decision: ${problem}`, 'BadBulkDecision');
}
