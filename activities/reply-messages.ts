import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { ReplylaneError, ReplyNotFoundError, ReplyRefusedError } from '../client/errors.ts';
import { decideReply } from '../client/reply-acts.ts';
import type { ReplyName } from '../client/reply-name.ts';
import { TemporalLink, grpcCode, grpcCodeOf } from '../client/temporal-link.ts';
import type { BulkOutcome } from '../domain/bulk-decision.ts';
import type { DecisionRequest } from '../domain/decisions.ts';
import type { LateProofNote } from '../domain/reply/late-proof.ts';
import { lateProofSignal } from '../workflows/protocol.ts';
import { errorName } from './error-name.ts';
import type { Execution } from './lost-run.ts';

/** An earlier run of a Workflow Id, as Temporal's list has it. */
export interface EarlierRun {
  readonly runId: string;
  readonly status: string;
  readonly closedAt: string | null;
}

/** What a worker process asks of, and tells, the workflows of replies. */
export interface ReplyMessages {
  /** A run of the same Workflow Id that ended before this one began. Undefined where there is none, or no list. */
  earlierRun(execution: Execution): Promise<EarlierRun | undefined>;
  /** Whether the workflow still waits for this activity. */
  awaits(execution: Execution, activityId: string): Promise<boolean>;
  /** Tells an open reply what was read too late. False where it has ended. */
  tellLateProof(execution: Execution, note: LateProofNote): Promise<boolean>;
  /** One decision of many. Never throws. */
  decide(name: ReplyName, request: DecisionRequest): Promise<BulkOutcome>;
}

/** Ids that begin alike, of which one may be the wanted. */
const mostListed = 1000;
const timeouts = { callTimeoutMs: 10_000, workerTimeoutMs: 10_000 };
/** An Update whose answer was lost may have been carried out: the second look tells. */
const decideTries = 2;

export function createReplyMessages(client: Client): ReplyMessages {
  const link = new TemporalLink(client, timeouts);
  return {
    async earlierRun({ workflowId, runId }) {
      const query = `${idCondition(workflowId)} AND ExecutionStatus != 'Running'`;
      const find = async (): Promise<EarlierRun | undefined> => {
        let left = mostListed;
        for await (const found of client.workflow.list({ query, pageSize: 100 })) {
          if (found.workflowId === workflowId && found.runId !== runId) {
            const closedAt = found.closeTime?.toISOString() ?? null;
            return { runId: found.runId, status: found.status.name.toLowerCase(), closedAt };
          }
          if (--left === 0) return undefined;
        }
        return undefined;
      };
      try {
        return await link.call(find);
      } catch (error) {
        // A server without such a list (the time-skipping test server): it cannot be told.
        if (grpcCodeOf(error) === grpcCode.unimplemented) return undefined;
        throw error;
      }
    },
    async awaits({ workflowId, runId }, activityId) {
      const { raw } = await link.call(() => client.workflow.getHandle(workflowId, runId).describe());
      return (raw.pendingActivities ?? []).some((pending) => pending.activityId === activityId);
    },
    async tellLateProof({ workflowId, runId }, note) {
      try {
        await link.call(() => client.workflow.getHandle(workflowId, runId).signal(lateProofSignal, note));
        return true;
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return false;
        throw error;
      }
    },
    async decide(name, request) {
      try {
        for (let tries = 1; tries <= decideTries; tries++) {
          const { kind } = await decideReply(link, name, request, { bySignal: false });
          if (kind === 'decided') return { kind: 'done' };
        }
        return { kind: 'failed', why: 'its workflow did not answer in time: look at it again' };
      } catch (error) {
        if (error instanceof ReplyRefusedError) return { kind: 'skipped', why: error.message };
        const why = error instanceof ReplylaneError ? error.message : errorName(error);
        return { kind: error instanceof ReplyNotFoundError ? 'skipped' : 'failed', why };
      }
    },
  };
}

/**
 * What no store reads in the same way is left out of a query: of an id with a quote or a backslash, what stands before it
 * is asked for.
 */
function idCondition(workflowId: string): string {
  const [plain = ''] = /^[^'"\\]*/.exec(workflowId) ?? [];
  return plain === workflowId ? `WorkflowId = '${plain}'` : `WorkflowId STARTS_WITH '${plain}'`;
}
