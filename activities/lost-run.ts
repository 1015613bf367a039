import type { Client } from '@temporalio/client';
import { grpcCode, grpcCodeOf } from '../client/temporal-link.ts';

/** The workflow in whose history a run of `sendMessage` was lost. */
export interface Execution {
  readonly workflowId: string;
  readonly runId: string;
}

type Page = Awaited<ReturnType<Client['workflowService']['getWorkflowExecutionHistoryReverse']>>;
export type HistoryEvent = NonNullable<NonNullable<Page['history']>['events']>[number];

const eventsInPage = 50;
const mostPages = 20;

/** A run of `sendMessage` that returned nothing. */
export interface LostRun {
  /**
   * When a worker took it up, on the server's clock: no claim of it is older. It may have stood in the task queue for long
   * before that, and what a lane has forgotten of that time is not about this run.
   */
  readonly beganAtMs: number;
  /** Identity of that worker. */
  readonly worker: string | null;
}

/** The run that the workflow has lost last; undefined where the history does not tell. */
export async function findLostRun(client: Client, execution: Execution): Promise<LostRun | undefined> {
  const seen: HistoryEvent[] = [];
  let nextPageToken: Uint8Array | undefined;
  for (let page = 0; page < mostPages; page++) {
    const answer = await readPage(client, execution, nextPageToken);
    if (!answer) return undefined;
    seen.push(...(answer.history?.events ?? []));
    const run = lostRunIn(seen);
    if (run) return run;
    if (!answer.nextPageToken?.length) return undefined;
    ({ nextPageToken } = answer);
  }
  return undefined;
}

/** The same, of events from the newest to the oldest. */
export function lostRunIn(events: readonly HistoryEvent[]): LostRun | undefined {
  for (const event of events) {
    const lost = event.activityTaskTimedOutEventAttributes ?? event.activityTaskFailedEventAttributes;
    if (!lost) continue;
    const byId = (id: unknown): HistoryEvent | undefined =>
      events.find(({ eventId }) => String(eventId) === String(id));
    const scheduled = byId(lost.scheduledEventId)?.activityTaskScheduledEventAttributes;
    if (!scheduled) return undefined;
    if (scheduled.activityType?.name !== 'sendMessage') continue;
    const started = byId(lost.startedEventId);
    if (!started?.eventTime) return undefined;
    const { seconds, nanos } = started.eventTime;
    return {
      beganAtMs: Number(seconds ?? 0) * 1000 + Math.floor((nanos ?? 0) / 1e6),
      worker: started.activityTaskStartedEventAttributes?.identity || null,
    };
  }
  return undefined;
}

async function readPage(
  client: Client,
  execution: Execution,
  nextPageToken: Uint8Array | undefined,
): Promise<Page | undefined> {
  try {
    return await client.workflowService.getWorkflowExecutionHistoryReverse({
      namespace: client.options.namespace,
      execution,
      maximumPageSize: eventsInPage,
      ...(nextPageToken ? { nextPageToken } : {}),
    });
  } catch (error) {
    // The time-skipping test server has no such call.
    if (grpcCodeOf(error) === grpcCode.unimplemented) return undefined;
    throw error;
  }
}
