import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Arrival,
  type WindowScope,
  type Windows,
  duplicates,
  earlyArrivals,
  step,
  windowViolations,
} from '../support/fake-service/index.ts';
import { sendNaively } from '../support/naive-sender.ts';
import { Rig, textReply } from '../support/rig/rig.ts';

const windows: Windows = {
  bot: [{ limit: 5, perMs: 1000 }],
  chat: [{ limit: 1, perMs: 1000 }],
  group: [{ limit: 6, perMs: 10_000 }],
};
/** After 429s the fake closes the whole bot, as the real service may. */
const rules = { windows };

/** More than the limits allow, in each scope: 12 for a group, 5 for each of six chats. */
const group = -700;
const due = [
  ...Array.from({ length: 12 }, (_, i) => ({ chat: group, text: `g${i}` })),
  ...Array.from({ length: 30 }, (_, i) => ({ chat: 11 + (i % 6), text: `c${i}` })),
];

let rig: Rig;

beforeAll(async () => {
  rig = await Rig.start({
    workers: 4,
    bots: { shared: { settings: { limits: windows }, rules }, flooded: {}, naive: { rules }, heedless: {} },
  });
});

afterAll(async () => {
  expect(rig.fake.problems).toEqual([]);
  await rig.close();
});

function arrivalsOf(bot: string): readonly Arrival[] {
  return rig.fake.arrivals.filter((arrival) => arrival.bot === bot);
}

function brokenScopes(bot: string): ReadonlySet<WindowScope> {
  return new Set(windowViolations(arrivalsOf(bot), windows).map(({ scope }) => scope));
}

/** Identities of the worker processes that ran a bot's activities. */
async function workersOf(bot: string): Promise<ReadonlySet<string>> {
  const identities = new Set<string>();
  for (const { text } of due) {
    const { events } = await rig.handle(bot, text).fetchHistory();
    for (const { activityTaskStartedEventAttributes: started } of events ?? [])
      if (started?.identity) identities.add(started.identity);
  }
  return identities;
}

describe('four workers and one bot', () => {
  it('F7: the service never sees more than the limits of bot, chat and group', async () => {
    await Promise.all(due.map(({ chat, text }) => rig.start(textReply('shared', text, chat))));
    await rig.fake.waitFor((fake) => fake.stored('shared').length === due.length, { timeoutMs: 60_000 });

    expect(windowViolations(arrivalsOf('shared'), windows)).toEqual([]);
    expect(arrivalsOf('shared').filter(({ verdict }) => verdict !== 'stored')).toEqual([]);
    expect(duplicates(rig.fake.stored('shared'))).toEqual([]);
    // All processes took part, or the case shows less than it says.
    expect((await workersOf('shared')).size).toBe(4);
  });

  it('F7: a sender without pacing breaks each of the limits', async () => {
    await sendNaively(due, {
      ...rig.sender('naive'),
      concurrency: 4,
      afterFlood: 'give_up',
      afterNoAnswer: 'give_up',
    });
    expect(brokenScopes('naive')).toEqual(new Set(['bot', 'chat', 'group']));
  });

  it('F7: a 429 met by one stops the others', async () => {
    const bot = 'flooded';
    rig.fake.script(bot, { after: 10 }, step.flood(10));
    const texts = Array.from({ length: 80 }, (_, i) => `f${i}`);
    await Promise.all(texts.map((text, i) => rig.start(textReply(bot, text, 100 + i))));
    await rig.fake.waitFor((fake) => fake.stored(bot).length === texts.length, { timeoutMs: 60_000 });

    const deadlines = rig.fake.deadlines.filter((deadline) => deadline.bot === bot);
    // What was granted before may still leave: a handful, within the life of a claim.
    const late = earlyArrivals(arrivalsOf(bot), deadlines);
    expect(late.length).toBeLessThanOrEqual(20);
    expect(earlyArrivals(arrivalsOf(bot), deadlines, { inFlightMs: 5000 })).toEqual([]);
    expect(duplicates(rig.fake.stored(bot))).toEqual([]);

    // Control: where each worker obeys only the 429 that it met itself, all the others come early.
    rig.fake.script('heedless', { after: 10 }, step.flood(4));
    const sender = { ...rig.sender('heedless'), concurrency: 4, afterNoAnswer: 'give_up' as const };
    const naive = texts.map((text, i) => ({ text, chat: 100 + i }));
    await sendNaively(naive, { ...sender, afterFlood: 'give_up' });
    expect(earlyArrivals(arrivalsOf('heedless'), rig.fake.deadlines).length).toBeGreaterThan(50);
  });
});
