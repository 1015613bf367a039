import { describe, expect, test } from 'vitest';
import { noteReports } from '../../../domain/lane/batch.ts';
import { moveCooldown } from '../../../domain/lane/report.ts';
import type { Cooldown } from '../../../domain/lane/state.ts';
import { fenceKey } from '../../../domain/lane/fence.ts';
import { LaneUnderTest, startMs, untilOf, whyOf } from './lane-under-test.ts';

const fenceOf = (lane: LaneUnderTest, reply: string) => lane.lane.fences.get(fenceKey(reply));
const cooldown = (notBeforeMs: number): Cooldown => ({
  notBeforeMs,
  reason: 'flood',
  savedAtMs: startMs,
  by: null,
  why: null,
});

describe('invariant 3: a cooldown only moves later', () => {
  test('whatever is reported', () => {
    const { lane } = new LaneUnderTest();
    moveCooldown(lane, cooldown(startMs + 5));
    expect(lane).toMatchObject({ cooldown: cooldown(startMs + 5), probe: { kind: 'wanted' } });
    const before = lane.cooldown;
    moveCooldown(lane, cooldown(startMs + 4));
    moveCooldown(lane, { ...cooldown(startMs + 5), reason: 'held' });
    expect(lane.cooldown).toBe(before);
    moveCooldown(lane, cooldown(startMs + 6));
    expect(lane.cooldown).toEqual(cooldown(startMs + 6));
  });

  test('but not past the end of the calendar', () => {
    const { lane } = new LaneUnderTest();
    moveCooldown(lane, cooldown(9e15));
    expect(lane.cooldown?.notBeforeMs).toBe(8.64e15);
  });
});

describe('rule 3: a deadline counts from the answer', () => {
  const deadlineIn = (
    part: { retryAfterMs?: number; ageMs?: number },
    outcome: 'flood' | 'held' = 'flood',
  ) => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    lane.after(500).reports('a', { outcome, ...part });
    return (lane.lane.cooldown?.notBeforeMs ?? NaN) - lane.nowMs;
  };

  test.each([
    [{ retryAfterMs: 5000 }, 5000],
    [{ retryAfterMs: 5000, ageMs: 200 }, 4800],
    [{ retryAfterMs: 5000, ageMs: 0.5 }, 5000],
    // No answer is older than its claim, and none is from the future.
    [{ retryAfterMs: 5000, ageMs: 900 }, 4500],
    [{ retryAfterMs: 5000, ageMs: -900 }, 5000],
    [{ retryAfterMs: 5000, ageMs: NaN }, 5000],
    [{ retryAfterMs: 0 }, 1000],
    [{ retryAfterMs: 999 }, 1000],
    [{ retryAfterMs: 1001.5 }, 1002],
    [{}, 60_000],
    [{ retryAfterMs: -1 }, 60_000],
    [{ retryAfterMs: NaN }, 60_000],
  ])('flood %j', (part, expected) => expect(deadlineIn(part)).toBe(expected));

  test('held: the pause of the lane, whatever is said of a delay', () => {
    expect(deadlineIn({}, 'held')).toBe(60_000);
    expect(deadlineIn({ retryAfterMs: 5000, ageMs: 100 }, 'held')).toBe(59_900);
  });

  test('of a claim that is not known its age is not believed', () => {
    const lane = new LaneUnderTest().reports('x', { outcome: 'flood', retryAfterMs: 5000, ageMs: 900 });
    expect(lane.lane.cooldown?.notBeforeMs).toBe(startMs + 5000);
    expect(lane.lane.floods).toBe(1);
  });

  test('a report that comes twice counts once; a flood after a lost run counts', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    lane.after(50).reports('a', { outcome: 'flood', retryAfterMs: 5000 });
    lane.after(1000).reports('a', { outcome: 'flood', retryAfterMs: 5000 });
    expect(lane.lane).toMatchObject({
      floods: 1,
      cooldown: { notBeforeMs: startMs + 5050, reason: 'flood' },
    });
    lane.revokes('a');
    lane.reports('a', { outcome: 'held' });
    expect(lane.lane).toMatchObject({ floods: 2, cooldown: { reason: 'held' } });
    lane.asksOne('b', { chat: '78' });
    lane.after(10).reports('b', { chat: '78', outcome: 'sent', nonce: 'another' });
    lane.reports('b', { chat: '78', outcome: 'sent', attempt: 2 });
    expect(lane.lane.sent).toBe(0);
  });
});

