import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { cooldownWorkflowId } from '../../domain/ids.ts';
import type { Ask, Verdict } from '../../domain/lane/messages.ts';
import { claimUpdate, reportSignal } from '../../workflows/protocol.ts';
import { type FakeQivuna, startFakeQivuna } from '../support/fake-service/fake-qivuna.ts';
import { step } from '../support/fake-service/index.ts';
import * as qivuna from '../support/fake-service/qivuna-steps.ts';
import { textReply } from '../support/rig/rig.ts';
import { SkippingRig } from '../support/rig/skipping-rig.ts';

const who = { by: 'ann', reason: 'test' };
const bots = ['old', 'crowd', 'pause'];
let rig: SkippingRig;
let fake: FakeQivuna;

beforeAll(async () => {
  let clock = (): number | Promise<number> => Date.now();
  fake = await startFakeQivuna({
    bots: Object.fromEntries(bots.map((name) => [SkippingRig.tokenOf(name), { name }])),
    nowMs: () => clock(),
  });
  const settings = {
    contract: 'qivuna',
    apiRoot: fake.apiRoot,
    httpTimeoutMs: 1500,
    connectTimeoutMs: 1000,
    limits: 'none',
    maxOutstanding: 1000,
  };
  rig = await SkippingRig.start(inject('timeSkippingServerPath'), {
    // Few repetitions in an hour; and one that is a minute away, time enough for others.
    old: { ...settings, unreachedBackoffMaxMs: 600_000 },
    crowd: { ...settings, unreachedBackoffMinMs: 25_000 },
    pause: settings,
  });
  clock = () => rig.nowMs();
});

afterAll(async () => {
  expect(fake.problems).toEqual([]);
  await rig.close();
  await fake.stop();
});

const arrivalsOf = (bot: string) => fake.arrivals.filter((arrival) => arrival.bot === bot);

describe('K2: past its protection nothing is repeated by itself', () => {
  it('61 minutes later, for the service could not be reached: unknown, and a person’s resend goes with the same key', async () => {
    fake.script('old', step.silence({ store: true }));
    await rig.start(textReply('old', 'k', 1));
    await rig.until(
      'old',
      'k',
      ({ waiting, attempts }) => attempts.length === 1 && waiting?.why === 'backoff',
    );
    fake.refuse();
    await rig.skip(61 * 60_000);
    await fake.accept();
    // Its next try may be ten minutes away.
    await rig.skip(10 * 60_000);
    const record = await rig.until('old', 'k', ({ state }) => state === 'review');
    expect(record.review).toMatchObject({ kind: 'unknown' });
    expect(record.review?.evidence).toMatch(/attempt 1 may have arrived .* protects a repetition no longer/);
    expect(arrivalsOf('old')).toHaveLength(1);

    const handle = rig.client.workflow.getHandle('reply:old:k');
    await handle.signal('decide', { attempt: record.attempts.length, decision: 'resend', ...who });
    await rig.until('old', 'k', ({ state }) => state === 'sent');
    expect(arrivalsOf('old').map(({ idempotencyKey }) => idempotencyKey)).toEqual(['k', 'k']);
    // Its answer had been forgotten: this is what the person was told.
    expect(fake.stored('old')).toHaveLength(2);
  }, 120_000);

  it('after 1,000 other claims of the bot: unknown', async () => {
    fake.script('crowd', step.silence({ store: true }));
    await rig.start(textReply('crowd', 'k', 1));
    await rig.until(
      'crowd',
      'k',
      ({ waiting, attempts }) => attempts.length === 1 && waiting?.why === 'backoff',
    );
    const lane = rig.client.workflow.getHandle(cooldownWorkflowId('crowd'));
    // The first alone: after an attempt that told nothing, one request goes before the others.
    for (let batch = 0; batch <= 10; batch++) {
      const asks = Array.from({ length: batch === 0 ? 1 : 100 }, (_, i): Ask => {
        const reply = `other-${batch}-${i}`;
        const fixed = { chatKind: 'chat', weight: 1, class: 'reply', attempt: 1 } as const;
        return { ...fixed, reply, run: 'r', nonce: 'n', chat: reply, scheduledAtMs: Date.now() + 3e9 };
      });
      const policy = {
        bot: [],
        chat: [],
        group: [],
        maxOutstanding: 1000,
        heldPauseMs: 1000,
        answerBoundMs: 6500,
      };
      const verdicts = (await lane.executeUpdate(claimUpdate, { args: [{ policy, asks }] })) as Verdict[];
      expect(new Set(verdicts.map(({ kind }) => kind))).toEqual(new Set(['go']));
      await lane.signal(
        reportSignal,
        asks.map(({ reply, attempt, nonce, chat }) => ({
          reply,
          attempt,
          nonce,
          chat,
          outcome: 'sent' as const,
          ageMs: 0,
        })),
      );
    }
    const record = await rig.until(
      'crowd',
      'k',
      ({ state }) => state === 'review' || state === 'sent',
      60_000,
    );
    expect(record.review).toMatchObject({ kind: 'unknown', attempt: 1 });
    expect(record.review?.evidence).toMatch(/protects a repetition no longer/);
    expect(arrivalsOf('crowd')).toHaveLength(1);
  }, 120_000);
});

it('K5: paused three times: 1, 2 and 4 minutes, each with the same key, then sent', async () => {
  fake.script('pause', [qivuna.platformPaused(), qivuna.platformPaused(), qivuna.platformPaused()]);
  await rig.start(textReply('pause', 'k', 1));
  for (const [i, minutes] of [1, 2, 4].entries()) {
    await rig.until(
      'pause',
      'k',
      ({ attempts, waiting }) => attempts.length === i + 1 && waiting?.why === 'cooldown',
    );
    expect((await rig.lane('pause')).reason).toBe('service_paused');
    await rig.skip(minutes * 60_000 + 3000);
  }
  const record = await rig.until('pause', 'k', ({ state }) => state === 'sent');
  expect(record.attempts.map(({ outcome }) => outcome)).toEqual(['paused', 'paused', 'paused', 'sent']);
  const arrivals = arrivalsOf('pause');
  expect(new Set(arrivals.map(({ idempotencyKey }) => idempotencyKey))).toEqual(new Set(['k']));
  const gapsMs = arrivals.slice(1).map(({ atMs }, i) => atMs - (arrivals[i]?.answeredAtMs ?? 0));
  for (const [i, minutes] of [1, 2, 4].entries()) expect(gapsMs[i]).toBeGreaterThanOrEqual(minutes * 60_000);
});
