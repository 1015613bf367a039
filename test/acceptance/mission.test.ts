import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cooldownWorkflowId } from '../../domain/ids.ts';
import { startDevServer } from '../../tools/temporal/launcher.ts';
import { freePort } from '../../tools/temporal/free-port.ts';
import {
  cancelReplyUpdate,
  cancelSignal,
  decideReplyUpdate,
  extendCooldownSignal,
} from '../../workflows/protocol.ts';
import {
  type Arrival,
  duplicates,
  earlyArrivals,
  step,
  unsafeRepeats,
} from '../support/fake-service/index.ts';
import { Rig, textReply } from '../support/rig/rig.ts';

const who = { by: 'anna', reason: 'a check' };
const heldPauseMs = 3000;

let rig: Rig;
let port: number;
let folder: string;
let dbFilename: string;

beforeAll(async () => {
  port = await freePort('127.0.0.1');
  folder = await mkdtemp(join(tmpdir(), 'replylane-mission-'));
  dbFilename = join(folder, 'temporal.db');
  rig = await Rig.start({
    workers: 2,
    server: { port, dbFilename },
    bots: {
      shared: {},
      restarted: {},
      rising: {},
      falling: {},
      missing: { settings: { heldPauseMs } },
      cancelled: {},
      lost: { settings: { httpTimeoutMs: 1500 } },
    },
  });
});

afterAll(async () => {
  expect(rig.fake.problems).toEqual([]);
  // Whatever became of the answers: no message twice, and no gamble on one.
  expect(duplicates(rig.fake.stored())).toEqual([]);
  await rig.close();
  await rm(folder, { recursive: true, force: true });
});

function arrivalsOf(bot: string): readonly Arrival[] {
  return rig.fake.arrivals.filter((arrival) => arrival.bot === bot);
}

/** The deadline that the lane has saved, on the fake's clock; the lane's own is the wall clock of this machine. */
async function savedDeadlineMs(bot: string): Promise<number> {
  const { notBefore } = await rig.lane(bot);
  if (notBefore === null) throw new Error(`the lane of ${bot} is not cooling down`);
  return Date.parse(notBefore) - Date.now() + performance.now();
}

/** What left after that many requests left at the saved deadline or later; two readings of clocks may differ a little. */
function expectNoneBefore(deadlineMs: number, bot: string, alreadySent: number): void {
  for (const { atMs } of arrivalsOf(bot).slice(alreadySent)) expect(atMs).toBeGreaterThan(deadlineMs - 20);
  expect(earlyArrivals(arrivalsOf(bot), rig.fake.deadlines)).toEqual([]);
}

/** Both are under way before either is answered; the first answer names the first delay. */
async function twoFloods(bot: string, firstSeconds: number, secondSeconds: number): Promise<void> {
  await rig.start(textReply(bot, 'opening', 1));
  expect(await rig.result(bot, 'opening')).toMatchObject({ state: 'sent' });
  rig.fake.script(bot, { chat: 11 }, { ...step.tooManyRequests(firstSeconds), holdMs: 3000 });
  rig.fake.script(bot, { chat: 12 }, { ...step.tooManyRequests(secondSeconds), holdMs: 4000 });
  await Promise.all([rig.start(textReply(bot, 'a', 11)), rig.start(textReply(bot, 'b', 12))]);
  await rig.fake.waitFor((fake) => fake.outstanding(bot) === 2);
  await rig.fake.waitFor((fake) => fake.deadlines.filter((deadline) => deadline.bot === bot).length === 2);
  for (const key of ['a', 'b'])
    await rig.until(bot, key, ({ waiting, attempts }) => attempts.length > 0 && waiting !== null);
}

