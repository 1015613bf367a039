import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { telegramIntake } from '../../client/index.ts';
import { freePort } from '../../tools/temporal/free-port.ts';
import { startDevServer } from '../../tools/temporal/launcher.ts';
import { type ServeProcess, deliver, startServe, telegramUpdate } from '../cli/serve-process.ts';
import { duplicates } from '../support/fake-service/index.ts';
import { Rig, textReply } from '../support/rig/rig.ts';
import { SkippingRig } from '../support/rig/skipping-rig.ts';
import { waitUntil } from '../support/wait-until.ts';

const hook = 'the-secret_of-the-webhook';
const token = 'the-token-of-the-api';
const apps: ServeProcess[] = [];

let rig: Rig;
let port: number;
let folder: string;

beforeAll(async () => {
  port = await freePort('127.0.0.1');
  folder = await mkdtemp(join(tmpdir(), 'replylane-intake-'));
  rig = await Rig.start({
    server: { port, dbFilename: join(folder, 'temporal.db') },
    bots: { support: { settings: { webhookSecretEnv: 'HOOK_SECRET' } } },
  });
  const env = { ...rig.env(), HOOK_SECRET: hook, REPLYLANE_API_TOKEN: token };
  apps.push(...(await Promise.all([startServe(env), startServe(env)])));
});

afterAll(async () => {
  for (const { child } of apps) child.kill('SIGKILL');
  expect(rig.fake.problems).toEqual([]);
  expect(duplicates(rig.fake.stored())).toEqual([]);
  await rig.close();
  await rm(folder, { recursive: true, force: true });
});

const webhookOf = (app: ServeProcess | undefined): string => `${app?.url}/webhooks/support`;
const texts = (text: string) => rig.fake.stored('support').filter((message) => message.text === text);

describe('T5: an update that is delivered more than once', () => {
  it('T5: twice at the same time to two app processes, and again when it was sent: one reply', async () => {
    for (let round = 0; round < 10; round++) {
      const update = telegramUpdate(5000 + round, 50 + round, `round ${round}`);
      const both = await Promise.all(apps.map((app) => deliver(webhookOf(app), hook, update)));
      expect(both).toEqual([200, 200]);
      expect(await rig.result('support', `upd-${5000 + round}-reply`)).toMatchObject({ state: 'sent' });
      expect(await deliver(webhookOf(apps[round % 2]), hook, update)).toBe(200);
      expect(texts(`round ${round}`)).toHaveLength(1);
    }
  });

  it('T5: and again after a day: still that one', async () => {
    const later = await SkippingRig.start(inject('timeSkippingServerPath'), { support: {} });
    const intake = telegramIntake({
      bot: 'support',
      secretToken: hook,
      // The time-skipping server knows no search attributes, with which our client starts.
      start: async (_update, { key }) => {
        await later.start(textReply('support', key, 5));
      },
    });
    const once = () =>
      intake(
        new Request('http://127.0.0.1/', {
          method: 'POST',
          headers: { 'x-telegram-bot-api-secret-token': hook },
          body: telegramUpdate(6000, 5, 'hello'),
        }),
      );
    expect((await once()).status).toBe(200);
    await later.until('support', 'upd-6000-reply', ({ state }) => state === 'sent');
    await later.skip(25 * 3_600_000);
    expect((await once()).status).toBe(200);
    expect(intake.counts).toMatchObject({ accepted: 1, duplicates: 1 });
    expect(later.fake.stored('support')).toHaveLength(1);
    await later.close();
  });
});

describe('T7: Temporal is down', () => {
  it('T7: a delivery is not acknowledged, and the next one after it is back makes one reply', async () => {
    const update = telegramUpdate(7000, 70, 'in the outage');
    const headers = { authorization: `Bearer ${token}`, 'idempotency-key': 'outage' };
    const body = JSON.stringify({ bot: 'support', chat: 71, text: 'by the API' });
    const byApi = async (): Promise<number> =>
      (await fetch(`${apps[0]?.url}/v1/replies`, { method: 'POST', headers, body })).status;

    await rig.server.kill();
    const startedMs = performance.now();
    const statuses = Promise.all([...apps.map((app) => deliver(webhookOf(app), hook, update)), byApi()]);
    expect(await statuses).toEqual([503, 503, 503]);
    // A service gives up on a webhook after some tens of seconds.
    expect(performance.now() - startedMs).toBeLessThan(15_000);

    rig.server = await startDevServer({ port, dbFilename: join(folder, 'temporal.db') });
    const redelivered = async (): Promise<boolean> =>
      (await deliver(webhookOf(apps[1]), hook, update)) === 200 && (await byApi()) === 202;
    await waitUntil(redelivered, { withinMs: 60_000, what: () => 'a redelivery to be acknowledged' });
    for (const app of apps) expect(await deliver(webhookOf(app), hook, update)).toBe(200);
    for (const key of ['upd-7000-reply', 'outage'])
      expect(await rig.result('support', key)).toMatchObject({ state: 'sent' });
    expect([texts('in the outage').length, texts('by the API').length]).toEqual([1, 1]);
  }, 120_000);
});
