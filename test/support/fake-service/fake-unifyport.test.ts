import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Content, ServiceAnswer } from '../../../contracts/contract.ts';
import { unifyport } from '../../../contracts/unifyport.ts';
import { startFakeUnifyport, unifyportStep, type FakeUnifyport } from './fake-unifyport.ts';
import { byText, duplicates, unsafeRepeats } from './judge.ts';
import * as step from './steps.ts';

const KEY = 'dk_live_fake-a';
const OTHER_KEY = 'dk_live_fake-b';
let fake: FakeUnifyport;

beforeEach(async () => {
  fake = await startFakeUnifyport({
    accounts: {
      acc_01: { name: 'support', apiKey: KEY },
      acc_02: { name: 'sales', apiKey: KEY, provider: 'whatsapp' },
      acc_03: { name: 'other', apiKey: OTHER_KEY },
    },
  });
});

afterEach(async () => {
  await fake.stop();
  expect(fake.problems).toEqual([]);
});

interface Sending {
  readonly account?: string;
  readonly key?: string;
  readonly trace?: string;
  readonly timeoutMs?: number;
}

/** One POST of the contract's own request, as the transport would make it. */
async function post(content: Content, sending: Sending = {}): Promise<ServiceAnswer> {
  const { account = 'acc_01', key = KEY, trace = 'support/k/1', timeoutMs = 3_000 } = sending;
  const request = unifyport.request(content, { apiRoot: fake.apiRoot, token: key, key: 'k', account, trace });
  return call(request.url, { headers: request.headers, body: request.body, timeoutMs });
}

async function call(
  url: string,
  init: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly timeoutMs?: number;
  },
): Promise<ServiceAnswer> {
  const { headers = {}, body = '', timeoutMs = 3_000 } = init;
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, connection: 'close' },
    body,
    signal: AbortSignal.timeout(timeoutMs),
  });
  return {
    httpStatus: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
}

const text = (chat: unknown, words = 'Your parcel is here.', params: object = {}): Content => {
  const content = unifyport.text.content(chat, words);
  return { ...content, params: { ...content.params, ...params } };
};
const meaning = (answer: ServiceAnswer) => unifyport.classify(text('user:1'), answer);
const account = (answer: ServiceAnswer) => unifyport.serviceError(text('user:1'), answer);

describe('a message in its usual course', () => {
  it('is accepted, stored once, and told by its id', async () => {
    const answer = await post(text('group:120@G.us'));
    expect(meaning(answer)).toEqual({ kind: 'sent', message: { message_id: '501', date: null } });
    expect(JSON.parse(answer.body)).toEqual({
      request_id: 'req_1',
      client_request_id: 'support/k/1',
      data: { message_id: '501', account_id: 'acc_01', status: 'accepted' },
    });
    expect(answer.headers).toMatchObject({ 'x-request-id': 'req_1' });
    expect(fake.stored('support')).toMatchObject([
      { n: 1, account: 'acc_01', bot: 'support', chat: 'group:120@G.us', messageId: 501 },
    ]);
    expect(fake.stored('acc_01')).toEqual(fake.stored());
    expect(fake.stored('sales')).toEqual([]);
  });

  it('leaves what the sender asked for in the record, and never the key', async () => {
    await post(text('user:42', 'hi'));
    await post(text('user:42', 'hi'), { key: 'dk_live_fake-unknown' });
    expect(fake.arrivals).toMatchObject([
      {
        n: 1,
        atMs: expect.any(Number),
        account: 'acc_01',
        bot: 'support',
        requestId: 'support/k/1',
        chat: 'user:42',
        text: 'hi',
        httpStatus: 200,
        verdict: 'stored',
        received: 'whole',
      },
      { n: 2, account: 'acc_01', bot: null, httpStatus: 401, verdict: 'refused' },
    ]);
    expect(JSON.stringify([fake.arrivals, fake.stored(), fake.connections])).not.toContain('dk_live');
    await fake.waitFor(({ arrivals }) => arrivals.every(({ closedAtMs }) => closedAtMs !== null));
    expect(fake.outstanding('support')).toBe(0);
  });

  it('is taken twice when it is sent twice: the request id is no idempotency key', async () => {
    await post(text('user:42', 'hi'));
    await post(text('user:42', 'hi'));
    expect(fake.stored()).toHaveLength(2);
    expect(duplicates(fake.stored(), byText)).toEqual([{ key: 'support user:42 hi', ns: [1, 2] }]);
  });

  it('echoes a request id only where it has the form of one', async () => {
    const answer = await post(text('user:1'), { trace: 'a b' });
    expect(JSON.parse(answer.body)).not.toHaveProperty('client_request_id');
    expect(fake.arrivals[0]?.requestId).toBe('a b');
  });
});

