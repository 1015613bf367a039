export { bulkDecisionWorkflow } from './bulk-decision.ts';
export { cooldownWorkflow } from './cooldown.ts';
export { replyWorkflow } from './reply.ts';
export * from './protocol.ts';
export { replyWorkflowId, cooldownWorkflowId } from '../domain/ids.ts';
export type { ReplyInput } from '../domain/reply-input.ts';
export type { ReplyRecord } from '../domain/record.ts';
export { replyChildOptions, replyStartOptions } from './reply-options.ts';
