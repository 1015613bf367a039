import { outOfOrder } from '../../support/fake-service/index.ts';
import type { Evidence, Finding, ReplyEvidence } from '../evidence.ts';
import { type ReplyFacts, gatherFacts, groupBy } from './reply-facts.ts';

/**
 * A reply arrived before one that goes before it along `after` (rule 9 of the lane). Two things cut the chain of a chat in
 * two, of which each is judged by itself: a reply that gave up its place (review, cancelled, expired, reset), and one
 * that was let go after 30 s without a predecessor that the lane had never heard of.
 */
export function inverted(evidence: Evidence): readonly Finding[] {
  const byN = new Map(evidence.arrivals.map((arrival) => [arrival.n, arrival]));
  const skipped = new Set(skippedPredecessors(evidence));
  return parts(gatherFacts(evidence), skipped).flatMap((part) => {
    const orders = new Map(part.map(({ key, order }) => [key, order]));
    const orderOf = ({ text }: { readonly text: string | null }): number | null =>
      orders.get(text ?? '') ?? null;
    return outOfOrder(evidence.arrivals, orderOf).map(({ bot, chat, n, laterN }) => {
      const [first, second] = [byN.get(n), byN.get(laterN)];
      const ms = Math.round((second?.atMs ?? 0) - (first?.atMs ?? 0));
      return { bot, key: first?.text ?? null, what: `arrived in ${chat} ${ms} ms before ${second?.text}` };
    });
  });
}

/** Keys of replies that were let go without a predecessor which their lane had never heard of. */
export function skippedPredecessors({ lanes }: Evidence): readonly string[] {
  return lanes.flatMap(({ skips }) => skips);
}

/** The chains of all chats, cut where a reply gave up its place, or went without its predecessor. */
function parts(
  facts: readonly ReplyFacts[],
  skipped: ReadonlySet<string>,
): readonly (readonly ReplyEvidence[])[] {
  const chains = groupBy(facts, ({ reply }) => (reply.order === null ? null : `${reply.bot} ${reply.chat}`));
  return [...chains.values()].flatMap((chain) => {
    const cut: ReplyEvidence[][] = [[]];
    for (const fact of chain.toSorted((a, b) => (a.reply.order ?? 0) - (b.reply.order ?? 0))) {
      if (!keptItsPlace(fact)) cut.push([]);
      else if (skipped.has(fact.reply.key)) cut.push([fact.reply]);
      else cut.at(-1)?.push(fact.reply);
    }
    return cut;
  });
}

function keptItsPlace({ reply, decidedAtMs, resetAtMs }: ReplyFacts): boolean {
  const state = reply.record?.state;
  return (state === 'sent' || state === 'rejected') && resetAtMs.length === 0 && decidedAtMs === null;
}
