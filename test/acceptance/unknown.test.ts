import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Arrival, Step } from '../support/fake-service/index.ts';
import { duplicates, step, unsafeRepeats } from '../support/fake-service/index.ts';
import { Rig, textReply } from '../support/rig/rig.ts';
import { waitUntil } from '../support/wait-until.ts';

const idleCloseMs = 9000;
let rig: Rig;

beforeAll(async () => {
  rig = await Rig.start({
    bots: {
      doubt: { settings: { httpTimeoutMs: 1500, connectTimeoutMs: 1000 } },
      slow: {},
      idle: {},
    },
    idleCloseMs,
  });
  // Takes its nine seconds beside the other tests.
  rig.fake.script('slow', {}, step.hold(9000));
  await rig.start(textReply('slow', 'nine-seconds', 51));
});

afterAll(async () => {
  expect(rig.fake.problems).toEqual([]);
  expect(duplicates(rig.fake.stored())).toEqual([]);
  expect(unsafeRepeats(rig.fake.arrivals)).toEqual([]);
  await rig.close();
});

function arrivalsAt(chat: number): readonly Arrival[] {
  return rig.fake.arrivals.filter((arrival) => arrival.chat === String(chat));
}

interface Case {
  readonly title: string;
  readonly step: Step;
  readonly stored: number;
  readonly progress: 'written' | 'answered';
  readonly httpStatus: number | null;
  readonly evidence: RegExp;
}

const CASES: readonly Case[] = [
  {
    title: 'U1: the service stores the message and never answers',
    step: step.silence({ store: true }),
    stored: 1,
    progress: 'written',
    httpStatus: null,
    evidence: /no answer within 1500 ms/,
  },
  {
    title: 'U1: the service takes nothing and never answers, which looks the same',
    step: step.silence({ store: false }),
    stored: 0,
    progress: 'written',
    httpStatus: null,
    evidence: /no answer within 1500 ms/,
  },
  {
    title: 'U2: the body is read to its end, then the socket is reset',
    step: step.resetAfterBody({ store: true }),
    stored: 1,
    progress: 'written',
    httpStatus: null,
    evidence: /no answer: (ECONNRESET|UND_ERR_SOCKET)/,
  },
  {
    title: 'U4: 200, and the body is cut after {"ok":tr',
    step: step.cutBody(8),
    stored: 1,
    progress: 'answered',
    httpStatus: 200,
    evidence: /HTTP 200.*the answer was cut off/,
  },
  {
    title: 'U4: 200 with an HTML page',
    step: step.htmlPage({ store: true }),
    stored: 1,
    progress: 'answered',
    httpStatus: 200,
    evidence: /HTTP 200, text\/html/,
  },
  {
    title: 'U5: 502 with JSON, message stored',
    step: step.serverError({ status: 502, store: true }),
    stored: 1,
    progress: 'answered',
    httpStatus: 502,
    evidence: /HTTP 502, error_code 502/,
  },
  {
    title: 'U5: 502 with HTML, message stored',
    step: step.htmlPage({ status: 502, store: true }),
    stored: 1,
    progress: 'answered',
    httpStatus: 502,
    evidence: /HTTP 502, text\/html/,
  },
  {
    title: 'U5: 504 with HTML, message stored',
    step: step.htmlPage({ status: 504, store: true }),
    stored: 1,
    progress: 'answered',
    httpStatus: 504,
    evidence: /HTTP 504, text\/html/,
  },
];

describe('U1, U2, U4, U5: an outcome that nobody can know', () => {
  for (const [i, one] of CASES.entries()) {
    it(`${one.title}: one request, then review`, async () => {
      const chat = i + 1;
      const key = `unknown-${chat}`;
      rig.fake.script('doubt', { chat }, one.step);
      await rig.start(textReply('doubt', key, chat));
      const record = await rig.until('doubt', key, ({ state }) => state === 'review');
      expect(record.review).toMatchObject({ kind: 'unknown', attempt: 1 });
      expect(record.review?.evidence).toMatch(one.evidence);
      expect(record.attempts).toMatchObject([
        { attempt: 1, outcome: 'unknown', progress: one.progress, httpStatus: one.httpStatus },
      ]);
      expect(arrivalsAt(chat)).toHaveLength(1);
      const stored = rig.fake.stored('doubt').filter((message) => message.chat === String(chat));
      expect(stored).toHaveLength(one.stored);
    });
  }

  it('U9: a new reply to the same chat goes; the first stays in review', async () => {
    await rig.start(textReply('doubt', 'after-unknown', 1));
    expect(await rig.result('doubt', 'after-unknown')).toMatchObject({ state: 'sent' });
    expect(arrivalsAt(1).map(({ text }) => text)).toEqual(['unknown-1', 'after-unknown']);
    expect(await rig.record('doubt', 'unknown-1')).toMatchObject({ state: 'review' });
  });

  it('all of them are listed as under review, though they were started without search attributes', async () => {
    const query = `ReplyState = 'review' AND ReplyBot = 'doubt'`;
    await waitUntil(async () => (await rig.client.workflow.count(query)).count === CASES.length, {
      withinMs: 20_000,
      what: () => `${CASES.length} listed by ${query}`,
    });
  });

  it('none was asked for a second time', () => {
    for (const [i] of CASES.entries())
      expect(arrivalsAt(i + 1).filter(({ text }) => text === `unknown-${i + 1}`)).toHaveLength(1);
  });
});

describe('an outcome that only looks unknown', () => {
  it('U11: an answer after nine seconds is an answer', async () => {
    const record = await rig.result('slow', 'nine-seconds');
    expect(record).toMatchObject({ state: 'sent', message: { message_id: expect.any(Number) } });
    expect(arrivalsAt(51)).toMatchObject([{ verdict: 'stored', httpStatus: 200 }]);
    const [arrival] = arrivalsAt(51);
    expect((arrival?.answeredAtMs ?? 0) - (arrival?.atMs ?? 0)).toBeGreaterThan(8900);
  });

  it('U14: idle sockets are closed by the sender, long before the service would, and not used again', async () => {
    const send = async (key: string, chat: number): Promise<number> => {
      await rig.start(textReply('idle', key, chat));
      expect(await rig.result('idle', key)).toMatchObject({ state: 'sent' });
      return arrivalsAt(chat)[0]?.connection ?? 0;
    };
    // Sent one right after the other they share a socket, unless the machine is too busy for that once.
    let used = await send('idle-1', 61);
    let shared = false;
    for (let i = 2; i <= 9 && !shared; i++) {
      const next = await send(`idle-${i}`, 60 + i);
      shared = next === used;
      used = next;
    }
    expect(shared).toBe(true);
    const answeredMs = performance.now();
    await rig.fake.waitFor(({ connections }) => connections.find(({ id }) => id === used)?.open === false);
    expect(performance.now() - answeredMs).toBeLessThan(idleCloseMs - 1000);
    expect(await send('idle-last', 70)).not.toBe(used);
  });
});
