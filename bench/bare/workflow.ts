import { proxyActivities } from '@temporalio/workflow';

const { noop } = proxyActivities<{ noop(): Promise<void> }>({ startToCloseTimeout: '10s' });

/** The least that a durable send could cost: one workflow with one activity that does nothing. */
export async function bareWorkflow(): Promise<void> {
  await noop();
}
