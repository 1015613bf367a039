import { describe, expect, test } from 'vitest';
import { showLane } from '../../../domain/lane/show.ts';
import { LaneUnderTest, startMs, untilOf, whyOf } from './lane-under-test.ts';
import { World, worldStartMs } from './model/world.ts';

describe('an operator opens a lane', () => {
  test.each(['override', 'resume'] as const)(
    '%s: those who wait and are woken leave promptly, in order',
    (action) => {
      const world = new World(31, { ways: { timerLateMs: [0, 150] } });
      world.timeline.after(0, () =>
        action === 'resume' ? world.host.control('pause') : world.host.extend(36_000),
      );
      for (let i = 0; i < 600; i++) world.add(i * 5, { key: `r${i}`, chat: `c${i % 300}` });
      world.operate(600_000, action);
      world.runFor(700_000);
      const sentAtMs = world.service.arrivals.map(({ atMs }) => atMs - worldStartMs);
      expect(world.violations()).toEqual([]);
      expect(sentAtMs).toHaveLength(600);
      expect(sentAtMs[0]! - 600_000).toBeLessThan(500);
      expect((600 / (sentAtMs.at(-1)! - 600_000)) * 1000).toBeGreaterThan(0.8 * 30);
    },
  );

  test('override: those who are not woken find their places', () => {
    const lane = new LaneUnderTest().extends(3600);
    lane.asks({ reply: 'a' }, { reply: 'b' });
    lane.after(1000).controls('override');
    expect(whyOf(lane.after(60_000).asksOne('b'))).toBe('order');
    expect(lane.cut().asksOne('a').kind).toBe('go');
  });

  test('override: a cooldown that replies of a lost lane still know of does not come back', () => {
    const lane = new LaneUnderTest();
    const known = { epoch: 'the lost one', notBeforeMs: startMs + 3_600_000 };
    expect(whyOf(lane.asksOne('a', { known }))).toBe('cooldown');
    expect(lane.after(1000).controls('override').cut().asksOne('a', { known }).kind).toBe('go');
    expect(showLane(lane.lane, lane.nowMs)).toMatchObject({ notBefore: null, acts: [{ what: 'override' }] });
  });

  test('override is followed by a probe, and by later cooldowns', () => {
    const lane = new LaneUnderTest().extends(3600).controls('override');
    expect(lane.asksOne('a', { chat: '1' }).kind).toBe('go');
    expect(whyOf(lane.asksOne('b', { chat: '2' }))).toBe('probe');
    lane.after(50).reports('a', { chat: '1', outcome: 'flood', retryAfterMs: 60_000 });
    expect(whyOf(lane.asksOne('b', { chat: '2' }))).toBe('cooldown');
  });

  test('while a probe is out, neither lets a second one go', () => {
    for (const action of ['resume', 'override'] as const) {
      const lane = new LaneUnderTest();
      lane.lane.probe = { kind: 'wanted' };
      expect(lane.asksOne('a', { chat: '1' }).kind).toBe('go');
      lane.after(10).controls('pause').controls('resume').controls(action);
      expect(whyOf(lane.asksOne('b', { chat: '2' }))).toBe('probe');
    }
  });

  test('resume does not lift a cooldown', () => {
    const lane = new LaneUnderTest().extends(60).controls('pause').controls('resume');
    expect(whyOf(lane.asksOne('a'))).toBe('cooldown');
  });
});

describe('a lane that stands still', () => {
  test('grants nothing, and is asked rarely', () => {
    const world = new World(32);
    world.timeline.after(0, () => world.host.control('pause'));
    for (let i = 0; i < 300; i++) world.add(i * 5, { key: `r${i}`, chat: `c${i % 100}` });
    world.runFor(3_600_000);
    expect(world.service.arrivals).toEqual([]);
    expect(world.host.asks).toBeLessThan(300 * 61);
    expect(world.violations()).toEqual([]);
  });

  test('R4: 3 refusals of the bot in a row stop it; the replies wait until it is resumed', () => {
    const lane = new LaneUnderTest();
    for (const reply of ['a', 'b', 'c']) {
      lane.asksOne(reply, { chat: reply });
      lane.after(50).reports(reply, { chat: reply, outcome: 'rejected', detail: 'auth' });
    }
    expect(lane.cut().asksOne('d')).toMatchObject({ kind: 'wait', why: 'lane_stopped' });
    expect(showLane(lane.lane, lane.nowMs).stopped?.why).toMatch(/check its token/);
    expect(whyOf(lane.after(3_600_000).asksOne('a', { attempt: 2, chat: 'a' }))).toBe('lane_stopped');
    lane.controls('resume');
    expect(lane.asksOne('a', { attempt: 2, chat: 'a' }).kind).toBe('go');
    expect(showLane(lane.lane, lane.nowMs).stopped).toBe(null);
  });

  test('R4: a success between refusals of the bot lets it go on', () => {
    const lane = new LaneUnderTest();
    for (const [i, detail] of ['auth', 'auth', undefined, 'auth', 'auth'].entries()) {
      lane.asksOne(`r${i}`, { chat: `${i}` });
      const outcome = detail ? 'rejected' : 'sent';
      lane.after(50).reports(`r${i}`, { chat: `${i}`, outcome, ...(detail ? { detail: 'auth' } : {}) });
    }
    expect(lane.asksOne('last', { chat: 'last' }).kind).toBe('go');
  });

  test.each([1, 9])('R3: 10 unreadable answers in a row stop it, and %i do not', (answers) => {
    const lane = new LaneUnderTest();
    for (let i = 0; i < 10; i++) {
      if (i === answers) expect(lane.asksOne('x', { chat: 'x' }).kind).toBe('go');
      lane.asksOne(`r${i}`, { chat: `${i}` });
      lane.after(50).reports(`r${i}`, { chat: `${i}`, outcome: 'unknown', detail: 'unreadable' });
    }
    expect(whyOf(lane.after(60_000).asksOne('last', { chat: 'last' }))).toBe('lane_stopped');
  });

  test('no answer at all is no unreadable answer', () => {
    const lane = new LaneUnderTest();
    for (let i = 0; i < 30; i++) {
      lane.asksOne(`r${i}`, { chat: `${i}` });
      lane.after(1050).reports(`r${i}`, { chat: `${i}`, outcome: 'unknown' });
    }
    expect(lane.asksOne('last', { chat: 'last' }).kind).toBe('go');
  });
});

describe('what an operator asks for', () => {
  test('extends from now on, and is kept with who and why', () => {
    const lane = new LaneUnderTest().extends(60).after(1000).extends(5);
    expect(showLane(lane.lane, lane.nowMs)).toMatchObject({
      notBefore: new Date(startMs + 60_000).toISOString(),
      reason: 'extended: by an operator: a test',
      acts: [{ what: 'extend 60 s' }, { what: 'extend 5 s', by: 'an operator', reason: 'a test' }],
    });
    expect(untilOf(lane.asksOne('a'))).toBe(startMs + 60_000);
  });
});
