import { assertNever, type OutcomeKind } from '../outcome.ts';
import type { SendLoss } from '../send.ts';
import { addAttempt, addLostAttempt } from './attempt.ts';
import { keepDoubt, noteUncertain, repeatInDoubt } from './doubt.ts';
import { noteLateProof } from './late-proof.ts';
import { backoff, toUnknown } from './phases.ts';
import type { Reply } from './state.ts';

/** Takes in that the run in flight returned nothing. */
export function noteLoss(reply: Reply, loss: SendLoss, nowMs: number, chance: number): Reply {
  if (reply.phase.at !== 'sending') return reply;
  return keepDoubt(takeIn(reply, loss, nowMs, chance), nowMs);
}

function takeIn(reply: Reply, loss: SendLoss, nowMs: number, chance: number): Reply {
  switch (loss.kind) {
    case 'not_started':
      return { ...reply, phase: backoff(reply, 1, nowMs, chance) };
    case 'never_claimed': {
      // Proven by the lane: no claim, so no attempt; tried again by itself.
      const unreachedStreak = reply.unreachedStreak + 1;
      return { ...reply, unreachedStreak, phase: backoff(reply, unreachedStreak, nowMs, chance) };
    }
    case 'claimed': {
      // The lane was told before the activity was lost: what it was told is proof where nothing can have arrived.
      if (loss.reported === 'flood' || loss.reported === 'unreached' || loss.reported === 'paused') {
        const attempted = addAttempt(
          reply,
          {
            outcome: loss.reported,
            progress: loss.reported === 'unreached' ? 'not_connected' : 'answered',
            httpStatus: null,
            worker: loss.worker ?? null,
          },
          nowMs,
        );
        const spent = {
          ...attempted.spent,
          floods: attempted.spent.floods + (loss.reported === 'flood' ? 1 : 0),
        };
        return { ...attempted, spent, phase: backoff(reply, 1, nowMs, chance) };
      }
      const lost = noteUncertain(addLostAttempt(reply, loss.worker ?? null, nowMs), loss.mark);
      const told = loss.reported === null ? '' : `; the lane was told "${loss.reported}" before that`;
      const evidence = `${loss.why}${told}`;
      // Its answer is lost, but not beyond recall: the same key brings it back.
      const next =
        loss.mark && isRecalled(loss.reported)
          ? repeatInDoubt(lost, evidence, nowMs, chance)
          : toUnknown(lost, evidence, nowMs);
      if (!loss.isProof || loss.reported === null || loss.reported === 'unknown') return next;
      // No policy may decide against it; whether it ends the review is a person's to say.
      return noteLateProof(
        next,
        { attempt: lost.attemptCount, outcome: loss.reported, messageId: null },
        nowMs,
      );
    }
    case 'lost': {
      const lost = noteUncertain(addLostAttempt(reply, loss.worker ?? null, nowMs), undefined);
      return toUnknown(lost, loss.why, nowMs);
    }
    default:
      return assertNever(loss);
  }
}

/** Whether a repetition under the same key tells more than what the lane was told. */
function isRecalled(reported: OutcomeKind | null): boolean {
  return reported === null || reported === 'unknown' || reported === 'sent';
}
