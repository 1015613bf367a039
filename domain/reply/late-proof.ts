import type { DecisionRequest } from '../decisions.ts';
import { isoTime } from '../lane/show.ts';
import { assertNever } from '../outcome.ts';
import type { DecisionRecord, LateOutcome, LateProof } from '../record.ts';
import { toUnknown } from './phases.ts';
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
  paused: true,
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

/**
 * Keeps a late proof, whatever the reply's state; it decides nothing. One of `sent` is not covered by another, but by one
 * that names the message.
 */
export function noteLateProof(reply: Reply, note: LateProofNote, nowMs: number): Reply {
  const { attempt, outcome, messageId } = note;
  const known = reply.lateProof;
  if (known?.outcome === 'sent' && (known.messageId !== null || outcome !== 'sent' || messageId === null))
    return reply;
  return { ...reply, lateProof: { attempt, outcome, at: isoTime(nowMs), messageId } };
}

/**
 * A reply that waits to be sent again, of which a worker now tells that it had been sent: it goes back to a person, who had
 * decided without knowing that. The same reply where there is nothing to stop.
 */
export function stopByLateProof(reply: Reply, nowMs: number): Reply {
  const { lateProof, phase, doubt } = reply;
  // A repetition under its key sends nothing twice, and brings the answer back.
  if (doubt !== null) return reply;
  if (lateProof?.outcome !== 'sent' || (phase.at !== 'ready' && phase.at !== 'waiting')) return reply;
  return toUnknown(reply, `${sentAfterAll(lateProof)}; what was to be sent again has not left`, nowMs);
}

function sentAfterAll({ attempt, at }: LateProof): string {
  return `attempt ${attempt} was sent after all, as a worker told at ${at}`;
}

/** Why a decision is refused that a late proof contradicts from the start, or undefined. */
export function proofRefusal(
  { lateProof }: { readonly lateProof: LateProof | null },
  request: DecisionRequest,
): string | undefined {
  if (lateProof?.outcome !== 'sent' || request.decision === 'sent') return undefined;
  const told = sentAfterAll(lateProof);
  if (request.decision === 'resend') return `resend: ${told}: decide sent, or send it under a new key`;
  return request.bulk === undefined ? undefined : `${request.decision}: ${told}: decide it by itself`;
}

/** Whether what was decided is not what happened, as far as the proof goes: for people to see first. */
export function isContradicted(decision: DecisionRecord, proof: LateProof): boolean {
  switch (decision.decision) {
    case 'sent':
      return proof.outcome !== 'sent' && proof.attempt === decision.attempt;
    case 'not_sent':
    case 'cancel':
    case 'resend':
      // An earlier attempt that arrived makes it as untrue.
      return proof.outcome === 'sent' && proof.attempt <= decision.attempt;
    default:
      return assertNever(decision.decision);
  }
}
