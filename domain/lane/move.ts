import { type Lane, bucketOf, chatOf, movedChat } from './state.ts';

/** Destinations that moved, kept for replies that still name the old one. */
const maxMoved = 300;

/** A chat has another id now: its slots and places go along. Where that would close a ring, the newest move wins. */
export function moveChat(lane: Lane, from: string, to: string): void {
  if (movedChat(lane, to) === from) lane.moved.delete(to);
  const end = movedChat(lane, to);
  if (from === end) return;
  rememberMove(lane, from, to);
  const [oldBucket, newBucket] = [bucketOf(from), bucketOf(end)];
  const old = lane.chats.get(oldBucket);
  if (!old) return;
  lane.chats.delete(oldBucket);
  const chat = chatOf(lane, newBucket, old.kind);
  if (old.kind === 'group') chat.kind = 'group';
  chat.answered.push(...old.answered);
  // Those of the old id first: among them is the reply that brought the news.
  for (const place of chat.places) {
    if (old.places.get(place.hash)) lane.placeCount--;
    else old.places.add(place);
  }
  chat.places = old.places;
  for (const fence of lane.fences.values()) if (fence.chat === oldBucket) fence.chat = newBucket;
}

function rememberMove(lane: Lane, from: string, to: string): void {
  // Ids of unusual length are not worth the room: each reply to them finds out for itself.
  if (bucketOf(from) !== from || bucketOf(to) !== to) return;
  lane.moved.delete(from);
  lane.moved.set(from, to);
  const [oldest] = lane.moved.keys();
  if (lane.moved.size > maxMoved && oldest !== undefined) lane.moved.delete(oldest);
}
