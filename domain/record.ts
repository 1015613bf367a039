import type { DecisionDoor } from './decisions.ts';
import type { WaitWhy } from './lane/messages.ts';
import type { OutcomeKind, Progress, RejectionKind, SentMessage, ServiceError } from './outcome.ts';

/** The states that people see. The last five are final: a reply ends in exactly one of them (invariant 7). */
export type ReplyStateName =
  'waiting' | 'sending' | 'review' | 'sent' | 'rejected' | 'cancelled' | 'expired' | 'not_sent';

export const finalStates = ['sent', 'rejected', 'cancelled', 'expired', 'not_sent'] as const;

/** `unknown`: may have arrived. `held`: refused in a way the program must not interpret. `budget`: used up. */
export type ReviewKind = 'unknown' | 'held' | 'budget';

export type DecisionName = 'sent' | 'not_sent' | 'resend' | 'cancel';

/** A decision as it is kept: whose, why, when, about which attempt, through which door, on what evidence. */
export interface DecisionRecord {
  readonly attempt: number;
  readonly decision: DecisionName;
  readonly by: string;
  readonly reason: string;
  readonly at: string;
  readonly door: DecisionDoor;
  /** What the person used, in their own word; the Workflow Id of the bulk decision that it was a part of. */
  readonly via: string | null;
  readonly bulk: string | null;
  /** The review as it stood at that moment; null where there was none (a cancellation while the reply waited). */
  readonly seen: { readonly kind: ReviewKind; readonly evidence: string } | null;
}

/** What a worker read of an attempt after the reply had been taken from it. It decides nothing by itself. */
export interface LateProof {
  readonly attempt: number;
  readonly outcome: LateOutcome;
  readonly at: string;
  readonly messageId: number | string | null;
}

/** Outcomes that prove something. */
export type LateOutcome = Exclude<OutcomeKind, 'unknown'>;

export interface AttemptRecord {
  readonly attempt: number;
  readonly outcome: OutcomeKind;
  readonly at: string;
  readonly httpStatus: number | null;
  readonly progress: Progress;
  /** Identity of the worker process that made it, where that is known. Records of older workers have none. */
  readonly worker: string | null;
  /** The service's own account of a failure, at services that give one. Absent from records of older workers. */
  readonly error?: ServiceError;
}

/**
 * What the Query `reply`, the result, the memo under review and the command line show of a reply. Always this shape,
 * `null` where a part does not apply. Never the content, and never the service's secrets (invariant 8).
 */
export interface ReplyRecord {
  readonly id: string;
  readonly bot: string;
  readonly key: string;
  readonly workflowId: string;
  readonly state: ReplyStateName;
  readonly waiting: { readonly why: WaitWhy; readonly notBefore: string } | null;
  readonly review: {
    readonly kind: ReviewKind;
    readonly attempt: number;
    readonly since: string;
    readonly evidence: string;
    /** The same again can only be refused again: `resend` is no choice. */
    readonly isFinal?: true;
  } | null;
  readonly rejection: {
    readonly kind: RejectionKind;
    readonly code: number | null;
    readonly description: string;
  } | null;
  readonly message: SentMessage | null;
  /** The latest decision; who cancelled stands here too. */
  readonly decision: DecisionRecord | null;
  /** The answer to an attempt that was given up as lost before it: above all a `sent`. */
  readonly lateProof: LateProof | null;
  readonly attempts: readonly AttemptRecord[];
}
