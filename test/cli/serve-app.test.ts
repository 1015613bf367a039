import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RareNotes } from '../../activities/rare-notes.ts';
import { createApp } from '../../cli/serve/app.ts';
import { type Listening, listen } from '../../cli/serve/listen.ts';
import { SecretReader } from '../../cli/serve/secrets.ts';
import { webhooksOf } from '../../cli/serve/webhooks.ts';
import {
  ReplyConflictError,
  ReplyInputError,
  type ReplyHandle,
  ReplyNotFoundError,
  type ReplyRequest,
  TemporalUnreachableError,
} from '../../client/index.ts';
import { signed } from '../client/intake-samples.ts';
import { botOf } from '../config/config-samples.ts';

const token = 'the-token-of-this-api';
const hook = 'the-secret-of-this-webhook';
const sent: { readonly request: ReplyRequest; readonly key: string }[] = [];
const notes: string[] = [];
/** Thrown by the next calls of the client, until it is taken away. */
let failure: Error | undefined;
let currentToken: string | undefined = token;

const replies = {
  async send(request: ReplyRequest, { key }: { readonly key: string }): Promise<ReplyHandle> {
    if (failure) throw failure;
    sent.push({ request, key });
    const { bot } = request;
    const known = { id: `${bot}/${key}`, workflowId: `reply:${bot}:${key}`, state: 'waiting' };
    return { ...known, bot, key, deduplicated: false } as unknown as ReplyHandle;
  },
  async status(name: unknown) {
    if (failure) throw failure;
    return { name } as never;
  },
};

let listening: Listening;
beforeAll(async () => {
  const secrets = new SecretReader({ HOOK: hook });
  const note = (text: string): void => void notes.push(text);
  const webhooks = webhooksOf(
    [botOf({ webhookSecretEnv: 'HOOK' }), { ...botOf({ webhookSecretEnv: 'NONE' }), name: 'later' }],
    { replies, secrets, note, rareNotes: new RareNotes({ note }) },
  );
  const onFailure = (error: unknown): void => void notes.push((error as Error).name);
  const app = createApp({ replies, webhooks, apiToken: () => currentToken, onFailure });
  listening = await listen({ fetch: app.fetch, host: '127.0.0.1', port: 0 });
});
afterAll(() => listening.stop());

const call = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(listening.url + path, init);
  const body = (await response.json()) as Record<string, unknown>;
  return { status: response.status, body, headers: response.headers };
};
const good = { authorization: `Bearer ${token}`, 'idempotency-key': 'upd-1-reply' };
const post = (body: string | Uint8Array, headers: Record<string, string> = good) =>
  call('/v1/replies', { method: 'POST', headers, body: body as string });
const fieldsOf = ({ body }: { readonly body: Record<string, unknown> }) =>
  (body['problems'] as { readonly field: string }[]).map(({ field }) => field);

describe('the webhook of a connected account', () => {
  test('answers for the account of the configuration, and for no other under the same secret', async () => {
    const secrets = new SecretReader({ HOOK: hook });
    const note = (text: string): void => void notes.push(text);
    const bot = { ...botOf({ webhookSecretEnv: 'HOOK' }), contract: 'unifyport', account: 'acc_1' };
    const intake = webhooksOf([bot], { replies, secrets, note, rareNotes: new RareNotes({ note }) }).get(
      bot.name,
    );
    for (const account_id of ['acc_2', 'acc_1']) {
      const data = { conversation: { id: '1', type: 'user' }, message: { type: 'text', text: 'hi' } };
      const body = JSON.stringify({ type: 'message.received', id: `evt_${account_id}`, account_id, data });
      expect((await intake?.(signed(body, { signingSecret: hook })))?.status).toBe(200);
    }
    expect(intake?.counts).toMatchObject({ otherAccount: 1, accepted: 1 });
    expect(sent.at(-1)).toMatchObject({ request: { bot: bot.name }, key: 'upd-evt_acc_1-reply' });
  });
});

