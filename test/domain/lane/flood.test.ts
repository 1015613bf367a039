import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LaneUnderTest, startMs, untilOf, whyOf } from './lane-under-test.ts';
import { World, worldStartMs } from './model/world.ts';

describe('invariant 3: a cooldown only moves later', () => {
  test('F2: 429(10), then 429(2) of one in flight: nothing leaves before 10 s', () => {
    const lane = new LaneUnderTest();
    lane.asks({ reply: 'a', chat: '1' }, { reply: 'b', chat: '2' });
    lane.reports('a', { chat: '1', outcome: 'flood', retryAfterMs: 10_000 });
    lane.after(100).reports('b', { chat: '2', outcome: 'flood', retryAfterMs: 2000 });
    expect(whyOf(lane.after(9899).asksOne('c', { chat: '3' }))).toBe('cooldown');
    expect(lane.after(1).asksOne('c', { chat: '3', ticketMs: startMs + 10_000 }).kind).toBe('go');
  });

  test('F3: a success of one in flight does not lift it', () => {
    const lane = new LaneUnderTest();
    lane.asks({ reply: 'a', chat: '1' }, { reply: 'b', chat: '2' });
    lane.reports('a', { chat: '1', outcome: 'flood', retryAfterMs: 2000 });
    lane.after(300).reports('b', { chat: '2', outcome: 'sent' });
    const verdict = lane.asksOne('c', { chat: '3' });
    expect(verdict).toMatchObject({ kind: 'wait', why: 'cooldown', cooldownMs: startMs + 2000 });
    expect(whyOf(lane.after(1699).asksOne('c', { chat: '3' }))).toBe('cooldown');
    expect(lane.after(1).asksOne('c', { chat: '3', ticketMs: untilOf(verdict) }).kind).toBe('go');
  });

  test('F4: delays that count down to one instant give that instant', () => {
    const lane = new LaneUnderTest();
    const seconds = [42_371, 42_249, 42_055];
    lane.asks(...seconds.map((_, i) => ({ reply: `r${i}`, chat: `${i}` })));
    const instants = [0, 122_000, 316_000].map((atMs, i) => {
      lane.nowMs = startMs + atMs;
      lane.reports(`r${i}`, { chat: `${i}`, outcome: 'flood', retryAfterMs: seconds[i]! * 1000 });
      return lane.lane.cooldown?.notBeforeMs;
    });
    expect(instants).toEqual([0, 0, 0].map(() => startMs + 42_371_000));
  });

  test('rule 3: the age of the answer is taken off, and never more than the claim is old', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    lane.after(500).reports('a', { outcome: 'flood', retryAfterMs: 2000, ageMs: 200 });
    expect(lane.lane.cooldown?.notBeforeMs).toBe(startMs + 2300);
    const other = new LaneUnderTest();
    other.asksOne('a');
    other.after(500).reports('a', { outcome: 'flood', retryAfterMs: 2000, ageMs: 86_400_000 });
    expect(other.lane.cooldown?.notBeforeMs).toBe(startMs + 2000);
  });

  test('whatever floods, pauses and extensions come, in whatever order, over cuts', () => {
    const event = fc.record({
      kind: fc.constantFrom('flood', 'held', 'sent', 'extend', 'cut'),
      seconds: fc.oneof(fc.nat(100), fc.nat(1e13)),
      ageMs: fc.oneof(fc.nat(5000), fc.double()),
      afterMs: fc.nat(20_000),
      known: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        const lane = new LaneUnderTest({ bot: [], chat: [] });
        let notBeforeMs = 0;
        events.forEach(({ kind, seconds, ageMs, afterMs, known }, i) => {
          const reply = known ? `r${i}` : 'nobody';
          lane.after(afterMs).asksOne(reply, { chat: `${i}` });
          const retryAfterMs = seconds * 1000;
          if (kind === 'extend') lane.extends(seconds);
          else if (kind === 'cut') lane.cut();
          else lane.reports(reply, { chat: `${i}`, outcome: kind as 'flood', retryAfterMs, ageMs });
          const now = lane.lane.cooldown?.notBeforeMs ?? 0;
          expect(now).toBeGreaterThanOrEqual(notBeforeMs);
          expect(Number.isSafeInteger(now)).toBe(true);
          notBeforeMs = now;
        });
      }),
    );
  });
});

