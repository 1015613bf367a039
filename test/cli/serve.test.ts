import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Rig } from '../support/rig/rig.ts';
import { waitUntil } from '../support/wait-until.ts';
import { runCli } from './run-cli.ts';
import { type ServeProcess, deliver, startServe, telegramUpdate } from './serve-process.ts';

const hook = 'the-secret_of-the-webhook';
const token = 'the-token-of-the-api';
const folder = mkdtempSync(join(tmpdir(), 'replylane-cli-serve-'));
const tokenFile = join(folder, 'api-token');

let rig: Rig;
let server: ServeProcess;
beforeAll(async () => {
  writeFileSync(tokenFile, `${token}\n`);
  rig = await Rig.start({
    bots: { support: { settings: { webhookSecretEnv: 'HOOK_SECRET' } }, quiet: {} },
  });
  server = await startServe(env(), ['--api-token-file', tokenFile]);
});
afterAll(async () => {
  server.child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
  await rig.close();
});

const env = () => ({ ...rig.env(), HOOK_SECRET: hook });
const texts = () => rig.fake.stored('support').map(({ text }) => text);
const authorization = `Bearer ${token}`;

async function call(path: string, init: RequestInit = {}) {
  const response = await fetch(server.url + path, { headers: { authorization }, ...init });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
const post = (key: string, body: unknown) =>
  call('/v1/replies', {
    method: 'POST',
    headers: { authorization, 'idempotency-key': key },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const fieldsOf = ({ body }: { readonly body: Record<string, unknown> }) =>
  (body['problems'] as { readonly field: string }[]).map(({ field }) => field);

describe('serve', () => {
  test('says where it listens, in one document, and is alive', async () => {
    expect(JSON.parse(server.stdout())).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      webhooks: { support: '/webhooks/support' },
    });
    expect(await call('/healthz')).toEqual({ status: 200, body: { ok: true } });
  });

  test('a webhook’s update is answered by its bot, once', async () => {
    const webhook = server.url + (server.webhooks['support'] ?? '');
    const update = telegramUpdate(1044, 7, 'hello');
    expect(await deliver(webhook, 'another', update)).toBe(401);
    for (let i = 0; i < 3; i++) expect(await deliver(webhook, hook, update)).toBe(200);
    expect(await rig.result('support', 'upd-1044-reply')).toMatchObject({ state: 'sent' });
    expect(texts().filter((text) => text === 'hello')).toHaveLength(1);
    expect(await deliver(`${server.url}/webhooks/quiet`, hook, update)).toBe(404);
  });

  test('tells no secret and no text', () => {
    const said = server.stdout() + server.stderr();
    for (const secret of [hook, token, Rig.tokenOf('support'), 'hello']) expect(said).not.toContain(secret);
  });
});

describe('/v1/replies', () => {
  const reply = { bot: 'support', chat: 8, text: 'by the API' };

  test('202: takes a reply over, once for each key, and tells how it is', async () => {
    const first = await post('api-1', reply);
    expect(first).toMatchObject({
      status: 202,
      body: { id: 'support/api-1', workflowId: 'reply:support:api-1', deduplicated: false },
    });
    expect(await post('api-1', reply)).toMatchObject({ status: 202, body: { deduplicated: true } });
    expect(await rig.result('support', 'api-1')).toMatchObject({ state: 'sent' });
    expect(texts().filter((text) => text === 'by the API')).toHaveLength(1);
    const record = await call('/v1/replies/support/api-1');
    expect(record).toMatchObject({ status: 200, body: { id: 'support/api-1', state: 'sent' } });
  });

  test('202: takes the service’s own content, and the rest of a reply', async () => {
    const content = { method: 'sendMessage', params: { chat_id: 9, text: 'own content' } };
    const rest = { class: 'bulk', expiresAt: '2099-01-01T00:00:00Z', reviewIfDelayedOverMs: 60_000 };
    expect((await post('api-2', { bot: 'support', content, ...rest })).status).toBe(202);
    expect(await rig.result('support', 'api-2')).toMatchObject({ state: 'sent' });
  });

  test('409: the key was used for other content', async () => {
    await post('api-3', reply);
    const answer = await post('api-3', { ...reply, text: 'something else' });
    expect([answer.status, fieldsOf(answer)]).toEqual([409, ['Idempotency-Key']]);
  });

  test('422: all problems of a reply at once', async () => {
    const answer = await post('api-4', { bot: 'support', chat: 0, text: '', class: 'slow' });
    expect(answer.status).toBe(422);
    expect(fieldsOf(answer).sort()).toEqual(['chat', 'class', 'text']);
    expect((await post('api-4', { ...reply, bot: 'nobody' })).status).toBe(422);
  });

  test('400, 401, 404, 413: what is no reply, not allowed, not there, too large', async () => {
    expect((await post('api-5', '{"bot":')).status).toBe(400);
    expect((await call('/v1/replies', { method: 'POST', body: '{}' })).status).toBe(400);
    expect((await call('/v1/replies', { method: 'POST', headers: {}, body: '{}' })).status).toBe(401);
    expect((await call('/v1/replies/support/none')).status).toBe(404);
    expect((await post('api-5', 'x'.repeat(1024 * 1024 + 1))).status).toBe(413);
  });
});

describe('a serve', () => {
  test('without a token for it has no API, and says so', async () => {
    const bare = await startServe(env());
    expect(bare.stderr()).toMatch(/\/v1\/replies is off.*REPLYLANE_API_TOKEN/);
    const init = { method: 'POST', headers: { authorization, 'idempotency-key': 'x' }, body: '{}' };
    expect((await fetch(`${bare.url}/v1/replies`, init)).status).toBe(404);
    bare.child.kill('SIGTERM');
    expect((await bare.ended).code).toBe(0);
  });

  test('takes its token from the environment too', async () => {
    const other = await startServe({ ...env(), REPLYLANE_API_TOKEN: token });
    const answer = await fetch(`${other.url}/v1/replies/support/none`, { headers: { authorization } });
    expect(answer.status).toBe(404);
    other.child.kill('SIGINT');
    expect((await other.ended).code).toBe(0);
  });

  test('tells once, not with every delivery, of a secret that is missing, and takes it when it is there', async () => {
    const path = join(folder, 'hook-secret');
    const config = join(folder, 'replylane.config.json');
    const { apiRoot } = rig.sender('support');
    const settings = {
      contract: 'telegram',
      tokenEnv: 'RIG_TOKEN_SUPPORT',
      apiRoot,
      webhookSecretFile: path,
    };
    writeFileSync(config, JSON.stringify({ bots: { support: settings } }));
    const other = await startServe({ ...env(), REPLYLANE_CONFIG: config });
    const webhook = `${other.url}/webhooks/support`;
    for (let id = 0; id < 20; id++)
      expect(await deliver(webhook, hook, telegramUpdate(id, 7, 'hello'))).toBe(503);
    const lines = other.stderr().split('\n');
    expect(lines.filter((line) => line.includes('webhook of support: unavailable'))).toHaveLength(1);
    writeFileSync(path, hook);
    let status = 503;
    await waitUntil(
      async () => (status = await deliver(webhook, hook, telegramUpdate(3001, 7, 'now'))) === 200,
      { withinMs: 20_000, what: () => `the secret to be taken: ${status}` },
    );
    other.child.kill('SIGTERM');
    expect((await other.ended).code).toBe(0);
  });

  test('says what is wrong with its options, and with its port', async () => {
    const missing = ['serve', '--port', '0', '--api-token-file', join(folder, 'none')];
    const end = await runCli(missing, { env: env() });
    expect([end.code, end.stderr]).toEqual([2, expect.stringMatching(/--api-token-file: .*does not exist/)]);
    const taken = await runCli(['serve', '--port', new URL(server.url).port], { env: env() });
    expect([taken.code, taken.stderr]).toEqual([1, expect.stringMatching(/EADDRINUSE.*--port/)]);
  });

  test('that is told to stop ends in order, and what it acknowledged is started', async () => {
    const last = await startServe(env());
    const webhook = `${last.url}/webhooks/support`;
    const ids = Array.from({ length: 20 }, (_, i) => 2000 + i);
    const ends = Promise.allSettled(
      ids.map(async (id) => ({ id, status: await deliver(webhook, hook, telegramUpdate(id, id, 'last')) })),
    );
    await waitUntil(() => isKnown('upd-2000-reply'), { withinMs: 20_000, what: () => 'the first update' });
    last.child.kill('SIGTERM');
    expect((await last.ended).code).toBe(0);
    // One that came too late found nobody, and is delivered again by the service.
    const answered = (await ends).flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
    expect(answered).not.toEqual([]);
    for (const { id, status } of answered) {
      expect(status).toBe(200);
      expect(await isKnown(`upd-${id}-reply`)).toBe(true);
    }
  });
});

async function isKnown(key: string): Promise<boolean> {
  return (await call(`/v1/replies/support/${key}`)).status === 200;
}
