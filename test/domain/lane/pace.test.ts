import { describe, expect, test } from 'vitest';
import type { ModelReply } from './model/reply.ts';
import { World, worldStartMs } from './model/world.ts';

/** Re-asks come up to 150 ms late; answers take 10 to 50 ms. */
const lateWays = { timerLateMs: [0, 150], cutChance: 0.001 } as const;
const twentyASecond = { bot: [{ limit: 20, perMs: 1000 }] };

const waitMsOf = (reply: ModelReply, startedAfterMs: number): number =>
  (reply.firstGrantMs ?? Infinity) - worldStartMs - startedAfterMs;

describe('rule 8: 2,000 waiting through a cooldown of 80 s, at 20 a second', () => {
  test.each([
    { workers: 1, chats: 2000, probeMs: 50 },
    { workers: 4, chats: 500, probeMs: 50 },
    { workers: 1, chats: 500, probeMs: 8000 },
  ])(
    'all leave at nine tenths of the allowed rate or more: $workers workers, $chats chats, probe answered in $probeMs ms',
    ({ workers, chats, probeMs }) => {
      const service = { answerMs: [probeMs, probeMs] as const };
      const world = new World(11, { policy: twentyASecond, ways: { ...lateWays, workers }, service });
      world.timeline.after(0, () => world.host.extend(80));
      world.timeline.after(80_500, () => {
        world.service.ways = { ...world.service.ways, answerMs: [10, 50] };
      });
      for (let i = 0; i < 2000; i++) world.add(10 + i * 10, { key: `r${i}`, chat: `c${i % chats}` });
      world.runFor(600_000);
      const sentAtMs = world.service.arrivals.map(({ atMs }) => atMs - worldStartMs);
      expect(world.violations()).toEqual([]);
      expect(sentAtMs).toHaveLength(2000);
      expect(sentAtMs[0]).toBeGreaterThanOrEqual(80_000);
      expect(sentAtMs[0]).toBeLessThan(80_500);
      const spanSeconds = (sentAtMs.at(-1)! - 80_000 - probeMs) / 1000;
      expect(2000 / spanSeconds).toBeGreaterThanOrEqual(0.9 * 20);
      expect(world.host.asks).toBeLessThan(5 * 2000);
    },
  );
});

describe('F14: two classes', () => {
  test.each([
    { workers: 1, bot: [{ limit: 1, perMs: 1000 }] },
    { workers: 1, bot: [{ limit: 30, perMs: 1000 }] },
    { workers: 4, bot: [{ limit: 5, perMs: 1000 }] },
    {
      workers: 4,
      bot: [
        { limit: 5, perMs: 1000 },
        { limit: 100, perMs: 60_000 },
      ],
    },
  ])(
    'with 1,000 bulk waiting a reply has its slot within 2 s, and bulk goes on: $bot',
    ({ workers, bot }) => {
      const world = new World(12, { policy: { bot }, ways: { ...lateWays, workers } });
      for (let i = 0; i < 1000; i++) world.add(i, { key: `b${i}`, chat: `c${i}`, isBulk: true });
      const arrivals = Array.from({ length: 10 }, (_, i) => 3000 + i * 2713);
      // Some go to chats that the broadcast has not reached yet.
      const replies = arrivals.map((atMs, i) =>
        world.add(atMs, { key: `r${i}`, chat: i % 2 === 0 ? `rc${i}` : `c${999 - i}` }),
      );
      world.runFor(32_000);
      replies.forEach((reply, i) => expect(waitMsOf(reply, arrivals[i]!)).toBeLessThan(2000));
      const bulk = world.service.arrivals.filter((arrival) => arrival.bulk).length;
      expect(bulk).toBeGreaterThan(
        0.4 * Math.min(...bot.map(({ limit, perMs }) => (limit / perMs) * 32_000)),
      );
      expect(world.violations()).toEqual([]);
    },
  );

  test.each([5, 30])(
    'replies at seven tenths of the rate have their slots within 2 s each: %i a second',
    (limit) => {
      const world = new World(19, {
        policy: { bot: [{ limit, perMs: 1000 }] },
        ways: { ...lateWays, workers: 2 },
      });
      for (let i = 0; i < 1000; i++) world.add(i, { key: `b${i}`, chat: `c${i}`, isBulk: true });
      const arrivals = Array.from(
        { length: limit * 20 },
        (_, i) => 2000 + Math.round((i * 1000) / (0.7 * limit)),
      );
      const replies = arrivals.map((atMs, i) => world.add(atMs, { key: `r${i}`, chat: `rc${i}` }));
      world.runFor(33_000);
      const waits = replies.map((reply, i) => waitMsOf(reply, arrivals[i]!));
      expect(Math.max(...waits)).toBeLessThan(2000);
      const bulk = world.service.arrivals.filter((arrival) => arrival.bulk);
      expect(bulk.length).toBeGreaterThan(limit * 3);
      expect(world.violations()).toEqual([]);
    },
  );

  test.each([1, 5, 30])(
    'bulk never starves under more replies than the bot can send: %i a second',
    (limit) => {
      const world = new World(13, { policy: { bot: [{ limit, perMs: 1000 }] }, ways: lateWays });
      for (let i = 0; i < 100; i++) world.add(i, { key: `b${i}`, chat: `c${i}`, isBulk: true });
      for (let i = 0; i < limit * 90; i++) world.add((i * 800) / limit, { key: `r${i}`, chat: `rc${i}` });
      world.runFor(90_000);
      const bulk = world.service.arrivals.filter(
        (arrival) => arrival.bulk && arrival.atMs > worldStartMs + 2000,
      );
      expect(bulk.length).toBeGreaterThanOrEqual(limit * 2);
      expect(world.service.arrivals.length).toBeGreaterThan(0.75 * limit * 90);
      expect(world.violations()).toEqual([]);
    },
  );
});

