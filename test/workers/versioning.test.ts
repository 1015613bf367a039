import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { controlUpdate, extendCooldownSignal } from '../../workflows/protocol.ts';
import { cooldownWorkflowId } from '../../domain/ids.ts';
import { Rig, textReply } from '../support/rig/rig.ts';
import { waitUntil } from '../support/wait-until.ts';

const deploymentName = 'replylane';
const who = { by: 'ana', reason: 'a test' };
let rig: Rig;

beforeAll(async () => {
  rig = await Rig.start({ workers: 0, bots: { support: {} } });
});
afterAll(() => rig.close());

const versioned = (buildId: string) =>
  rig.addWorker({ REPLYLANE_DEPLOYMENT_NAME: deploymentName, REPLYLANE_BUILD_ID: buildId });

/** Makes a version the current one, as soon as the server knows its pollers. */
async function makeCurrent(buildId: string): Promise<void> {
  let last: unknown;
  await waitUntil(
    () =>
      rig.client.workflowService
        .setWorkerDeploymentCurrentVersion({
          namespace: 'default',
          deploymentName,
          buildId,
          identity: 'test',
        })
        .then(
          () => true,
          (error: unknown) => {
            last = error;
            return false;
          },
        ),
    { withinMs: 60_000, what: () => `version ${buildId} to be current: ${String(last)}` },
  );
}

describe('workers of versions', { timeout: 240_000 }, () => {
  it('a reply that waits under one version is finished by the next, which goes on with its lane too', async () => {
    const first = await versioned('1');
    await makeCurrent('1');
    await rig.untilLaneIsOld('support');
    await rig.start(textReply('support', 'by-the-first', 1));
    const before = await rig.result('support', 'by-the-first');
    expect(before.attempts.map(({ worker }) => worker)).toEqual([
      expect.stringMatching(new RegExp(`^${first.pid}@`)),
    ]);

    const lane = rig.client.workflow.getHandle(cooldownWorkflowId('support'));
    await lane.signal(extendCooldownSignal, { seconds: 3600, ...who });
    await rig.start(textReply('support', 'by-the-next', 2));
    await rig.until('support', 'by-the-next', ({ waiting }) => waiting?.why === 'cooldown', 60_000);
    const next = await versioned('2');
    await makeCurrent('2');
    await first.stop();
    await lane.executeUpdate(controlUpdate, { args: [{ action: 'override', ...who }] });
    await rig.handle('support', 'by-the-next').signal('wake');
    expect(await rig.result('support', 'by-the-next')).toMatchObject({
      state: 'sent',
      attempts: [{ worker: expect.stringMatching(new RegExp(`^${next.pid}@`)) as string }],
    });
    expect(rig.fake.stored('support')).toHaveLength(2);
  });
});
