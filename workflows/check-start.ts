import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import { replyWorkflowId } from '../domain/ids.ts';
import { type ReplyInput, replyInputProblems } from '../domain/reply-input.ts';

/** Fails a start that could send one intention twice, or is no reply at all, before any claim (invariant 1). */
export function checkStart(input: ReplyInput): void {
  const problems = replyInputProblems(input);
  if (problems.length > 0) {
    const list = problems.map(({ field, problem }) => `${field}: ${problem}`).join('; ');
    throw ApplicationFailure.nonRetryable(`not a reply: ${list}`, 'BadReply');
  }
  const wanted = replyWorkflowId(input);
  if (workflowInfo().workflowId !== wanted) {
    throw ApplicationFailure.nonRetryable(
      `the Workflow Id of this reply must be ${wanted}: start it with replyWorkflowId(reply)`,
      'WrongWorkflowId',
    );
  }
}
