import {
  type Client,
  WithStartWorkflowOperation,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  isGrpcServiceError,
} from '@temporalio/client';
import { cooldownWorkflowId } from '../domain/ids.ts';
import type { ClaimRequest } from '../domain/lane/batch.ts';
import type { Report, RevokeRequest, Verdict } from '../domain/lane/messages.ts';
import type { LostRunAnswer } from '../domain/send.ts';
import { laneStartOptions } from '../workflows/lane-options.ts';
import { cooldownWorkflowType } from '../workflows/names.ts';
import { claimUpdate, reportSignal, revokeUpdate } from '../workflows/protocol.ts';
import { type Execution, findLostRun } from './lost-run.ts';

/** What a failed call to a lane means for the next one. */
export type LaneTrouble =
  /** The lane is between two runs, or gone: at once again. */
  | 'closing'
  /** A workflow task failed; nothing was applied. */
  | 'task_failed'
  /** Too many Updates are in flight: only patience helps (rule 11). */
  | 'overloaded'
  | 'other';

/** The messages of a worker process to the lanes. */
export interface LaneClient {
  /** Starts the bot's lane where none runs. */
  ensure(bot: string): Promise<void>;
  claim(bot: string, request: ClaimRequest): Promise<readonly Verdict[]>;
  report(bot: string, reports: readonly Report[]): Promise<void>;
  /** Takes back the attempt whose run was lost last in that workflow, and tells whose it was. */
  revoke(bot: string, request: RevokeRequest, lostIn: Execution): Promise<LostRunAnswer>;
}

export function createLaneClient(client: Client): LaneClient {
  const lane = (bot: string) => client.workflow.getHandle(cooldownWorkflowId(bot));
  const ensure = async (bot: string): Promise<void> => {
    await client.workflow.start(cooldownWorkflowType, laneStartOptions(bot));
  };
  return {
    ensure,
    claim: (bot, request) => lane(bot).executeUpdate(claimUpdate, { args: [request] }),
    async report(bot, reports) {
      try {
        await lane(bot).signal(reportSignal, reports);
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
        await client.workflow.signalWithStart(cooldownWorkflowType, {
          ...laneStartOptions(bot),
          signal: reportSignal,
          signalArgs: [reports],
        });
      }
    },
    async revoke(bot, request, lostIn) {
      const run = await findLostRun(client, lostIn);
      const scheduledAtMs = Math.max(request.scheduledAtMs, run?.beganAtMs ?? request.scheduledAtMs);
      const answer = await client.workflow.executeUpdateWithStart(revokeUpdate, {
        startWorkflowOperation: new WithStartWorkflowOperation(cooldownWorkflowType, laneStartOptions(bot)),
        args: [{ ...request, scheduledAtMs }],
        // A lane that answers late is not asked again and again: a retry waits for the same Update.
        updateId: `revoke:${lostIn.runId}:${request.attempt}`,
      });
      return { ...answer, ...(run?.worker ? { worker: run.worker } : {}) };
    },
  };
}

/** Sorts an error of a call to a lane. Texts are the server's own; where they change, the trouble is `other`. */
export function laneTrouble(error: unknown): LaneTrouble {
  if (error instanceof WorkflowNotFoundError) return 'closing';
  if (error instanceof WorkflowUpdateFailedError) return 'closing';
  for (let at = error; at instanceof Error; at = at.cause) {
    if (!isGrpcServiceError(at)) continue;
    const text = `${at.details ?? ''} ${at.message}`;
    if (at.code === 5 || /workflow is closing|already completed|not found/i.test(text)) return 'closing';
    if (at.code === 9) return 'task_failed';
    if (at.code === 8) return 'overloaded';
  }
  return 'other';
}
