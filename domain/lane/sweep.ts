import { policyInForce } from './claim.ts';
import { isDead } from './order.ts';
import { longestWindowMs } from './slots.ts';
import type { Chat, Fence, Lane } from './state.ts';

/** How long a settled fence, and a done key, are remembered (rule 19). */
const settledLifeMs = 60_000;
const doneLifeMs = 120_000;
/** A late claim of a revoked attempt is refused by its age once the tombstone is gone: see `oldestAskMs`. */
const tombstoneLifeMs = 13 * 60_000;
/** A lost activity that nobody has revoked for so long: its workflow was terminated, or no worker is up. */
const outstandingLifeMs = 60 * 60_000;
const maxSettled = 1000;
const maxOutstandingKept = 500;
const maxDone = 1500;

/** Forgets what is not needed any more, at most once a second. What is forgotten of fences is noted (`forgottenMs`). */
export function sweep(lane: Lane, nowMs: number): void {
  if (nowMs < lane.sweptAtMs + 1000) return;
  lane.sweptAtMs = nowMs;
  const lookBackMs = longestWindowMs(policyInForce(lane));
  lane.answered = lane.answered.filter((atMs) => atMs + Math.max(60_000, lookBackMs) > nowMs);
  sweepFences(lane, nowMs);
  let doneCount = 0;
  for (const [id, chat] of lane.chats) {
    sweepChat(lane, chat, lookBackMs, nowMs);
    doneCount += chat.done.size;
    if (chat.places.size === 0 && chat.answered.length === 0 && chat.done.size === 0) lane.chats.delete(id);
  }
  if (doneCount > maxDone) dropOldestDone(lane, doneCount - maxDone);
}

function sweepChat(lane: Lane, chat: Chat, lookBackMs: number, nowMs: number): void {
  chat.answered = chat.answered.filter((atMs) => atMs + lookBackMs > nowMs);
  for (const [hash, atMs] of chat.done) if (atMs + doneLifeMs <= nowMs) chat.done.delete(hash);
  for (const [hash, place] of chat.places) {
    if (!isDead(lane, place, nowMs)) continue;
    chat.places.delete(hash);
    lane.placeCount--;
  }
}

function sweepFences(lane: Lane, nowMs: number): void {
  let settled = 0;
  let outstanding = 0;
  for (const fence of lane.fences.values()) {
    if (fence.state.kind === 'settled') settled++;
    if (fence.state.kind === 'outstanding') outstanding++;
  }
  for (const [key, fence] of lane.fences) {
    switch (fence.state.kind) {
      case 'settled':
        if (fence.state.atMs + settledLifeMs > nowMs && settled <= maxSettled) break;
        settled--;
        forget(lane, key, fence);
        break;
      case 'outstanding':
        if (fence.grantedAtMs + outstandingLifeMs > nowMs && outstanding <= maxOutstandingKept) break;
        outstanding--;
        forget(lane, key, fence);
        break;
      case 'revoked':
        if (fence.state.atMs + tombstoneLifeMs <= nowMs) lane.fences.delete(key);
        break;
    }
  }
}

function forget(lane: Lane, key: string, fence: Fence): void {
  lane.fences.delete(key);
  lane.forgottenMs = Math.max(lane.forgottenMs, fence.grantedAtMs);
}

function dropOldestDone(lane: Lane, excess: number): void {
  const all = [...lane.chats.values()].flatMap((chat) => [...chat.done].map(([hash, atMs]) => ({ chat, hash, atMs })));
  all.sort((a, b) => a.atMs - b.atMs);
  for (const { chat, hash } of all.slice(0, excess)) chat.done.delete(hash);
}
