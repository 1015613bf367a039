import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Arrival, duplicates, earlyArrivals, step } from '../support/fake-service/index.ts';
import { Rig, textReply } from '../support/rig/rig.ts';

const bulkPerSecond = 10;

let rig: Rig;

beforeAll(async () => {
  rig = await Rig.start({
    workers: 2,
    bots: {
      flooded: {},
      beside: {},
      // Longer than the case takes: its requests hang to the end.
      hanging: { settings: { httpTimeoutMs: 50_000 } },
      healthy: {},
      bulky: { settings: { limits: { bot: [{ limit: bulkPerSecond, perMs: 1000 }] } } },
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

async function startMany(
  bot: string,
  count: number,
  options: { readonly class?: 'bulk' } = {},
): Promise<void> {
  // Few at a time, as an app would: the server takes about 200 starts a second.
  const numbers = Array.from({ length: count }, (_, i) => i).values();
  const starter = async (): Promise<void> => {
    for (const i of numbers) await rig.start(textReply(bot, `${bot}-${i}`, 1000 + i, options));
  };
  await Promise.all(Array.from({ length: 8 }, starter));
}

describe('bots and classes beside each other', () => {
  it('F6: of many due only those in flight still leave after a 429, and another bot goes on at its rate', async () => {
    rig.fake.script('flooded', { after: 30 }, step.flood(200));
    await Promise.all([startMany('flooded', 500), startMany('beside', 500)]);
    await rig.fake.waitFor((fake) => fake.stored('beside').length === 500, { timeoutMs: 150_000 });

    // A claim is good for five seconds; what was granted before may use them.
    const late = earlyArrivals(arrivalsOf('flooded'), rig.fake.deadlines);
    expect(late.length).toBeLessThanOrEqual(20);
    expect(earlyArrivals(arrivalsOf('flooded'), rig.fake.deadlines, { inFlightMs: 5000 })).toEqual([]);
    // Long before the flooded bot may go on.
    const beside = arrivalsOf('beside');
    const [deadline] = rig.fake.deadlines;
    expect(beside.at(-1)?.atMs).toBeLessThan(deadline?.untilMs ?? 0);
    expect(duplicates(rig.fake.stored())).toEqual([]);
  }, 150_000);

  it('F13: 200 replies of a bot that never gets an answer take nothing from another bot', async () => {
    await rig.start(textReply('hanging', 'opening', 1));
    await rig.result('hanging', 'opening');
    rig.fake.script('hanging', { times: 'always' }, step.silence({ store: false }));
    await startMany('hanging', 200);
    await rig.fake.waitFor((fake) => fake.outstanding('hanging') >= 10, { timeoutMs: 30_000 });
    await startMany('healthy', 50);
    await rig.fake.waitFor((fake) => fake.stored('healthy').length === 50, { timeoutMs: 30_000 });

    expect(rig.fake.maxOutstanding('hanging')).toBeLessThanOrEqual(20);
    expect(rig.fake.outstanding('hanging')).toBeGreaterThanOrEqual(10);
  }, 120_000);

  it('F14: a reply waits about two seconds at most behind 100 of bulk, and bulk goes on', async () => {
    await startMany('bulky', 100, { class: 'bulk' });
    await rig.fake.waitFor((fake) => fake.stored('bulky').length >= 20, { timeoutMs: 30_000 });
    const before = rig.fake.stored('bulky').length;
    await rig.start(textReply('bulky', 'urgent', 5));
    await rig.fake.waitFor((fake) => fake.stored('bulky').length === 101, { timeoutMs: 100_000 });

    // Counted in slots of the bot, since those are what it waits for; at the end of the queue it would be all of them.
    const texts = arrivalsOf('bulky').map(({ text }) => text);
    const overtook = texts.indexOf('urgent') - before;
    expect(overtook).toBeLessThanOrEqual(3 * bulkPerSecond);
    expect(texts.length - before).toBeGreaterThan(5 * bulkPerSecond);
    // Bulk is not shut out by it.
    const [urgent, next] = arrivalsOf('bulky').slice(texts.indexOf('urgent'));
    expect((next?.atMs ?? Infinity) - (urgent?.atMs ?? 0)).toBeLessThan(10_000);
  }, 150_000);
});
