import type { Place } from './places.ts';
import type { Lane } from './state.ts';

/** How many bytes the parts of a snapshot take (see `snapshot.ts`), rounded up. */
const bytesOf = {
  answer: 14,
  over: 42,
  claim: 110,
  count: 8,
  done: 12,
  moved: 6,
  late: 80,
  rest: 12_000,
} as const;

/**
 * The snapshot must fit 256 KiB, whatever happens (rule 19). Past the first bound replies are paced, but their places
 * are not remembered; past the second nothing is granted, until the lane has been able to forget.
 */
const roomForPlacesBytes = 175_000;
const roomForGrantsBytes = 245_000;

export function hasRoomForPlace(lane: Lane): boolean {
  return lane.bytes < roomForPlacesBytes;
}

export function hasRoomForGrant(lane: Lane): boolean {
  return lane.bytes < roomForGrantsBytes;
}

/** Measures a lane as it is now. */
export function measureLane(lane: Lane): number {
  let bytes: number = bytesOf.rest + lane.done.size * bytesOf.done + lane.answered.length * bytesOf.answer;
  for (const [bucket, chat] of lane.chats) {
    bytes += chatBytes(bucket) + chat.answered.length * bytesOf.answer;
    for (const place of chat.places) bytes += placeBytes(place);
  }
  for (const fence of lane.fences.values()) {
    bytes += fence.state.kind === 'outstanding' ? bytesOf.claim : bytesOf.over;
    if (fence.count > 0) bytes += bytesOf.count;
  }
  for (const { reply } of lane.lateProofs) bytes += reply.length + bytesOf.late;
  for (const [from, to] of lane.moved) bytes += from.length + to.length + bytesOf.moved;
  return bytes;
}

export function placeBytes({ blockedOn, skips }: Place): number {
  return (blockedOn === null ? 13 : 19) + (skips ? 6 : 0);
}

export function chatBytes(bucket: string): number {
  return bucket.length + 16;
}

/** What a grant adds: its claim, and the answer in the chat and the bot. */
export function grantBytes(bucket: string): number {
  return bytesOf.claim + 2 * bytesOf.answer + chatBytes(bucket);
}
