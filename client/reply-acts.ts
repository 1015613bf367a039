import { WorkflowNotFoundError } from '@temporalio/common';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import {
  type CancelRequest,
  type DecisionRequest,
  cancelProblem,
  decisionProblem,
} from '../domain/decisions.ts';
import { replyName } from '../domain/ids.ts';
import { assertNever } from '../domain/outcome.ts';
import type { ReplyRecord } from '../domain/record.ts';
import { expiryRefusal, finalRefusal, proofRefusal } from '../domain/reply/index.ts';
import { cancelReplyUpdate, cancelSignal, decideReplyUpdate, decideSignal } from '../workflows/protocol.ts';
import { ReplyInputError, ReplyRefusedError } from './errors.ts';
import { describeReply, isOpen, readReply, recordFromStore, resultOf } from './read-reply.ts';
import type { ReplyName } from './reply-name.ts';
import { storedInput } from './stored-input.ts';
import type { TemporalLink } from './temporal-link.ts';
import { sendUpdate } from './update.ts';

/** The truth about a cancellation; `reply` is how it was then. */
export type CancelResult =
  /** Nothing of it is ever sent from now on. */
  | { readonly kind: 'cancelled'; readonly reply: ReplyRecord }
  /** It was sent, or ended, or is under review: `reply` says which. */
  | { readonly kind: 'too_late'; readonly reply: ReplyRecord }
  /** Saved, but not answered: no worker is up, or an attempt is in flight for long. It counts when a worker takes it. */
  | { readonly kind: 'requested'; readonly reply: ReplyRecord };

export type DecideResult =
  | { readonly kind: 'decided'; readonly reply: ReplyRecord }
  /** No worker is up: the decision is saved, and is refused in silence if the review is over by then. */
  | { readonly kind: 'requested'; readonly reply: ReplyRecord };

/** An attempt in flight is waited for: longer than its activity may take, with what a lost worker adds. */
const cancelAnswerMs = 90_000;
const decideAnswerMs = 10_000;

/** Cancels a reply. Answers only with what is certain (invariant 6). */
export async function cancelReply(
  link: TemporalLink,
  name: ReplyName,
  request: CancelRequest,
): Promise<CancelResult> {
  refuseBad('Not a cancellation', cancelProblem(request));
  const found = await describeReply(link, name);
  if (!isOpen(found)) return byResult(link, found);
  const handle = link.client.workflow.getHandle(found.workflowId, found.runId);
  const update = await sendUpdate(link, handle, cancelReplyUpdate, request, cancelAnswerMs);
  switch (update.kind) {
    case 'answer':
      return update.value;
    case 'closed':
      return byResult(link, await describeReply(link, name));
    case 'refused':
      throw new ReplyRefusedError(`${replyName(name)} was not cancelled: ${update.why}`, null);
    case 'pending':
      return { kind: 'requested', reply: await recordFromStore(link, found) };
    case 'no_worker':
      try {
        await link.call(() => handle.signal(cancelSignal, request));
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
        return byResult(link, await describeReply(link, name));
      }
      return { kind: 'requested', reply: await recordFromStore(link, found) };
    default:
      return assertNever(update);
  }
}

/**
 * Decides a reply under review. Throws a `ReplyRefusedError` with its state if that is over, or about another attempt.
 * Without `bySignal`, a decision that no worker takes is not saved: `requested` then only means that it was not confirmed.
 */
