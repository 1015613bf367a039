import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type FakeTelegram,
  type FullListener,
  type ResettingListener,
  duplicates,
  startFakeTelegram,
  startFullListener,
  startResettingListener,
} from '../support/fake-service/index.ts';
import { Rig, textReply } from '../support/rig/rig.ts';

/** One attempt is all that the budget allows: an `unreached` that were counted would end in review. */
const settings = { maxAttempts: 1, unreachedBackoffMinMs: 100, unreachedBackoffMaxMs: 400 };
let rig: Rig;
let full: FullListener;
let onAccept: ResettingListener;
let inHandshake: ResettingListener;

beforeAll(async () => {
  [full, onAccept, inHandshake] = await Promise.all([
    startFullListener(),
    startResettingListener('on_accept'),
    startResettingListener('in_handshake'),
  ]);
  rig = await Rig.start({
    bots: {
      refused: { settings },
      dns: { settings: { ...settings, apiRoot: 'https://nosuch.invalid' } },
      full: { settings: { ...settings, apiRoot: full.apiRoot, connectTimeoutMs: 500 } },
      'tcp-reset': { settings: { ...settings, apiRoot: onAccept.apiRoot } },
      'tls-reset': { settings: { ...settings, apiRoot: inHandshake.apiRoot } },
    },
  });
});

afterAll(async () => {
  expect(rig.fake.problems).toEqual([]);
  expect(duplicates(rig.fake.stored())).toEqual([]);
  await Promise.all([rig.close(), onAccept.stop(), inHandshake.stop()]);
});

/** Waits until the reply has failed to reach the service three times, and checks that nothing else is said of it. */
async function untilUnreached(bot: string, key: string): Promise<void> {
  const record = await rig.until(bot, key, ({ attempts }) => attempts.length >= 3);
  expect(record.review).toBeNull();
  expect(['waiting', 'sending']).toContain(record.state);
  for (const attempt of record.attempts)
    expect(attempt).toMatchObject({ outcome: 'unreached', progress: 'not_connected', httpStatus: null });
}

async function expectSent(bot: string, key: string, fake: FakeTelegram): Promise<void> {
  const record = await rig.result(bot, key);
  expect(record.state).toBe('sent');
  expect(record.attempts.at(-1)).toMatchObject({ outcome: 'sent', progress: 'answered', httpStatus: 200 });
  expect(record.attempts.slice(0, -1).every(({ outcome }) => outcome === 'unreached')).toBe(true);
  expect(fake.arrivals.filter(({ text }) => text === key)).toHaveLength(1);
}

describe('U3: proof that nothing was written', () => {
  it.concurrent(
    'T8: connection refused, as in the first seconds of a start: not counted, and sent when the service is up',
    async () => {
      rig.fake.refuse();
      await rig.start(textReply('refused', 'refused', 1));
      await untilUnreached('refused', 'refused');
      await rig.fake.accept();
      await expectSent('refused', 'refused', rig.fake);
    },
  );

  it.concurrent('connect time-out: not counted, and sent when the service accepts again', async () => {
    await rig.start(textReply('full', 'full', 2));
    await untilUnreached('full', 'full');
    const { port } = new URL(full.apiRoot);
    await full.stop();
    const fake = await startFakeTelegram({
      bots: { [Rig.tokenOf('full')]: { name: 'full' } },
      port: Number(port),
    });
    try {
      await expectSent('full', 'full', fake);
    } finally {
      await fake.stop();
    }
  });

  it('DNS failure, and resets before and within TLS: not counted, and sent once the root is right', async () => {
    const bots = ['dns', 'tcp-reset', 'tls-reset'];
    for (const [i, bot] of bots.entries()) await rig.start(textReply(bot, `from-${bot}`, 10 + i));
    for (const bot of bots) await untilUnreached(bot, `from-${bot}`);
    expect(onAccept.connections).toBeGreaterThanOrEqual(3);
    expect(inHandshake.connections).toBeGreaterThanOrEqual(3);
    for (const bot of bots) await rig.configure(bot, { ...settings, apiRoot: rig.fake.apiRoot });
    await rig.restartWorkers();
    for (const bot of bots) await expectSent(bot, `from-${bot}`, rig.fake);
  });
});
