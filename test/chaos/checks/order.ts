import { outOfOrder } from '../../support/fake-service/index.ts';
import type { Evidence, Finding } from '../evidence.ts';
import { type ReplyFacts, gatherFacts } from './reply-facts.ts';

/** A reply arrived before one that goes before it along `after` (rule 9 of the lane). */
export function inverted(evidence: Evidence): readonly Finding[] {
  const orders = new Map(
    gatherFacts(evidence)
      .filter(keepsOrder)
      .map(({ reply }) => [reply.key, reply.order]),
  );
  const byN = new Map(evidence.arrivals.map((arrival) => [arrival.n, arrival]));
  return outOfOrder(evidence.arrivals, ({ text }) => (text === null ? null : (orders.get(text) ?? null))).map(
    ({ bot, chat, n, laterN }) => {
      const [first, second] = [byN.get(n), byN.get(laterN)];
      const ms = Math.round((second?.atMs ?? 0) - (first?.atMs ?? 0));
      return { bot, key: first?.text ?? null, what: `arrived in ${chat} ${ms} ms before ${second?.text}` };
    },
  );
}

/** Replies that gave up their place (review, cancelled, expired, reset) may go in any order. */
function keepsOrder({ reply, decidedAtMs, wasReset }: ReplyFacts): boolean {
  const { record } = reply;
  if (record === null || reply.order === null || wasReset || decidedAtMs !== null) return false;
  return record.state === 'sent' || record.state === 'rejected';
}