export async function decideReply(
  link: TemporalLink,
  name: ReplyName,
  request: DecisionRequest,
  { bySignal }: { readonly bySignal: boolean } = { bySignal: true },
): Promise<DecideResult> {
  refuseBad('Not a decision', decisionProblem(request));
  const found = await describeReply(link, name);
  if (!isOpen(found)) return byEnd(link, name, request);
  const handle = link.client.workflow.getHandle(found.workflowId, found.runId);
  const update = await sendUpdate(link, handle, decideReplyUpdate, request, decideAnswerMs);
  switch (update.kind) {
    case 'answer':
      return { kind: 'decided', reply: update.value };
    case 'closed':
      return byEnd(link, name, request);
    case 'refused':
      return whetherOwn(name, request, update.why, (await readReply(link, found)).reply);
    case 'pending':
      return { kind: 'requested', reply: await recordFromStore(link, found) };
    case 'no_worker':
      if (bySignal) return decideBySignal(link, name, request);
      return { kind: 'requested', reply: await recordFromStore(link, found) };
    default:
      return assertNever(update);
  }
}

/** A Signal is refused in silence, so what can be seen without a worker is checked first. */
async function decideBySignal(
  link: TemporalLink,
  name: ReplyName,
  request: DecisionRequest,
): Promise<DecideResult> {
  const found = await describeReply(link, name);
  if (!isOpen(found)) return byEnd(link, name, request);
  const reply = await recordFromStore(link, found);
  if (reply.state !== 'review') return whetherOwn(name, request, 'it is not under review', reply);
  if (reply.review && reply.review.attempt !== request.attempt) {
    throw refused(
      name,
      `attempt: the review is about attempt ${reply.review.attempt}, not ${request.attempt}`,
      reply,
    );
  }
  const problem = await refusalFromStore(link, found, request, reply);
  if (problem !== undefined) throw refused(name, problem, reply);
  await link.call(() =>
    link.client.workflow.getHandle(found.workflowId, found.runId).signal(decideSignal, request),
  );
  return { kind: 'requested', reply };
}

/** Why the workflow would pass over the decision, as far as that can be seen without a worker; or undefined. */
async function refusalFromStore(
  link: TemporalLink,
  found: WorkflowExecutionDescription,
  request: DecisionRequest,
  reply: ReplyRecord,
): Promise<string | undefined> {
  if (request.decision !== 'resend') return undefined;
  const refusal = proofRefusal(reply, request) ?? finalRefusal(reply.review ?? {}, request);
  if (refusal !== undefined) return refusal;
  const expiresAt = (await storedInput(link, found))?.expiresAt;
  const expiresAtMs = expiresAt === undefined ? null : Date.parse(expiresAt);
  return expiryRefusal(expiresAtMs, request, Date.now());
}

async function byEnd(link: TemporalLink, name: ReplyName, request: DecisionRequest): Promise<DecideResult> {
  return whetherOwn(name, request, 'it has ended', await resultOf(link, await describeReply(link, name)));
}

/** The answer to a decision may have been lost, and the decision not: what this person decided is not refused to them. */
function whetherOwn(
  name: ReplyName,
  request: DecisionRequest,
  why: string,
  reply: ReplyRecord,
): DecideResult {
  const { decision } = reply;
  const isOwn =
    decision !== null &&
    decision.attempt === request.attempt &&
    decision.decision === request.decision &&
    decision.by === request.by &&
    decision.reason === request.reason;
  if (!isOwn) throw refused(name, why, reply);
  return { kind: 'decided', reply };
}

async function byResult(link: TemporalLink, found: WorkflowExecutionDescription): Promise<CancelResult> {
  const reply = await resultOf(link, found);
  return { kind: reply.state === 'cancelled' ? 'cancelled' : 'too_late', reply };
}

function refused(name: ReplyName, why: string, reply: ReplyRecord): ReplyRefusedError {
  return new ReplyRefusedError(
    `${replyName(name)} is ${reply.state} now, and was not decided: ${why}`,
    reply,
  );
}

/** Throws what is wrong with a request, in its field's name. */
export function refuseBad(what: string, problem: string | undefined): void {
  if (problem === undefined) return;
  const [, field = 'request', words = problem] = /^([a-zA-Z]+): (.*)$/s.exec(problem) ?? [];
  throw new ReplyInputError(what, [{ field, problem: words }]);
}
