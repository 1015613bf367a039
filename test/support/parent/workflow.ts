import { executeChild } from '@temporalio/workflow';
import type { ReplyInput, ReplyRecord } from '../../../workflows/index.ts';
import { replyChildOptions } from '../../../workflows/reply-options.ts';

/** An app's own workflow that sends a reply on its way. */
export async function orderWorkflow(reply: ReplyInput): Promise<ReplyRecord> {
  return (await executeChild('replyWorkflow', replyChildOptions(reply))) as ReplyRecord;
}
