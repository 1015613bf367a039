import { type WorkflowHandle, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure, type UpdateDefinition, WorkflowNotFoundError } from '@temporalio/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { type TemporalLink, grpcCode, grpcCodeOf, grpcDetailsOf } from './temporal-link.ts';

export type Updated<T> =
  | { readonly kind: 'answer'; readonly value: T }
  /** The workflow refused it and says why: nothing was changed. */
  | { readonly kind: 'refused'; readonly why: string }
  /** The workflow has ended. */
  | { readonly kind: 'closed' }
  /** No worker has taken it in time. It may still be carried out when one comes up. */
  | { readonly kind: 'no_worker' }
  /** A worker has taken it, but it was not carried out in time: it will be. */
  | { readonly kind: 'pending' };

/** "Workflow is closing": it ends within this time, or the update was meant for its next run. */
const closingForMs = 5000;
const closingPauseMs = 50;

/**
 * Sends an Update. Whether a worker is there shows within the link's `workerTimeoutMs`; what the workflow then waits for
 * (an attempt in flight) may take up to `answerTimeoutMs`.
 */
export async function sendUpdate<Ret, Arg>(
  link: TemporalLink,
  handle: WorkflowHandle,
  update: UpdateDefinition<Ret, [Arg]>,
  arg: Arg,
  answerTimeoutMs: number,
): Promise<Updated<Ret>> {
  const { client, workerTimeoutMs } = link;
  // One id for all tries, so that none is carried out twice.
  const updateId = randomUUID();
  const giveUpClosingMs = performance.now() + closingForMs;
  let taken = false;
  for (;;) {
    try {
      const begun = await client.withDeadline(Date.now() + workerTimeoutMs, () =>
        handle.startUpdate(update, { args: [arg], waitForStage: 'ACCEPTED', updateId }),
      );
      taken = true;
      return {
        kind: 'answer',
        value: await client.withDeadline(Date.now() + answerTimeoutMs, () => begun.result()),
      };
    } catch (error) {
      if (isClosing(error) && performance.now() < giveUpClosingMs) {
        await sleep(closingPauseMs);
        continue;
      }
      return updateEnd(link, error, taken);
    }
  }
}

function updateEnd<T>(link: TemporalLink, error: unknown, taken: boolean): Updated<T> {
  if (error instanceof WorkflowNotFoundError) return { kind: 'closed' };
  if (error instanceof WorkflowUpdateFailedError) {
    const { cause } = error;
    if (cause instanceof ApplicationFailure && cause.type === 'AcceptedUpdateCompletedWorkflow')
      return { kind: 'closed' };
    return { kind: 'refused', why: cause?.message ?? error.message };
  }
  const code = grpcCodeOf(error);
  if (code === grpcCode.deadlineExceeded || code === grpcCode.cancelled)
    return { kind: taken ? 'pending' : 'no_worker' };
  throw link.translated(error);
}

function isClosing(error: unknown): boolean {
  return (
    grpcCodeOf(error) !== undefined &&
    /workflow.* closing|unexpected workflow task failure/i.test(grpcDetailsOf(error))
  );
}
