import type { Evidence, Finding } from '../evidence.ts';
import { type ReplyFacts, attemptsOf, gatherFacts } from './reply-facts.ts';

/** How well the program tells what nobody can know from what is certain. */
export interface Doubt {
  /** Requests that arrived, and whose answer never reached the reply. */
  readonly uncertain: number;
  /** Share of them that a person was asked about. 1 where there were none. */
  readonly recall: number;
  readonly missed: readonly Finding[];
  /** Attempts that ended as `unknown`. */
  readonly unknown: number;
  /** Of those: the request arrived; or at least something of it left the worker; or nothing did. */
  readonly arrived: number;
  readonly onTheWire: number;
  readonly nothingLeft: number;
  /** Share of unknown attempts of which something had left the worker. 1 where there were none. */
  readonly precision: number;
}

/** Judges doubt by what arrived, what left the workers, and what became of each reply. */
export function judgeDoubt(evidence: Evidence): Doubt {
  let uncertain = 0;
  let recalled = 0;
  let unknown = 0;
  let arrived = 0;
  let onTheWire = 0;
  const missed: Finding[] = [];
  for (const facts of gatherFacts(evidence)) {
    const own = uncertainArrivals(facts);
    const unasked = facts.reply.record?.state === 'review' ? 0 : uncertainArrivals(facts, facts.decidedAtMs);
    uncertain += own;
    recalled += own - unasked;
    if (unasked > 0) {
      const { bot, key, record } = facts.reply;
      const what = `arrived ${unasked} times with no answer that counted, but is ${record?.state ?? 'lost'}, undecided`;
      missed.push({ bot, key, what });
    }
    const unknowns = attemptsOf(facts, ['unknown']).length;
    const answered = attemptsOf(facts, ['sent', 'flood', 'held', 'rejected', 'migrated']).length;
    const arrivedHere = Math.min(unknowns, own);
    // An arrival counts as seen on its way, even if its key was cut in two there.
    const left = Math.max(facts.sightings, facts.arrivals.length) - answered;
    unknown += unknowns;
    arrived += arrivedHere;
    onTheWire += Math.min(unknowns, Math.max(arrivedHere, left)) - arrivedHere;
  }
  return {
    uncertain,
    recall: uncertain === 0 ? 1 : recalled / uncertain,
    missed,
    unknown,
    arrived,
    onTheWire,
    nothingLeft: unknown - arrived - onTheWire,
    precision: unknown === 0 ? 1 : (arrived + onTheWire) / unknown,
  };
}

/**
 * Arrivals of which the reply knows no answer: a stored one without `sent`, a 429 without `flood`, and so on; those
 * after an instant.
 */
function uncertainArrivals(facts: ReplyFacts, afterMs: number | null = null): number {
  const sinceMs = afterMs ?? -Infinity;
  const unanswered = (verdict: string, ...outcomes: Parameters<typeof attemptsOf>[1]): number => {
    const arrivals = facts.arrivals.filter(
      (arrival) => arrival.verdict === verdict && arrival.atMs > sinceMs,
    );
    return Math.max(0, arrivals.length - attemptsOf(facts, outcomes, sinceMs).length);
  };
  return (
    unanswered('stored', 'sent') +
    unanswered('flood', 'flood', 'held') +
    unanswered('refused', 'rejected', 'migrated') +
    unanswered('none')
  );
}

/**
 * Seconds by which an uncertain request came under review later than its HTTP time-out: one figure for each attempt that
 * ended as `unknown` and had arrived. Below zero where the loss was noticed sooner. An arrival before the end of the attempt
 * before is that one's. Where an operator's reset has thrown away what was known, it was lost then.
 */
export function listingSeconds(evidence: Evidence): readonly number[] {
  return gatherFacts(evidence).flatMap((facts) => {
    const attempts = facts.reply.record?.attempts ?? [];
    return attempts.flatMap(({ at, outcome }, index) => {
      if (outcome !== 'unknown') return [];
      const atMs = Date.parse(at);
      const sinceMs = Date.parse(attempts[index - 1]?.at ?? '') || 0;
      const arrival = facts.arrivals.findLast(
        (candidate) => candidate.atMs <= atMs && candidate.atMs > sinceMs,
      );
      if (arrival === undefined) return [];
      const lostAtMs = Math.max(arrival.atMs, ...facts.resetAtMs.filter((resetAtMs) => resetAtMs <= atMs));
      return [(atMs - lostAtMs - evidence.settings.httpTimeoutMs) / 1000];
    });
  });
}
