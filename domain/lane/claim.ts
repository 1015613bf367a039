import { notePace } from './crowd.ts';
import { dropUnused, fenceAnswer, fenceKey, setFence } from './fence.ts';
import type { Ask, Verdict, WaitWhy } from './messages.ts';
import { type OrderAnswer, markDone, noteLateness, orderOf, takePlace } from './order.ts';
import type { Place } from './places.ts';
import { policyInForce } from './policy.ts';
import { isProtected, markOf } from './protection.ts';
import { grantBytes, hasRoomForGrant } from './size.ts';
import { botFreeAtMs, chatFreeAtMs, isBotIdle } from './slots.ts';
import { type Lane, bucketOf, movedChat, newChat } from './state.ts';
import {
  type TicketHolder,
  backlogUntilMs,
  dueTicket,
  isOwedToBulk,
  isPromisedToReplies,
  newTicket,
  orderTicket,
  promiseGraceMs,
  stallTicket,
} from './tickets.ts';

/** One ask before the gates. */
interface Candidate extends TicketHolder {
  readonly bucket: string;
  readonly place: Place | undefined;
}

/**
 * The order in which the asks of one batch are answered: those in doubt first, then `reply` before `bulk`, due tickets
 * first, then as they came. Gives indices, so that the answers can stand in the order of the asks.
 */
export function batchOrder(asks: readonly Ask[], nowMs: number): number[] {
  const rank = (ask: Ask): number => (isInDoubt(ask) ? 0 : ask.class === 'bulk' ? 2 : 1);
  const ticket = (ask: Ask): number => Math.min(ask.ticketMs ?? nowMs, nowMs);
  return (
    asks
      .map((ask, index) => ({ ask, index }))
      // Stable: those alike stay as they came.
      .sort((a, b) => rank(a.ask) - rank(b.ask) || ticket(a.ask) - ticket(b.ask))
      .map(({ index }) => index)
  );
}

/**
 * Decides one ask. On `go` the claim is recorded at once, so that the decision and the grant are one step: between the
 * cooldown as it was read and the leap there is no gap (invariants 2 and 4).
 */
export function decideAsk(lane: Lane, ask: Ask, nowMs: number): Verdict {
  const answer = fenceAnswer(lane, ask, nowMs);
  if (answer === 'granted') return go(lane, ask, nowMs);
  if (answer !== undefined) return { kind: 'refused', nowMs, why: answer, epoch: lane.epoch };

  dropUnused(lane, ask, nowMs);
  const bucket = bucketOf(movedChat(lane, ask.chat));
  if (ask.expiresAtMs !== undefined && ask.expiresAtMs <= nowMs) {
    markDone(lane, lane.chats.get(bucket), ask.reply, nowMs);
    return { kind: 'refused', nowMs, why: 'expired', epoch: lane.epoch };
  }
  if (!isProtected(lane, ask, nowMs)) return refuseUnprotected(lane, bucket, ask, nowMs);
  noteKnownCooldown(lane, ask, nowMs);
  if (ask.ticketMs !== undefined) noteLateness(lane, ask.ticketMs, nowMs);
  const chat = lane.chats.get(bucket) ?? newChat(ask.chatKind);
  const place = takePlace(lane, { bucket, chat }, ask, nowMs);
  const verdict = passGates({ lane, policy: policyInForce(lane), ask, bucket, chat, place, nowMs });
  // What it must wait for outlasts its protection: a person need not wait as well.
  const outlasts = verdict.kind === 'wait' && !isProtected(lane, ask, verdict.untilMs);
  return outlasts ? refuseUnprotected(lane, bucket, ask, nowMs) : verdict;
}

function refuseUnprotected(lane: Lane, bucket: string, ask: Ask, nowMs: number): Verdict {
  markDone(lane, lane.chats.get(bucket), ask.reply, nowMs);
  return { kind: 'refused', nowMs, why: 'unprotected', epoch: lane.epoch };
}

/** A lane that was lost is told the cooldown by those who waited for it (rule 5). */
function noteKnownCooldown(lane: Lane, { known }: Ask, nowMs: number): void {
  if (!known || known.epoch === lane.epoch || lane.overriddenAtMs !== null) return;
  const { notBeforeMs } = known;
  if (notBeforeMs <= Math.max(nowMs, lane.cooldown?.notBeforeMs ?? 0)) return;
  lane.cooldown = { notBeforeMs, reason: 'known', savedAtMs: nowMs, by: null, why: null };
  lane.probe = { kind: 'wanted' };
}

function go(lane: Lane, ask: Ask, nowMs: number): Verdict {
  const chat = movedChat(lane, ask.chat);
  const fence = lane.fences.get(fenceKey(ask.reply));
  const mark = ask.hasKeys === true && fence ? markOf(lane, fence) : undefined;
  return {
    kind: 'go',
    nowMs,
    epoch: lane.epoch,
    ...(chat === ask.chat ? {} : { chat }),
    ...(mark ? { mark } : {}),
  };
}

