import type { Ask } from './messages.ts';
import { placesAhead } from './order.ts';
import type { Chat, Lane } from './state.ts';

/** So many waiting replies are a crowd: if each of them asks twice a minute, they take what those in turn need. */
const crowdSize = 100;
/** Tickets that are shown no later than this are right as they are. */
const usualLatenessMs = 5000;
/** Once a lane has been closed, the pace of before says little. */
const longestPaceMs = 5000;
/** Who comes late leaves its chat idle, and estimates err: a part of the time that those ahead will take. */
const shareOfTurn = 0.4;
const longestCrowdWaitMs = 300_000;

/** Notes that a claim was granted. */
export function notePace(lane: Lane, nowMs: number): void {
  const { grantedAtMs, everyMs } = lane.pace;
  const tookMs = Math.min(longestPaceMs, Math.max(0, nowMs - grantedAtMs));
  lane.pace = { grantedAtMs: nowMs, everyMs: everyMs + (tookMs - everyMs) / 16 };
}

/**
 * How long one who is not the first of its chat stays away in a crowd: by how many are ahead, and how fast the lane has
 * let replies go of late. 0 where there is no crowd,
 * or it is not late (decision 014).
 */
export function crowdWaitMs(lane: Lane, chat: Chat, ask: Ask, pitchMs: number, nowMs: number): number {
  if (!lane.hasCrowdRules || lane.placeCount < crowdSize || lane.latenessMs <= usualLatenessMs) return 0;
  let busyChats = 0;
  for (const { places } of lane.chats.values()) if (places.size > 0) busyChats++;
  let ahead = 0;
  for (const _ of placesAhead(lane, chat, ask, nowMs)) ahead++;
  const turnMs = Math.min(lane.pace.everyMs * busyChats, pitchMs + 2 * (lane.latenessMs - usualLatenessMs));
  return Math.min(longestCrowdWaitMs, shareOfTurn * ahead * turnMs);
}
