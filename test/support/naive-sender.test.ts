import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { callApi } from './api-call.ts';
import {
  startFakeTelegram,
  step,
  type BotRules,
  type EarlyRule,
  type FakeTelegram,
  type Windows,
} from './fake-service/index.ts';
import {
  duplicates,
  earlyArrivals,
  outOfOrder,
  unsafeRepeats,
  windowViolations,
} from './fake-service/judge.ts';
import { sendNaively, type NaiveOptions, type NaiveReply } from './naive-sender.ts';

const TOKEN = '11:fake';
let fake: FakeTelegram;

async function start(rules: Partial<BotRules>): Promise<void> {
  fake = await startFakeTelegram({ bots: { [TOKEN]: { name: 'support', ...rules } } });
}

afterEach(async () => {
  await fake.stop();
  expect(fake.problems).toEqual([]);
});

function replies(count: number, chatOf: (i: number) => string | number): readonly NaiveReply[] {
  return Array.from({ length: count }, (_, i) => ({ chat: chatOf(i), text: `t${i}` }));
}

function naively(items: readonly NaiveReply[], options: Partial<NaiveOptions> = {}): Promise<unknown> {
  return sendNaively(items, {
    apiRoot: fake.apiRoot,
    token: TOKEN,
    concurrency: 4,
    afterFlood: 'give_up',
    afterNoAnswer: 'give_up',
    ...options,
  });
}

/** The counterpart: one request at a time, `gapMs` between them, and it waits as long as a 429 says. */
async function politely(items: readonly NaiveReply[], gapMs: number): Promise<void> {
  for (const { chat, text } of items) {
    for (let isDone = false; !isDone;) {
      const body = JSON.stringify({ chat_id: chat, text });
      const answer = await callApi({ apiRoot: fake.apiRoot, token: TOKEN, method: 'sendMessage', body });
      isDone = answer.status !== 429;
      await pause(isDone ? gapMs : Number(answer.body.parameters?.retry_after) * 1000);
    }
  }
}

const orderOf = ({ text }: { readonly text: string | null }): number => Number(text?.slice(1));

describe.each<[string, Windows, (i: number) => string | number]>([
  ['bot', { bot: [{ limit: 4, perMs: 200 }] }, (i) => i + 1],
  ['chat', { chat: [{ limit: 1, perMs: 60 }] }, () => 7],
  ['group', { group: [{ limit: 3, perMs: 180 }] }, () => -7],
  ['group of a channel name', { group: [{ limit: 3, perMs: 180 }] }, () => '@news'],
])('the window of a %s', (_name, windows, chatOf) => {
  it('is broken by the naive sender, and the judge says so', async () => {
    await start({ windows });
    await naively(replies(8, chatOf));
    expect(windowViolations(fake.arrivals, windows)).not.toEqual([]);
    expect(fake.stored().length).toBeLessThan(8);
  });

  it('is kept by a paced sender, and the judge finds nothing', async () => {
    await start({ windows });
    await politely(replies(8, chatOf), 65);
    expect(windowViolations(fake.arrivals, windows)).toEqual([]);
    expect(fake.arrivals.map(({ verdict }) => verdict)).toEqual(Array(8).fill('stored'));
  });
});

describe.each<[EarlyRule['kind'], EarlyRule]>([
  ['fixed', { kind: 'fixed' }],
  ['double_rest', { kind: 'double_rest' }],
  ['add_seconds', { kind: 'add_seconds', seconds: 1 }],
])('a penalty whose rule for early calls is %s', (kind, early) => {
  it('is called into by the naive sender, which makes it no shorter', async () => {
    await start({ penalty: { early } });
    await fake.flood(TOKEN, 1);
    const before = fake.penaltyEndsAtMs(TOKEN) ?? 0;
    await naively(
      replies(2, () => 1),
      { afterFlood: { retryAfterMs: 30 }, maxRequestsPerReply: 3 },
    );
    expect(earlyArrivals(fake.arrivals, fake.deadlines, { inFlightMs: 20 })).not.toEqual([]);
    const after = fake.penaltyEndsAtMs(TOKEN) ?? 0;
    if (kind === 'fixed') expect(after).toBe(before);
    else expect(after).toBeGreaterThan(before + 2000);
    expect(fake.stored()).toEqual([]);
  });

  it('is waited out by a sender that obeys', async () => {
    await start({ penalty: { early } });
    fake.script(TOKEN, {}, step.flood(1));
    await politely(
      replies(2, () => 1),
      0,
    );
    expect(earlyArrivals(fake.arrivals, fake.deadlines)).toEqual([]);
    expect(fake.arrivals.map(({ early: isEarly, verdict }) => [isEarly, verdict])).toEqual([
      [false, 'flood'],
      [false, 'stored'],
      [false, 'stored'],
    ]);
  });
});

