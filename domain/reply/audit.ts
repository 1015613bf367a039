import type { DecisionRecord, ReplyRecord } from '../record.ts';

/**
 * A decision as the worker logs it, in one line of JSON: Temporal forgets closed replies after the namespace's retention.
 * Never the text, the destination or a token (invariant 8).
 */
export interface AuditEntry extends Omit<DecisionRecord, 'seen'> {
  readonly event: 'decision';
  readonly reply: string;
  /** The kind of doubt and the evidence that were decided on; null where there was no review. */
  readonly kind: string | null;
  readonly evidence: string | null;
}

export function auditEntry({ id }: ReplyRecord, decision: DecisionRecord): AuditEntry {
  const { at, attempt, decision: name, by, reason, door, via, bulk, seen } = decision;
  return {
    event: 'decision',
    at,
    reply: id,
    attempt,
    decision: name,
    by,
    reason,
    door,
    via,
    bulk,
    kind: seen?.kind ?? null,
    evidence: seen?.evidence ?? null,
  };
}
