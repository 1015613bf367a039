import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { payloadCodec } from '../../client/index.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type RunningCli, runCli, startCli } from './run-cli.ts';

const origin = 'http://127.0.0.1:8233';
const token = 'the-token-of-the-codec-server';
const key = Buffer.alloc(32, 9);
const codec = payloadCodec({ writeKey: 'one', keys: new Map([['one', key]]) });
const foreign = payloadCodec({ writeKey: 'two', keys: new Map([['two', Buffer.alloc(32, 8)]]) });
const plain = defaultPayloadConverter.toPayload({ text: 'The code of your safe' });

const folder = mkdtempSync(join(tmpdir(), 'replylane-codec-'));
const env = { REPLYLANE_CONFIG: join(folder, 'config.json'), KEY_ONE: key.toString('base64') };
let server: RunningCli;
let url: string;

beforeAll(async () => {
  const bots = { support: { contract: 'telegram', tokenEnv: 'SUPPORT_TOKEN' } };
  const encryption = { writeKey: 'one', keys: { one: { keyEnv: 'KEY_ONE' } } };
  writeFileSync(env.REPLYLANE_CONFIG, JSON.stringify({ bots, encryption }));
  writeFileSync(join(folder, 'plain.json'), JSON.stringify({ bots }));
  writeFileSync(join(folder, 'token'), `${token}\n`);
  const args = ['--origin', origin, '--port', '0', '--token-file', join(folder, 'token')];
  server = startCli(['--json', 'codec-server', ...args], { env });
  await waitUntil(() => server.stdout().includes('\n'), { withinMs: 60_000, what: () => server.stderr() });
  ({ url } = JSON.parse(server.stdout()) as { url: string });
});
afterAll(async () => {
  server?.child.kill('SIGTERM');
  expect(await server?.ended).toMatchObject({ code: 0 });
  rmSync(folder, { recursive: true, force: true });
});

const inJson = ({ metadata, data }: Payload) => ({
  metadata: Object.fromEntries(
    Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
  ),
  data: Buffer.from(data ?? []).toString('base64'),
});

function decode(body: unknown, headers: Readonly<Record<string, string>> = {}, path = '/decode') {
  return fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, origin, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

describe('the codec server', () => {
  test('decodes what is encrypted, and lets pass what is not, in their order', async () => {
    const payloads = [plain, ...(await codec.encode([plain])), plain].map(inJson);
    const answer = await decode({ payloads });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ payloads: [inJson(plain), inJson(plain), inJson(plain)] });
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('answers the question that a browser asks first, without a token', async () => {
    const headers = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,x-namespace,authorization',
    };
    const answer = await fetch(`${url}/decode`, { method: 'OPTIONS', headers });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('x-namespace');
    expect(answer.headers.get('access-control-allow-methods')).toContain('POST');
  });

  test('refuses pages of another origin, and who has no token', async () => {
    const payloads = (await codec.encode([plain])).map(inJson);
    const elsewhere = await decode({ payloads }, { origin: 'http://evil.example' });
    expect(elsewhere.status).toBe(403);
    expect(elsewhere.headers.get('access-control-allow-origin')).toBeNull();
    for (const authorization of ['', 'Bearer another', token])
      expect((await decode({ payloads }, { authorization })).status).toBe(401);
  });

  test('a key that is not here is named', async () => {
    const answer = await decode({ payloads: (await foreign.encode([plain])).map(inJson) });
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain('is encrypted with the key \\"two\\"');
  });

  test.each(['', '{', '[]', '{"payloads":[{"data":"%"}]}', '{"payloads":{}}'])(
    'a body that is no list of payloads is refused: %j',
    async (body) => expect((await decode(body)).status).toBe(400),
  );

  test('does not encode, and decodes by POST only', async () => {
    expect((await decode({ payloads: [] }, {}, '/encode')).status).toBe(404);
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${url}/decode`, { headers })).status).toBe(405);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  test('writes neither what it decoded nor a token or key', () => {
    const said = server.stdout() + server.stderr();
    for (const secret of ['The code of your safe', token, env.KEY_ONE]) expect(said).not.toContain(secret);
  });
});

describe('the codec server does not start', () => {
  test.each<[string, readonly string[], Readonly<Record<string, string>>, RegExp]>([
    ['for all, without a token', ['--origin', origin, '--host', '0.0.0.0'], {}, /--host: everybody/],
    ['with an address for an origin', ['--origin', `${origin}/x`], {}, /--origin: must be/],
    ['without an origin', [], {}, /--origin/],
    ['without its key', ['--origin', origin], { KEY_ONE: 'x' }, /encryption\.keys\.one: is no key/],
    [
      'where nothing is encrypted',
      ['--origin', origin],
      { REPLYLANE_CONFIG: join(folder, 'plain.json') },
      /no "encryption"/,
    ],
  ])('%s', async (_, args, over, words) => {
    const ended = await runCli(['codec-server', '--port', '0', ...args], { env: { ...env, ...over } });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(words);
  });
});
