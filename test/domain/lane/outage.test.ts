import { describe, expect, test } from 'vitest';
import { World, worldStartMs } from './model/world.ts';

const hourMs = 3_600_000;

describe('T4: 110 replies wait, the oldest for 15 hours, and everything restarts', () => {
  test.each([1, 4])('the rest leave in order and paced, without a burst: %i workers', (workers) => {
    const policy = { bot: [{ limit: 5, perMs: 1000 }] };
    const world = new World(41, { policy, ways: { workers, cutChance: 0.01 } });
    world.timeline.after(0, () => world.host.extend(3600));
    for (let i = 0; i < 110; i++) {
      const expiresAtMs = i % 10 === 0 ? { expiresAtMs: worldStartMs + 10 * hourMs } : {};
      world.add(i * 1000, { key: `r${i}`, chat: `c${i % 20}`, ...expiresAtMs });
    }
    world.workersDown(0.5 * hourMs, 15 * hourMs);
    world.runFor(16 * hourMs);
    expect(world.violations()).toEqual([]);
    expect(world.stuck()).toEqual([]);
    expect(world.replies.filter(({ end }) => end === 'expired')).toHaveLength(11);
    expect(world.service.arrivals).toHaveLength(99);
    expect(world.service.arrivals[0]!.atMs).toBeGreaterThan(worldStartMs + 15 * hourMs);
    expect(world.elapsedOf(world.service.arrivals.at(-1)!) - 15 * hourMs).toBeLessThan(99 * 200 * 2);
  });
});

describe('rule 12: the lane does not answer for 70 s, with 40 replies due', () => {
  test.each([1, 4])(
    'all are sent soon after its return, none twice, and no claim blocks its chat: %i workers',
    (workers) => {
      const world = new World(42, { ways: { workers } });
      world.timeline.after(5000, () => world.host.downUntil(worldStartMs + 75_000));
      for (let i = 0; i < 40; i++) world.add(5000 + i * 100, { key: `r${i}`, chat: `c${i}` });
      world.runFor(300_000);
      expect(world.violations()).toEqual([]);
      expect(world.replies.map(({ requests }) => requests)).toEqual(Array.from({ length: 40 }, () => 1));
      // A reply that has just given up asking comes again within 10 s.
      expect(world.elapsedOf(world.service.arrivals.at(-1)!)).toBeLessThan(75_000 + 14_000);
    },
  );
});

describe('rule 5: the lane is lost in a long cooldown', () => {
  test('one request at most is early: the probe of its successor', () => {
    const world = new World(43, { service: { lengthens: true } });
    world.service.penaltyUntilMs = worldStartMs + hourMs;
    for (let i = 0; i < 100; i++) world.add(i * 100, { key: `r${i}`, chat: `c${i % 30}` });
    world.timeline.after(hourMs / 2, () => {
      world.host.loseMemory();
      world.judge.overridden();
    });
    for (let i = 0; i < 50; i++) world.add(hourMs / 2 + 1 + i * 100, { key: `late${i}`, chat: `d${i % 30}` });
    world.judge.checksOrder = false;
    world.runFor(6 * hourMs);
    expect(world.violations()).toEqual([]);
    expect(world.stuck()).toEqual([]);
    // The first of all, which brought the penalty to light, and the probe.
    expect(world.service.earlyArrivals).toHaveLength(2);
  });

  test('those who wait know the cooldown: the first of them that asks closes the new lane', () => {
    const world = new World(44);
    world.timeline.after(0, () => world.host.extend(3600));
    for (let i = 0; i < 20; i++) world.add(i * 100, { key: `r${i}`, chat: `c${i}` });
    world.timeline.after(60_000, () => {
      world.host.loseMemory();
      world.replies[7]!.wake();
    });
    for (let i = 0; i < 20; i++) world.add(61_000 + i * 100, { key: `late${i}`, chat: `d${i}` });
    world.runFor(2 * hourMs);
    expect(world.violations()).toEqual([]);
    expect(world.stuck()).toEqual([]);
    expect(world.service.arrivals[0]!.atMs).toBeGreaterThanOrEqual(worldStartMs + hourMs);
  });
});
