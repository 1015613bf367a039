import { outOfOrder } from '../../support/fake-service/index.ts';
import type { Evidence, Finding, ReplyEvidence } from '../evidence.ts';
import { type ReplyFacts, gatherFacts, groupBy } from './reply-facts.ts';

/**
 * A reply arrived before one that goes before it along `after` (rule 9 of the lane). A reply that gave up its place
 * (review, cancelled, expired, reset) cuts the chain of its chat in two: each part is judged by itself.
 */
export function inverted(evidence: Evidence): readonly Finding[] {
  const byN = new Map(evidence.arrivals.map((arrival) => [arrival.n, arrival]));
  return parts(gatherFacts(evidence)).flatMap((part) => {
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

/** The chains of all chats, cut where a reply gave up its place. */
function parts(facts: readonly ReplyFacts[]): readonly (readonly ReplyEvidence[])[] {
  const chains = groupBy(facts, ({ reply }) => (reply.order === null ? null : `${reply.bot} ${reply.chat}`));
  return [...chains.values()].flatMap((chain) => {
    const cut: ReplyEvidence[][] = [[]];
    for (const fact of chain.toSorted((a, b) => (a.reply.order ?? 0) - (b.reply.order ?? 0))) {
      if (keptItsPlace(fact)) cut.at(-1)?.push(fact.reply);
      else cut.push([]);
    }
    return cut;
  });
}

function keptItsPlace({ reply, decidedAtMs, wasReset }: ReplyFacts): boolean {
  const state = reply.record?.state;
  return (state === 'sent' || state === 'rejected') && !wasReset && decidedAtMs === null;
}
