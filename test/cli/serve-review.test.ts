import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ReplyClient } from '../../client/index.ts';
import { step } from '../support/fake-service/index.ts';
import { Rig } from '../support/rig/rig.ts';
import { runCli } from './run-cli.ts';
import { type ServeProcess, startServe } from './serve-process.ts';

const password = 'the-password-of-ana';
const authorization = `Basic ${Buffer.from(`ana:${password}`).toString('base64')}`;
const folder = mkdtempSync(join(tmpdir(), 'replylane-cli-review-'));
const reviewersFile = join(folder, 'reviewers');

let rig: Rig;
let replies: ReplyClient;
let server: ServeProcess;
beforeAll(async () => {
  writeFileSync(reviewersFile, `ana:${password}\n`);
  rig = await Rig.start({ bots: { support: {} } });
  replies = new ReplyClient(rig.client);
  server = await startServe(rig.env(), ['--review-decide', '--reviewers-file', reviewersFile]);
});
afterAll(async () => {
  server.child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
  await rig.close();
});

/** A reply under review: the service took the message, and the answer was lost. */
async function doubtful(key: string, chat: number): Promise<void> {
  rig.fake.script('support', { chat }, step.resetAfterBody({ store: true }));
  const handle = await replies.send({ bot: 'support', chat, text: 'words of the reply' }, { key });
  expect(await handle.result({ timeoutMs: 30_000 })).toMatchObject({ state: 'review' });
}

async function open(url: string, init: RequestInit = {}) {
  const headers = { authorization, ...(init.headers as Record<string, string>) };
  const response = await fetch(url, { redirect: 'manual', ...init, headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('serve --review-decide', () => {
  test('takes a decision on a page, in the name of who logged in, and sends nothing again', async () => {
    await doubtful('page-1', 71);
    const page = `${server.url}/review`;
    const list = await open(page);
    expect(list.text).toContain('?reply=support%2Fpage-1');
    const form = await open(`${page}?reply=support%2Fpage-1`);
    expect(form.text).not.toContain('words of the reply');
    const [, token = ''] = /name="token" value="([^"]+)"/.exec(form.text) ?? [];
    const body = new URLSearchParams({
      token,
      attempt: '1',
      decision: 'sent',
      reason: 'seen',
      by: 'mallory',
    });
    const origin = { origin: server.url };
    const stolen = await open(`${page}?reply=support%2Fpage-1`, {
      method: 'POST',
      headers: { origin: 'https://evil.example' },
      body,
    });
    expect(stolen.status).toBe(403);
    const decided = await open(`${page}?reply=support%2Fpage-1`, { method: 'POST', headers: origin, body });
    expect([decided.status, decided.headers.get('location')]).toEqual([
      303,
      '?reply=support%2Fpage-1&said=decided',
    ]);
    expect(await rig.result('support', 'page-1')).toMatchObject({
      state: 'sent',
      decision: { decision: 'sent', by: 'ana', reason: 'seen', via: 'review page' },
    });
    body.set('reason', 'another');
    const stale = await open(`${page}?reply=support%2Fpage-1`, { method: 'POST', headers: origin, body });
    expect([stale.status, stale.text.includes('is sent now')]).toEqual([409, true]);
    expect(rig.fake.arrivals.filter(({ text }) => text === 'words of the reply')).toHaveLength(1);
  });

  test('shows the lanes of the configured bots', async () => {
    const { status, text } = await open(`${server.url}/review?view=lanes`);
    expect(status).toBe(200);
    expect(text).toMatch(/support[\s\S]*open/);
  });

  test('lets nobody in without their password, nor once they are taken out of the file', async () => {
    const page = `${server.url}/review`;
    const stranger = await fetch(page);
    expect([stranger.status, stranger.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringMatching(/^Basic /),
    ]);
    writeFileSync(reviewersFile, 'bob:the-password-of-bob\n');
    expect((await open(page)).status).toBe(401);
    writeFileSync(reviewersFile, `ana:${password}\n`);
    expect((await open(page)).status).toBe(200);
    expect(server.stdout() + server.stderr()).not.toContain(password);
  });
});

describe('a serve', () => {
  test('with --review shows, and takes no decision', async () => {
    await doubtful('page-2', 72);
    const other = await startServe({ ...rig.env(), REPLYLANE_REVIEWERS: `ana:${password}` }, ['--review']);
    expect(JSON.parse(other.stdout())).toMatchObject({ review: '/review' });
    const shown = await open(`${other.url}/review?reply=support%2Fpage-2`);
    expect([shown.status, shown.text.includes('<form method="post"')]).toEqual([200, false]);
    const body = new URLSearchParams({ attempt: '1', decision: 'sent', reason: 'r' });
    const headers = { origin: other.url };
    const refused = await open(`${other.url}/review?reply=support%2Fpage-2`, {
      method: 'POST',
      headers,
      body,
    });
    expect(refused.status).toBe(403);
    expect(await replies.status('support/page-2')).toMatchObject({ state: 'review' });
    other.child.kill('SIGTERM');
    expect((await other.ended).code).toBe(0);
  });

  test('has no review page unless it is asked for, and none without people', async () => {
    const bare = await startServe(rig.env());
    expect((await open(`${bare.url}/review`)).status).toBe(404);
    bare.child.kill('SIGTERM');
    expect((await bare.ended).code).toBe(0);
    for (const args of [['--review'], ['--review-decide'], ['--review-content']]) {
      const end = await runCli(['serve', '--port', '0', ...args], { env: rig.env() });
      expect([args, end.code, end.stderr]).toEqual([args, 2, expect.stringMatching(/review/)]);
    }
  });
});
