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
  return { ...toUnknown(reply, evidence, nowMs), askedAboutReset: true };
}