describe('what the service would not take', () => {
  const bad = (params: object): Content => ({
    method: 'sendMessage',
    params: { ...text('1').params, ...params },
  });

  it.each<[string, Content, number, string, string]>([
    ['no recipient', bad({ to: undefined }), 400, 'invalid_request', 'request'],
    ['no id', bad({ to: { type: 'user' } }), 400, 'invalid_request', 'request'],
    ['no type', bad({ to: { id: '1' } }), 400, 'invalid_request', 'request'],
    ['another type', bad({ to: { id: '1', type: 'room' } }), 400, 'invalid_conversation_type', 'destination'],
    ['an image', bad({ message: { type: 'image' } }), 400, 'unsupported_message_type', 'request'],
    ['an empty text', bad({ message: { type: 'text', text: '' } }), 400, 'invalid_request', 'request'],
    ['a reply', bad({ reply_to: { reply_token: 't' } }), 501, 'unsupported_by_provider', 'request'],
  ])('%s', async (_, content, status, code, kind) => {
    const answer = await post(content);
    expect(answer.httpStatus).toBe(status);
    expect(account(answer)).toMatchObject({ code, requestId: 'req_1', numericCode: expect.any(Number) });
    expect(meaning(answer)).toMatchObject({ kind: 'rejected', rejection: { kind, code: status } });
    expect(fake.arrivals).toMatchObject([{ verdict: 'refused', httpStatus: status }]);
    expect(fake.stored()).toEqual([]);
  });

  it('a reply without its token, at the provider that takes replies', async () => {
    const wrong = await post(bad({ reply_to: {} }), { account: 'acc_02' });
    expect(account(wrong)?.code).toBe('invalid_reply_token');
    const right = await post(bad({ reply_to: { reply_token: 't' } }), { account: 'acc_02' });
    expect(meaning(right).kind).toBe('sent');
  });

  it.each([
    ['no key', {}, 'missing_api_key'],
    ['an empty key', { 'x-api-key': '' }, 'missing_api_key'],
    ['an unknown key', { 'x-api-key': 'dk_live_fake-unknown' }, 'invalid_api_key'],
  ])('%s', async (_, headers: Record<string, string>, code) => {
    const answer = await call(`${fake.apiRoot}/v1/messages`, { headers, body: '{}' });
    expect(account(answer)?.code).toBe(code);
    expect(meaning(answer)).toMatchObject({ kind: 'rejected', rejection: { kind: 'auth', code: 401 } });
  });

  it.each(['acc_99', 'acc_03'])('the account %s, which is not of the key', async (accountId) => {
    const answer = await post(text('user:1'), { account: accountId });
    expect(meaning(answer)).toMatchObject({ kind: 'held', isFlood: false });
    expect(fake.arrivals).toMatchObject([{ account: accountId, bot: null, httpStatus: 409 }]);
  });

  it.each(['', 'not json', '[]'])('the body %j', async (body) => {
    const answer = await call(`${fake.apiRoot}/v1/messages`, { headers: { 'x-api-key': KEY }, body });
    expect(account(answer)?.code).toBe('invalid_request');
  });

  it('another path', async () => {
    const answer = await call(`${fake.apiRoot}/v1/messages/edit`, {
      headers: { 'x-api-key': KEY },
      body: '{}',
    });
    expect(meaning(answer)).toMatchObject({ kind: 'rejected', rejection: { kind: 'other', code: 404 } });
    expect(fake.arrivals).toMatchObject([{ method: null }]);
  });
});

