import { assertNever } from '../outcome.ts';
import { keepDoubt } from './doubt.ts';
import { review } from './phases.ts';
import { decideByPolicy, policyDueMs } from './review-policy.ts';
import type { Phase, Reply } from './state.ts';

/** Each run costs about eleven events of a history, which ends by force at 51,200: a person must look before. */
const maxRuns = 4000;

/** Runs that a decision to resend allows past that. */
const runsAfterResend = 50;

/** What the job gate says: the one place that decides whether a run may start (invariants 6 and 7). */
export type Gate =
  | { readonly kind: 'run' }
  | { readonly kind: 'wait'; readonly untilMs: number }
  | { readonly kind: 'hold' }
  | { readonly kind: 'done' };

/**
 * Settles what time and requests have brought about, and says what is next. A cancellation and an expiry count before
 * every run, never during one; an expiry never closes a review, and only a policy of the bot does without a person.
 */
export function passGate(reply: Reply, nowMs: number): { readonly reply: Reply; readonly gate: Gate } {
  const to = (phase: Phase): { reply: Reply; gate: Gate } =>
    passGate(keepDoubt({ ...reply, phase }, nowMs), nowMs);
  const { phase } = reply;
  switch (phase.at) {
    case 'sent':
    case 'rejected':
    case 'cancelled':
    case 'expired':
    case 'not_sent':
      return { reply, gate: { kind: 'done' } };
    case 'review': {
      const dueMs = policyDueMs(reply);
      if (dueMs === undefined) return { reply, gate: { kind: 'hold' } };
      if (dueMs > nowMs) return { reply, gate: { kind: 'wait', untilMs: dueMs } };
      return passGate(decideByPolicy(reply, nowMs), nowMs);
    }
    case 'sending':
      return { reply, gate: { kind: 'hold' } };
    case 'ready':
    case 'waiting': {
      if (reply.cancel) return to({ at: 'cancelled' });
      if (isExpired(reply, nowMs)) return to({ at: 'expired' });
      const overspent = overspentBudget(reply, nowMs);
      if (overspent !== undefined) return to(review('budget', overspent, nowMs));
      const gapEndsMs =
        reply.lastAttemptAtMs === null ? nowMs : reply.lastAttemptAtMs + reply.budgets.attemptGapMs;
      const untilMs = Math.max(gapEndsMs, phase.at === 'waiting' ? phase.untilMs : nowMs);
      if (untilMs <= nowMs) return { reply, gate: { kind: 'run' } };
      return { reply, gate: { kind: 'wait', untilMs: Math.min(untilMs, nextLimitMs(reply)) } };
    }
    default:
      return assertNever(phase);
  }
}

function isExpired(reply: Reply, nowMs: number): boolean {
  return reply.expiresAtMs !== null && reply.expiresAtMs <= nowMs && !reply.allowExpired;
}

function overspentBudget(reply: Reply, nowMs: number): string | undefined {
  const { spent, budgets, input } = reply;
  if (spent.attempts >= budgets.attempts) return `${spent.attempts} attempts without success`;
  if (spent.floods >= budgets.floods) return `refused for flood ${spent.floods} times`;
  if (reply.runs >= maxRuns && reply.runs - spent.sinceRun >= runsAfterResend) {
    return `asked ${reply.runs} times for its turn: its history has no room for many more`;
  }
  if (nowMs - spent.sinceMs >= budgets.ageMs) {
    return `not sent for ${Math.round((nowMs - spent.sinceMs) / 60_000)} minutes`;
  }
  const delay = input.reviewIfDelayedOverMs;
  if (delay !== undefined && nowMs - spent.sinceMs >= delay)
    return `delayed by more than ${delay} ms, as the app asked`;
  return undefined;
}

function nextLimitMs(reply: Reply): number {
  const { spent, budgets, input, expiresAtMs, allowExpired } = reply;
  return Math.min(
    spent.sinceMs + budgets.ageMs,
    input.reviewIfDelayedOverMs === undefined ? Infinity : spent.sinceMs + input.reviewIfDelayedOverMs,
    expiresAtMs === null || allowExpired ? Infinity : expiresAtMs,
  );
}
