import { contentHash, replyWorkflowId } from '../domain/ids.ts';
import type { ReplyInput } from '../domain/reply-input.ts';
import { attributeNames, memoFields, taskQueue } from './names.ts';

export interface ReplyStartSettings {
  readonly taskQueue?: string;
  /** Only where the namespace knows our search attributes: a start with unknown ones is refused. */
  readonly attributes?: boolean;
}

/**
 * What a start of `replyWorkflow` takes, from an app or as a child, so that one intention is one reply (invariant 1):
 * the Workflow Id from bot and key, never a second run of it, and the content's hash to compare by. Pure: it may be
 * called in workflow code. `client.workflow.start(replyWorkflow, replyStartOptions(reply))`
 */
export function replyStartOptions(reply: ReplyInput, settings: ReplyStartSettings = {}) {
  return { ...commonOptions(reply, settings), workflowIdConflictPolicy: 'FAIL' as const };
}

/**
 * The same for `executeChild` and `startChild`: the reply goes on when its parent ends.
 * `executeChild(replyWorkflow, replyChildOptions(reply))`
 */
export function replyChildOptions(reply: ReplyInput, settings: ReplyStartSettings = {}) {
  return { ...commonOptions(reply, settings), parentClosePolicy: 'ABANDON' as const };
}

function commonOptions(reply: ReplyInput, settings: ReplyStartSettings) {
  return {
    workflowId: replyWorkflowId(reply),
    taskQueue: settings.taskQueue ?? taskQueue,
    args: [reply] as [ReplyInput],
    workflowIdReusePolicy: 'REJECT_DUPLICATE' as const,
    memo: { [memoFields.contentHash]: contentHash(reply.content) },
    // No content: the Web UI renders it, and it is kept in plain text (invariant 8).
    staticSummary: `${reply.content.method} by ${reply.bot}`,
    ...(settings.attributes === true ? { typedSearchAttributes: firstAttributes(reply) } : {}),
  };
}

function firstAttributes(reply: ReplyInput) {
  return [
    { key: { name: attributeNames.state, type: 'KEYWORD' as const }, value: 'waiting' },
    { key: { name: attributeNames.bot, type: 'KEYWORD' as const }, value: reply.bot },
    { key: { name: attributeNames.since, type: 'DATETIME' as const }, value: new Date(Date.now()) },
  ];
}
