import { shortHash } from '../ids.ts';
import type { Ask } from './messages.ts';
import type { Place } from './places.ts';
import { policyInForce } from './policy.ts';
import { chatBytes, hasRoomForPlace, placeBytes } from './size.ts';
import { botSpacingMs } from './slots.ts';
import type { Chat, Lane } from './state.ts';

/** A predecessor that the lane has never heard of is skipped after this time (rule 9). */
export const missingPredecessorMs = 30_000;
/** An overdue place belongs to nobody after this time: longer than any backoff between two asks. */
export const deadPlaceMs = 90_000;
/** What one ask may add to the lateness: one that wakes after a day must not keep dead places alive for days. */
const maxLatenessMs = 300_000;
/**
 * No ask for so long means that workers were down, or the lane: nobody is blamed for being late. Shorter than the life of
 * a place; longer than the pause of one who waits behind it (`longestBehindMs`), or the dead would never be dead.
 */
const silenceMs = 60_000;

/** What order says to an ask. */
export type OrderAnswer =
  | { readonly kind: 'free' }
  /** Somebody who goes first has a place: ask again after it had its turn. */
  | { readonly kind: 'behind'; readonly aheadTicketMs: number }
  /** The lane does not know the predecessor. */
  | { readonly kind: 'missing'; readonly sinceMs: number };

/** Notes that the lane is being asked. */
export function noteHeard(lane: Lane, nowMs: number): void {
  if (nowMs - lane.heardMs > silenceMs) lane.awakeSinceMs = nowMs;
  lane.heardMs = nowMs;
}

/** Notes how late a ticket was shown: places of others may be as late. */
export function noteLateness(lane: Lane, ticketMs: number, nowMs: number): void {
  const lateMs = Math.min(maxLatenessMs, Math.max(0, nowMs - ticketMs));
  lane.latenessMs = Math.round(lane.latenessMs + (lateMs - lane.latenessMs) / 16);
}

/** Whether nobody will come back for this place. Time in which nobody at all came does not count. */
export function isDead(lane: Lane, place: Place, nowMs: number): boolean {
  const awaitedMs = Math.max(place.ticketMs, lane.awakeSinceMs, lane.graceUntilMs);
  return nowMs > awaitedMs + deadPlaceMs + 2 * lane.latenessMs;
}

/** Takes, or finds again, the place of a reply in its chat. Undefined where the lane holds no more places. */
export function takePlace(
  lane: Lane,
  { bucket, chat }: { readonly bucket: string; readonly chat: Chat },
  ask: Ask,
  nowMs: number,
): Place | undefined {
  const hash = shortHash(ask.reply, 6);
  const known = chat.places.get(hash);
  if (known) return known;
  if (!hasRoomForPlace(lane)) return undefined;
  lane.done.delete(hash);
  // Better late than after those who come after it.
  for (const waiting of chat.places) if (waiting.blockedOn === hash) waiting.skips = false;
  const blockedOn = predecessorOf(lane, ask) ?? null;
  const place = { hash, ticketMs: nowMs, bulk: ask.class === 'bulk', blockedOn, skips: false };
  lane.placeCount++;
  lane.bytes += placeBytes(place) + (lane.chats.has(bucket) ? 0 : chatBytes(bucket));
  lane.chats.set(bucket, chat);
  return chat.places.add(place);
}

/** A reply whose run was lost lives, and will ask again: that it was late is not its fault. */
export function keepPlace(lane: Lane, reply: string, nowMs: number): void {
  const hash = shortHash(reply, 6);
  for (const { places } of lane.chats.values()) {
    const place = places.get(hash);
    if (place) place.ticketMs = Math.max(place.ticketMs, nowMs);
  }
}

/** The reply is through with its turn: sent, refused, under review, cancelled or expired. Those after it may go. */
export function markDone(lane: Lane, chat: Chat | undefined, reply: string, nowMs: number): void {
  const hash = shortHash(reply, 6);
  lane.done.delete(hash);
  lane.done.set(hash, nowMs);
  if (!chat) return;
  unblock(chat, (wanted) => wanted === hash);
  const place = chat.places.remove(hash);
  if (!place) return;
  lane.placeCount--;
  if (place.ticketMs > nowMs) handBackTicket(lane, place, nowMs);
}