describe('a scripted answer means what it says', () => {
  it.each([
    [unifyportStep.invalidRequest(), { kind: 'rejected', rejection: { kind: 'request', code: 400 } }],
    [unifyportStep.unsupportedConversation(), { kind: 'rejected', rejection: { kind: 'destination' } }],
    [unifyportStep.invalidApiKey(), { kind: 'rejected', rejection: { kind: 'auth', code: 401 } }],
    [unifyportStep.unsupportedByProvider(), { kind: 'rejected', rejection: { kind: 'request', code: 501 } }],
    [unifyportStep.failure(403, 'forbidden'), { kind: 'rejected', rejection: { kind: 'other', code: 403 } }],
    [unifyportStep.accountNotBound(), { kind: 'held', isFlood: false }],
    [unifyportStep.tooManyRequests(), { kind: 'held' }],
    [unifyportStep.tooManyRequests(5), { kind: 'held' }],
    [unifyportStep.sendFailed({ store: false }), { kind: 'unknown', unreadable: false }],
    [unifyportStep.sendFailed({ store: true }), { kind: 'unknown', unreadable: false }],
    [unifyportStep.adapterNotFound({ store: false }), { kind: 'unknown', unreadable: false }],
    [unifyportStep.acceptedWithoutId({ store: true }), { kind: 'unknown', unreadable: true }],
    [step.htmlPage({ status: 502, store: false }), { kind: 'unknown', unreadable: true }],
    [step.hold(20), { kind: 'sent' }],
    [step.trickle({ chunkBytes: 40, everyMs: 2 }), { kind: 'sent' }],
    [step.closeAfterAnswer(), { kind: 'sent' }],
  ])('%#', async (scripted, expected) => {
    const script = fake.script('support', scripted);
    const answer = await post(text('user:1'));
    expect(script.played).toBe(1);
    const outcome = meaning(answer);
    expect(outcome).toMatchObject(expected);
    const stored = scripted.kind === 'answer' ? scripted.store : true;
    expect(fake.stored()).toHaveLength(stored ? 1 : 0);
    if (answer.headers['content-type'] === 'application/json' && outcome.kind !== 'sent')
      expect(JSON.parse(answer.body)).toMatchObject({
        request_id: 'req_1',
        client_request_id: 'support/k/1',
      });
    expect((await post(text('user:1'))).httpStatus).toBe(200);
  });

  it('with the verdict of its kind', async () => {
    const steps = [
      unifyportStep.invalidRequest(),
      unifyportStep.unsupportedByProvider(),
      unifyportStep.tooManyRequests(),
      unifyportStep.sendFailed({ store: false }),
      unifyportStep.sendFailed({ store: true }),
    ];
    for (const scripted of steps) {
      fake.script('acc_01', scripted);
      await post(text('user:1'));
    }
    expect(fake.arrivals.map(({ verdict }) => verdict)).toEqual([
      'refused',
      'refused',
      'flood',
      'none',
      'stored',
    ]);
  });

  it('for the account and the chat that it is for', async () => {
    fake.script('support', unifyportStep.invalidRequest(), { chat: 'group:AB' });
    fake.script('sales', unifyportStep.sendFailed({ store: false }), { after: 1, times: 2 });
    const statuses = [];
    statuses.push((await post(text('user:AB'))).httpStatus, (await post(text('group:AB'))).httpStatus);
    for (let i = 0; i < 4; i += 1)
      statuses.push((await post(text('user:1'), { account: 'acc_02' })).httpStatus);
    expect(statuses).toEqual([200, 400, 200, 500, 500, 200]);
  });

  it('and a delay is announced by none', () => {
    expect(() => fake.script('support', step.flood(5))).toThrow(/no delay/);
    expect(() => fake.script('nobody', step.hold(1))).toThrow(
      /no such account; it has support, sales, other/,
    );
  });
});

