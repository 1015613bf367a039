import { writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServeProcess, deliver, startServe, telegramUpdate } from '../cli/serve-process.ts';
import { type FakeTelegram, startFakeTelegram } from '../support/fake-service/index.ts';
import { Rig, textReply } from '../support/rig/rig.ts';
import { waitUntil } from '../support/wait-until.ts';

const oldToken = '700000001:TEST-TOKEN-before-abcdefghijklmnopqrstu';
const newToken = '700000002:TEST-TOKEN-after-abcdefghijklmnopqrstuv';
const hook = 'the-secret_of-the-webhook';
const limits = { bot: [{ limit: 30, perMs: 1000 }] };

let rig: Rig;
let app: ServeProcess;
let fake: FakeTelegram;

beforeAll(async () => {
  fake = await startFakeTelegram({ bots: { [oldToken]: { name: 'before' }, [newToken]: { name: 'after' } } });
  rig = await Rig.start({ workers: 0, bots: { support: {}, later: {} } });
  await put('token', oldToken);
  await config({ support: bot() });
  await rig.addWorker({ REPLYLANE_LOG: 'json' });
  app = await startServe({ ...rig.env(), HOOK_SECRET: hook });
});
afterAll(async () => {
  app?.child.kill('SIGKILL');
  await app?.ended.catch(() => {});
  await rig?.close();
  await fake?.stop();
});

/** Written beside it and renamed into place, so that nobody reads a half. */
async function put(name: string, text: string): Promise<void> {
  const path = join(rig.folder, name);
  writeFileSync(`${path}.new`, text);
  await rename(`${path}.new`, path);
}
const config = (bots: unknown) => put('replylane.config.json', JSON.stringify({ bots }));
const bot = (settings: Readonly<Record<string, unknown>> = {}) => ({
  contract: 'telegram',
  tokenFile: 'token',
  apiRoot: fake.apiRoot,
  limits,
  ...settings,
});
const output = (): string => rig.workers[0]?.output() ?? '';
const both = () => [output(), app.stderr()];

async function said(words: string): Promise<void> {
  await waitUntil(() => both().every((text) => text.includes(words)), {
    withinMs: 60_000,
    what: () => `"${words}" in ${both().join('\n---\n')}`,
  });
}

describe('while a worker and serve run', () => {
  it('a token that was changed is used from then on', async () => {
    await rig.start(textReply('support', 'first', 1));
    expect(await rig.result('support', 'first')).toMatchObject({ state: 'sent' });
    expect(fake.stored('before')).toHaveLength(1);
    await put('token', newToken);
    let count = 0;
    await waitUntil(
      async () => {
        const key = `rotated-${++count}`;
        await rig.start(textReply('support', key, 1));
        expect(await rig.result('support', key)).toMatchObject({ state: 'sent' });
        return fake.stored('after').length > 0;
      },
      { withinMs: 60_000, what: () => 'a message by the new token' },
    );
  });

  it('a bot that is added, and another limit, are in force from then on', async () => {
    const paced = { limits: { bot: [{ limit: 7, perMs: 1000 }] } };
    await config({ support: bot(paced), later: bot({ webhookSecretEnv: 'HOOK_SECRET' }) });
    await said('has changed and is in force now');
    await rig.start(textReply('later', 'new-bot', 2));
    expect(await rig.result('later', 'new-bot')).toMatchObject({ state: 'sent' });
    await rig.start(textReply('support', 'paced', 3));
    await rig.result('support', 'paced');
    expect(JSON.stringify((await rig.lane('support')).policy)).toContain('{"limit":7,"perMs":1000}');
    const webhook = `${app.url}/webhooks/later`;
    expect(await deliver(webhook, hook, telegramUpdate(1, 4, 'hello'))).toBe(200);
    expect(await rig.result('later', 'upd-1-reply')).toMatchObject({ state: 'sent' });
  });

  it.each([
    ['that is no JSON', () => put('replylane.config.json', '{'), 'not valid JSON'],
    ['with a wrong field', () => config({ support: bot({ maxFloods: 'many' }) }), 'maxFloods'],
    [
      'whose key of payloads is missing',
      () =>
        put(
          'replylane.config.json',
          JSON.stringify({
            bots: { support: bot() },
            encryption: { writeKey: 'a', keys: { a: { keyFile: 'none' } } },
          }),
        ),
      'encryption.keys.a',
    ],
  ])('a file %s is refused with an error, and what was in force stays', async (_, change, words) => {
    await change();
    await said(words);
    const line = output()
      .split('\n')
      .filter((text) => text.includes('the change is refused'))
      .at(-1);
    expect(JSON.parse(line ?? '{}')).toMatchObject({ level: 'error', msg: expect.stringContaining(words) });
    const key = `after-${words.replaceAll(/[^a-z]/gi, '')}`;
    await rig.start(textReply('later', key, 5));
    expect(await rig.result('later', key)).toMatchObject({ state: 'sent' });
    expect(output()).not.toContain(newToken);
  });

  it('and the next right one is taken', async () => {
    await config({ support: bot() });
    await waitUntil(() => both().every((text) => text.split('is in force now').length === 3), {
      withinMs: 60_000,
      what: () => both().join('\n---\n'),
    });
    expect(await deliver(`${app.url}/webhooks/later`, hook, telegramUpdate(2, 4, 'hello'))).toBe(404);
  });
});