/** Gives up the places of those who will not come back. */
export function dropDead(lane: Lane, chat: Chat, nowMs: number): void {
  const dead = new Set<string>();
  for (const place of chat.places) if (isDead(lane, place, nowMs)) dead.add(place.hash);
  if (dead.size === 0) return;
  for (const hash of dead) chat.places.remove(hash);
  lane.placeCount -= dead.size;
  unblock(chat, (wanted) => dead.has(wanted));
}

/**
 * Whether a reply may go now as far as order is concerned: along `after`, otherwise by first ask (rule 9), but `reply`
 * before `bulk`.
 */
export function orderOf(
  lane: Lane,
  chat: Chat,
  ask: Ask,
  place: Place | undefined,
  nowMs: number,
): OrderAnswer {
  const self = shortHash(ask.reply, 6);
  const wanted = place ? place.blockedOn : predecessorOf(lane, ask);
  if (wanted) {
    const predecessor = livingPlace(lane, chat, wanted, nowMs);
    if (predecessor) {
      if (!waitsFor(chat, wanted, self)) return { kind: 'behind', aheadTicketMs: predecessor.ticketMs };
      if (place) place.blockedOn = null;
    } else if (place?.skips !== true) {
      const sinceMs = missingSinceMs(lane, ask, nowMs);
      if (nowMs - sinceMs < missingPredecessorMs) return { kind: 'missing', sinceMs };
      if (place) passOver(lane, place);
    }
  }
  for (const ahead of placesAhead(lane, chat, ask, nowMs)) {
    // One that waits for its own predecessor holds nobody else up.
    if (ahead.blockedOn === null || ahead.skips) return { kind: 'behind', aheadTicketMs: ahead.ticketMs };
  }
  return { kind: 'free' };
}

/** The living places of those who asked before, from the nearest on. */
export function* placesAhead(lane: Lane, chat: Chat, ask: Ask, nowMs: number): Generator<Place> {
  for (const place of chat.places.before(shortHash(ask.reply, 6))) {
    // A broadcast that waits for hours must not keep the answer to a person waiting.
    if (place.bulk && ask.class === 'reply') continue;
    if (!isDead(lane, place, nowMs)) yield place;
  }
}

/** What the lane was not told while it, or all workers, were down is not missing yet. */
function missingSinceMs(lane: Lane, { heldSinceMs = Infinity }: Ask, nowMs: number): number {
  return Math.max(Math.min(heldSinceMs, nowMs), lane.awakeSinceMs);
}

/** A predecessor has been missing for long enough. */
function passOver(lane: Lane, place: Place): void {
  if (lane.hasCrowdRules) place.skips = true;
  else place.blockedOn = null;
}

function livingPlace(lane: Lane, chat: Chat, hash: string, nowMs: number): Place | undefined {
  const place = chat.places.get(hash);
  return place && !isDead(lane, place, nowMs) ? place : undefined;
}

/** The key that an ask must still wait for, if any. */
function predecessorOf(lane: Lane, ask: Ask): string | undefined {
  if (ask.after === undefined || ask.after === ask.reply) return undefined;
  const wanted = shortHash(ask.after, 6);
  return lane.done.has(wanted) ? undefined : wanted;
}

function unblock(chat: Chat, isThrough: (wanted: string) => boolean): void {
  for (const place of chat.places) {
    if (place.blockedOn === null || !isThrough(place.blockedOn)) continue;
    place.blockedOn = null;
    place.skips = false;
  }
}

/** Whether `from` waits for `to` along `after`: a ring of keys must not stop a chat for ever. */
function waitsFor(chat: Chat, from: string, to: string): boolean {
  const seen = new Set<string>();
  for (let at: string | null = from; at !== null && !seen.has(at);) {
    if (at === to) return true;
    seen.add(at);
    at = chat.places.get(at)?.blockedOn ?? null;
  }
  return false;
}

/** Whoever waited for a slot of the bot and gives up shortens the queue: newcomers must not wait behind nobody. */
function handBackTicket(lane: Lane, place: Place, nowMs: number): void {
  const cursor = place.bulk ? 'bulk' : 'reply';
  const spacingMs = botSpacingMs(lane, policyInForce(lane), nowMs);
  lane.cursors[cursor] = Math.max(nowMs, lane.cursors[cursor] - spacingMs);
}
