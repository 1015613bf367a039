import type { Fence, Lane } from './state.ts';
import type { Report } from './messages.ts';

const kept = 20;
const longestReply = 200;

/**
 * Keeps what became of an attempt that was revoked before its report came: for people, and once. Nothing else changes by
 * it, since what the revocation was answered must stay true.
 */
export function noteLateReport(lane: Lane, fence: Fence | undefined, report: Report, nowMs: number): void {
  const { outcome, attempt: run, number: attempt = run } = report;
  if (outcome === 'unknown' || outcome === 'gone' || fence?.attempt !== run || !isRevoked(fence)) return;
  const reply = report.reply.slice(0, longestReply);
  if (lane.lateProofs.some((late) => late.reply === reply && late.attempt === attempt)) return;
  lane.lateProofs = [...lane.lateProofs.slice(1 - kept), { reply, attempt, outcome, at: nowMs }];
}

/** Claimed, and taken back with nothing reported; or taken back by a lane that had forgotten. */
function isRevoked({ state }: Fence): boolean {
  switch (state.kind) {
    case 'outstanding':
      return false;
    case 'settled':
      return state.outcome === null;
    case 'revoked':
      return state.answer === 'lost';
  }
}
