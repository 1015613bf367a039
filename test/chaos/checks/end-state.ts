import { finalStates } from '../../../domain/record.ts';
import { unsafeRepeats } from '../../support/fake-service/index.ts';
import type { Evidence, Finding } from '../evidence.ts';
import { type ReplyFacts, gatherFacts } from './reply-facts.ts';

/** A reply that was accepted has no state, never got to one, or is "sent" with nothing stored (invariants 7 and 9). */
export function lost(evidence: Evidence): readonly Finding[] {
  return findings(evidence, ({ reply: { record, problem }, storedAtMs, decidedAtMs }) => {
    if (record === null) return `has no state: ${problem ?? 'not found'}`;
    if (!isEnd(record.state)) return `is ${record.state} long after all faults ended`;
    if (record.state === 'sent' && storedAtMs.length === 0 && decidedAtMs === null)
      return 'is sent, but nothing was stored';
    return undefined;
  });
}

/** The service took a message more often than people asked for (invariants 1, 5 and 9). */
export function twice(evidence: Evidence): readonly Finding[] {
  return findings(evidence, ({ storedAtMs: { length: stored }, resends }) =>
    stored > 1 + resends ? `was stored ${stored} times, with ${resends} resends by people` : undefined,
  );
}

/** A request was repeated, not by a person, while nobody could know that an earlier one was not taken (invariant 5). */
export function gambled(evidence: Evidence): readonly Finding[] {
  const repeats = new Map(
    unsafeRepeats(evidence.arrivals, ({ text }) => text).map(({ key, ns }) => [key, ns.length]),
  );
  return findings(evidence, ({ reply: { key }, resends }) => {
    const count = repeats.get(key) ?? 0;
    return count > resends
      ? `was repeated ${count} times in doubt, with ${resends} resends by people`
      : undefined;
  });
}

/**
 * A final state that is not true and that no person brought about: not sent, though it was stored; sent, though it was
 * not. So is a cancellation that was answered "cancelled" and followed by a request (invariant 6).
 */
export function wronglyCertain(evidence: Evidence): readonly Finding[] {
  return findings(evidence, (facts) => {
    const { reply, storedAtMs, decidedAtMs } = facts;
    const state = reply.record?.state;
    if (state === 'sent' && storedAtMs.length === 0 && decidedAtMs === null)
      return 'is sent, but nothing was stored';
    const denies =
      state === 'not_sent' || state === 'rejected' || state === 'cancelled' || state === 'expired';
    if (denies && storedAtMs.some((atMs) => decidedAtMs === null || atMs > decidedAtMs))
      return `is ${state}, but it was stored`;
    return sentAfterCancel(evidence, facts);
  });
}

function sentAfterCancel(evidence: Evidence, { reply, arrivals }: ReplyFacts): string | undefined {
  for (const { kind, key, answer, answeredAtMs } of evidence.acts) {
    if (kind !== 'cancel' || key !== reply.key || answer !== 'cancelled' || answeredAtMs === null) continue;
    const late = arrivals.find(({ atMs }) => atMs > answeredAtMs);
    if (late) return `was answered "cancelled", and a request arrived ${late.atMs - answeredAtMs} ms later`;
  }
  return undefined;
}

/** States in which a reply may stay: the final ones, and the wait for a person. */
function isEnd(state: string): boolean {
  return state === 'review' || (finalStates as readonly string[]).includes(state);
}

function findings(evidence: Evidence, judge: (facts: ReplyFacts) => string | undefined): readonly Finding[] {
  return gatherFacts(evidence).flatMap((facts) => {
    const what = judge(facts);
    return what === undefined ? [] : [{ bot: facts.reply.bot, key: facts.reply.key, what }];
  });
}
