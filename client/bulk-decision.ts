import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/common';
import {
  type BulkDecisionInput,
  type BulkDecisionView,
  type BulkTarget,
  bulkDecisionProblem,
  maxBulkReplies,
} from '../domain/bulk-decision.ts';
import { decisionProblem } from '../domain/decisions.ts';
import { bulkDecisionWorkflowId, isBulkDecisionId, plainKey } from '../domain/ids.ts';
import type { ReplyRecord } from '../domain/record.ts';
import { bulkDecisionWorkflowType } from '../workflows/names.ts';
import { bulkDecisionQuery } from '../workflows/protocol.ts';
import {
  BulkDecisionNotFoundError,
  ReplyInputError,
  ReplylaneError,
  TemporalUnreachableError,
} from './errors.ts';
import { refuseBad } from './reply-acts.ts';
import { type TemporalLink, grpcCode, grpcCodeOf } from './temporal-link.ts';

/** One decision on many replies; each by the attempt that is under review when the list is made. */
export interface BulkDecisionRequest extends Omit<
  BulkDecisionInput,
  'replies' | 'progress' | 'ratePerSecond'
> {
  /** Replies decided in a second; 10 by default, 100 at most. */
  readonly ratePerSecond?: number;
}

const defaultRatePerSecond = 10;
const lookEveryMs = 500;

/** A bulk decision that Temporal has: it goes on whatever becomes of this process. */
export class BulkDecision {
  /** Workflow Ids: one for each 2,000 replies. */
  readonly ids: readonly string[];
  readonly #link: TemporalLink;

  constructor(link: TemporalLink, ids: readonly string[]) {
    const bad = ids.find((id) => !isBulkDecisionId(id));
    if (bad !== undefined || ids.length === 0) {
      const problem = `"${bad ?? ''}" is not the id of a bulk decision: it begins with "bulk-decision:"`;
      throw new ReplyInputError('No such bulk decision', [{ field: 'id', problem }]);
    }
    this.ids = ids;
    this.#link = link;
  }

  /** How it stands, or null where no worker answers. Throws a `BulkDecisionNotFoundError`. */
  async view(): Promise<BulkDecisionView | null> {
    const views = await Promise.all(this.ids.map((id) => viewOf(this.#link, id)));
    return views.includes(null) ? null : summed(views.filter((view) => view !== null));
  }

  /** How it ended. `onView` is told how it stands, about twice a second; null while no worker answers. */
  async result(
    options: { readonly onView?: (view: BulkDecisionView | null) => void } = {},
  ): Promise<BulkDecisionView> {
    for (;;) {
      const view = await this.view();
      options.onView?.(view);
      if (view && view.state !== 'running') return view;
      await sleep(lookEveryMs);
    }
  }

  /** Asks it to end after the replies in hand; what was decided stays decided. */
  async cancel(): Promise<void> {
    for (const id of this.ids) {
      try {
        await this.#link.call(() => this.#link.client.workflow.getHandle(id).cancel());
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      }
    }
  }
}

/** Starts one workflow for each 2,000 of the replies; together they keep to the rate. Null where there is none to decide. */
export async function startBulkDecision(
  link: TemporalLink,
  reviews: readonly ReplyRecord[],
  { ratePerSecond = defaultRatePerSecond, ...decision }: BulkDecisionRequest,
  taskQueue: string,
): Promise<BulkDecision | null> {
  refuseBad('Nothing was decided', decisionProblem({ ...decision, attempt: 0 }));
  const targets = reviews.flatMap(({ bot, key, review }): BulkTarget[] =>
    review ? [{ bot, key: plainKey(key), attempt: review.attempt }] : [],
  );
  const parts = Array.from({ length: Math.ceil(targets.length / maxBulkReplies) }, (_, at) =>
    targets.slice(at * maxBulkReplies, (at + 1) * maxBulkReplies),
  );
  const inputs = parts.map((replies) => ({
    ...decision,
    replies,
    ratePerSecond: ratePerSecond / parts.length,
  }));
  for (const input of inputs) refuseBad('Nothing was decided', bulkDecisionProblem(input));
  const starts = inputs.map((input) => ({ workflowId: bulkDecisionWorkflowId(randomUUID()), input }));
  for (const [at, { workflowId, input }] of starts.entries()) {
    const options = {
      workflowId,
      taskQueue,
      args: [input] as [typeof input],
      staticSummary: `Decides ${input.replies.length} replies: ${input.decision}`,
    };
    try {
      await link.call(() => link.client.workflow.start(bulkDecisionWorkflowType, options));
    } catch (error) {
      if (!(error instanceof TemporalUnreachableError)) throw error;
      const begun = starts.slice(0, at + 1).map((start) => start.workflowId);
      const hint = `it may have been started all the same: "replylane review bulk ${begun.join(' ')}" tells, and with --cancel ends it`;
      throw new TemporalUnreachableError(`${error.message}; ${hint}`, { cause: error });
    }
  }
  return starts.length === 0
    ? null
    : new BulkDecision(
        link,
        starts.map(({ workflowId }) => workflowId),
      );
}

async function viewOf(link: TemporalLink, id: string): Promise<BulkDecisionView | null> {
  const { client, workerTimeoutMs } = link;
  const handle = client.workflow.getHandle(id);
  const found = await link
    .call(() => handle.describe())
    .catch((error: unknown) => {
      throw error instanceof WorkflowNotFoundError
        ? new BulkDecisionNotFoundError(`no bulk decision ${id}: Temporal forgets it after the retention`)
        : error;
    });
  if (found.status.name === 'COMPLETED') return (await link.call(() => handle.result())) as BulkDecisionView;
  if (found.status.name !== 'RUNNING' && found.status.name !== 'PAUSED') {
    const status = found.status.name.toLowerCase();
    throw new ReplylaneError(`${id} ended without its counts (${status}): each reply tells its own state`);
  }
  try {
    return await client.withDeadline(Date.now() + workerTimeoutMs, () => handle.query(bulkDecisionQuery));
  } catch (error) {
    if (grpcCodeOf(error) === grpcCode.unavailable) throw link.translated(error);
    return null;
  }
}

/** Several as one: running while any runs, cancelled if any was. */
function summed(views: readonly BulkDecisionView[]): BulkDecisionView | null {
  const [first, ...rest] = views;
  if (!first) return null;
  return rest.reduce(
    (sum, view) => ({
      ...sum,
      state: worst(sum.state, view.state),
      total: sum.total + view.total,
      done: sum.done + view.done,
      skipped: sum.skipped + view.skipped,
      failed: sum.failed + view.failed,
      notDone: [...sum.notDone, ...view.notDone],
    }),
    first,
  );
}

function worst(a: BulkDecisionView['state'], b: BulkDecisionView['state']): BulkDecisionView['state'] {
  const both = [a, b];
  return both.includes('running') ? 'running' : both.includes('cancelled') ? 'cancelled' : 'completed';
}
