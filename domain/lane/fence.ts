import { shortHash } from '../ids.ts';
import type { OutcomeKind } from '../outcome.ts';
import { addAnswer } from './answers.ts';
import type { Ask, RefusedWhy } from './messages.ts';
import { type Fence, type Lane, chatOf } from './state.ts';

/** `scheduledAtMs` of an older ask shows that its activity was given up long ago. */
export const oldestAskMs = 12 * 60_000;
/** How long a revocation is remembered: until its late claim would be refused for its age. */
export const revocationLifeMs = oldestAskMs + 60_000;

/** Key of a reply's fence. */
export function fenceKey(reply: string): string {
  return shortHash(reply, 12);
}

/**
 * Why an ask is refused for what the lane remembers of its reply; `granted` where this very ask has its `go` already;
 * undefined where it may stand before the gates.
 */
export function fenceAnswer(lane: Lane, ask: Ask, nowMs: number): RefusedWhy | 'granted' | undefined {
  const fence = lane.fences.get(fenceKey(ask.reply));
  if (fence) {
    if (fence.run !== '' && fence.run !== shortHash(ask.run, 6)) return 'other_run';
    if (ask.attempt < fence.attempt) return 'stale_ask';
    if (ask.attempt === fence.attempt) {
      if (fence.state.kind === 'revoked') return 'revoked';
      return fence.state.kind === 'outstanding' && fence.nonce === shortHash(ask.nonce, 12)
        ? 'granted'
        : 'claimed';
    }
  }
  // A reply that is through asks no more: this ask was on its way when its run was withdrawn, and must not take a place.
  const doneAtMs = lane.done.get(shortHash(ask.reply, 6)) ?? -Infinity;
  const tooOldMs = Math.max(lane.refusedBeforeMs, nowMs - oldestAskMs - 1, doneAtMs - 1);
  return ask.scheduledAtMs <= tooOldMs ? 'stale_ask' : undefined;
}

/** Remembers a grant: from now on only this ask may have it, and only once (invariant 4). */
export function setFence(lane: Lane, ask: Ask, bucket: string, nowMs: number): void {
  lane.granted++;
  putFence(lane, fenceKey(ask.reply), {
    attempt: ask.attempt,
    run: shortHash(ask.run, 6),
    nonce: shortHash(ask.nonce, 12),
    chat: bucket,
    chatKind: ask.chatKind,
    weight: ask.weight,
    grantedAtMs: nowMs,
    count: ask.hasKeys === true ? lane.granted : 0,
    revokedAtMs: lane.fences.get(fenceKey(ask.reply))?.revokedAtMs ?? null,
    state: { kind: 'outstanding' },
  });
}

/** Puts a fence in the place of the one before it, as the youngest of all. */
export function putFence(lane: Lane, key: string, fence: Fence): void {
  lane.fences.delete(key);
  lane.fences.set(key, fence);
}

/**
 * The reply asks for its next attempt while the last one is still out: that claim was given up before it was used, since
 * an attempt that sent something was reported, or revoked, first. It holds neither slots nor the probe.
 */
export function dropUnused(lane: Lane, ask: Ask, nowMs: number): void {
  const key = fenceKey(ask.reply);
  const fence = lane.fences.get(key);
  if (fence?.state.kind !== 'outstanding' || fence.attempt >= ask.attempt) return;
  settleFence(fence, 'unreached', nowMs);
  passProbeOn(lane, key);
}

export function settleFence(fence: Fence, outcome: OutcomeKind | null, nowMs: number): void {
  fence.state = { kind: 'settled', atMs: nowMs, outcome };
}

/** The slots of an attempt come back one window after this instant. */
export function giveBackSlots(lane: Lane, fence: Fence, answeredAtMs: number): void {
  addAnswer(lane.answered, answeredAtMs, fence.weight);
  addAnswer(chatOf(lane, fence.chat, fence.chatKind).answered, answeredAtMs, fence.weight);
}

/** The request that went first came to nothing: another one may (rule 17). */
export function passProbeOn(lane: Lane, key: string): void {
  if (lane.probe.kind === 'leased' && lane.probe.reply === key) lane.probe = { kind: 'wanted' };
}
