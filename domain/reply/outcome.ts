import type { ClaimMark } from '../lane/messages.ts';
import { assertNever, type Outcome } from '../outcome.ts';
import { spendAttempt } from './attempt.ts';
import { noteUncertain, repeatInDoubt } from './doubt.ts';
import { review, wait, backoff, toUnknown } from './phases.ts';
import type { Reply } from './state.ts';

/** A service that has paused is asked again when the lane says: soon the reply asks the lane. */
const askAfterPauseMs = 1000;

/**
 * What an attempt's outcome makes of the reply. The attempt itself has been noted. `mark` is where its claim stands, at
 * services whose idempotency keys protect a repetition.
 */
export function noteOutcome(
  reply: Reply,
  outcome: Outcome,
  mark: ClaimMark | undefined,
  nowMs: number,
  chance: number,
): Reply {
  const readable = { ...reply, unreachedStreak: 0 };
  /** The lane has been told that the reply had its turn. */
  const through = { ...readable, placeIn: null };
  switch (outcome.kind) {
    case 'sent':
      return { ...through, phase: { at: 'sent', message: outcome.message } };
    case 'flood': {
      const delayMs = Math.max(reply.budgets.attemptGapMs, outcome.retryAfterSeconds * 1000);
      const ticketMs = reply.known?.notBeforeMs ?? null;
      return {
        ...readable,
        spent: { ...reply.spent, floods: reply.spent.floods + 1 },
        ticketMs,
        phase: wait('cooldown', nowMs + delayMs, ticketMs),
      };
    }
    case 'paused':
      return { ...readable, ticketMs: null, phase: wait('cooldown', nowMs + askAfterPauseMs, null) };
    case 'held': {
      const held = review('held', outcome.evidence, nowMs);
      return { ...spendAttempt(through), phase: outcome.isFinal ? { ...held, isFinal: true } : held };
    }
    case 'rejected':
      // A refusal of the bot itself says nothing of the reply: the lane stops, the reply waits (invariant 7).
      if (outcome.rejection.kind === 'auth')
        return { ...readable, phase: wait('lane_stopped', nowMs + 5000, null) };
      return { ...through, phase: { at: 'rejected', rejection: outcome.rejection } };
    case 'migrated':
      if (reply.visited.includes(outcome.chat)) {
        const evidence = `the destination moves in a ring: the service answered "migrated" to a chat it came from`;
        return { ...spendAttempt(readable), phase: review('held', evidence, nowMs) };
      }
      return {
        ...spendAttempt(readable),
        chat: outcome.chat,
        visited: [...reply.visited, reply.placeIn ?? '', outcome.chat],
        phase: { at: 'ready' },
      };
    case 'unreached': {
      const unreachedStreak = reply.unreachedStreak + 1;
      return { ...reply, unreachedStreak, phase: backoff(reply, unreachedStreak, nowMs, chance) };
    }
    case 'unknown':
      if (mark && outcome.mayRepeat === true) {
        const uncertain = noteUncertain(spendAttempt(readable), mark);
        return repeatInDoubt(uncertain, outcome.evidence, nowMs, chance);
      }
      return toUnknown(noteUncertain(spendAttempt(through), mark), outcome.evidence, nowMs);
    default:
      return assertNever(outcome);
  }
}