describe('delays that are none', () => {
  test('F9: a flood without a usable delay pauses the lane by its own policy', () => {
    for (const part of [
      { outcome: 'held' },
      { outcome: 'flood' },
      { outcome: 'flood', retryAfterMs: -3 },
    ] as const) {
      const lane = new LaneUnderTest();
      lane.asksOne('a');
      lane.after(20).reports('a', part);
      expect(whyOf(lane.after(59_979).asksOne('b', { chat: '2' }))).toBe('cooldown');
    }
  });

  test('F10: retry_after 1e12 does not overflow, over cuts too', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    lane.reports('a', { outcome: 'flood', retryAfterMs: 1e15 });
    for (let day = 0; day < 3; day++) {
      const verdict = lane.after(86_400_000).cut().asksOne('b', { chat: '2', scheduledAtMs: lane.nowMs });
      expect(Number.isSafeInteger(untilOf(verdict))).toBe(true);
      expect(untilOf(verdict)).toBeGreaterThan(startMs + 9e14);
      expect(lane.asksOne('b', { chat: '2', ticketMs: untilOf(verdict) }).kind).toBe('wait');
    }
    expect(whyOf(lane.asksOne('c', { chat: '3', expiresAtMs: lane.nowMs }))).toBe('expired');
  });

  test('F15: retry_after 0 on every call: at least 1 s apart', () => {
    const world = new World(21, { service: { floodChance: 1, floodSeconds: [0] } });
    for (let i = 0; i < 20; i++) world.add(0, { key: `r${i}`, chat: `c${i}` });
    world.runFor(60_000);
    const atMs = world.service.arrivals.map((arrival) => arrival.atMs);
    expect(atMs.length).toBeGreaterThan(20);
    for (let i = 1; i < atMs.length; i++) expect(atMs[i]! - atMs[i - 1]!).toBeGreaterThanOrEqual(1000);
  });
});

describe('rule 17: a probe goes first', () => {
  test('F5: 429(3600) on every call: one request per deadline for the whole lane', () => {
    const world = new World(22, { service: { floodChance: 1, floodSeconds: [3600] } });
    for (let i = 0; i < 100; i++) world.add(i * 10, { key: `r${i}`, chat: `c${i % 20}` });
    world.runFor(10 * 3_600_000);
    expect(world.service.arrivals.length).toBeLessThanOrEqual(10);
    expect(world.violations()).toEqual([]);
    // One ask per reply and deadline, and few more.
    expect(world.host.asks).toBeLessThan(100 * 10 * 3);
  });

  test('F6: of 500 due, only what is in flight leaves after the first flood', () => {
    const world = new World(23, { service: { answerMs: [200, 200] } });
    for (let i = 0; i < 500; i++) world.add(i, { key: `r${i}`, chat: `c${i}` });
    world.timeline.after(5000, () => {
      world.service.ways = { ...world.service.ways, floodChance: 1, floodSeconds: [60] };
    });
    world.timeline.after(30_000, () => {
      world.service.ways = { ...world.service.ways, floodChance: 0 };
    });
    world.runFor(120_000);
    expect(world.violations()).toEqual([]);
    expect(world.stuck()).toEqual([]);
    // 30 a second, 200 ms until the answer and some for the report: what may be out at one time.
    expect(world.service.earlyArrivals.length).toBeLessThanOrEqual(20);
  });

  test('F8: where each early call doubles the rest of the wait, the wait does not grow', () => {
    const world = new World(24, { service: { lengthens: true } });
    world.service.penaltyUntilMs = worldStartMs + 300_000;
    for (let i = 0; i < 200; i++) world.add(i, { key: `r${i}`, chat: `c${i}` });
    world.runFor(1_200_000);
    expect(world.service.earlyArrivals).toHaveLength(1);
    expect(world.stuck()).toEqual([]);
    expect(world.violations()).toEqual([]);
  });

  test('a probe that comes to nothing passes the probe on at once; one without an answer after its bound', () => {
    for (const outcome of ['unknown', 'unreached', 'held', 'flood'] as const) {
      const lane = new LaneUnderTest();
      lane.lane.probe = { kind: 'wanted' };
      expect(lane.asksOne('a', { chat: '1' }).kind).toBe('go');
      expect(whyOf(lane.asksOne('b', { chat: '2' }))).toBe('probe');
      lane.after(50).reports('a', { chat: '1', outcome, retryAfterMs: 1000 });
      lane.after(61_000);
      const ticketMs = lane.nowMs;
      expect(lane.asksOne('b', { chat: '2', ticketMs }).kind).toBe('go');
      expect(whyOf(lane.asksOne('c', { chat: '3', ticketMs }))).toBe('probe');
      const laterMs = lane.after(25_000).nowMs;
      expect(lane.cut().asksOne('c', { chat: '3', ticketMs: laterMs }).kind).toBe('go');
    }
  });

  test('sent, rejected or migrated opens the lane', () => {
    for (const outcome of ['sent', 'rejected', 'migrated'] as const) {
      const lane = new LaneUnderTest();
      lane.lane.probe = { kind: 'wanted' };
      lane.asksOne('a', { chat: '1' });
      lane.after(50).reports('a', { chat: '1', outcome, movedTo: '9' });
      const verdicts = lane.asks({ reply: 'b', chat: '2' }, { reply: 'c', chat: '3' });
      expect(verdicts.map(whyOf)).toEqual(['go', 'go']);
    }
  });

  test('rule 5: a lane without memory starts in probe mode, and is told the cooldown by those who wait', () => {
    const lane = new LaneUnderTest();
    lane.lane.probe = { kind: 'wanted' };
    const known = { epoch: 'the lost one', notBeforeMs: startMs + 5000 };
    const verdict = lane.asksOne('a', { known });
    expect(verdict).toMatchObject({ kind: 'wait', why: 'cooldown', cooldownMs: startMs + 5000 });
    expect(whyOf(lane.asksOne('b', { chat: '2' }))).toBe('cooldown');
    expect(lane.after(5000).asksOne('a', { known, ticketMs: untilOf(verdict) }).kind).toBe('go');
  });
});
