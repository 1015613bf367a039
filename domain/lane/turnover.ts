import { policyInForce } from './policy.ts';
import { outstandingFences } from './slots.ts';
import type { Lane } from './state.ts';

/** Messages after which a run ends at the next quiet moment. */
const quietTurnover = 100;
/**
 * Messages after which it ends at any moment: its history is then short enough to be replayed within the time-out of a
 * workflow task, on a busy worker too (rule 19).
 */
const turnoverAtMost = 400;

/**
 * Whether this run of the lane should make room for the next. A Signal that arrives while the last task is under way fails
 * that task, and another worker must replay the whole run before the lane answers again; while no request is out, nobody
 * has anything to report.
 */
export function isTurnoverDue(lane: Lane, messages: number, nowMs: number): boolean {
  if (messages < quietTurnover) return false;
  if (messages >= turnoverAtMost) return true;
  return outstandingFences(lane, policyInForce(lane), nowMs).length === 0;
}
