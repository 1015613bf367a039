import { isBulkDecisionId } from './ids.ts';
import { whoProblem } from './lane/control.ts';
import type { DecisionName } from './record.ts';

/**
 * Through which door a decision came. `update`, `signal`: a message to the reply. `bulk`: the Update of a bulk decision.
 * `policy`: the bot's own. `temporal`: a cancellation request of Temporal. Set by the reply, never by who decides.
 */
export type DecisionDoor = 'update' | 'signal' | 'bulk' | 'policy' | 'temporal';

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
  /** What the person used, such as `cli`: their own word, kept beside the door. */
  readonly via?: string;
  /** Workflow Id of the bulk decision that this is a part of. */
  readonly bulk?: string;
}

export interface CancelRequest {
  readonly by: string;
  readonly reason: string;
  readonly via?: string;
}

const longestVia = 40;

/** What is wrong with a decision's shape, or undefined. */
export function decisionProblem(request: unknown): string | undefined {
  if (typeof request !== 'object' || request === null) return 'give { attempt, decision, by, reason }';
  const { attempt, decision, by, reason, messageId, allowExpired, via, bulk } = request as Record<
    string,
    unknown
  >;
  if (!Number.isSafeInteger(attempt) || (attempt as number) < 0)
    return 'attempt: must be the number of the attempt';
  if (decision !== 'sent' && decision !== 'not_sent' && decision !== 'resend' && decision !== 'cancel') {
    return 'decision: must be sent, not_sent, resend or cancel';
  }
  if (messageId !== undefined && !Number.isSafeInteger(messageId)) return 'messageId: must be a whole number';
  if (messageId !== undefined && decision !== 'sent') return 'messageId: goes with the decision sent only';
  if (allowExpired !== undefined && typeof allowExpired !== 'boolean')
    return 'allowExpired: must be true or false';
  if (bulk !== undefined && !(typeof bulk === 'string' && isBulkDecisionId(bulk)))
    return 'bulk: must be the Workflow Id of a bulk decision; only such a workflow gives it';
  return viaProblem(via) ?? whoProblem(by, reason);
}

/** What is wrong with a cancellation's shape, or undefined. */
export function cancelProblem(request: unknown): string | undefined {
  if (typeof request !== 'object' || request === null) return 'give { by, reason }';
  const { by, reason, via } = request as Record<string, unknown>;
  return viaProblem(via) ?? whoProblem(by, reason);
}

function viaProblem(via: unknown): string | undefined {
  if (via === undefined || (typeof via === 'string' && via.trim() !== '' && via.length <= longestVia))
    return undefined;
  return `via: must be a text of 1 to ${longestVia} characters, such as "cli"`;
}
