import { crowdWaitMs } from './crowd.ts';
import type { Ask } from './messages.ts';
import { type OrderAnswer, placesAhead } from './order.ts';
import type { LanePolicy } from './policy.ts';
import { botSpacingMs, chatPitchMs } from './slots.ts';
import type { Chat, Lane } from './state.ts';

/**
 * When a reply that must wait asks again. Tickets spread the asks over time at the rate that the limits allow; they
 * reserve nothing: slots are taken only by a grant (rule 8).
 */

/** How long `bulk` keeps away from a slot that a `reply` was promised. */
export const promiseGraceMs = 250;

/** Each ask costs about eleven events of a history, of which a reply has fifty thousand. */
const longestBehindMs = 30_000;

/** Who asks for a ticket. */
export interface TicketHolder {
  readonly lane: Lane;
  readonly policy: LanePolicy;
  readonly ask: Ask;
  readonly chat: Chat;
  readonly nowMs: number;
}

/** Until when tickets are out for the bot: a newcomer goes behind them. */
export function backlogUntilMs({ lane, ask }: TicketHolder): number {
  const { reply, replyDue, bulk, bulkDue } = lane.cursors;
  return ask.class === 'bulk' ? Math.max(reply, replyDue, bulk, bulkDue) : Math.max(reply, replyDue);
}

/** Whether a slot of the bot was promised to a `reply` that will come for it about now, or later. */
export function isPromisedToReplies({ lane, nowMs }: TicketHolder): boolean {
  return Math.max(lane.cursors.reply, lane.cursors.replyDue) + promiseGraceMs > nowMs;
}

/** Whether bulk that is owed slots has come, found none, and will come again about now. */
export function isOwedToBulk({ lane, nowMs }: TicketHolder): boolean {
  return lane.bulkCredit >= 2 && lane.cursors.bulkDue > nowMs;
}

/** A new ticket at the end of the bot's schedule, not before `fromMs`, and behind those who asked before in its chat. */
export function newTicket(holder: TicketHolder, fromMs: number): number {
  const { lane, policy, ask, chat, nowMs } = holder;
  const { cursors } = lane;
  const bulk = ask.class === 'bulk';
  const [ahead] = placesAhead(lane, chat, ask, nowMs);
  const turnMs =
    ahead && ahead.ticketMs >= fromMs ? ahead.ticketMs + chatPitchMs(lane, policy, chat.kind) : fromMs;
  const inBotMs = Math.max(fromMs, bulk ? Math.max(cursors.bulk, cursors.reply) : cursors.reply);
  // A ticket that waits for its chat leaves the bot's slots to others.
  if (inBotMs < turnMs) return turnMs;
  cursors[bulk ? 'bulk' : 'reply'] = inBotMs + botSpacingMs(lane, policy, nowMs) * ask.weight;
  return inBotMs;
}

/** When to ask again for one who is not the first of its chat. */
export function orderTicket(holder: TicketHolder, order: Exclude<OrderAnswer, { kind: 'free' }>): number {
  const { lane, policy, ask, chat, nowMs } = holder;
  if (order.kind === 'missing') {
    // Soon again, then ever less often.
    return nowMs + Math.min(5000, Math.max(300, (nowMs - order.sinceMs) / 2));
  }
  // One who is overdue may be backing off for hours. Time in which nobody could come does not count.
  const overdueMs = Math.max(0, nowMs - Math.max(order.aheadTicketMs, lane.awakeSinceMs));
  const pitchMs = Math.max(100, chatPitchMs(lane, policy, chat.kind));
  const ticketMs =
    Math.max(nowMs, order.aheadTicketMs) + Math.min(longestBehindMs, Math.max(pitchMs, overdueMs / 2));
  return Math.max(ticketMs, nowMs + crowdWaitMs(lane, chat, ask, pitchMs, nowMs));
}

/**
 * A due ticket found no slot: soon again, one after the other. A free slot is never kept for those who wait here: they
 * would come late for it, and it would stand idle.
 */
export function dueTicket({ lane, policy, ask, nowMs }: TicketHolder, freeAtMs: number): number {
  const cursor = ask.class === 'bulk' ? 'bulkDue' : 'replyDue';
  const ticketMs = Math.max(freeAtMs, lane.cursors[cursor]);
  lane.cursors[cursor] = ticketMs + botSpacingMs(lane, policy, nowMs) * ask.weight;
  return ticketMs;
}

/** While the lane stands still, asks come rarely: whoever lets it go on also wakes the replies. */
export function stallTicket({ lane, nowMs }: TicketHolder): number {
  const ticketMs = Math.max(nowMs + 60_000, lane.cursors.stall);
  lane.cursors.stall = ticketMs + 200;
  return ticketMs;
}
