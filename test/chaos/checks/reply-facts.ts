import type { AttemptRecord } from '../../../domain/record.ts';
import type { ActEvidence, ArrivalEvidence, Evidence, ReplyEvidence } from '../evidence.ts';

/** What the evidence says about one reply, gathered for the checks. */
export interface ReplyFacts {
  readonly reply: ReplyEvidence;
  readonly arrivals: readonly ArrivalEvidence[];
  /** When the service took its message. */
  readonly storedAtMs: readonly number[];
  readonly sightings: number;
  /** Times that people asked for it to be sent again, and may have been heard. */
  readonly resends: number;
  /** When operators reset it. */
  readonly resetAtMs: readonly number[];
  /** When a person last decided it under review; null where nobody did. */
  readonly decidedAtMs: number | null;
}

export function gatherFacts(evidence: Evidence): readonly ReplyFacts[] {
  const arrivals = groupBy(evidence.arrivals, ({ text }) => text);
  const stored = groupBy(evidence.stored, ({ text }) => text);
  const sightings = groupBy(evidence.sightings, ({ key }) => key);
  const acts = groupBy(evidence.acts, ({ key }) => key);
  return evidence.replies.map((reply) => {
    const own = acts.get(reply.key) ?? [];
    const decisions = own.filter(
      (act) => act.kind === 'decide' && (!isRefusal(act.answer) || isLatest(act, reply)),
    );
    const counted = decisions.filter((act) => hasCounted(act, reply));
    return {
      reply,
      arrivals: arrivals.get(reply.key) ?? [],
      storedAtMs: (stored.get(reply.key) ?? []).map(({ atMs }) => atMs),
      sightings: sightings.get(reply.key)?.length ?? 0,
      resends: decisions.filter(({ decision }) => decision === 'resend').length,
      resetAtMs: own.filter(({ kind }) => kind === 'reset').map(({ askedAtMs }) => askedAtMs),
      decidedAtMs: counted.length === 0 ? null : Math.max(...counted.map(({ askedAtMs }) => askedAtMs)),
    };
  });
}

/** Attempts of these outcomes, after an instant. */
export function attemptsOf(
  { reply }: ReplyFacts,
  outcomes: readonly AttemptRecord['outcome'][],
  afterMs = -Infinity,
): readonly AttemptRecord[] {
  const attempts = reply.record?.attempts ?? [];
  return attempts.filter(({ outcome, at }) => outcomes.includes(outcome) && Date.parse(at) > afterMs);
}

/** The reply's record names the latest decision; an earlier `resend` is known by its answer only. */
function hasCounted(act: ActEvidence, reply: ReplyEvidence): boolean {
  if (act.answer === 'decided' || isLatest(act, reply)) return true;
  return act.decision === 'resend' && reply.record?.state !== 'review';
}

function isLatest(act: ActEvidence, { record }: ReplyEvidence): boolean {
  return record?.decision?.by === act.by;
}

/** The answers that say for sure that a decision was not carried out. */
function isRefusal(answer: string | null): boolean {
  return answer === 'ReplyRefusedError' || answer === 'ReplyNotFoundError';
}

export function groupBy<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string | null,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === null) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
