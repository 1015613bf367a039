import { isoTime } from '../lane/show.ts';
import { assertNever } from '../outcome.ts';
import type { DecisionRecord, LateOutcome, LateProof } from '../record.ts';
import type { Reply } from './state.ts';

/** What a worker tells a reply that has been taken from it (Signal `lateProof`). */
export interface LateProofNote {
  readonly attempt: number;
  readonly outcome: LateOutcome;
  readonly messageId: number | string | null;
}

const outcomes: Readonly<Record<LateOutcome, true>> = {
  sent: true,
  flood: true,
  held: true,
  rejected: true,
  migrated: true,
  unreached: true,
};

/** What is wrong with such a note, or undefined. */
export function lateProofProblem(note: unknown): string | undefined {
  if (typeof note !== 'object' || note === null) return 'give { attempt, outcome, messageId }';
  const { attempt, outcome, messageId } = note as Record<string, unknown>;
  if (!Number.isSafeInteger(attempt) || (attempt as number) < 1)
    return 'attempt: must be the number of the attempt';
  if (typeof outcome !== 'string' || !Object.hasOwn(outcomes, outcome))
    return 'outcome: must be one that proves something';
  const isId =
    messageId === null ||
    typeof messageId === 'number' ||
    (typeof messageId === 'string' && messageId.length <= 200);
  return isId ? undefined : 'messageId: must be the id of a message, or null';
}

/** Keeps a late proof, whatever the reply's state; it decides nothing. One of `sent` is not covered by another. */
export function noteLateProof(reply: Reply, note: LateProofNote, nowMs: number): Reply {
  if (reply.lateProof?.outcome === 'sent') return reply;
  const { attempt, outcome, messageId } = note;
  return { ...reply, lateProof: { attempt, outcome, at: isoTime(nowMs), messageId } };
}

/** Whether what was decided is not what happened, as far as the proof goes: for people to see first. */
export function isContradicted(decision: DecisionRecord, proof: LateProof): boolean {
  if (proof.attempt !== decision.attempt) return false;
  switch (decision.decision) {
    case 'sent':
      return proof.outcome !== 'sent';
    case 'not_sent':
    case 'cancel':
    case 'resend':
      return proof.outcome === 'sent';
    default:
      return assertNever(decision.decision);
  }
}
