import type { WorkflowExecutionDescription, WorkflowExecutionInfo } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import { botNameProblem } from '../domain/ids.ts';
import { type ReplyStateName, finalStates } from '../domain/record.ts';
import { attributeNames, replyWorkflowType } from '../workflows/names.ts';
import { mapInOrder } from './concurrency.ts';
import { ReplyInputError, ReplyLostError } from './errors.ts';
import { type ReadReply, readReply } from './read-reply.ts';
import { isStateName } from './saved-record.ts';
import { type TemporalLink, grpcCode, grpcCodeOf, grpcDetailsOf } from './temporal-link.ts';

export interface ListFilter {
  readonly state?: ReplyStateName;
  readonly bot?: string;
  /** At most so many; 1,000 by default. */
  readonly limit?: number;
}

export type Listed =
  | ({ readonly kind: 'reply' } & ReadReply)
  /** Its workflow ended without a state: somebody must look. */
  | { readonly kind: 'lost'; readonly workflowId: string; readonly error: ReplyLostError };

/** Replies that are read at once. */
const readsAtOnce = 10;

/**
 * Lists replies, the latest started first. The store's list may lag by a moment, so each reply is read again and left out
 * if it is in another state by then. Finds those that were started without attributes too.
 */
export async function* listReplies(
  link: TemporalLink,
  filter: ListFilter = {},
): AsyncGenerator<Listed, void, undefined> {
  checkFilter(filter);
  let left = filter.limit ?? 1000;
  // One time-out is enough to know that no worker is up.
  let askWorker = true;
  const read = async (info: WorkflowExecutionInfo): Promise<Listed | undefined> => {
    const found = await described(link, info);
    if (!found) return undefined;
    try {
      const { reply, source } = await readReply(link, found, { askWorker });
      if (source === 'store') askWorker = false;
      return { kind: 'reply', reply, source };
    } catch (error) {
      if (error instanceof ReplyLostError) return { kind: 'lost', workflowId: found.workflowId, error };
      throw error;
    }
  };
  for await (const listed of mapInOrder(executions(link, filter), readsAtOnce, read)) {
    if (left <= 0) return;
    if (!listed || !isWanted(listed, filter)) continue;
    left--;
    yield listed;
  }
}

/** Every open reply of a bot, or of all; `state` as the list has it. */
export async function* openExecutions(
  link: TemporalLink,
  bot: string | undefined,
): AsyncGenerator<WorkflowExecutionInfo, void, undefined> {
  yield* pages(link, [...ofBot(bot), `ExecutionStatus = 'Running'`]);
}

async function* executions(
  link: TemporalLink,
  filter: ListFilter,
): AsyncGenerator<WorkflowExecutionInfo, void, undefined> {
  const base = ofBot(filter.bot);
  if (filter.state === undefined) return yield* pages(link, base);
  const { state } = attributeNames;
  const shown = filter.state === 'sending' ? 'waiting' : filter.state;
  // A reply that was never worked on may have no attributes.
  const byState = [`(${state} = '${shown}' OR ${state} IS NULL)`];
  const open = isFinal(filter.state) ? [] : [`ExecutionStatus = 'Running'`];
  try {
    yield* pages(link, [...base, ...open, ...byState]);
  } catch (error) {
    // The namespace does not know our attributes: each reply tells its own state.
    if (grpcCodeOf(error) !== grpcCode.invalidArgument || !grpcDetailsOf(error).includes(state)) throw error;
    yield* pages(link, [...base, ...open]);
  }
}

async function* pages(
  link: TemporalLink,
  conditions: readonly string[],
): AsyncGenerator<WorkflowExecutionInfo, void, undefined> {
  const list = link.client.workflow.list({ query: conditions.join(' AND '), pageSize: 200 });
  const iterator = list[Symbol.asyncIterator]();
  for (;;) {
    const next = await link.call(() => iterator.next());
    if (next.done) return;
    yield next.value;
  }
}

function ofBot(bot: string | undefined): string[] {
  const type = `WorkflowType = '${replyWorkflowType}'`;
  // By the id, since a reply may have no attributes; the name has no character that a query could misread.
  return bot === undefined ? [type] : [type, `WorkflowId STARTS_WITH 'reply:${bot}:'`];
}

async function described(
  link: TemporalLink,
  info: WorkflowExecutionInfo,
): Promise<WorkflowExecutionDescription | undefined> {
  const { workflowId, runId } = info;
  try {
    const latest = await link.call(() => link.client.workflow.getHandle(workflowId).describe());
    // An earlier run of a reset reply: the latest stands in the list too.
    return latest.runId === runId ? latest : undefined;
  } catch (error) {
    // Forgotten (retention) since it was listed.
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

function isWanted(listed: Listed, filter: ListFilter): boolean {
  if (filter.state === undefined) return true;
  if (listed.kind === 'lost') return false;
  const { state } = listed.reply;
  return state === filter.state || (filter.state === 'waiting' && state === 'sending');
}

function isFinal(state: ReplyStateName): boolean {
  return (finalStates as readonly string[]).includes(state);
}

function checkFilter({ state, bot, limit }: ListFilter): void {
  const problems = [];
  if (state !== undefined && !isStateName(state)) {
    const states = 'waiting, sending, review, sent, rejected, cancelled, expired or not_sent';
    problems.push({ field: 'state', problem: `"${String(state)}" is no state of a reply: use ${states}` });
  }
  const botProblem = bot === undefined ? undefined : botNameProblem(bot);
  if (botProblem !== undefined) problems.push({ field: 'bot', problem: botProblem });
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit > 0)) {
    problems.push({ field: 'limit', problem: 'must be a whole number above 0' });
  }
  if (problems.length > 0) throw new ReplyInputError('Nothing can be listed', problems);
}