/** The gates in their order: stops, cooldown, order, chat, bot, probe. */
function passGates(candidate: Candidate): Verdict {
  const { lane, ask, chat, place, nowMs } = candidate;
  const order = orderOf(lane, chat, ask, place, nowMs);
  const wait = (why: WaitWhy, untilMs: number): Verdict => waitUntil(candidate, order, why, untilMs);
  if (lane.stopped) return wait('lane_stopped', stallTicket(candidate));
  if (lane.paused) return wait('lane_paused', stallTicket(candidate));
  const closedUntilMs = lane.cooldown?.notBeforeMs ?? 0;
  if (closedUntilMs > nowMs)
    return wait('cooldown', isInDoubt(ask) ? closedUntilMs : newTicket(candidate, closedUntilMs));
  if (order.kind !== 'free') return wait('order', orderTicket(candidate, order));
  return passPaces(candidate, wait);
}

function passPaces(candidate: Candidate, wait: (why: WaitWhy, untilMs: number) => Verdict): Verdict {
  const { lane, policy, ask, bucket, chat, nowMs } = candidate;
  const { weight } = ask;
  const bulk = ask.class === 'bulk';
  const chatFreeMs = chatFreeAtMs(lane, policy, { bucket, chat, weight }, nowMs);
  if (chatFreeMs > nowMs) return wait('chat_pace', chatFreeMs);
  const isDue = isInDoubt(ask) || (ask.ticketMs !== undefined && ask.ticketMs <= nowMs);
  if (!isDue && backlogUntilMs(candidate) > nowMs && !isBotIdle(lane, policy, nowMs)) {
    return wait('bot_pace', newTicket(candidate, nowMs));
  }
  // Where bulk has come for slots that it is owed, a reply leaves one.
  const left = !bulk && isOwedToBulk(candidate) ? 1 : 0;
  const botFreeMs = botFreeAtMs(lane, policy, { weight: weight + left, bulk }, nowMs);
  if (botFreeMs > nowMs) return wait('bot_pace', dueTicket(candidate, botFreeMs));
  if (bulk && isPromisedToReplies(candidate) && lane.bulkCredit < 1) {
    return wait('bot_pace', dueTicket(candidate, nowMs + promiseGraceMs));
  }
  if (!hasRoomForGrant(lane)) return wait('bot_pace', dueTicket(candidate, nowMs + 1000));
  if (lane.probe.kind === 'leased' && lane.probe.untilMs > nowMs) {
    const { sinceMs, untilMs } = lane.probe;
    const soonMs = nowMs + Math.max(150, (nowMs - sinceMs) / 2);
    return wait('probe', dueTicket(candidate, Math.min(untilMs, soonMs)));
  }
  return grant(candidate);
}

/** Each claim of others takes from what protects it: it does not go behind all of those who wait (invariant 5). */
function isInDoubt(ask: Ask): boolean {
  return ask.doubt !== undefined;
}

function grant({ lane, policy, ask, bucket, place, nowMs }: Candidate): Verdict {
  if (lane.probe.kind !== 'open') {
    // The lease lasts as long as the request may be without an answer: there are never two probes.
    const untilMs = nowMs + policy.answerBoundMs;
    lane.probe = { kind: 'leased', reply: fenceKey(ask.reply), sinceMs: nowMs, untilMs };
  }
  if (ask.class === 'bulk') lane.bulkCredit = Math.max(0, lane.bulkCredit - 1);
  else if (Math.max(lane.cursors.bulk, lane.cursors.bulkDue) > nowMs) {
    lane.bulkCredit = Math.min(3, lane.bulkCredit + 0.1);
  }
  if (place) place.ticketMs = nowMs;
  notePace(lane, nowMs);
  setFence(lane, ask, bucket, nowMs);
  lane.bytes += grantBytes(bucket);
  return go(lane, ask, nowMs);
}

function waitUntil(candidate: Candidate, order: OrderAnswer, why: WaitWhy, untilMs: number): Verdict {
  const { lane, ask, place, nowMs } = candidate;
  const untilWholeMs = Math.max(nowMs + 1, Math.ceil(untilMs));
  if (place) place.ticketMs = untilWholeMs;
  // Where no place remembers since when a predecessor is missing, the reply does.
  const heldSinceMs = order.kind === 'missing' ? order.sinceMs : place ? undefined : ask.heldSinceMs;
  const closedUntilMs = lane.cooldown?.notBeforeMs ?? 0;
  return {
    kind: 'wait',
    nowMs,
    untilMs: untilWholeMs,
    why,
    epoch: lane.epoch,
    ...(heldSinceMs === undefined ? {} : { heldSinceMs }),
    ...(closedUntilMs > nowMs ? { cooldownMs: closedUntilMs } : {}),
  };
}
