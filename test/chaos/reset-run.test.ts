import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WorkflowHandle } from '@temporalio/client';
import { cancelSignal } from '../../workflows/protocol.ts';
import { step } from '../support/fake-service/index.ts';
import { Rig, textReply } from '../support/rig/rig.ts';

let rig: Rig;

beforeAll(async () => {
  rig = await Rig.start({ bots: { denial: { settings: { httpTimeoutMs: 1000, connectTimeoutMs: 1000 } } } });
});
afterAll(() => rig.close());

/** A stored message whose answer was lost: the reply is under review. */
async function doubtful(key: string, expiresAt?: string): Promise<WorkflowHandle> {
  rig.fake.script('denial', {}, step.silence({ store: true }));
  const handle = await rig.start(textReply('denial', key, 1, expiresAt === undefined ? {} : { expiresAt }));
  await rig.until('denial', key, ({ state }) => state === 'review');
  return handle;
}

/** Resets the reply to before its first workflow task was completed: nothing of its send is in the new history. */
async function reset(handle: WorkflowHandle): Promise<void> {
  const { workflowId, runId } = await handle.describe();
  await rig.client.workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId, runId },
    workflowTaskFinishEventId: 4 as never,
    reason: 'a test',
    requestId: randomUUID(),
  });
}

describe('a run that was made by a reset', () => {
  it('does not say "expired" of what the run before it may have sent', async () => {
    const expiresAtMs = Date.now() + 5000;
    const handle = await doubtful('expired', new Date(expiresAtMs).toISOString());
    await new Promise((resolve) => setTimeout(resolve, expiresAtMs + 200 - Date.now()));
    await reset(handle);
    const record = await rig.until('denial', 'expired', ({ review }) => /reset/.test(review?.evidence ?? ''));
    expect(record).toMatchObject({ state: 'review', review: { kind: 'unknown' } });
  });

  it('does not say "cancelled" of it, and ends when a person has decided', async () => {
    const handle = await doubtful('cancelled');
    await Promise.all(rig.workers.splice(0).map((worker) => worker.kill()));
    await reset(handle);
    await handle.signal(cancelSignal, { by: 'ana', reason: 'not any more' });
    await rig.addWorker();
    const record = await rig.until('denial', 'cancelled', ({ review }) =>
      /reset/.test(review?.evidence ?? ''),
    );
    expect(record).toMatchObject({ state: 'review', review: { kind: 'unknown', attempt: 0 } });
    const decision = { attempt: 0, decision: 'cancel', by: 'ana', reason: 'it is in the chat' };
    await handle.executeUpdate('decideReply', { args: [decision] });
    expect(await rig.result('denial', 'cancelled')).toMatchObject({ state: 'cancelled', decision });
  });
});
