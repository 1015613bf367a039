import { thinAnswers } from './answers.ts';
import { giveBackSlots, revocationLifeMs } from './fence.ts';
import { dropDead } from './order.ts';
import { policyInForce } from './policy.ts';
import { hasRoomForPlace, measureLane } from './size.ts';
import { lookBackMs, windowsOf } from './slots.ts';
import type { Fence, Lane } from './state.ts';

/**
 * How long a settled fence, and a done key, are remembered (rule 19). A run that was lost is asked about late on a busy
 * machine; one that began before the lane's memory becomes `unknown`, though it may never have had a claim.
 */
const settledLifeMs = 300_000;
const doneLifeMs = 120_000;
/** A lost activity that nobody has revoked for so long: its workflow was terminated, or no worker is up. */
const outstandingLifeMs = 60 * 60_000;
/** What is kept at most: the oldest goes first. */
const maxSettled = 800;
const maxRevoked = 300;
const maxLostOutstanding = 150;
const maxDone = 4000;
const maxDoneWhenFull = 2000;

/** Forgets what is not needed any more, at most once a second. What is forgotten of fences is noted (`forgottenMs`). */
export function sweep(lane: Lane, nowMs: number): void {
  if (nowMs < lane.sweptAtMs + 1000) return;
  lane.sweptAtMs = nowMs;
  const policy = policyInForce(lane);
  lane.answered = thinAnswers(lane.answered, Math.max(60_000, lookBackMs(policy.bot)), nowMs);
  sweepFences(lane, policy.answerBoundMs, nowMs);
  for (const [bucket, chat] of lane.chats) {
    chat.answered = thinAnswers(chat.answered, lookBackMs(windowsOf(policy, chat.kind)), nowMs);
    dropDead(lane, chat, nowMs);
    if (chat.places.size === 0 && chat.answered.length === 0) lane.chats.delete(bucket);
  }
  sweepDone(lane, nowMs);
  lane.bytes = measureLane(lane);
}

function sweepDone(lane: Lane, nowMs: number): void {
  const most = hasRoomForPlace(lane) ? maxDone : maxDoneWhenFull;
  for (const [hash, atMs] of lane.done) {
    if (atMs + doneLifeMs > nowMs && lane.done.size <= most) break;
    lane.done.delete(hash);
  }
}

/** Fences stand in the order of their grants: the oldest come first. */
function sweepFences(lane: Lane, answerBoundMs: number, nowMs: number): void {
  const kinds = { settled: 0, revoked: 0, outstanding: 0 };
  for (const fence of lane.fences.values()) kinds[kindOf(fence)]++;
  for (const [key, fence] of lane.fences) {
    const kind = kindOf(fence);
    switch (kind) {
      case 'settled':
        if (instantOf(fence) + settledLifeMs > nowMs && kinds.settled <= maxSettled) continue;
        break;
      case 'revoked':
        if ((fence.revokedAtMs ?? 0) + revocationLifeMs > nowMs && kinds.revoked <= maxRevoked) continue;
        break;
      case 'outstanding':
        if (fence.grantedAtMs + answerBoundMs > nowMs) continue;
        if (fence.grantedAtMs + outstandingLifeMs > nowMs && kinds.outstanding <= maxLostOutstanding)
          continue;
        giveBackSlots(lane, fence, fence.grantedAtMs + answerBoundMs);
        break;
    }
    kinds[kind]--;
    forget(lane, key, fence);
  }
}

/** A fence of a reply that has had an attempt revoked counts as revoked, whatever came after. */
function kindOf(fence: Fence): 'settled' | 'revoked' | 'outstanding' {
  if (fence.state.kind === 'outstanding') return 'outstanding';
  return fence.revokedAtMs === null ? 'settled' : 'revoked';
}

function instantOf(fence: Fence): number {
  return fence.state.kind === 'outstanding' ? fence.grantedAtMs : fence.state.atMs;
}

function forget(lane: Lane, key: string, fence: Fence): void {
  lane.fences.delete(key);
  if (fence.state.kind !== 'revoked') lane.forgottenMs = Math.max(lane.forgottenMs, fence.grantedAtMs);
  if (fence.revokedAtMs !== null) lane.refusedBeforeMs = Math.max(lane.refusedBeforeMs, fence.revokedAtMs);
}
