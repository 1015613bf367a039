import type { ClaimMark } from '../lane/messages.ts';
import { assertNever } from '../outcome.ts';
import { backoff, toUnknown } from './phases.ts';
import type { Reply } from './state.ts';

/** Waits grow no longer than this many doublings: the lane must not give the reply's place up meanwhile. */
const longestStreak = 5;

/** An attempt may have arrived; `mark` is where its claim stands, where the lane said so. The earliest such counts. */
export function noteUncertain(reply: Reply, mark: ClaimMark | undefined): Reply {
  if (reply.uncertainSince !== null) return reply;
  return { ...reply, uncertainSince: mark ? { kind: 'claim', mark } : { kind: 'untold' } };
}

/**
 * The last attempt may have arrived, and its idempotency key keeps a repetition from being carried out twice: it is
 * repeated by itself. How long that holds is the lane's to say, from the earliest such attempt on (invariant 5), also where
 * a person has decided to resend since. Where nobody knows which was the earliest, a person is asked.
 */
export function repeatInDoubt(reply: Reply, evidence: string, nowMs: number, chance: number): Reply {
  const { uncertainSince } = reply;
  if (uncertainSince?.kind !== 'claim') return toUnknown(reply, evidence, nowMs);
  const known = reply.doubt ?? {
    since: uncertainSince.mark,
    attempt: reply.attemptCount,
    evidence,
    streak: 0,
  };
  const doubt = { ...known, streak: known.streak + 1 };
  const phase = backoff(reply, Math.min(longestStreak, doubt.streak), nowMs, chance);
  return { ...reply, doubt, ticketMs: null, phase };
}

/**
 * Nothing but the service's own word ends a doubt: where a reply is about to say anything else, a person is asked. Applied
 * after every transition that no person has made.
 */
export function keepDoubt(reply: Reply, nowMs: number): Reply {
  const { doubt, phase } = reply;
  if (doubt === null) return reply;
  const ask = (why: string): Reply => ({
    ...toUnknown(reply, `attempt ${doubt.attempt} may have arrived (${doubt.evidence}); ${why}`, nowMs),
    doubt: null,
    cancel: null,
  });
  switch (phase.at) {
    case 'ready':
    case 'waiting':
    case 'sending':
      return reply;
    case 'sent':
    case 'not_sent':
      return { ...reply, doubt: null };
    case 'rejected':
      return ask(`its repetition was refused: ${phase.rejection.description}`);
    case 'cancelled':
      return ask('then it was to be cancelled');
    case 'expired':
      return ask('then it expired');
    case 'review': {
      const asked = ask(`then: ${phase.evidence}`);
      return phase.isFinal === true && asked.phase.at === 'review'
        ? { ...asked, phase: { ...asked.phase, isFinal: true } }
        : asked;
    }
    default:
      return assertNever(phase);
  }
}
