import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Arrival, earlyArrivals, step } from '../support/fake-service/index.ts';
import { Rig, textReply } from '../support/rig/rig.ts';
import { clockAheadMs, shiftedClock, stepClock } from '../support/rig/shifted-clock.ts';
import { waitUntil } from '../support/wait-until.ts';

const hourMs = 3_600_000;
const aheadMs = 90_000;
/** No wait of these cases is longer than half a minute; a clock that counted would make it an hour, or a day. */
const soonMs = 40_000;

let rig: Rig;

beforeAll(async () => {
  rig = await Rig.start({ bots: { obeys: {}, tells: {}, back: {}, on: {} } });
});

afterAll(async () => {
  expect(rig.fake.problems).toEqual([]);
  await rig.close();
});

function arrivalsOf(bot: string): readonly Arrival[] {
  return rig.fake.arrivals.filter((arrival) => arrival.bot === bot);
}

/** Waits until the reply has been sent, not before the announced end of the wait and not much later. */
async function expectSentInTime(bot: string, keys: readonly string[]): Promise<void> {
  const texts = (): readonly (string | null)[] => rig.fake.stored(bot).map(({ text }) => text);
  await rig.fake.waitFor(() => keys.every((key) => texts().includes(key)), { timeoutMs: soonMs });
  expect(earlyArrivals(arrivalsOf(bot), rig.fake.deadlines)).toEqual([]);
  for (const key of keys) expect(await rig.result(bot, key)).toMatchObject({ state: 'sent' });
}

describe('wall clocks of workers', () => {
  it('T1: a worker whose clock is 90 s ahead obeys the cooldown that another has set', async () => {
    // Long enough for the second worker to come up within it.
    rig.fake.script('obeys', {}, step.flood(25));
    await rig.start(textReply('obeys', 'first', 1));
    await rig.until('obeys', 'first', ({ waiting }) => waiting?.why === 'cooldown');
    const ahead = await rig.addWorker(shiftedClock({ aheadMs }));
    expect(clockAheadMs(ahead)).toBe(aheadMs);
    await rig.workers[0]?.kill();

    await rig.start(textReply('obeys', 'second', 2));
    const second = await rig.until(
      'obeys',
      'second',
      ({ state, waiting }) => waiting !== null || state === 'sent',
    );
    expect(second.waiting?.why, 'asked within the cooldown').toBe('cooldown');
    await expectSentInTime('obeys', ['first', 'second']);
    expect(arrivalsOf('obeys')).toHaveLength(3);
  });

  it('T1, L3: the cooldown that it sets itself is neither short nor long', async () => {
    rig.fake.script('tells', {}, step.flood(6));
    const toldAtMs = Date.now();
    await rig.start(textReply('tells', 'first', 1));
    await rig.until('tells', 'first', ({ waiting }) => waiting?.why === 'cooldown');
    const notBeforeMs = Date.parse((await rig.lane('tells')).notBefore ?? '');
    expect(notBeforeMs - toldAtMs).toBeGreaterThanOrEqual(6000);
    expect(notBeforeMs - Date.now()).toBeLessThan(7000);
    await expectSentInTime('tells', ['first']);
  });

  it('T2: a clock that steps back an hour, or on a day, during a wait makes no early send and no stall', async () => {
    const worker = await rig.addWorker(shiftedClock({ stepsMs: [-hourMs, 25 * hourMs] }));
    for (const other of rig.workers) if (other !== worker) await other.kill();
    for (const bot of ['back', 'on']) {
      rig.fake.script(bot, {}, step.flood(6));
      await rig.start(textReply(bot, 'first', 1));
      await rig.until(bot, 'first', ({ waiting }) => waiting?.why === 'cooldown');
      // One waits in its workflow, others, which ask within the last five seconds, in the worker itself.
      const leftMs = (): number => (rig.fake.penaltyEndsAtMs(bot) ?? 0) - performance.now();
      await waitUntil(() => leftMs() < 4000, { withinMs: 10_000, what: () => `${leftMs()} ms left` });
      await rig.start(textReply(bot, 'second', 2));
      await rig.start(textReply(bot, 'third', 2, { after: 'second' }));
      await stepClock(worker);
      await expectSentInTime(bot, ['first', 'second', 'third']);
      expect(arrivalsOf(bot)).toHaveLength(4);
    }
    expect(clockAheadMs(worker)).toBe(24 * hourMs);
  });
});
