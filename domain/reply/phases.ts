import type { WaitWhy } from '../lane/messages.ts';
import type { ReviewKind } from '../record.ts';
import type { Phase, Reply } from './state.ts';

/** In front of a person. */
export function review(kind: ReviewKind, evidence: string, nowMs: number): Extract<Phase, { at: 'review' }> {
  return { at: 'review', kind, sinceMs: nowMs, evidence };
}

/** Until an instant of the workflow's clock; `laneMs` is the same on the lane's, where a lane gave it. */
export function wait(why: WaitWhy, untilMs: number, laneMs: number | null): Phase {
  return { at: 'waiting', why, untilMs, notBeforeMs: laneMs ?? untilMs };
}

/** Doubling from the least to the longest wait; jitter only adds. */
export function backoff(reply: Reply, streak: number, nowMs: number, chance: number): Phase {
  const { backoffMinMs, backoffMaxMs } = reply.budgets;
  const baseMs = Math.min(backoffMaxMs, backoffMinMs * 2 ** Math.min(streak - 1, 30));
  return wait('backoff', Math.ceil(nowMs + baseMs * (1 + chance * 0.2)), null);
}

/** Nobody can know whether it arrived (invariant 5). */
export function toUnknown(reply: Reply, evidence: string, nowMs: number): Reply {
  return { ...reply, phase: review('unknown', evidence, nowMs) };
}