describe('rule 7: an answer gives its slots back', () => {
  test('at the instant at which it came, in bot and chat', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a', { weight: 3 });
    lane.after(500).reports('a', { outcome: 'sent', ageMs: 100 });
    expect(lane.lane.answered).toEqual([[startMs + 400, 3]]);
    expect(lane.lane.chats.get('77')?.answered).toEqual([[startMs + 400, 3]]);
    expect(fenceOf(lane, 'a')?.state).toEqual({ kind: 'settled', atMs: startMs + 500, outcome: 'sent' });
    expect(lane.lane.sent).toBe(1);
  });

  test('unreached: at once', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    lane.after(500).reports('a', { outcome: 'unreached' });
    expect(lane.lane).toMatchObject({ answered: [], sent: 0, latencyMs: 0 });
    expect(fenceOf(lane, 'a')?.state).toMatchObject({ kind: 'settled', outcome: 'unreached' });
  });

  test.each(['flood', 'held', 'rejected', 'migrated', 'unknown'] as const)(
    '%s is not sent, and takes its slot',
    (outcome) => {
      const lane = new LaneUnderTest();
      lane.asksOne('a');
      lane.after(50).reports('a', { outcome });
      expect(lane.lane.sent).toBe(0);
      expect(lane.lane.answered).toEqual([[startMs + 50, 1]]);
    },
  );

  test('the time that requests take is a moving average, of a second at most each', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a', { chat: '1' });
    lane.after(200).reports('a', { chat: '1', outcome: 'sent', ageMs: 100 });
    expect(lane.lane.latencyMs).toBe(100);
    lane.asksOne('b', { chat: '2' });
    lane.after(300).reports('b', { chat: '2', outcome: 'sent' });
    expect(lane.lane.latencyMs).toBe(120);
    lane.asksOne('c', { chat: '3' });
    lane.after(9000).reports('c', { chat: '3', outcome: 'sent' });
    expect(lane.lane.latencyMs).toBe(208);
  });
});

describe('R3, R4: what stops a lane', () => {
  const reportAll = (lane: LaneUnderTest, details: readonly (string | undefined)[]) => {
    details.forEach((detail, i) => {
      lane.after(2000).asksOne(`r${i}`, { chat: `${i}`, ticketMs: lane.nowMs });
      const outcome =
        detail === 'auth'
          ? 'rejected'
          : detail === 'sent'
            ? 'sent'
            : detail === 'unreached'
              ? 'unreached'
              : 'unknown';
      const named = detail === 'auth' || detail === 'unreadable' ? ({ detail } as const) : {};
      lane.after(5).reports(`r${i}`, { chat: `${i}`, outcome, ...named });
    });
    return lane.lane;
  };
  const times = (length: number, detail: string | undefined) => Array.from({ length }, () => detail);

  test.each([
    [times(2, 'auth'), false],
    [times(3, 'auth'), true],
    [['auth', 'auth', 'unreached', undefined, 'auth'], true],
    [['auth', 'auth', 'unreadable', 'auth'], true],
    [['auth', 'auth', 'sent', 'auth'], false],
    [times(9, 'unreadable'), false],
    [times(10, 'unreadable'), true],
    [[...times(9, 'unreadable'), undefined, 'unreached', 'unreadable'], true],
    [[...times(9, 'unreadable'), 'auth', 'unreadable'], false],
    [[...times(9, 'unreadable'), 'sent', 'unreadable'], false],
    [times(30, undefined), false],
  ])('%j: %s', (details, stops) => {
    expect(reportAll(new LaneUnderTest(), details).stopped !== null).toBe(stops);
  });

  test('it says why and when, and the first reason stands', () => {
    const lane = new LaneUnderTest();
    for (const reply of ['a', 'b', 'c', 'd']) lane.asksOne(reply, { chat: reply });
    for (const reply of ['a', 'b', 'c', 'd'])
      lane.after(10).reports(reply, { chat: reply, outcome: 'rejected', detail: 'auth' });
    expect(lane.lane.stopped).toEqual({
      why: 'the service refused the bot itself 3 times in a row: check its token, then resume',
      atMs: startMs + 30,
    });
    expect(lane.lane.authStreak).toBe(4);
    const other = new LaneUnderTest();
    expect(reportAll(other, times(10, 'unreadable')).stopped?.why).toMatch(
      /^10 answers in a row were not the service's/,
    );
    const stoppedAtMs = other.lane.stopped?.atMs;
    other.lane.authStreak = 2;
    other.lane.unreadableStreak = 9;
    other.reports('x', { outcome: 'unknown', detail: 'unreadable' });
    expect(other.lane.stopped?.atMs).toBe(stoppedAtMs);
  });

  test('requests in a row without any answer are counted', () => {
    expect(reportAll(new LaneUnderTest(), [undefined, undefined]).silentStreak).toBe(2);
    expect(reportAll(new LaneUnderTest(), [undefined, 'unreadable']).silentStreak).toBe(0);
    expect(reportAll(new LaneUnderTest(), [undefined, 'sent', undefined]).silentStreak).toBe(1);
  });
});

describe('rule 17: only a proof opens the lane', () => {
  test.each([
    ['sent', undefined, 'open'],
    ['migrated', undefined, 'open'],
    ['rejected', undefined, 'open'],
    ['rejected', 'auth', 'wanted'],
    ['unknown', undefined, 'wanted'],
    ['unreached', undefined, 'wanted'],
  ] as const)('%s, %s: %s', (outcome, detail, kind) => {
    const lane = new LaneUnderTest();
    lane.lane.probe = { kind: 'wanted' };
    lane.asksOne('a');
    expect(lane.lane.probe).toEqual({
      kind: 'leased',
      reply: fenceKey('a'),
      sinceMs: startMs,
      untilMs: startMs + 25_000,
    });
    lane.after(5).reports('a', { outcome, ...(detail ? { detail } : {}) });
    expect(lane.lane.probe).toEqual({ kind });
  });

  test('of the probe itself: another answer says nothing', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('before', { chat: '1' });
    lane.lane.probe = { kind: 'wanted' };
    lane.asksOne('a', { chat: '2' });
    lane.after(5).reports('before', { chat: '1', outcome: 'sent' });
    expect(lane.lane.probe.kind).toBe('leased');
  });
});

