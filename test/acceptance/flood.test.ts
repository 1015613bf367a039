import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AnswerStep,
  type Arrival,
  type BotRules,
  duplicates,
  earlyArrivals,
  outOfOrder,
  step,
} from '../support/fake-service/index.ts';
import { sendNaively } from '../support/naive-sender.ts';
import { Rig, textReply } from '../support/rig/rig.ts';

const malformed: Readonly<Record<string, AnswerStep>> = {
  'no-parameters': step.failure(429, 'Too Many Requests: retry after 35'),
  'null-parameters': step.failure(429, 'Too Many Requests: retry after 35', null),
  'text-delay': step.tooManyRequests('35'),
  'float-delay': step.tooManyRequests(2.5),
  'negative-delay': step.tooManyRequests(-3),
  'null-delay': step.tooManyRequests(null),
  'list-parameters': step.failure(429, 'Too Many Requests', [35]),
  'html-page': step.htmlPage({ status: 429, store: false }),
  'empty-body': step.answer({ status: 429, body: '' }),
};
const misleading = [401, 403, 500];
const doubling: Omit<BotRules, 'name'> = { penalty: { early: { kind: 'double_rest' } } };
const heldPauseMs = 2000;

let rig: Rig;

beforeAll(async () => {
  const held = Object.keys(malformed).map((name) => [`held-${name}`, { settings: { heldPauseMs } }]);
  rig = await Rig.start({
    workers: 2,
    bots: {
      kill: {},
      pair: {},
      lift: {},
      double: { rules: doubling },
      careless: { rules: doubling },
      order: {},
      zero: { settings: { maxFloods: 4 } },
      ...Object.fromEntries(misleading.map((code) => [`text-${code}`, {}])),
      ...(Object.fromEntries(held) as Record<string, object>),
    },
  });
});

afterAll(async () => {
  expect(rig.fake.problems).toEqual([]);
  await rig.close();
});

/** Opens a bot's lane, which begins with one probe: from here on several requests may be under way. */
async function openLane(bot: string): Promise<void> {
  await rig.start(textReply(bot, 'opening', 1));
  expect(await rig.result(bot, 'opening')).toMatchObject({ state: 'sent' });
}

function arrivalsOf(bot: string): readonly Arrival[] {
  return rig.fake.arrivals.filter((arrival) => arrival.bot === bot);
}

function arrivalOf(bot: string, text: string): Arrival {
  const found = arrivalsOf(bot).find((arrival) => arrival.text === text);
  if (!found) throw new Error(`${text} of ${bot} has not arrived`);
  return found;
}

function earlyOf(bot: string): readonly unknown[] {
  return earlyArrivals(arrivalsOf(bot), rig.fake.deadlines);
}

const orderIn = ({ text }: { readonly text: string | null }): number | null => 'ABC'.indexOf(text?.[0] ?? '');

