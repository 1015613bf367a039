import { whoProblem } from './lane/control.ts';
import type { DecisionName } from './record.ts';

/** A person's act on a reply under review (Signal `decide`, Update `decideReply`). */
export interface DecisionRequest {
  /** The attempt that is decided: a decision about another one than the reviewed is stale, and refused. */
  readonly attempt: number;
  readonly decision: DecisionName;
  readonly by: string;
  readonly reason: string;
  /** With `sent`: the service's id of the message, if the person knows it. */
  readonly messageId?: number;
  /** With `resend`: send even though the reply has expired. */
  readonly allowExpired?: boolean;
}

export interface CancelRequest {
  readonly by: string;
  readonly reason: string;
}

/** What is wrong with a decision's shape, or undefined. */
export function decisionProblem(request: unknown): string | undefined {
  if (typeof request !== 'object' || request === null) return 'give { attempt, decision, by, reason }';
  const { attempt, decision, by, reason, messageId, allowExpired } = request as Record<string, unknown>;
  if (!Number.isSafeInteger(attempt) || (attempt as number) < 0)
    return 'attempt: must be the number of the attempt';
  if (decision !== 'sent' && decision !== 'not_sent' && decision !== 'resend' && decision !== 'cancel') {
    return 'decision: must be sent, not_sent, resend or cancel';
  }
  if (messageId !== undefined && !Number.isSafeInteger(messageId)) return 'messageId: must be a whole number';
  if (messageId !== undefined && decision !== 'sent') return 'messageId: goes with the decision sent only';
  if (allowExpired !== undefined && typeof allowExpired !== 'boolean')
    return 'allowExpired: must be true or false';
  return whoProblem(by, reason);
}

/** What is wrong with a cancellation's shape, or undefined. */
export function cancelProblem(request: unknown): string | undefined {
  if (typeof request !== 'object' || request === null) return 'give { by, reason }';
  const { by, reason } = request as Record<string, unknown>;
  return whoProblem(by, reason);
}
