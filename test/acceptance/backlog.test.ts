import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cooldownWorkflowId } from '../../domain/ids.ts';
import { controlUpdate, extendCooldownSignal } from '../../workflows/protocol.ts';
import { type Arrival, duplicates, outOfOrder, windowViolations } from '../support/fake-service/index.ts';
import { Rig, textReply } from '../support/rig/rig.ts';
import { waitUntil } from '../support/wait-until.ts';

const who = { by: 'test', reason: 'a long wait' };
const chats = 100;
const total = 300;
const limits = { bot: [{ limit: 30, perMs: 1000 }], chat: [{ limit: 1, perMs: 1000 }] };

let rig: Rig;

beforeAll(async () => {
  rig = await Rig.start({
    bots: {
      many: { settings: { limits } },
      other: {},
      // Two attempts would be spent by the refused connections, if they counted.
      early: { settings: { maxAttempts: 2 } },
    },
  });
});

afterAll(async () => {
  expect(rig.fake.problems).toEqual([]);
  await rig.close();
});

function arrivalsOf(bot: string): readonly Arrival[] {
  return rig.fake.arrivals.filter((arrival) => arrival.bot === bot);
}

/** A few at a time, as an app would. */
async function few(keys: readonly string[], act: (key: string) => Promise<unknown>): Promise<void> {
  const rest = keys.values();
  const actor = async (): Promise<void> => {
    for (const key of rest) await act(key);
  };
  await Promise.all(Array.from({ length: 8 }, actor));
}

async function pendingActivities(keys: readonly string[]): Promise<number> {
  let pending = 0;
  for (const key of keys) {
    const { raw } = await rig.handle('many', key).describe();
    pending += raw.pendingActivities?.length ?? 0;
  }
  return pending;
}

describe('many replies that wait', () => {
  it('T8: connections refused at the start count for nothing, and all is sent once they are taken', async () => {
    rig.fake.refuse();
    const keys = ['a', 'b', 'c'];
    for (const [i, key] of keys.entries()) await rig.start(textReply('early', key, 1 + i));
    const unreached = await rig.until('early', 'a', ({ attempts }) => attempts.length >= 3);
    expect(unreached).toMatchObject({ state: 'waiting', waiting: { why: 'backoff' } });
    expect(rig.fake.arrivals).toEqual([]);
    await rig.fake.accept();
    for (const key of keys) {
      const { state, attempts } = await rig.result('early', key);
      expect(state).toBe('sent');
      expect(
        attempts
          .slice(0, -1)
          .every(({ outcome, progress }) => outcome === 'unreached' && progress === 'not_connected'),
      ).toBe(true);
    }
    expect(arrivalsOf('early')).toHaveLength(keys.length);
  });

  it('T9, L8: 300 in a long cooldown hold no slot of the worker, and go in their order after it', async () => {
    const lane = rig.client.workflow.getHandle(cooldownWorkflowId('many'));
    await lane.signal(extendCooldownSignal, { seconds: 3600, ...who });
    const keys = Array.from({ length: total }, (_, i) => String(i));
    await few(keys, async (key) => {
      const i = Number(key);
      const after = i < chats ? {} : { after: String(i - chats) };
      await rig.start(textReply('many', key, 1000 + (i % chats), after));
    });
    await waitUntil(async () => (await rig.lane('many')).waiting === total, {
      withinMs: 90_000,
      what: () => 'all of them wait at the lane',
    });
    await waitUntil(async () => (await pendingActivities(keys)) === 0, {
      withinMs: 60_000,
      what: () => 'none of them runs an activity',
    });
    expect(arrivalsOf('many')).toEqual([]);
    // The worker is free for another bot.
    await rig.start(textReply('other', 'k', 1));
    await rig.fake.waitFor((fake) => fake.stored('other').length === 1);

    // An operator ends the wait.
    const openAtMs = performance.now();
    await lane.executeUpdate(controlUpdate, { args: [{ action: 'override', ...who }] });
    await few(keys, (key) => rig.handle('many', key).signal('wake'));
    await rig.fake.waitFor((fake) => fake.stored('many').length === total, { timeoutMs: 120_000 });
    const arrivals = arrivalsOf('many');
    expect(arrivals).toHaveLength(total);
    expect(arrivals.every(({ atMs }) => atMs >= openAtMs)).toBe(true);
    expect(duplicates(rig.fake.stored('many'))).toEqual([]);
    expect(outOfOrder(arrivals, ({ text }) => Number(text))).toEqual([]);
    expect(windowViolations(arrivals, limits)).toEqual([]);
  }, 200_000);
});
