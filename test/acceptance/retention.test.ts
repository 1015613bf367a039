import { WorkflowNotFoundError } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cooldownWorkflowId } from '../../domain/ids.ts';
import { Rig, textReply } from '../support/rig/rig.ts';
import { waitUntil } from '../support/wait-until.ts';

let rig: Rig;

beforeAll(async () => {
  rig = await Rig.start({
    bots: { forgotten: {} },
    // Without this the server forgets within minutes.
    server: { dynamicConfig: { 'history.transferProcessorEnsureCloseBeforeDelete': false } },
  });
});

afterAll(async () => {
  await rig.close();
});

describe('T10: the namespace forgets closed replies', () => {
  it('T10: a key that comes again after that is a new reply, and is sent', async () => {
    const reply = textReply('forgotten', 'k', 1);
    await rig.start(reply);
    expect(await rig.result('forgotten', 'k')).toMatchObject({ state: 'sent' });
    await expect(rig.start(reply)).rejects.toThrow(/already started/i);
    const handle = rig.handle('forgotten', 'k');
    const { runId } = await handle.describe();
    // What the retention does by itself, a day later at the earliest.
    await rig.client.workflowService.deleteWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: handle.workflowId, runId },
    });
    const isGone = (): Promise<boolean> =>
      handle.describe().then(
        () => false,
        (error: unknown) => error instanceof WorkflowNotFoundError,
      );
    await waitUntil(isGone, { withinMs: 30_000, what: () => 'the closed run to be deleted' });
    // The lane remembers claims for minutes, and a namespace forgets after hours at least: so has this one.
    await rig.client.workflow.getHandle(cooldownWorkflowId('forgotten')).terminate('for the test');
    await rig.start(textReply('forgotten', 'first-of-the-new-lane', 2));
    expect(await rig.result('forgotten', 'first-of-the-new-lane')).toMatchObject({ state: 'sent' });
    await rig.start(reply);
    expect(await rig.result('forgotten', 'k')).toMatchObject({ state: 'sent' });
    expect(
      rig.fake.stored('forgotten').filter(({ text }) => text === reply.content.params['text']),
    ).toHaveLength(2);
  });

  it('T10: a worker warns at its start where that is sooner than after seven days, and only there', async () => {
    expect(rig.workers[0]?.output()).not.toMatch(/forgets closed replies/);
    for (const [namespace, days] of [
      ['for-a-day', 1],
      ['for-a-week', 7],
    ] as const) {
      await rig.client.workflowService.registerNamespace({
        namespace,
        workflowExecutionRetentionPeriod: { seconds: days * 86_400 } as never,
      });
      const worker = await rig.addWorker({ TEMPORAL_NAMESPACE: namespace });
      if (days < 7)
        expect(worker.output()).toMatch(/namespace for-a-day forgets closed replies after 1\.0 days/);
      else expect(worker.output()).not.toMatch(/forgets closed replies/);
    }
  });
});
