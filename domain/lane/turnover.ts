import { policyInForce } from './policy.ts';
import { outstandingFences } from './slots.ts';
import type { Lane } from './state.ts';

/** How many messages a run of a lane takes. */
export interface TurnoverLimits {
  /** After so many it ends at the next quiet moment. */
  readonly quiet: number;
  /** After so many at any moment. */
  readonly atMost: number;
}

/**
 * A worker that takes a lane over replays its run within the time-out of one workflow task, or never: what it has replayed
 * by then is lost, and the next one begins again. 390 messages took 2.4 s of a processor to replay, and no worker got
 * through them any more; these take a fifth of that (rule 19, decision 015).
 */
export const shortRuns: TurnoverLimits = { quiet: 30, atMost: 80 };

/** Those of runs that began before. */
export const longRuns: TurnoverLimits = { quiet: 100, atMost: 400 };

/**
 * Whether this run of the lane should make room for the next. A Signal that arrives while the last task is under way fails
 * that task, and another worker must replay the whole run before the lane answers again; while no request is out, nobody
 * has anything to report.
 */
export function isTurnoverDue(lane: Lane, messages: number, nowMs: number, limits: TurnoverLimits): boolean {
  if (messages < limits.quiet) return false;
  if (messages >= limits.atMost) return true;
  return outstandingFences(lane, policyInForce(lane), nowMs).length === 0;
}