describe('POST /v1/replies', () => {
  test('starts the reply under its key, and says under which name', async () => {
    const request = { bot: 'support', chat: 1, text: 'hello', class: 'bulk' };
    expect(await post(JSON.stringify(request))).toMatchObject({
      status: 202,
      body: {
        id: 'support/upd-1-reply',
        bot: 'support',
        key: 'upd-1-reply',
        workflowId: 'reply:support:upd-1-reply',
        state: 'waiting',
        deduplicated: false,
      },
    });
    expect(sent.at(-1)).toEqual({ request, key: 'upd-1-reply' });
  });

  test.each([
    ['nothing', '', 'body'],
    ['no JSON', '{"bot": hello}', 'body'],
    ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'body'],
    ['a list', '[]', 'body'],
    ['60 levels', `${'['.repeat(60)}${']'.repeat(60)}`, 'body'],
  ])('%s is 400, and not repeated', async (_, body, field) => {
    const answer = await post(body);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]]);
    expect(JSON.stringify(answer.body)).not.toContain('hello');
  });

  test.each([undefined, '', 'two words', 'é', 'x'.repeat(201)])('the key %j is 400', async (key) => {
    const { authorization } = good;
    const answer = await post('{}', {
      authorization,
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    });
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['Idempotency-Key']]);
  });

  test.each([
    undefined,
    '',
    token,
    `Basic ${token}`,
    'Bearer ',
    `Bearer ${token}x`,
    `Bearer ${token.slice(1)}`,
  ])('the authorization %j is 401, whatever else is wrong', async (authorization) => {
    const answer = await post('hello', authorization === undefined ? {} : { authorization });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(JSON.stringify(answer.body)).not.toContain(token);
  });

  test('a token that cannot be read at present lets nobody in', async () => {
    currentToken = undefined;
    expect((await post('{}')).status).toBe(503);
    currentToken = token;
  });

  test('a field that is given twice is 422, by its name', async () => {
    const answer = await post('{"bot":"support","chat":1,"chat":2,"text":"hello"}');
    expect([answer.status, fieldsOf(answer)]).toEqual([422, ['chat']]);
  });

  test('a body over 1 MiB is 413, and the caller gets to read that', async () => {
    expect((await post('x'.repeat(1024 * 1024 + 1))).status).toBe(413);
    const stream = new Blob(['x'.repeat(3 * 1024 * 1024)]).stream();
    const init = { method: 'POST', headers: good, body: stream, duplex: 'half' } as RequestInit;
    expect((await call('/v1/replies', init)).status).toBe(413);
  });

  test.each([
    [new ReplyConflictError('the key was used'), 409, 'Idempotency-Key'],
    [new ReplyInputError('The reply was not sent', [{ field: 'text', problem: 'is empty' }]), 422, 'text'],
    [new TemporalUnreachableError('Temporal at 127.0.0.1:7233: no answer'), 503, 'reply'],
    [new TypeError('hello'), 500, 'reply'],
  ])('%s is %i', async (error, status, field) => {
    failure = error;
    const answer = await post('{}');
    failure = undefined;
    expect([answer.status, fieldsOf(answer)]).toEqual([status, [field]]);
    expect(JSON.stringify(answer.body)).not.toMatch(/hello|7233/);
    expect(notes.at(-1) === error.name).toBe(status >= 500);
  });
});

describe('GET /v1/replies/<bot>/<key>', () => {
  const get = (path: string) => call(`/v1/replies/${path}`, { headers: good });

  test('is the record, whatever the key is made of', async () => {
    for (const key of ['upd-1-reply', 'a/b', 'schlüssel 1', '100%', 'a?b#c'])
      for (const spelled of [encodeURIComponent(key), ...(key === 'a/b' ? [key] : [])])
        expect(await get(`support/${spelled}`)).toMatchObject({
          status: 200,
          body: { name: { bot: 'support', key } },
        });
  });

  test('is 404 where there is none, and 401 without the token', async () => {
    failure = new ReplyNotFoundError('no such reply');
    expect((await get('support/none')).status).toBe(404);
    failure = undefined;
    expect((await call('/v1/replies/support/none')).status).toBe(401);
  });
});

describe('the server', () => {
  test('has a sample behind each webhook that echoes', async () => {
    const update = { update_id: 7, message: { text: 'hello', chat: { id: 42 }, from: { is_bot: false } } };
    const headers = { 'x-telegram-bot-api-secret-token': hook };
    const init = { method: 'POST', headers, body: JSON.stringify(update) };
    expect((await call('/webhooks/support', init)).status).toBe(200);
    const request = { bot: 'support', chat: 42, text: 'hello' };
    expect(sent.at(-1)).toEqual({ request, key: 'upd-7-reply' });
    expect((await call('/webhooks/support', { ...init, headers: {} })).status).toBe(401);
    expect((await call('/webhooks/support')).status).toBe(405);
  });

  test('says at its start which webhook can take nothing, and answers 503 there', async () => {
    expect(notes).toContainEqual(
      expect.stringMatching(/webhook of later can take nothing: .*NONE is not set/),
    );
    expect((await call('/webhooks/later', { method: 'POST', body: '{}' })).status).toBe(503);
  });

  test('is alive, and knows no other place', async () => {
    expect(await call('/healthz')).toMatchObject({ status: 200, body: { ok: true } });
    for (const path of ['/', '/webhooks/nobody', '/v2/replies']) expect((await call(path)).status).toBe(404);
    expect((await call('/v1/replies', { headers: good })).status).toBe(405);
  });

  test('without a token for it has no API', async () => {
    const app = createApp({ replies, webhooks: new Map(), onFailure: () => {} });
    const init = { method: 'POST', headers: good, body: '{}' };
    expect((await app.request('/v1/replies', init)).status).toBe(404);
  });
});
