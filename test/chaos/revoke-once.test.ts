import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLaneClient } from '../../activities/lane-client.ts';
import { cooldownWorkflowId } from '../../domain/ids.ts';
import { Rig, textReply } from '../support/rig/rig.ts';

let rig: Rig;

beforeAll(async () => {
  rig = await Rig.start({ bots: { lost: {} } });
});
afterAll(() => rig.close());

describe('a lost attempt that is taken back again and again, since the lane answers late', () => {
  it('is one Update of the lane, whose answer all get', async () => {
    const reply = await rig.start(textReply('lost', 'k', 1));
    await rig.result('lost', 'k');
    const { runId } = await reply.describe();
    const lanes = createLaneClient(rig.client);
    const request = { reply: 'another', attempt: 3, scheduledAtMs: Date.now() + 60_000 };
    const lostIn = { workflowId: reply.workflowId, runId };
    const revokes = Array.from({ length: 5 }, () => lanes.revoke('lost', request, lostIn));
    expect(await Promise.all(revokes)).toEqual(Array(5).fill({ kind: 'never' }));
    expect(await acceptedRevokes()).toBe(1);
    await lanes.revoke('lost', { ...request, attempt: 4 }, lostIn);
    expect(await acceptedRevokes()).toBe(2);
  });
});

async function acceptedRevokes(): Promise<number> {
  const { events } = await rig.client.workflow.getHandle(cooldownWorkflowId('lost')).fetchHistory();
  const names = (events ?? []).map(
    (event) => event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input?.name,
  );
  return names.filter((name) => name === 'revoke').length;
}
