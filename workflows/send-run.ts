import {
  ActivityCancellationType,
  ActivityFailure,
  CancelledFailure,
  type CancellationScope,
  TimeoutFailure,
  patched,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { plainKey } from '../domain/ids.ts';
import { type OutcomeKind, assertNever } from '../domain/outcome.ts';
import { type Reply, mayBeRestart } from '../domain/reply/index.ts';
import type { Budgets, LostRunAnswer, SendInput, SendLoss, SendResult } from '../domain/send.ts';
import { memoFields } from './names.ts';

/** How one run of the activity ended: with a result, or lost. */
export type SendEnd =
  | { readonly kind: 'returned'; readonly result: SendResult }
  | { readonly kind: 'lost'; readonly loss: SendLoss; readonly budgets?: Budgets };

/** Longest time in the task queue: with no worker up, the reply looks again at its gate (rule 15). */
const longestQueueMs = 10 * 60_000;

const { revokeAttempt } = proxyActivities<Activities>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '500ms', maximumInterval: '30s' },
});

/**
 * Runs `sendMessage` once. It is never retried: a run that returns nothing is taken back at the lane first, and only
 * what the lane proves counts as not sent (invariants 4 and 5). Cancelling the scope withdraws a run that has not
 * started, or not asked yet.
 */
export async function runSend(reply: Reply, scope: CancellationScope): Promise<SendEnd> {
  const scheduledAtMs = Date.now();
  const queueMs =
    reply.expiresAtMs === null || reply.allowExpired ? longestQueueMs : reply.expiresAtMs - scheduledAtMs;
  const { sendMessage } = proxyActivities<Activities>({
    scheduleToStartTimeout: Math.max(1, Math.min(longestQueueMs, queueMs)),
    startToCloseTimeout: '60s',
    heartbeatTimeout: '10s',
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { maximumAttempts: 1 },
    summary: `run ${reply.runs}: claim, then at most one request`,
  });
  try {
    return { kind: 'returned', result: await scope.run(() => sendMessage(sendInput(reply))) };
  } catch (error) {
    return { kind: 'lost', ...(await findLoss(error, reply, scheduledAtMs)) };
  }
}

function sendInput(reply: Reply): SendInput {
  const { input, chat, runs, attemptCount, expiresAtMs, allowExpired, ticketMs, heldSinceMs, known, doubt } =
    reply;
  const { firstExecutionRunId, memo } = workflowInfo();
  // Our starts carry the hash, and cannot be repeated; "start one like this" in the Web UI drops it.
  const bare = memo?.[memoFields.contentHash] === undefined && mayBeRestart(reply);
  return {
    bot: input.bot,
    key: input.key,
    content: input.content,
    chat,
    run: runs,
    attempt: attemptCount + 1,
    ...(bare ? { bare } : {}),
    firstRunId: firstExecutionRunId,
    class: input.class ?? 'reply',
    ...(input.after === undefined ? {} : { after: input.after }),
    startedAtMs: reply.startedAtMs,
    ...(expiresAtMs === null || allowExpired ? {} : { expiresAtMs }),
    ...(allowExpired ? { allowExpired } : {}),
    ...(ticketMs === null ? {} : { ticketMs }),
    ...(heldSinceMs === null ? {} : { heldSinceMs }),
    ...(known === null ? {} : { known }),
    ...(doubt === null ? {} : { doubt: doubt.since }),
  };
}

async function findLoss(
  error: unknown,
  reply: Reply,
  scheduledAtMs: number,
): Promise<Omit<Extract<SendEnd, { kind: 'lost' }>, 'kind'>> {
  const notStarted = { loss: { kind: 'not_started' } } as const;
  if (error instanceof CancelledFailure) return notStarted;
  if (!(error instanceof ActivityFailure)) throw error;
  const { cause } = error;
  // The activity returns a value once it holds a claim: a cancelled one has sent nothing.
  if (cause instanceof CancelledFailure) return notStarted;
  if (cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START') return notStarted;
  const why =
    cause instanceof TimeoutFailure
      ? `the worker was lost during the attempt (${cause.timeoutType} time-out)`
      : 'the worker failed during the attempt';
  const { bot, key } = reply.input;
  const answer = await revokeAttempt({ bot, reply: plainKey(key), attempt: reply.runs, scheduledAtMs });
  const { budgets } = answer;
  return { loss: lossBy(answer, why), ...(budgets ? { budgets } : {}) };
}

function proofOf(reported: OutcomeKind | null): { readonly isProof?: true } {
  switch (reported) {
    case 'sent':
    case 'held':
    case 'rejected':
    case 'migrated':
      // Without it a policy of the bot may decide, and a timer of that stands in older histories.
      return patched('reported-is-proof') ? { isProof: true } : {};
    case null:
    case 'unknown':
    case 'flood':
    case 'unreached':
    case 'paused':
      return {};
    default:
      return assertNever(reported);
  }
}

function lossBy(answer: LostRunAnswer, why: string): SendLoss {
  const who = answer.worker === undefined ? {} : { worker: answer.worker };
  switch (answer.kind) {
    case 'never':
      return { kind: 'never_claimed' };
    case 'yes':
      return {
        kind: 'claimed',
        reported: answer.reported,
        why,
        ...who,
        ...(answer.mark === undefined ? {} : { mark: answer.mark }),
        ...proofOf(answer.reported),
      };
    case 'lost':
      return { kind: 'lost', why: `${why}, and the lane has lost its memory of it`, ...who };
  }
}
