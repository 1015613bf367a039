import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { earlyArrivals, outOfOrder, step, windowViolations } from '../support/fake-service/index.ts';
import type { Arrival } from '../support/fake-service/index.ts';
import { textReply } from '../support/rig/rig.ts';
import { SkippingRig } from '../support/rig/skipping-rig.ts';
import { controlUpdate, extendCooldownSignal } from '../../workflows/protocol.ts';
import { cooldownWorkflowId } from '../../domain/ids.ts';

const hourMs = 3_600_000;
const paced = { bot: [{ limit: 10, perMs: 1000 }] };
const who = { by: 'test', reason: 'a case from the field' };

let rig: SkippingRig;

beforeAll(async () => {
  rig = await SkippingRig.start(inject('timeSkippingServerPath'), {
    once: {},
    count: {},
    again: {},
    vast: {},
    policy: { reviewPolicy: { afterHours: 48, decision: 'not_sent' } },
    backlog: { limits: paced },
  });
});

afterAll(async () => {
  expect(rig.fake.problems).toEqual([]);
  await rig.close();
});

function arrivalsOf(bot: string): readonly Arrival[] {
  return rig.fake.arrivals.filter((arrival) => arrival.bot === bot);
}

describe('waits of hours', () => {
  it('F1: 2282 s, with the worker replaced in the middle: no call before, then one for each reply', async () => {
    rig.fake.script('once', {}, step.flood(2282));
    await rig.start(textReply('once', 'first', 1));
    await rig.until('once', 'first', ({ waiting }) => waiting?.why === 'cooldown');
    await rig.start(textReply('once', 'second', 2));
    await rig.until('once', 'second', ({ waiting }) => waiting?.why === 'cooldown');
    await rig.skip(1_000_000);
    await rig.stopWorker();
    await rig.startWorker();
    await rig.skip(1_270_000);
    expect(arrivalsOf('once')).toHaveLength(1);

    await rig.skip(30_000);
    const first = await rig.until('once', 'first', ({ state }) => state === 'sent');
    const second = await rig.until('once', 'second', ({ state }) => state === 'sent');
    expect(first.attempts.map(({ outcome }) => outcome)).toEqual(['flood', 'sent']);
    expect(second.attempts.map(({ outcome }) => outcome)).toEqual(['sent']);
    expect(earlyArrivals(arrivalsOf('once'), rig.fake.deadlines)).toEqual([]);
    expect(arrivalsOf('once')).toHaveLength(3);
  });

  it('F4: delays that count down mean one and the same instant', async () => {
    const lane = rig.client.workflow.getHandle(cooldownWorkflowId('count'));
    rig.fake.script('count', {}, step.flood(42_371));
    await rig.start(textReply('count', 'k', 1));
    await rig.until('count', 'k', ({ waiting }) => waiting?.why === 'cooldown');
    const shown = [(await rig.lane('count')).notBefore];
    // Only an operator's override makes the sender ask again before the end of the wait.
    for (const seconds of [122, 194]) {
      await rig.skip(
        seconds * 1000 - ((await rig.nowMs()) - (arrivalsOf('count').at(-1)?.answeredAtMs ?? 0)),
      );
      await lane.executeUpdate(controlUpdate, { args: [{ action: 'override', ...who }] });
      await rig.client.workflow.getHandle('reply:count:k').signal('wake');
      await rig.fake.waitFor((fake) => fake.deadlines.length > shown.length + 1);
      await rig.until('count', 'k', ({ attempts }) => attempts.length > shown.length);
      shown.push((await rig.lane('count')).notBefore);
    }
    const announced = rig.fake.deadlines.filter(({ bot }) => bot === 'count');
    for (const [i, seconds] of [42_371, 42_249, 42_055].entries()) {
      // Asking again took a moment, in which the rest of the wait went on.
      expect(announced[i]?.retryAfterSeconds).toBeLessThanOrEqual(seconds);
      expect(announced[i]?.retryAfterSeconds).toBeGreaterThan(seconds - 10);
    }
    const [closedUntil] = shown.map((instant) => Date.parse(instant ?? ''));
    for (const instant of shown)
      expect(Math.abs(Date.parse(instant ?? '') - (closedUntil ?? 0))).toBeLessThan(1500);
    expect((await rig.record('count', 'k')).waiting?.why).toBe('cooldown');
  });

  it('F5: a flood on every call costs one request per deadline, and replies end by expiry', async () => {
    rig.fake.script('again', { times: 'always' }, step.flood(3600));
    const expiresAt = new Date((await rig.nowMs()) + 3.5 * hourMs).toISOString();
    const keys = Array.from({ length: 8 }, (_, i) => `k${i}`);
    for (const [i, key] of keys.entries()) await rig.start(textReply('again', key, 1 + i, { expiresAt }));
    for (const key of keys) await rig.until('again', key, ({ waiting }) => waiting?.why === 'cooldown');
    for (let hour = 1; hour <= 3; hour++) {
      await rig.skip(hourMs);
      await rig.fake.waitFor(
        (fake) => fake.deadlines.filter(({ bot }) => bot === 'again').length === hour + 1,
      );
      for (const key of keys) await rig.until('again', key, ({ waiting }) => waiting?.why === 'cooldown');
    }
    await rig.skip(hourMs);
    for (const key of keys) {
      const record = await rig.until('again', key, ({ state }) => state !== 'waiting');
      expect(record.state).toBe('expired');
      expect(record.attempts.every(({ outcome }) => outcome === 'flood')).toBe(true);
    }
    expect(arrivalsOf('again')).toHaveLength(4);
    expect(earlyArrivals(arrivalsOf('again'), rig.fake.deadlines)).toEqual([]);
  });

  it('F10, L20: a delay of 1e12 seconds overflows nothing: no call, and the reply expires in time', async () => {
    rig.fake.script('vast', {}, step.tooManyRequests(1e12));
    const expiresAt = new Date((await rig.nowMs()) + hourMs).toISOString();
    await rig.start(textReply('vast', 'expires', 1, { expiresAt }));
    await rig.until('vast', 'expires', ({ waiting }) => waiting?.why === 'cooldown');
    await rig.start(textReply('vast', 'waits', 2));
    await rig.until('vast', 'waits', ({ waiting }) => waiting?.why === 'cooldown');
    await rig.skip(60_000);
    expect(arrivalsOf('vast')).toHaveLength(1);
    expect((await rig.record('vast', 'expires')).state).toBe('waiting');

    await rig.skip(hourMs);
    await rig.until('vast', 'expires', ({ state }) => state === 'expired');
    // Without an expiry of its own, a reply waits for its budget of age, and then for a person.
    await rig.skip(24 * hourMs);
    const waits = await rig.until('vast', 'waits', ({ state }) => state === 'review');
    expect(waits.review?.kind).toBe('budget');
    await rig.skip(60 * 24 * hourMs);
    expect(arrivalsOf('vast')).toHaveLength(1);
    expect((await rig.lane('vast')).notBefore).toMatch(/^\+033/);
  });

  it('T4: of 110 that waited up to 15 hours through a restart, the expired expire, the rest go in order, paced', async () => {
    await rig.client.workflow
      .getHandle(cooldownWorkflowId('backlog'))
      .signal(extendCooldownSignal, { seconds: 15 * 3600, ...who });
    const startMs = await rig.nowMs();
    const ages = [0, 6, 14.9];
    const names = Array.from({ length: 110 }, (_, i) => String(i));
    const chatOf = (i: number): number => 1 + (i % 55);
    const expiryOf = (i: number): object => {
      const hours = i < 10 ? 10 : i < 15 ? 15 + 2 / 3600 : null;
      return hours === null ? {} : { expiresAt: new Date(startMs + hours * hourMs).toISOString() };
    };
    for (const [group, hours] of ages.entries()) {
      await rig.skip(Math.max(1, startMs + hours * hourMs - (await rig.nowMs())));
      const indices = names.map(Number).filter((i) => Math.min(2, Math.floor(i / 30)) === group);
      for (const i of indices) {
        const after = i < 55 ? {} : { after: String(i - 55) };
        await rig.start(textReply('backlog', String(i), chatOf(i), { ...after, ...expiryOf(i) }));
      }
      for (const i of indices)
        await rig.until('backlog', String(i), ({ waiting }) => waiting?.why === 'cooldown');
    }
    await rig.skip(startMs + 15 * hourMs - 5000 - (await rig.nowMs()));
    await rig.stopWorker();
    // The deadline passes with no worker up; the test server skips no time while a task waits for one.
    await rig.skip(startMs + 15 * hourMs + 4000 - (await rig.nowMs()));
    expect(arrivalsOf('backlog')).toEqual([]);
    const restartedAtMs = await rig.nowMs();
    await rig.startWorker();
    await rig.fake.waitFor((fake) => fake.stored('backlog').length === 95, { timeoutMs: 120_000 });

    for (const name of names) {
      const state = Number(name) < 15 ? 'expired' : 'sent';
      await rig.until('backlog', name, (record) => record.state === state);
    }
    const arrivals = arrivalsOf('backlog');
    expect(arrivals).toHaveLength(95);
    expect(arrivals.every(({ atMs }) => atMs >= restartedAtMs)).toBe(true);
    expect(windowViolations(arrivals, { ...paced, chat: [{ limit: 1, perMs: 1000 }] })).toEqual([]);
    expect(outOfOrder(arrivals, ({ text }) => Number(text))).toEqual([]);
  }, 180_000);
});

describe('a review that nobody decides', () => {
  it('is decided by the policy after its hours and not before, with the worker replaced in the middle', async () => {
    rig.fake.script('policy', {}, step.resetAfterBody({ store: true }));
    await rig.start(textReply('policy', 'k', 1));
    await rig.until('policy', 'k', ({ state }) => state === 'review');
    await rig.skip(24 * hourMs);
    await rig.stopWorker();
    await rig.startWorker();
    await rig.skip(23.9 * hourMs);
    expect(await rig.record('policy', 'k')).toMatchObject({ state: 'review', decision: null });
    await rig.skip(0.2 * hourMs);
    const { decision } = await rig.until('policy', 'k', ({ state }) => state === 'not_sent');
    expect(decision).toMatchObject({ door: 'policy', reason: 'nobody decided within 48 hours' });
    expect(rig.logged.filter((line) => line.startsWith('{"event":"decision"'))).toHaveLength(1);
  });
});
