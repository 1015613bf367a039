import type { Context } from '@temporalio/activity';
import { replyName } from '../domain/ids.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { SendInput } from '../domain/send.ts';
import { orLate } from './pause.ts';
import type { SendDeps } from './send-deps.ts';

/** The server gives an activity up after 10 s without a heartbeat: a shorter run cannot have been lost. */
const soonestLossMs = 9000;
const askWithinMs = 3000;
const tellWithinMs = 10_000;

/** Whether a run that has taken so long may have been taken from this process meanwhile: it was frozen, or cut off. */
export function mayBeLost(context: Context, ranMs: number): boolean {
  return ranMs >= soonestLossMs || context.cancellationSignal.aborted;
}

/**
 * The reply may have given this run up as lost before its answer was read. What the answer proves must not vanish: it goes
 * into the log, and to the reply while that is open. It decides nothing.
 */
export async function tellIfLate(
  deps: SendDeps,
  input: SendInput,
  context: Context,
  outcome: Outcome,
): Promise<void> {
  const { workflowExecution, activityId } = context.info;
  if (outcome.kind === 'unknown' || !workflowExecution) return;
  try {
    const awaited = await orLate(deps.replies.awaits(workflowExecution, activityId), askWithinMs);
    if (awaited !== false) return;
    const attempt = input.attempt ?? input.run;
    const messageId = outcome.kind === 'sent' ? outcome.message.message_id : null;
    deps.log(
      JSON.stringify({
        event: 'late_proof',
        at: new Date().toISOString(),
        reply: replyName(input),
        attempt,
        outcome: outcome.kind,
        message_id: messageId,
      }),
    );
    const note = { attempt, outcome: outcome.kind, messageId };
    await orLate(deps.replies.tellLateProof(workflowExecution, note), tellWithinMs);
  } catch {
    // Without Temporal's word nobody knows that it is late; the lane has been told all the same.
  }
}
