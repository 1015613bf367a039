import { shortHash } from '../ids.ts';
import type { Ask } from './messages.ts';
import type { Chat, Lane, Place } from './state.ts';

/** A predecessor that the lane has never heard of is skipped after this time (rule 9). */
export const missingPredecessorMs = 30_000;
/** A place whose ticket is overdue by more than this, and by twice the lateness seen lately, belongs to nobody. */
const deadPlaceMs = 60_000;
/** Past this size of its snapshot, waiting replies are paced but not remembered each: state stays bounded (rule 19). */
const maxSnapshotBytes = 235_000;

/** What order says to an ask. */
export type OrderAnswer =
  | { readonly kind: 'free' }
  /** Somebody who goes first has a place: ask again after it had its turn. */
  | { readonly kind: 'behind'; readonly aheadTicketMs: number }
  /** The lane does not know the predecessor. */
  | { readonly kind: 'missing'; readonly sinceMs: number };

/** Takes, or finds again, the place of a reply in its chat. Undefined where the lane holds no more places. */
export function takePlace(lane: Lane, chat: Chat, ask: Ask, nowMs: number): Place | undefined {
  const hash = shortHash(ask.reply, 6);
  const known = chat.places.get(hash);
  if (known) return known;
  if (estimatedBytes(lane) > maxSnapshotBytes) return undefined;
  const place: Place = { ticketMs: nowMs, bulk: ask.class === 'bulk', blockedOn: null };
  chat.places.set(hash, place);
  chat.done.delete(hash);
  lane.placeCount++;
  return place;
}

/** Gives a place up: the reply is through (`done`), or somewhere else. */
export function leavePlace(lane: Lane, chat: Chat, reply: string): void {
  if (chat.places.delete(shortHash(reply, 6))) lane.placeCount--;
}

/** The reply is through with its turn: sent, refused, under review, cancelled or expired. Those after it may go. */
export function markDone(lane: Lane, chat: Chat, reply: string, nowMs: number): void {
  leavePlace(lane, chat, reply);
  const hash = shortHash(reply, 6);
  chat.done.delete(hash);
  chat.done.set(hash, nowMs);
  if (chat.done.size > 16) {
    const [oldest] = chat.done.keys();
    if (oldest !== undefined) chat.done.delete(oldest);
  }
}

/** Whether a reply may go now as far as order is concerned: along `after`, otherwise by first ask (rule 9). */
export function orderOf(lane: Lane, chat: Chat, ask: Ask, place: Place | undefined, nowMs: number): OrderAnswer {
  const self = shortHash(ask.reply, 6);
  if (ask.after !== undefined) {
    const wanted = shortHash(ask.after, 6);
    if (place) place.blockedOn = null;
    if (wanted !== self && !chat.done.has(wanted)) {
      const predecessor = livePlace(lane, chat, wanted, nowMs);
      if (predecessor) {
        if (!waitsFor(chat, wanted, self)) {
          if (place) place.blockedOn = wanted;
          return { kind: 'behind', aheadTicketMs: predecessor.ticketMs };
        }
      } else {
        // What a lane has just forgotten, or was not told during an outage, is not missing yet.
        const sinceMs = Math.max(ask.heldSinceMs ?? nowMs, lane.bornAtMs);
        if (nowMs - sinceMs < missingPredecessorMs) {
          if (place) place.blockedOn = wanted;
          return { kind: 'missing', sinceMs };
        }
      }
    }
  }
  const ahead = placeAhead(lane, chat, self, nowMs);
  return ahead ? { kind: 'behind', aheadTicketMs: ahead.ticketMs } : { kind: 'free' };
}

/** The nearest place before a reply's own whose holder will ask again and does not wait for a predecessor itself. */
export function placeAhead(lane: Lane, chat: Chat, self: string, nowMs: number): Place | undefined {
  let nearest: Place | undefined;
  for (const [hash, place] of chat.places) {
    if (hash === self) break;
    if (place.blockedOn === null && !isDead(lane, place, nowMs)) nearest = place;
  }
  return nearest;
}

/** Whether nobody will come back for this place. */
export function isDead(lane: Lane, place: Place, nowMs: number): boolean {
  return nowMs > place.ticketMs + deadPlaceMs + 2 * lane.latenessMs;
}

function livePlace(lane: Lane, chat: Chat, hash: string, nowMs: number): Place | undefined {
  const place = chat.places.get(hash);
  return place && !isDead(lane, place, nowMs) ? place : undefined;
}

/** Whether `from` waits for `to` along `after`: a ring of keys must not stop a chat for ever. */
function waitsFor(chat: Chat, from: string, to: string): boolean {
  const seen = new Set<string>();
  for (let hash: string | null = from; hash !== null && !seen.has(hash); hash = chat.places.get(hash)?.blockedOn ?? null) {
    if (hash === to) return true;
    seen.add(hash);
  }
  return false;
}

/** What the parts of a snapshot come to, from above: a place with a predecessor, a chat with an id, a fence. */
function estimatedBytes(lane: Lane): number {
  return lane.placeCount * 20 + lane.chats.size * 32 + lane.fences.size * 62;
}
