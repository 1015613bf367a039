import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { BulkDecisionView } from '../domain/bulk-decision.ts';
import type { CancelRequest, DecisionRequest } from '../domain/decisions.ts';
import type { ClaimRequest } from '../domain/lane/batch.ts';
import type {
  ControlRequest,
  ExtendRequest,
  Report,
  RevokeAnswer,
  RevokeRequest,
  Verdict,
} from '../domain/lane/messages.ts';
import type { LaneView } from '../domain/lane/show.ts';
import type { LaneSnapshot } from '../domain/lane/snapshot.ts';
import type { ReplyRecord } from '../domain/record.ts';
import type { LateProofNote } from '../domain/reply/late-proof.ts';

/**
 * Every name and shape that enters histories. Permanent: a change is a decision record, and a new name beside the old.
 */

export * from './names.ts';

/** Argument of `cooldownWorkflow`; `snapshot` from its own previous run. */
export interface CooldownInput {
  readonly bot: string;
  readonly snapshot?: LaneSnapshot;
}

/** Answer to a cancellation: the truth about the reply (invariant 6). */
export type CancelAnswer =
  /** Nothing of it will ever be sent from now on. */
  | { readonly kind: 'cancelled'; readonly reply: ReplyRecord }
  /** It was sent, or ended, or nobody can know: `reply` says which. */
  | { readonly kind: 'too_late'; readonly reply: ReplyRecord };

// To a reply.
export const decideSignal = defineSignal<[DecisionRequest]>('decide');
/** From a worker: what it read of an attempt after the reply had been taken from it. */
export const lateProofSignal = defineSignal<[LateProofNote]>('lateProof');
export const cancelSignal = defineSignal<[CancelRequest]>('cancel');
/** Asks a waiting reply to ask its lane again at once; harmless at any time. */
export const wakeSignal = defineSignal('wake');
export const decideReplyUpdate = defineUpdate<ReplyRecord, [DecisionRequest]>('decideReply');
export const cancelReplyUpdate = defineUpdate<CancelAnswer, [CancelRequest]>('cancelReply');
export const replyQuery = defineQuery<ReplyRecord>('reply');

// To a bulk decision.
export const bulkDecisionQuery = defineQuery<BulkDecisionView>('bulkDecision');

// To a lane.
export const reportSignal = defineSignal<[readonly Report[]]>('report');
export const extendCooldownSignal = defineSignal<[ExtendRequest]>('extendCooldown');
export const controlUpdate = defineUpdate<LaneView, [ControlRequest]>('control');
export const revokeUpdate = defineUpdate<RevokeAnswer, [RevokeRequest]>('revoke');
export const claimUpdate = defineUpdate<readonly Verdict[], [ClaimRequest]>('claim');
export const cooldownQuery = defineQuery<LaneView>('cooldown');
