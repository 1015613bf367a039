import { noteUncertain } from './doubt.ts';
import { toUnknown } from './phases.ts';
import type { Reply } from './state.ts';

/**
 * Whether a run that was made by a reset is about to say that nothing was sent, though what the run before it did is not
 * in its history: only a person may say that (invariants 5 and 7).
 */
export function deniesAfterReset(reply: Reply): boolean {
  return !reply.askedAboutReset && (reply.phase.at === 'cancelled' || reply.phase.at === 'expired');
}

/** In front of a person, since the run was made by a reset. */
export function askAboutReset(reply: Reply, nowMs: number): Reply {
  const evidence = 'this run was made by a reset: what the run before it sent is not in its history';
  return askAboutRestart(reply, evidence, nowMs);
}

/** In front of a person, since the Workflow Id was run before. Asked once: after that it is the person who knows. */
export function askAboutRestart(reply: Reply, evidence: string, nowMs: number): Reply {
  return { ...toUnknown(noteUncertain(reply, undefined), evidence, nowMs), askedAboutReset: true };
}

/** Whether an earlier run of the same Workflow Id may still come to light: nothing of this one has passed that question. */
export function mayBeRestart(reply: Reply): boolean {
  return !reply.askedAboutReset && reply.ticketMs === null && reply.attemptCount === 0;
}