describe.concurrent('what the mission asks for', () => {
  it('two workers sharing one bot', async () => {
    const keys = Array.from({ length: 16 }, (_, i) => `k${i}`);
    rig.fake.script('shared', { after: 3 }, step.flood(10));
    await Promise.all(keys.map((key, i) => rig.start(textReply('shared', key, 100 + i))));
    const { answeredAtMs, untilMs } = await rig.fake.waitFor((fake) =>
      fake.deadlines.find(({ bot }) => bot === 'shared'),
    );
    for (const key of keys) expect(await rig.result('shared', key)).toMatchObject({ state: 'sent' });

    // Both took part, and neither sent before the deadline that one of them had met.
    const identities = new Set<string>();
    for (const key of keys) {
      const { events } = await rig.handle('shared', key).fetchHistory();
      for (const { activityTaskStartedEventAttributes: started } of events ?? [])
        if (started?.identity) identities.add(started.identity);
    }
    expect(identities.size).toBe(2);
    // A claim that was granted before is good for five seconds at most.
    const early = arrivalsOf('shared').filter(({ atMs }) => atMs > answeredAtMs + 5000 && atMs < untilMs);
    expect(early).toEqual([]);
    expect(rig.fake.stored('shared')).toHaveLength(keys.length);
  });

  it('a longer delay arriving after a shorter one and a shorter after a longer', async () => {
    const inBot = async (bot: string, firstSeconds: number, secondSeconds: number): Promise<void> => {
      await twoFloods(bot, firstSeconds, secondSeconds);
      const savedMs = await savedDeadlineMs(bot);
      const latestMs = Math.max(
        ...rig.fake.deadlines.filter((deadline) => deadline.bot === bot).map(({ untilMs }) => untilMs),
      );
      expect(savedMs).toBeGreaterThan(latestMs - 20);
      expect(savedMs).toBeLessThan(latestMs + 2000);
      await rig.start(textReply(bot, 'c', 13));
      for (const key of ['a', 'b', 'c']) expect(await rig.result(bot, key)).toMatchObject({ state: 'sent' });
      expectNoneBefore(savedMs, bot, 3);
    };
    await Promise.all([inBot('rising', 2, 7), inBot('falling', 7, 2)]);
  });

  it('a missing retry_after', async () => {
    rig.fake.script('missing', {}, step.failure(429, 'Too Many Requests: retry after 3'));
    await rig.start(textReply('missing', 'refused', 11));
    const held = await rig.until('missing', 'refused', ({ state }) => state === 'review');
    const savedMs = await savedDeadlineMs('missing');
    await rig.start(textReply('missing', 'next', 12));
    expect(await rig.result('missing', 'next')).toMatchObject({ state: 'sent' });

    expectNoneBefore(savedMs, 'missing', 1);
    // Refused, and a person decides: neither "may have arrived" nor "refused for good".
    expect(held).toMatchObject({ review: { kind: 'held' }, rejection: null, message: null });
    expect(savedMs).toBeGreaterThan((arrivalsOf('missing')[0]?.answeredAtMs ?? Infinity) + heldPauseMs - 20);
  });

  it('a cancellation while waiting', async () => {
    rig.fake.script('cancelled', {}, step.flood(12));
    await rig.start(textReply('cancelled', 'first', 11));
    await rig.until('cancelled', 'first', ({ waiting }) => waiting?.why === 'cooldown');
    const savedMs = await savedDeadlineMs('cancelled');
    await rig.start(textReply('cancelled', 'asked', 11));
    await rig.start(textReply('cancelled', 'told', 12));
    await rig.start(textReply('cancelled', 'stays', 11));
    for (const key of ['asked', 'told', 'stays'])
      await rig.until('cancelled', key, ({ waiting }) => waiting?.why === 'cooldown');

    const answer = await rig.handle('cancelled', 'asked').executeUpdate(cancelReplyUpdate, { args: [who] });
    expect(answer).toMatchObject({ kind: 'cancelled', reply: { state: 'cancelled', attempts: [] } });
    await rig.handle('cancelled', 'told').signal(cancelSignal, who);
    expect(await rig.result('cancelled', 'told')).toMatchObject({
      state: 'cancelled',
      decision: { decision: 'cancel', ...who },
    });
    const met = await rig.handle('cancelled', 'first').executeUpdate(cancelReplyUpdate, { args: [who] });
    expect(met).toMatchObject({ kind: 'cancelled', reply: { attempts: [{ outcome: 'flood' }] } });
    // A cancelled reply holds nobody up.
    expect(await rig.result('cancelled', 'stays')).toMatchObject({ state: 'sent' });
    expectNoneBefore(savedMs, 'cancelled', 1);
    expect(arrivalsOf('cancelled').map(({ text }) => text)).toEqual(['first', 'stays']);
  });

  it('a lost send response', async () => {
    const bot = 'lost';
    await rig.start(textReply(bot, 'opening', 1));
    expect(await rig.result(bot, 'opening')).toMatchObject({ state: 'sent' });
    rig.fake.script(bot, { chat: 11 }, step.silence({ store: true }));
    rig.fake.script(bot, { chat: 12 }, step.silence({ store: false }));
    rig.fake.script(bot, { chat: 13 }, step.badRequest());
    for (const chat of [11, 12, 13]) await rig.start(textReply(bot, `k${chat}`, chat));
    // Uncertain: open, and in front of a person, whether or not it arrived. Failed: closed, with its reason.
    for (const key of ['k11', 'k12']) {
      const record = await rig.until(bot, key, ({ state }) => state === 'review');
      expect(record).toMatchObject({ review: { kind: 'unknown', attempt: 1 }, rejection: null });
      expect(record.attempts).toMatchObject([{ outcome: 'unknown', progress: 'written', httpStatus: null }]);
    }
    expect(await rig.result(bot, 'k13')).toMatchObject({
      state: 'rejected',
      review: null,
      rejection: { kind: 'request' },
    });
    // A person's decision to send again goes through the same gate.
    await rig.client.workflow
      .getHandle(cooldownWorkflowId(bot))
      .signal(extendCooldownSignal, { seconds: 4, ...who });
    const savedMs = await savedDeadlineMs(bot);
    const resend = { attempt: 1, decision: 'resend' as const, ...who };
    await rig.handle(bot, 'k12').executeUpdate(decideReplyUpdate, { args: [resend] });
    expect(await rig.result(bot, 'k12')).toMatchObject({ state: 'sent' });
    expectNoneBefore(savedMs, bot, 4);
    // The other was never repeated, and still waits for a person.
    expect((await rig.record(bot, 'k11')).state).toBe('review');
    expect(unsafeRepeats(arrivalsOf(bot)).map(({ key }) => key)).toEqual([`${bot} 12 k12`]);
  });
});

