import type { Ask, ClaimMark } from './messages.ts';
import type { Fence, Lane } from './state.ts';

/** Where a claim stands; undefined of one that was not counted, or may not be repeated. */
export function markOf(lane: Lane, fence: Pick<Fence, 'grantedAtMs' | 'count'>): ClaimMark | undefined {
  if (fence.count < 1) return undefined;
  return { epoch: lane.epoch, atMs: fence.grantedAtMs, count: fence.count };
}

/**
 * Whether a repetition that leaves at `untilMs` would still be protected by its idempotency key. The lane counts time and
 * claims, since no restart of a worker makes it forget; one that has lost its memory cannot know, and says no. An ask
 * that repeats nothing needs no protection.
 */
export function isProtected(lane: Lane, { doubt }: Ask, untilMs: number): boolean {
  if (doubt === undefined) return true;
  return (
    doubt.epoch === lane.epoch &&
    untilMs - doubt.atMs <= doubt.windowMs &&
    lane.granted - doubt.count <= doubt.otherKeys
  );
}