describe('T9: a long queue in each chat, through a long cooldown', () => {
  test.each([
    { replies: 600, chats: 6, isGroup: false, chained: true, perReply: 6 },
    { replies: 400, chats: 1, isGroup: false, chained: false, perReply: 5 },
    { replies: 100, chats: 1, isGroup: true, chained: true, perReply: 30 },
  ])('leaves in order, and each asks a few times only: $replies in $chats', (scenario) => {
    const { replies, chats, isGroup, chained, perReply } = scenario;
    const world = new World(18, { ways: { ...lateWays, workers: 2 } });
    world.timeline.after(0, () => world.host.extend(3600));
    for (let i = 0; i < replies; i++) {
      const after = chained && i >= chats ? { after: `r${i - chats}` } : {};
      world.add(i * 10, { key: `r${i}`, chat: `c${i % chats}`, isGroup, ...after });
    }
    world.runFor(3 * 3_600_000);
    expect(world.violations()).toEqual([]);
    expect(world.stuck()).toEqual([]);
    expect(world.host.asks / replies).toBeLessThan(perReply);
    if (!isGroup) {
      const spanMs = world.elapsedOf(world.service.arrivals.at(-1)!) - 3_600_000;
      expect(replies / chats / (spanMs / 1000)).toBeGreaterThan(0.88);
    }
  });
});

test.each([1, 5, 30])('F14: few bulk that come late go too, within forty seconds: %i a second', (limit) => {
  const world = new World(17, { policy: { bot: [{ limit, perMs: 1000 }] }, ways: lateWays });
  for (let i = 0; i < limit * 75; i++) world.add((i * 800) / limit, { key: `r${i}`, chat: `rc${i}` });
  const bulk = [20_000, 20_500].map((atMs, i) =>
    world.add(atMs, { key: `b${i}`, chat: `c${i}`, isBulk: true }),
  );
  world.runFor(60_000);
  for (const reply of bulk) expect(waitMsOf(reply, 20_000)).toBeLessThan(40_000);
});

describe('F13: a service that accepts and never answers', () => {
  test.each([200, 1000])('has few requests out, and is asked for ever less: %i due', (replies) => {
    const world = new World(14, { ways: lateWays, service: { silentChance: 1 } });
    for (let i = 0; i < replies; i++) world.add(i, { key: `r${i}`, chat: `c${i}` });
    world.runFor(240_000);
    const perSecond = [...world.host.asksBySecond.values()];
    const late = perSecond.slice(-60).reduce((sum, asks) => sum + asks, 0) / 60;
    expect(late).toBeLessThan(6);
    expect(world.service.arrivals.length).toBeLessThan(20);
    expect(world.violations()).toEqual([]);
  });

  test('begins while the lane is open: at most 20 are out at a time', () => {
    const world = new World(15, { ways: lateWays });
    for (let i = 0; i < 600; i++) world.add(i * 20, { key: `r${i}`, chat: `c${i}` });
    world.timeline.after(3000, () => {
      world.service.ways = { ...world.service.ways, silentChance: 1 };
    });
    world.runFor(120_000);
    const silent = world.service.arrivals
      .filter(({ atMs }) => atMs > worldStartMs + 3000)
      .map(({ atMs }) => atMs);
    // Each is out for the 20 s of the HTTP time-out.
    silent.forEach((atMs, i) => expect(atMs - (silent[i - 20] ?? 0)).toBeGreaterThan(19_900));
    expect(world.violations()).toEqual([]);
  });

  test('one request in fifty hangs: the others go at full rate', () => {
    const world = new World(16, { ways: lateWays, service: { silentChance: 0.02 } });
    world.host.lane.probe = { kind: 'open' };
    for (let i = 0; i < 1500; i++) world.add(i * 10, { key: `r${i}`, chat: `c${i}` });
    world.runFor(600_000);
    const lastMs = world.service.arrivals.at(-1)!.atMs - worldStartMs;
    expect(1500 / (lastMs / 1000)).toBeGreaterThan(0.5 * 30);
  });
});