// By itself: the other cases would lose their attempts with the workers.
describe('what the mission asks for, through a crash of everything', () => {
  it('a restart during a cooldown', async () => {
    rig.fake.script('restarted', {}, step.flood(12));
    await rig.start(textReply('restarted', 'first', 11));
    await rig.until('restarted', 'first', ({ waiting }) => waiting?.why === 'cooldown');
    await rig.start(textReply('restarted', 'second', 12));
    await rig.until('restarted', 'second', ({ waiting }) => waiting?.why === 'cooldown');
    const savedMs = await savedDeadlineMs('restarted');

    await Promise.all(rig.workers.map((worker) => worker.kill()));
    await rig.server.kill();
    rig.server = await startDevServer({ port, dbFilename });
    await Promise.all([rig.addWorker(), rig.addWorker()]);
    expect(await savedDeadlineMs('restarted')).toBeCloseTo(savedMs, -2);
    await rig.start(textReply('restarted', 'third', 13));
    for (const key of ['first', 'second', 'third'])
      expect(await rig.result('restarted', key)).toMatchObject({ state: 'sent' });
    expectNoneBefore(savedMs, 'restarted', 1);
    expect(arrivalsOf('restarted')).toHaveLength(4);
    expect((await rig.result('restarted', 'first')).attempts).toMatchObject([
      { outcome: 'flood' },
      { outcome: 'sent' },
    ]);
  });
});
