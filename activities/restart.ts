import type { Context } from '@temporalio/activity';
import type { SendFinding, SendInput } from '../domain/send.ts';
import { errorName } from './error-name.ts';
import type { SendDeps } from './send-deps.ts';
import { backOff } from './send-run.ts';

/**
 * Whether the reply's Workflow Id was run before this run, and started again by hand: asked only where the start could be
 * such a one, since it costs a question to Temporal's list. A list that does not answer lets the reply wait.
 */
export async function findRestart(
  deps: SendDeps,
  input: SendInput,
  context: Context,
): Promise<SendFinding | undefined> {
  const { workflowExecution } = context.info;
  if (input.bare !== true || !workflowExecution) return undefined;
  try {
    const earlier = await deps.replies.earlierRun(workflowExecution);
    if (!earlier) return undefined;
    const { runId, closedAt, status } = earlier;
    const evidence = `started again by hand: run ${runId} of it ended before (${status}${closedAt === null ? '' : ` at ${closedAt}`}), and may have sent it`;
    return { kind: 'restarted', evidence };
  } catch (error) {
    deps.log(`a reply waits: whether it ran before cannot be asked: ${errorName(error)}`);
    return backOff(input, 2000, 'backoff');
  }
}
