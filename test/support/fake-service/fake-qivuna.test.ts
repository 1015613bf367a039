import { request as httpRequest } from 'node:http';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import type { ServiceAnswer } from '../../../contracts/contract.ts';
import { qivuna } from '../../../contracts/qivuna.ts';
import { startFakeQivuna, type FakeQivuna, type FakeQivunaOptions } from './fake-qivuna.ts';
import { duplicates } from './judge.ts';
import * as failure from './qivuna-steps.ts';
import * as step from './steps.ts';

const TOKEN = '7:qv-a';
const OTHER_TOKEN = '8:qv-b';

let started: FakeQivuna | null = null;
afterEach(async () => {
  await started?.stop();
  expect(started?.problems ?? []).toEqual([]);
  started = null;
});

async function start(options: Partial<FakeQivunaOptions> = {}): Promise<FakeQivuna> {
  const bots = { [TOKEN]: { name: 'support' }, [OTHER_TOKEN]: { name: 'other' } };
  started = await startFakeQivuna({ bots, ...options });
  return started;
}

interface Sending {
  readonly key?: string | null;
  readonly chat?: number | string;
  readonly text?: string;
  readonly token?: string;
  readonly method?: string;
  readonly body?: string;
  readonly timeoutMs?: number;
}

/** The request of the contract, sent with a connection of its own; rejects when no complete answer comes. */
function send(fake: FakeQivuna, sending: Sending = {}): Promise<ServiceAnswer> {
  const {
    key = 'k',
    chat = 42,
    text = 'hi',
    token = TOKEN,
    method = 'sendMessage',
    timeoutMs = 3000,
  } = sending;
  const content = { method, params: { chat_id: chat, text } };
  const request = qivuna.request(content, {
    apiRoot: fake.apiRoot,
    token,
    key: 'k',
    account: null,
    trace: 't',
  });
  const { 'idempotency-key': _, ...others } = request.headers;
  const body = sending.body ?? request.body;
  return new Promise((resolve, reject) => {
    const call = httpRequest(request.url, {
      method: 'POST',
      headers: {
        ...others,
        ...(key === null ? {} : { 'idempotency-key': key }),
        'content-length': Buffer.byteLength(body),
      },
      agent: false,
      signal: AbortSignal.timeout(timeoutMs),
    });
    call.once('error', reject);
    call.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () =>
        resolve({
          httpStatus: response.statusCode ?? 0,
          headers: response.headers as Record<string, string>,
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    // As bytes: a text would be written in one piece with the head, which is not UTF-8.
    call.end(Buffer.from(body));
  });
}

const content = { method: 'sendMessage', params: { chat_id: 42, text: 'hi' } };
const codeOf = (answer: ServiceAnswer) => qivuna.serviceError(content, answer)?.code;
const verdicts = (fake: FakeQivuna) => fake.arrivals.map(({ verdict }) => verdict);

describe('a request in its usual course', () => {
  it('is carried out, recorded and answered as a success', async () => {
    const fake = await start();
    const answer = await send(fake, { chat: '9007199254740993', text: 'hi' });
    expect(answer.httpStatus).toBe(200);
    expect(answer.headers['x-request-id']).toBe('req-1');
    expect(answer.body).toContain('"chat":{"id":9007199254740993}');
    expect(qivuna.classify(content, answer)).toMatchObject({ kind: 'sent', message: { message_id: 501 } });
    expect(fake.arrivals).toMatchObject([
      {
        n: 1,
        bot: 'support',
        method: 'sendMessage',
        chat: '9007199254740993',
        text: 'hi',
        idempotencyKey: 'k',
        verdict: 'stored',
        httpStatus: 200,
        received: 'whole',
      },
    ]);
    expect(fake.stored('support')).toMatchObject([{ n: 1, idempotencyKey: 'k', messageId: 501, text: 'hi' }]);
    expect(fake.stored('other')).toEqual([]);
  });

  it('leaves the bot name and never the token in the record', async () => {
    const fake = await start();
    await send(fake);
    const unknown = await send(fake, { token: '9:qv-unknown' });
    expect([unknown.httpStatus, codeOf(unknown)]).toEqual([401, 'unauthorized']);
    expect(qivuna.classify(content, unknown)).toMatchObject({ rejection: { kind: 'auth' } });
    const record = JSON.stringify([fake.arrivals, fake.connections, fake.deadlines, fake.stored()]);
    expect(record).toContain('support');
    expect(record).not.toContain('qv-');
  });

  it('without a key is carried out as often as it comes', async () => {
    const fake = await start();
    await send(fake, { key: null });
    await send(fake, { key: null });
    expect(fake.stored()).toHaveLength(2);
    expect(fake.arrivals[0]?.idempotencyKey).toBeNull();
  });

  it.each([
    ['chat_id', '{"text":"hi"}'],
    ['text', '{"chat_id":1,"text":" "}'],
    ['no JSON', 'not json'],
  ])('that the service would not take is refused: %s', async (words, body) => {
    const fake = await start();
    const answer = await send(fake, { body });
    expect([answer.httpStatus, codeOf(answer)]).toEqual([400, 'bad_request']);
    if (words !== 'no JSON') expect(answer.body).toContain(`"parameter":"${words}"`);
    expect(verdicts(fake)).toEqual(['refused']);
    // Nothing was stored with the key: it runs again.
    expect((await send(fake)).httpStatus).toBe(200);
  });

  it('is met by the flood control of its bot, and the key is free after it', async () => {
    const fake = await start({
      bots: { [TOKEN]: { name: 'support', windows: { bot: [{ limit: 1, perMs: 60_000 }] } } },
    });
    await send(fake, { key: 'a' });
    const answer = await send(fake, { key: 'b' });
    expect(qivuna.classify(content, answer)).toEqual({ kind: 'flood', retryAfterSeconds: 60 });
    expect(verdicts(fake)).toEqual(['stored', 'flood']);
    expect(fake.deadlines).toMatchObject([{ bot: 'support', retryAfterSeconds: 60 }]);
    await fake.flood('support', 100);
    expect(qivuna.classify(content, await send(fake, { key: 'b' }))).toMatchObject({
      retryAfterSeconds: 100,
    });
    expect(fake.arrivals[2]?.early).toBe(true);
  });
});

describe('the same key', () => {
  it('with the same request has the stored answer, byte for byte, under a new request id', async () => {
    const fake = await start();
    const first = await send(fake);
    const again = await send(fake, { body: '{ "text": "hi", "chat_id": 42 }' });
    expect(again.body).toBe(first.body);
    expect(again.httpStatus).toBe(first.httpStatus);
    expect([first, again].map(({ headers }) => headers['x-request-id'])).toEqual(['req-1', 'req-2']);
    expect(verdicts(fake)).toEqual(['stored', 'replayed']);
    expect(fake.stored()).toHaveLength(1);
    expect(duplicates(fake.stored())).toEqual([]);
  });

  it.each([
    ['another text', { text: 'ho' }],
    ['another chat', { chat: 43 }],
    ['a chat that differs beyond 2^53', { chat: '9007199254740993' }],
    ['another method', { method: 'sendPhoto' }],
  ] as readonly (readonly [string, Sending])[])(
    'with another request is a mismatch: %s',
    async (_, other) => {
      const fake = await start();
      await send(fake, other.chat === '9007199254740993' ? { chat: '9007199254740992' } : {});
      const answer = await send(fake, other);
      expect([answer.httpStatus, codeOf(answer)]).toEqual([409, 'idempotency_mismatch']);
      expect(qivuna.classify(content, answer)).toMatchObject({ kind: 'held', isFinal: true });
      expect(verdicts(fake)).toEqual(['stored', 'refused']);
    },
  );

  it('while the first still runs is in progress at once, also when its sender is gone', async () => {
    const fake = await start();
    fake.script('support', step.hold(300));
    await expect(send(fake, { timeoutMs: 50 })).rejects.toThrow(/abort/);
    const startedMs = performance.now();
    const answer = await send(fake);
    expect(performance.now() - startedMs).toBeLessThan(250);
    expect([answer.httpStatus, codeOf(answer)]).toEqual([409, 'idempotency_in_progress']);
    expect(qivuna.classify(content, answer)).toMatchObject({ kind: 'unknown', mayRepeat: true });
    let last = answer;
    while (last.httpStatus === 409) last = await send(fake);
    expect(last.httpStatus).toBe(200);
    expect(fake.arrivals.at(-1)?.verdict).toBe('replayed');
    expect(fake.stored()).toHaveLength(1);
  });

  it('of another bot is another key', async () => {
    const fake = await start();
    await send(fake);
    await send(fake, { token: OTHER_TOKEN });
    expect(verdicts(fake)).toEqual(['stored', 'stored']);
  });

  it('runs again after an hour', async () => {
    let nowMs = 0;
    const fake = await start({ nowMs: () => nowMs });
    await send(fake);
    nowMs = 60 * 60_000 - 1;
    await send(fake);
    nowMs += 1;
    await send(fake);
    expect(verdicts(fake)).toEqual(['stored', 'replayed', 'stored']);
    expect(fake.arrivals.map(({ atMs }) => atMs)).toEqual([0, 3_599_999, 3_600_000]);
  });

  it('runs again after a number of other keys, and after a change of owners', async () => {
    const fake = await start({ storeKeys: 2 });
    for (const key of ['a', 'b', 'a', 'c', 'a']) await send(fake, { key });
    expect(verdicts(fake)).toEqual(['stored', 'stored', 'replayed', 'stored', 'stored']);
    fake.forgetKeys('support');
    await send(fake, { key: 'a' });
    expect(fake.arrivals.at(-1)?.verdict).toBe('stored');
  });

  it('may be another time where the store is made short', async () => {
    let nowMs = 0;
    const fake = await start({ storeForMs: 100, nowMs: () => nowMs });
    await send(fake);
    nowMs = 100;
    await send(fake);
    expect(verdicts(fake)).toEqual(['stored', 'stored']);
  });

  it.each(['a'.repeat(65), 'a b', 'é'])('K6: that is none is refused: %s', async (key) => {
    const fake = await start();
    const answer = await send(fake, { key });
    expect([answer.httpStatus, codeOf(answer)]).toEqual([400, 'bad_request']);
    expect(answer.body).toContain('"parameter":"Idempotency-Key"');
    expect(fake.arrivals).toMatchObject([{ verdict: 'refused', idempotencyKey: key }]);
  });

  it('is ignored on reads and on deleteWebhook', async () => {
    const fake = await start();
    for (const method of ['getMe', 'deleteWebhook'])
      expect((await send(fake, { key: 'a b', method })).httpStatus).toBe(200);
    expect(fake.stored()).toEqual([]);
  });
});

describe('a script', () => {
  it('plays one step for each request, for its bot and chat only', async () => {
    const fake = await start();
    const script = fake.script('support', [failure.badRequest(), failure.forbidden()]);
    expect((await send(fake, { token: OTHER_TOKEN })).httpStatus).toBe(200);
    const statuses = [];
    for (let i = 0; i < 3; i += 1) statuses.push((await send(fake)).httpStatus);
    expect(statuses).toEqual([400, 403, 200]);
    expect(script.played).toBe(2);
    const always = fake.script('support', failure.platformPaused(), { chat: 7, times: 'always' });
    expect((await send(fake)).httpStatus).toBe(200);
    for (let i = 0; i < 2; i += 1) expect((await send(fake, { chat: 7, key: 'p' })).httpStatus).toBe(503);
    always.withdraw();
    expect((await send(fake, { chat: 7, key: 'p' })).httpStatus).toBe(200);
  });

  it.each([true, false])('never answers; carried out: %s', async (store) => {
    const fake = await start();
    fake.script('support', step.silence({ store }));
    await expect(send(fake, { timeoutMs: 50 })).rejects.toThrow(/abort/);
    await fake.waitFor(() => fake.outstanding('support') === 0);
    expect(fake.arrivals).toMatchObject([{ verdict: store ? 'stored' : 'none', httpStatus: null }]);
    await send(fake);
    expect(fake.arrivals[1]?.verdict).toBe(store ? 'replayed' : 'stored');
    expect(fake.stored()).toHaveLength(1);
  });

  it.each([true, false])('K1: resets after the body; carried out: %s', async (store) => {
    const fake = await start();
    fake.script('support', step.resetAfterBody({ store }));
    await expect(send(fake)).rejects.toThrow();
    expect((await send(fake)).httpStatus).toBe(200);
    expect(fake.stored()).toHaveLength(1);
    expect(fake.arrivals[1]?.verdict).toBe(store ? 'replayed' : 'stored');
  });

  it('resets after the head', async () => {
    const fake = await start();
    fake.script('support', step.resetAtHead());
    await expect(send(fake)).rejects.toThrow();
    await fake.waitFor(() => fake.outstanding('support') === 0);
    expect(fake.arrivals).toMatchObject([{ received: 'head', verdict: 'none', idempotencyKey: 'k' }]);
    expect(fake.maxOutstanding('support')).toBe(1);
  });

  it('cuts the answer of a request that was carried out: its key has the whole one', async () => {
    const fake = await start();
    fake.script('support', step.cutBody(8));
    await expect(send(fake)).rejects.toThrow();
    expect(qivuna.classify(content, await send(fake)).kind).toBe('sent');
    expect(verdicts(fake)).toEqual(['stored', 'replayed']);
  });

  it.each([
    ['internal', () => failure.internal({ store: true }), () => failure.internal({ store: false })],
    ['a page', () => step.htmlPage({ store: true }), () => step.htmlPage({ store: false })],
    ['502', () => failure.serverError({ store: true }), () => failure.serverError({ store: false })],
  ])('answers something else, carried out or not: %s', async (_, stored, notStored) => {
    const fake = await start();
    fake.script('support', [stored(), notStored()]);
    await send(fake, { key: 'a' });
    await send(fake, { key: 'b' });
    for (const key of ['a', 'b']) {
      expect(qivuna.classify(content, await send(fake, { key })).kind).toBe('sent');
    }
    expect(verdicts(fake)).toEqual(['stored', 'none', 'replayed', 'stored']);
    expect(fake.stored()).toHaveLength(2);
  });

  it('holds any answer back, and what it stores runs meanwhile', async () => {
    const fake = await start();
    fake.script('support', { ...failure.internal({ store: true }), holdMs: 150 });
    const first = send(fake);
    await fake.waitFor(() => fake.stored().length === 1);
    expect((await send(fake)).httpStatus).toBe(409);
    expect((await first).httpStatus).toBe(500);
    expect((await send(fake)).httpStatus).toBe(200);
  });

  it('begins a flood, whose answer says truthfully how long it lasts', async () => {
    const fake = await start();
    fake.script('support', step.flood(7));
    expect(qivuna.classify(content, await send(fake))).toEqual({ kind: 'flood', retryAfterSeconds: 7 });
    expect(qivuna.classify(content, await send(fake)).kind).toBe('flood');
    expect(verdicts(fake)).toEqual(['flood', 'flood']);
    expect(fake.deadlines).toHaveLength(2);
  });

  it('announces the waits that can be used only', async () => {
    const fake = await start();
    fake.script('support', [
      failure.rateLimited(3),
      failure.rateLimited('3'),
      step.htmlPage({ status: 429, store: false }),
    ]);
    for (let i = 0; i < 3; i += 1) await send(fake);
    expect(fake.deadlines.map(({ retryAfterSeconds }) => retryAfterSeconds)).toEqual([3]);
    expect(verdicts(fake)).toEqual(['flood', 'flood', 'flood']);
  });
});

describe('the connection', () => {
  it('is refused and taken again on the same port, with the keys still known', async () => {
    const fake = await start();
    await send(fake);
    fake.refuse();
    await expect(send(fake)).rejects.toThrow(/ECONNREFUSED/);
    await fake.accept();
    await send(fake);
    expect(verdicts(fake)).toEqual(['stored', 'replayed']);
  });

  it('may be reset before anything is read', async () => {
    const fake = await start();
    fake.resetConnections(1);
    await expect(send(fake)).rejects.toThrow();
    expect(fake.arrivals).toEqual([]);
    expect((await send(fake)).httpStatus).toBe(200);
  });
});

describe('what the fake answers is what the contract reads', () => {
  interface Row {
    readonly httpStatus: number;
    readonly body: string | null;
    readonly expected: { readonly unreadable?: boolean };
  }
  const rows: readonly Row[] = JSON.parse(
    readFileSync(new URL('../../fixtures/qivuna-responses.json', import.meta.url), 'utf8'),
  );

  /** The names of an answer's fields, at any depth: its form, without its words. */
  const formOf = (status: number, body: string) => {
    const names = (value: unknown): unknown =>
      typeof value === 'object' && value !== null
        ? Object.entries(value)
            .map(([name, member]) => [name, names(member)])
            .toSorted((a, b) => String(a[0]).localeCompare(String(b[0])))
        : null;
    return JSON.stringify([status, names(JSON.parse(body.replace(/^\uFEFF/, '')))]);
  };
  const forms = rows
    .filter(
      ({ body, expected }) => body?.includes('{"') && body.endsWith('}') && expected.unreadable !== true,
    )
    .map(({ httpStatus, body }) => formOf(httpStatus, body ?? ''));

  it.each([
    ['success', null, 'sent'],
    ['rate_limited', failure.rateLimited(5), 'flood'],
    ['a flood', step.flood(5), 'flood'],
    ['platform_paused', failure.platformPaused(), 'paused'],
    ['internal', failure.internal({ store: false }), 'unknown'],
    ['another 5xx', failure.serverError({ store: false }), 'unknown'],
    ['in progress', failure.keyInProgress(), 'unknown'],
    ['mismatch', failure.keyMismatch(), 'held'],
    ['bad_request', failure.badRequest(), 'rejected'],
    ['401', failure.unauthorized(), 'rejected'],
    ['403', failure.forbidden(), 'rejected'],
    ['404', failure.chatNotFound(), 'rejected'],
  ] as const)('%s: in the form of a collected answer', async (_, scripted, outcome) => {
    const fake = await start();
    if (scripted !== null) fake.script('support', scripted);
    const answer = await send(fake);
    expect(qivuna.classify(content, answer).kind).toBe(outcome);
    expect(forms).toContain(formOf(answer.httpStatus, answer.body));
  });
});
