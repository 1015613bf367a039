import type { BulkDecisionInput, BulkOutcome } from '../domain/bulk-decision.ts';
import type { RevokeRequest } from '../domain/lane/messages.ts';
import type { Budgets, LostRunAnswer, SendInput, SendResult } from '../domain/send.ts';

/** The activities that workflows call, by the names that stand in histories. */
export interface Activities {
  /** At most one request to the service. Never retried. */
  sendMessage(input: SendInput): Promise<SendResult>;
  /** Takes a lost attempt back at the lane. Asked again, it answers the same, so it may be retried. */
  revokeAttempt(
    input: RevokeRequest & { readonly bot: string },
  ): Promise<LostRunAnswer & { readonly budgets?: Budgets }>;
  /** Decides the replies of one part of a bulk decision, in their order. May be retried. */
  decideReplies(input: DecideRepliesInput): Promise<readonly BulkOutcome[]>;
}

/** A part of a bulk decision; `bulk` is its Workflow Id. */
export interface DecideRepliesInput extends Omit<BulkDecisionInput, 'progress'> {
  readonly bulk: string;
}