describe('the place of a reply whose answer came', () => {
  const placesAfter = (outcome: Parameters<LaneUnderTest['reports']>[1]['outcome'], detail?: 'auth') => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    lane.after(5).reports('a', { outcome, ...(detail ? { detail } : {}), retryAfterMs: 5000 });
    return [lane.lane.placeCount, lane.lane.done.size];
  };

  test.each([
    ['sent', undefined, [0, 1]],
    ['held', undefined, [0, 1]],
    ['unknown', undefined, [0, 1]],
    ['rejected', undefined, [0, 1]],
    ['rejected', 'auth', [1, 0]],
    ['migrated', undefined, [1, 0]],
    ['flood', undefined, [1, 0]],
    ['unreached', undefined, [1, 0]],
    ['gone', undefined, [0, 1]],
  ] as const)('%s, %s: places and keys that are through are %j', (outcome, detail, expected) =>
    expect(placesAfter(outcome, detail)).toEqual(expected),
  );

  test('F12: a flooded one keeps it until the deadline', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    lane.after(5).reports('a', { outcome: 'flood', retryAfterMs: 5000 });
    expect([...(lane.lane.chats.get('77')?.places ?? [])].map(({ ticketMs }) => ticketMs)).toEqual([
      startMs + 5005,
    ]);
  });

  test('one that is gone gives it up wherever it is, though the reply does not know where', () => {
    const lane = new LaneUnderTest().extends(60);
    lane.asks({ reply: 'a', chat: '1' }, { reply: 'b', chat: '2' }, { reply: 'c', chat: '2' });
    noteReports(
      lane.lane,
      [{ reply: 'b', attempt: 1, nonce: '', chat: '', outcome: 'gone', ageMs: 0 }],
      lane.nowMs,
    );
    expect([...(lane.lane.chats.get('2')?.places ?? [])]).toHaveLength(1);
    expect(lane.lane.chats.get('1')?.places.size).toBe(1);
    // Named where it never was: it is through all the same, and no other place is touched.
    noteReports(
      lane.lane,
      [{ reply: 'c', attempt: 1, nonce: '', chat: '1', outcome: 'gone', ageMs: 0 }],
      lane.nowMs,
    );
    expect(lane.lane.placeCount).toBe(2);
    expect(lane.lane.done.size).toBe(2);
  });

  test('a chat that moved is found by its old name', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a', { chat: '-1' });
    lane.after(50).reports('a', { chat: '-1', outcome: 'migrated', movedTo: '-100' });
    expect(untilOf(lane.asksOne('b', { chat: '-1' }))).toBeGreaterThan(lane.nowMs);
    expect(lane.lane.placeCount).toBe(2);
    lane.reports('b', { chat: '-1', outcome: 'gone' });
    expect(lane.lane.placeCount).toBe(1);
    expect(whyOf(lane.asksOne('c', { chat: '-1' }))).toBe('order');
  });
});

describe('rule 4: a report counts for the claim that it names', () => {
  test.each([
    ['another nonce', { nonce: 'another' }],
    ['another attempt', { attempt: 2, nonce: 'a-1' }],
  ])('and not under %s', (_, part) => {
    const lane = new LaneUnderTest();
    expect(lane.asksOne('a').kind).toBe('go');
    lane.after(5).reports('a', { outcome: 'sent', ...part });
    expect(fenceOf(lane, 'a')?.state).toEqual({ kind: 'outstanding' });
    expect(lane.lane).toMatchObject({ sent: 0, answered: [], placeCount: 1 });
  });

  test('a move to nowhere moves nothing', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    lane.after(5).reports('a', { outcome: 'migrated' });
    expect([...lane.lane.chats.keys()]).toEqual(['77']);
    expect(lane.lane.moved.size).toBe(0);
  });

  test('a flood of a reply for which there was no place closes the lane all the same', () => {
    const lane = new LaneUnderTest();
    lane.lane.sweptAtMs = startMs;
    lane.lane.bytes = 200_000;
    expect(lane.asksOne('a').kind).toBe('go');
    expect(lane.lane.placeCount).toBe(0);
    lane.after(5).reports('a', { outcome: 'flood', retryAfterMs: 5000 });
    expect(lane.lane.cooldown?.notBeforeMs).toBe(startMs + 5005);
  });

  test('a flood for no time at all is shown as one', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    lane.after(5).reports('a', { outcome: 'flood', retryAfterMs: 0 });
    expect(lane.lane.lastFlood?.retryAfterMs).toBe(0);
  });
});
