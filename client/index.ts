// What an app imports: free of the native worker and of any HTTP client.
export { type ReplyClientOptions, ReplyClient } from './reply-client.ts';
export { ReplyHandle } from './reply-handle.ts';
export type { ResultOptions } from './await-reply.ts';
export type { ContractsByBot, ReplyRequest } from './reply-draft.ts';
export type { ReplyName } from './reply-name.ts';
export type { ReadReply } from './read-reply.ts';
export type { KeyedReplyRequest, SendAllOptions, SendProgress, SendReport } from './send-all.ts';
export type { Listed, ListFilter } from './list-replies.ts';
export { type BulkDecisionRequest, BulkDecision } from './bulk-decision.ts';
export type { ReviewFilter } from './reviews.ts';
export type { CancelResult, DecideResult } from './reply-acts.ts';
export type { ExtendResult, LaneClient, WakeOptions, Who } from './lane-client.ts';
export { type ConnectOptions, connectTemporal } from './connect.ts';
export { payloadCodec } from './codec/payload-codec.ts';
export { PayloadKeyError, type PayloadKeys, payloadKeyFrom } from './codec/payload-keys.ts';
export { type ConnectionSettings, connectionSettings } from './connection-settings.ts';
export { type TelegramMethod, telegramContent } from './telegram-content.ts';
export * from './errors.ts';
export * from './intake/index.ts';
export * from './review-page/index.ts';

export { type ReplyStartSettings, replyChildOptions, replyStartOptions } from '../workflows/reply-options.ts';
export { cooldownWorkflowId, replyWorkflowId } from '../domain/ids.ts';
export type { BulkDecisionView } from '../domain/bulk-decision.ts';
export type { CancelRequest, DecisionRequest } from '../domain/decisions.ts';
export type { ReplyClass } from '../domain/lane/messages.ts';
export type { LaneView } from '../domain/lane/show.ts';
export type { InputProblem, ReplyInput } from '../domain/reply-input.ts';
export type {
  AttemptRecord,
  DecisionName,
  DecisionRecord,
  LateProof,
  ReplyRecord,
  ReplyStateName,
  ReviewKind,
} from '../domain/record.ts';