describe.concurrent('flood control', () => {
  it('F2: of two answers the longer wait holds, whichever came last', async () => {
    await openLane('pair');
    rig.fake.script('pair', { chat: 11 }, { ...step.tooManyRequests(8), holdMs: 3000 });
    rig.fake.script('pair', { chat: 12 }, { ...step.tooManyRequests(2), holdMs: 4000 });
    await Promise.all([rig.start(textReply('pair', 'long', 11)), rig.start(textReply('pair', 'short', 12))]);
    await rig.fake.waitFor((fake) => fake.outstanding('pair') === 2);
    await rig.fake.waitFor((fake) => fake.deadlines.filter(({ bot }) => bot === 'pair').length === 2);
    await rig.start(textReply('pair', 'third', 13));
    for (const key of ['long', 'short', 'third'])
      expect(await rig.result('pair', key)).toMatchObject({ state: 'sent' });

    const [long, short] = rig.fake.deadlines.filter(({ bot }) => bot === 'pair');
    expect([long?.retryAfterSeconds, short?.retryAfterSeconds]).toEqual([8, 2]);
    expect(short?.answeredAtMs).toBeGreaterThan(long?.answeredAtMs ?? Infinity);
    expect(earlyOf('pair')).toEqual([]);
    expect(arrivalsOf('pair')).toHaveLength(1 + 2 + 3);
  });

  it('F3: a success does not lift a cooldown', async () => {
    await openLane('lift');
    rig.fake.script('lift', { chat: 11 }, step.flood(6, { holdMs: 3000 }));
    rig.fake.script('lift', { chat: 12 }, step.hold(4000));
    await Promise.all([rig.start(textReply('lift', 'A', 11)), rig.start(textReply('lift', 'B', 12))]);
    await rig.fake.waitFor((fake) => fake.outstanding('lift') === 2);
    await rig.fake.waitFor((fake) => fake.deadlines.some(({ bot }) => bot === 'lift'));
    await rig.start(textReply('lift', 'C', 13));
    for (const key of ['A', 'B', 'C']) expect(await rig.result('lift', key)).toMatchObject({ state: 'sent' });

    const [deadline] = rig.fake.deadlines.filter(({ bot }) => bot === 'lift');
    expect(arrivalOf('lift', 'B').answeredAtMs).toBeGreaterThan(deadline?.answeredAtMs ?? Infinity);
    expect(arrivalOf('lift', 'C').atMs).toBeGreaterThanOrEqual(deadline?.untilMs ?? Infinity);
    expect(earlyOf('lift')).toEqual([]);
  });

  it('F8: where an early call doubles the rest of the wait, the wait never grows', async () => {
    rig.fake.script('double', {}, step.flood(6));
    const keys = ['a', 'b', 'c', 'd'];
    await rig.start(textReply('double', 'a', 11));
    // What is granted together with it may be on its way when it is refused.
    await rig.until('double', 'a', ({ waiting }) => waiting?.why === 'cooldown');
    await Promise.all(keys.slice(1).map((key, i) => rig.start(textReply('double', key, 12 + i))));
    for (const key of keys) expect(await rig.result('double', key)).toMatchObject({ state: 'sent' });
    const [first, ...rest] = arrivalsOf('double');
    expect(first?.verdict).toBe('flood');
    expect(rest.map(({ verdict }) => verdict)).toEqual(keys.map(() => 'stored'));
    expect(rest.some(({ early }) => early)).toBe(false);
    expect(rig.fake.penaltyEndsAtMs('double')).toBe((first?.atMs ?? 0) + 6000);

    // Control: a sender that comes back after half a second makes it longer each time.
    await rig.fake.flood('careless', 1);
    await sendNaively([{ chat: 11, text: 'x' }], {
      ...rig.sender('careless'),
      concurrency: 1,
      afterFlood: { retryAfterMs: 500 },
      afterNoAnswer: 'give_up',
      maxRequestsPerReply: 3,
    });
    expect(arrivalsOf('careless').filter(({ early }) => early)).toHaveLength(3);
  });

  it('F9: a 429 without a delay that can be used is held, and the lane pauses by itself', async () => {
    const inBot = async ([name, answer]: readonly [string, AnswerStep]): Promise<void> => {
      const bot = `held-${name}`;
      rig.fake.script(bot, {}, answer);
      await rig.start(textReply(bot, 'refused', 11));
      const held = await rig.until(bot, 'refused', ({ state }) => state === 'review');
      expect(held.review, name).toMatchObject({ kind: 'held' });
      expect(held.attempts.at(-1), name).toMatchObject({ outcome: 'held', httpStatus: 429 });
      await rig.start(textReply(bot, 'other', 12));
      expect(await rig.result(bot, 'other'), name).toMatchObject({ state: 'sent' });

      const [refused, other] = arrivalsOf(bot);
      expect(other?.atMs, name).toBeGreaterThanOrEqual((refused?.answeredAtMs ?? Infinity) + heldPauseMs);
      expect(arrivalsOf(bot), name).toHaveLength(2);
      expect((await rig.record(bot, 'refused')).state, name).toBe('review');
    };
    await Promise.all(Object.entries(malformed).map(inBot));
  });

  it('F11: a number in the text of a 429 is no error code: a flood, not another refusal', async () => {
    const inBot = async (code: number): Promise<void> => {
      const bot = `text-${code}`;
      const parameters = { retry_after: 2 };
      rig.fake.script(bot, {}, step.failure(429, `Too Many Requests: retry after ${code}`, parameters));
      await rig.start(textReply(bot, 'k', 11));
      const record = await rig.result(bot, 'k');
      expect(record).toMatchObject({ state: 'sent', rejection: null });
      expect(record.attempts.map(({ outcome }) => outcome)).toEqual(['flood', 'sent']);
      expect(await rig.lane(bot)).toMatchObject({ stopped: null, floods: 1 });
      expect(earlyOf(bot)).toEqual([]);
    };
    await Promise.all(misleading.map(inBot));
  });

  it('F12, L9: a reply that met a 429 keeps its place, and those after it in each of ten chats theirs', async () => {
    await openLane('order');
    const chats = Array.from({ length: 10 }, (_, i) => 1001 + i);
    rig.fake.script('order', { chat: 1005 }, step.flood(3));
    await rig.fake.flood('order', 2);
    for (const name of ['C', 'B', 'A']) {
      const after = { B: 'A', C: 'B' }[name];
      await Promise.all(
        chats.map((chat) =>
          rig.start(textReply('order', `${name}-${chat}`, chat, after ? { after: `${after}-${chat}` } : {})),
        ),
      );
    }
    for (const chat of chats) expect(await rig.result('order', `C-${chat}`)).toMatchObject({ state: 'sent' });

    const sent = arrivalsOf('order').filter(({ chat }) => chat !== '1');
    expect(sent.filter(({ verdict }) => verdict === 'stored')).toHaveLength(30);
    expect(outOfOrder(sent, orderIn)).toEqual([]);
    expect(duplicates(rig.fake.stored('order'))).toEqual([]);
    expect(
      arrivalsOf('order').filter(({ chat, verdict }) => chat === '1005' && verdict === 'flood'),
    ).not.toEqual([]);
  });

  it('F15: a delay of zero on every call: a second apart at least, then a person must look', async () => {
    rig.fake.script('zero', { times: 'always' }, step.tooManyRequests(0));
    await rig.start(textReply('zero', 'k', 11));
    const record = await rig.until('zero', 'k', ({ state }) => state === 'review');
    expect(record.review).toMatchObject({ kind: 'budget', attempt: 4 });
    const instants = arrivalsOf('zero').map(({ atMs }) => atMs);
    expect(instants).toHaveLength(4);
    for (const [i, atMs] of instants.entries())
      if (i > 0) expect(atMs - (instants[i - 1] ?? Infinity)).toBeGreaterThanOrEqual(1000);
  });
});

// By itself: the other cases would lose their attempts with the worker.
describe('flood control through a kill', () => {
  it('F1: a worker that is killed while all wait changes nothing: one more call, after the deadline', async () => {
    rig.fake.script('kill', {}, step.flood(6));
    await rig.start(textReply('kill', 'first', 1));
    await rig.fake.waitFor((fake) => fake.deadlines.some(({ bot }) => bot === 'kill'));
    await rig.start(textReply('kill', 'second', 2));
    await rig.until('kill', 'second', ({ waiting }) => waiting?.why === 'cooldown');
    await rig.workers[0]?.kill();
    await rig.addWorker();

    const first = await rig.result('kill', 'first');
    expect(first.state).toBe('sent');
    expect(first.attempts.map(({ outcome }) => outcome)).toEqual(['flood', 'sent']);
    expect((await rig.result('kill', 'second')).attempts.map(({ outcome }) => outcome)).toEqual(['sent']);
    expect(arrivalsOf('kill')).toHaveLength(3);
    expect(earlyOf('kill')).toEqual([]);
  });
});