describe('no answer', () => {
  it.each([true, false])('after the whole body; message stored: %s', async (store) => {
    fake.script('support', step.resetAfterBody({ store }));
    fake.script('support', step.silence({ store }));
    await expect(post(text('user:1'))).rejects.toThrow();
    const silent = post(text('user:1'), { timeoutMs: 200 });
    await fake.waitFor(() => fake.outstanding('support') === 1 && fake.arrivals[1]?.received === 'whole');
    await expect(silent).rejects.toThrow();
    await fake.waitFor(() => fake.outstanding('acc_01') === 0);
    expect(fake.arrivals).toMatchObject([
      { received: 'whole', httpStatus: null, verdict: store ? 'stored' : 'none' },
      { received: 'whole', httpStatus: null, verdict: store ? 'stored' : 'none', answeredAtMs: null },
    ]);
    expect(fake.stored()).toHaveLength(store ? 2 : 0);
    expect(unsafeRepeats(fake.arrivals)).toHaveLength(1);
  });

  it('after the head, for every account of the key', async () => {
    fake.script('sales', step.resetAtHead());
    await expect(post(text('user:1'))).rejects.toThrow();
    expect(fake.arrivals).toMatchObject([{ received: 'head', account: null }]);
    expect((await post(text('user:1'))).httpStatus).toBe(200);
  });

  it('with a body that is cut off', async () => {
    fake.script('support', step.cutBody(20));
    await expect(post(text('user:1'))).rejects.toThrow();
    expect(fake.stored()).toHaveLength(1);
  });

  it('while the port is closed, the connection reset, or nothing answered', async () => {
    fake.refuse();
    await expect(post(text('user:1'))).rejects.toThrow();
    await fake.accept();
    fake.resetConnections(1);
    await expect(post(text('user:1'))).rejects.toThrow();
    fake.blackhole();
    await expect(post(text('user:1'), { timeoutMs: 100 })).rejects.toThrow();
    await fake.accept();
    expect((await post(text('user:1'))).httpStatus).toBe(200);
    expect(fake.arrivals).toMatchObject([{ httpStatus: null, verdict: 'none' }, { httpStatus: 200 }]);
    expect(fake.connections.length).toBeGreaterThanOrEqual(3);
  });
});

describe('a fake', () => {
  it('reads its clock for the record', async () => {
    const ticking = await startFakeUnifyport({
      accounts: { acc_01: { name: 'support', apiKey: KEY } },
      nowMs: () => 7,
    });
    const { apiRoot } = ticking;
    const options = { apiRoot, token: KEY, key: 'k', account: 'acc_01', trace: 't' };
    const { url, headers, body } = unifyport.request(text('user:1'), options);
    await call(url, { headers, body });
    expect(ticking.arrivals).toMatchObject([{ atMs: 7, answeredAtMs: 7 }]);
    await ticking.stop();
    expect(ticking.problems).toEqual([]);
  });

  it('does not start with two accounts of one name', async () => {
    const twice = { name: 'support', apiKey: KEY };
    await expect(startFakeUnifyport({ accounts: { acc_01: twice, acc_02: twice } })).rejects.toThrow(
      /two accounts are named "support"/,
    );
  });

  it('says what was seen when a wait is in vain', async () => {
    await post(text('user:1'));
    await expect(fake.waitFor(() => false, { timeoutMs: 10 })).rejects.toThrow(
      /1 arrivals, 1 stored; last: #1 support user:1 stored 200 whole/,
    );
  });
});
