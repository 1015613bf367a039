import { decodeFromPayloadsAtIndex } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { type ReplyInput, replyInputProblems } from '../domain/reply-input.ts';
import type { TemporalLink } from './temporal-link.ts';

/**
 * The input of a reply, from the first event of its history: needs no worker. Undefined where it is not a reply's, since
 * anybody may start a workflow by hand.
 */
export async function storedInput(
  link: TemporalLink,
  execution: { readonly workflowId: string; readonly runId: string },
): Promise<ReplyInput | undefined> {
  const { client } = link;
  const { namespace, loadedDataConverter } = client.options;
  const { workflowId, runId } = execution;
  const { history } = await link.call(() =>
    client.workflowService.getWorkflowExecutionHistory({
      namespace,
      execution: { workflowId, runId },
      maximumPageSize: 1,
    }),
  );
  const started = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
  if (!started?.input?.payloads?.length) return undefined;
  const context = { type: 'workflow', namespace, workflowId } as const;
  const input: unknown = await decodeFromPayloadsAtIndex(
    loadedDataConverter,
    0,
    started.input.payloads,
    context,
  );
  return replyInputProblems(input).length === 0 ? (input as ReplyInput) : undefined;
}
