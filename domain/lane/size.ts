import type { Chat, Lane } from './state.ts';

/** About how many bytes the parts of a snapshot take (see `snapshot.ts`), from above. */
export const bytesOf = {
  /** Six characters of hash, seven of ticket, one of class; seven more where it waits for a predecessor. */
  place: 21,
  chat: 50,
  answer: 14,
  fence: 70,
  outstanding: 130,
  done: 13,
  moved: 6,
} as const;

/**
 * The snapshot must fit 256 KiB, whatever happens (rule 19). Past the first bound replies are paced, but their places
 * are not remembered; past the second nothing is granted, until the lane has been able to forget.
 */
const roomForPlacesBytes = 200_000;
const roomForGrantsBytes = 245_000;

export function hasRoomForPlace(lane: Lane): boolean {
  return lane.bytes < roomForPlacesBytes;
}

export function hasRoomForGrant(lane: Lane): boolean {
  return lane.bytes < roomForGrantsBytes;
}

/** Measures a lane as it is now. */
export function measureLane(lane: Lane): number {
  let bytes = 12_000 + lane.done.size * bytesOf.done + lane.answered.length * bytesOf.answer;
  for (const [id, chat] of lane.chats) bytes += chatBytes(id, chat);
  for (const fence of lane.fences.values()) {
    bytes += fence.state.kind === 'outstanding' ? bytesOf.outstanding : bytesOf.fence;
  }
  for (const [from, to] of lane.moved) bytes += from.length + to.length + bytesOf.moved;
  return bytes;
}

function chatBytes(id: string, chat: Chat): number {
  let blocked = 0;
  for (const place of chat.places) if (place.blockedOn !== null) blocked++;
  return id.length + 16 + chat.answered.length * bytesOf.answer + chat.places.size * 14 + blocked * 7;
}
