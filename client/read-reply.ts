import type { WorkflowExecutionDescription } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import { parseReplyWorkflowId, replyName, replyWorkflowId } from '../domain/ids.ts';
import type { ReplyRecord } from '../domain/record.ts';
import { memoFields, replyWorkflowType } from '../workflows/names.ts';
import { replyQuery } from '../workflows/protocol.ts';
import { ReplyLostError, ReplyNotFoundError } from './errors.ts';
import type { ReplyName } from './reply-name.ts';
import { storedInput } from './stored-input.ts';
import { savedRecord, stateAttribute } from './saved-record.ts';
import { type Asked, type TemporalLink, grpcCode, grpcCodeOf, grpcDetailsOf } from './temporal-link.ts';

/** A reply as it was read, and from where. */
export interface ReadReply {
  readonly reply: ReplyRecord;
  /**
   * `result`: it has ended. `worker`: its workflow answered just now. `store`: no worker answered, so this is what was
   * saved last; a wait's reason and the latest attempts may be missing.
   */
  readonly source: 'result' | 'worker' | 'store';
}

/** What Temporal knows of the reply's workflow. Throws a `ReplyNotFoundError`. */
export async function describeReply(
  link: TemporalLink,
  name: ReplyName,
): Promise<WorkflowExecutionDescription> {
  const workflowId = replyWorkflowId(name);
  try {
    const found = await link.call(() => link.client.workflow.getHandle(workflowId).describe());
    if (found.type === replyWorkflowType) return found;
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
  throw new ReplyNotFoundError(
    `no reply ${replyName(name)}: check bot and key; a closed reply is forgotten after the namespace's retention`,
  );
}

/** Reads one reply: its result, or the answer of its workflow, or else what was saved of it. */
export async function readReply(
  link: TemporalLink,
  found: WorkflowExecutionDescription,
  options: { readonly askWorker: boolean } = { askWorker: true },
): Promise<ReadReply> {
  if (!isOpen(found)) return { reply: await resultOf(link, found), source: 'result' };
  if (options.askWorker) {
    const answer = await askReply(link, found);
    if (answer.kind === 'answer') return { reply: answer.value, source: 'worker' };
  }
  return { reply: await recordFromStore(link, found), source: 'store' };
}

/** What was saved of an open reply. */
export async function recordFromStore(
  link: TemporalLink,
  found: WorkflowExecutionDescription,
): Promise<ReplyRecord> {
  const named = parseReplyWorkflowId(found.workflowId) ?? { bot: '', key: found.workflowId };
  // A key that stands in the id as its hash is in the input only.
  const input = named.key.startsWith('sha256-') ? await storedInput(link, found) : undefined;
  const { bot, key } = input ?? named;
  return savedRecord({
    bot,
    key,
    workflowId: found.workflowId,
    memo: found.memo?.[memoFields.reply],
    state: stateAttribute(found),
  });
}

export function isOpen(found: WorkflowExecutionDescription): boolean {
  return found.status.name === 'RUNNING' || found.status.name === 'PAUSED';
}

/** The final record of a closed reply. Throws a `ReplyLostError` where its workflow ended without one. */
export async function resultOf(
  link: TemporalLink,
  found: WorkflowExecutionDescription,
): Promise<ReplyRecord> {
  const handle = link.client.workflow.getHandle(found.workflowId, found.runId, { followRuns: false });
  // "Running" may be said of a reply that is closing right now.
  if (found.status.name === 'COMPLETED' || isOpen(found))
    return (await link.call(() => handle.result())) as ReplyRecord;
  const lastKnown = await recordFromStore(link, found);
  const why = await link
    .call(() => handle.result())
    .then(
      () => 'for an unknown reason',
      (error: unknown) => {
        if (error instanceof Error && error.name === 'WorkflowFailedError') return reasonOf(error.cause);
        throw error;
      },
    );
  throw new ReplyLostError(lostWords(lastKnown, found.status.name, why), lastKnown);
}

function lostWords(lastKnown: ReplyRecord, status: string, why: string): string {
  const how = `the workflow of ${lastKnown.id} ended without a state (${status.toLowerCase()}: ${why})`;
  // Only a start that was wrong fails a reply's workflow, and it does so before any claim.
  const sent = status === 'FAILED' ? 'see the reason' : 'whether it was sent can only be seen in its chat';
  return `${how}; ${sent}; a new try needs a new key`;
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : 'no reason given';
}

async function askReply(
  link: TemporalLink,
  found: WorkflowExecutionDescription,
): Promise<Asked<ReplyRecord>> {
  const { client, workerTimeoutMs } = link;
  const handle = client.workflow.getHandle(found.workflowId, found.runId);
  try {
    const value = await client.withDeadline(Date.now() + workerTimeoutMs, () => handle.query(replyQuery));
    return { kind: 'answer', value };
  } catch (error) {
    if (grpcCodeOf(error) === grpcCode.unavailable) throw link.translated(error);
    // A worker that is gone, stuck or of another version: what was saved is the best there is.
    return { kind: 'no_worker', why: grpcDetailsOf(error) };
  }
}
