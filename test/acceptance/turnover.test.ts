import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cooldownWorkflowId } from '../../domain/ids.ts';
import { duplicates, earlyArrivals, step, unsafeRepeats } from '../support/fake-service/index.ts';
import { Rig, textReply } from '../support/rig/rig.ts';

/** A lane's run ends after so many events here, a few claims; by default the server suggests it after 4096. */
const eventsPerRun = 30;

let rig: Rig;

beforeAll(async () => {
  rig = await Rig.start({
    workers: 2,
    server: { dynamicConfig: { 'limit.historyCount.suggestContinueAsNew': eventsPerRun } },
    bots: { turning: { settings: { limits: 'none' } } },
  });
});

afterAll(async () => {
  expect(rig.fake.problems).toEqual([]);
  await rig.close();
});

describe('a lane that continues as new all the time', () => {
  it('L4: loses no claim, makes no false unknown, and keeps its cooldown', async () => {
    const before = await rig.client.workflow.getHandle(cooldownWorkflowId('turning')).describe();
    const keys = Array.from({ length: 80 }, (_, i) => `k${i}`);
    rig.fake.script('turning', { after: 40 }, step.flood(8));
    for (const [i, key] of keys.entries()) {
      await rig.start(textReply('turning', key, 100 + i));
      // Spread, so that they do not all go in a few claims.
      if (i % 4 === 0) await rig.fake.waitFor((fake) => fake.arrivals.length >= Math.min(i, 40) - 8);
    }
    for (const key of keys) {
      const { state, attempts } = await rig.result('turning', key);
      expect(state).toBe('sent');
      expect(attempts.every(({ outcome }) => outcome !== 'unknown')).toBe(true);
    }
    const runs = await turnovers(before.runId);
    expect(runs).toBeGreaterThanOrEqual(3);
    expect(duplicates(rig.fake.stored())).toEqual([]);
    expect(unsafeRepeats(rig.fake.arrivals)).toEqual([]);
    expect(earlyArrivals(rig.fake.arrivals, rig.fake.deadlines, { inFlightMs: 5000 })).toEqual([]);
    expect(await rig.lane('turning')).toMatchObject({ sent: keys.length, outstanding: 0 });
  });
});

/** How often the lane has continued as new since that run. */
async function turnovers(runId: string): Promise<number> {
  let count = 0;
  for (let next: string | null | undefined = runId; next; count++) {
    const handle: WorkflowHandle = rig.client.workflow.getHandle(cooldownWorkflowId('turning'), next);
    const history = await handle.fetchHistory();
    next = history.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
  }
  return count - 1;
}