describe('a flood met by one reply', () => {
  it('does not stop the others of the naive sender', async () => {
    await start({});
    fake.script(TOKEN, {}, step.flood(30));
    await naively(
      replies(12, (i) => i + 1),
      { concurrency: 2 },
    );
    expect(earlyArrivals(fake.arrivals, fake.deadlines).length).toBeGreaterThan(5);
  });

  it('lets the naive sender overtake it within its chat', async () => {
    await start({});
    fake.script(TOKEN, {}, step.tooManyRequests(1));
    await naively(
      replies(6, () => 1),
      { concurrency: 2, afterFlood: { retryAfterMs: 150 } },
    );
    expect(outOfOrder(fake.arrivals, orderOf)).not.toEqual([]);
  });

  it('keeps its place with a sender that takes one after the other', async () => {
    await start({});
    fake.script(TOKEN, {}, step.flood(1));
    await politely(
      replies(3, () => 1),
      0,
    );
    expect(outOfOrder(fake.arrivals, orderOf)).toEqual([]);
  });
});

describe('an answer that is lost', () => {
  it.each([
    ['never comes', step.silence({ store: true })],
    ['is replaced by a reset', step.resetAfterBody({ store: true })],
    ['is cut off', step.cutBody(8)],
    ['is a page of HTML', step.htmlPage({ store: true })],
  ])('and %s makes a resending sender deliver twice', async (_name, lost) => {
    await start({});
    fake.script(TOKEN, {}, lost);
    await naively(
      replies(1, () => 1),
      { afterNoAnswer: 'resend', timeoutMs: 150 },
    );
    expect(duplicates(fake.stored())).toEqual([{ key: 'support 1 t0', ns: [1, 2] }]);
    expect(duplicates(fake.arrivals)).toEqual(duplicates(fake.stored()));
    expect(unsafeRepeats(fake.arrivals)).toHaveLength(1);
  });

  it('is a gamble of the resending sender even when nothing was stored', async () => {
    await start({});
    fake.script(TOKEN, {}, step.silence({ store: false }));
    await naively(
      replies(1, () => 1),
      { afterNoAnswer: 'resend', timeoutMs: 150 },
    );
    expect(duplicates(fake.stored())).toEqual([]);
    expect(unsafeRepeats(fake.arrivals)).toHaveLength(1);
  });

  it('makes no duplicate where the sender does not resend', async () => {
    await start({});
    fake.script(TOKEN, {}, step.silence({ store: true }));
    await naively(
      replies(3, () => 1),
      { concurrency: 1, timeoutMs: 150 },
    );
    expect(duplicates(fake.stored())).toEqual([]);
    expect(unsafeRepeats(fake.arrivals)).toEqual([]);
    expect(fake.stored()).toHaveLength(3);
  });
});

describe('a restart', () => {
  const windows = { bot: [{ limit: 5, perMs: 1000 }] };

  it('of the service in the middle of requests makes the resending sender deliver twice', async () => {
    await start({});
    fake.script(TOKEN, { times: 3 }, step.hold(5_000));
    const sending = naively(
      replies(3, (i) => i + 1),
      { afterNoAnswer: 'resend', maxRequestsPerReply: 50 },
    );
    await fake.waitFor(() => fake.stored().length === 3);
    fake.refuse({ inProgress: 'reset' });
    await fake.accept();
    await sending;
    expect(duplicates(fake.stored()).length).toBeGreaterThan(0);
  });

  it('of the naive sender forgets the wait, and is caught calling early and bursting', async () => {
    await start({ windows });
    await politely(
      replies(1, () => 1),
      0,
    );
    fake.script(TOKEN, {}, step.flood(20));
    await naively(replies(1, () => 1));
    // The second life starts with all that is due, knowing nothing of the first.
    await naively(
      replies(20, (i) => i + 1),
      { concurrency: 10 },
    );
    expect(earlyArrivals(fake.arrivals, fake.deadlines)).toHaveLength(20);
    expect(windowViolations(fake.arrivals, windows).length).toBeGreaterThan(10);
  });
});
