import type { Worker } from '@temporalio/worker';

/** The two workers of a process: replies with their activities, and the lanes. */
export interface PollingPair {
  readonly replies: Pick<Worker, 'getStatus'>;
  readonly lanes: Pick<Worker, 'getStatus'>;
}

/** Why the process takes no work; null where both workers run and poll. */
export function whyNotReady({ replies, lanes }: PollingPair): string | null {
  const reply = replies.getStatus();
  const lane = lanes.getStatus();
  // The lanes' worker has no activities, so its poller for them never runs.
  const wanted = [
    ['the worker of replies', reply.runState, 'RUNNING'],
    ['its poller for workflows', reply.workflowPollerState, 'POLLING'],
    ['its poller for activities', reply.activityPollerState, 'POLLING'],
    ['the worker of lanes', lane.runState, 'RUNNING'],
    ['its poller for workflows', lane.workflowPollerState, 'POLLING'],
  ] as const;
  const not = wanted.find(([, state, want]) => state !== want);
  return not ? `${not[0]} is ${not[1]}` : null;
}
