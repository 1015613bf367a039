import { describe, expect, test } from 'vitest';
import { isTurnoverDue, longRuns, shortRuns } from '../../../domain/lane/turnover.ts';
import { LaneUnderTest, startMs } from './lane-under-test.ts';

test('rule 19: a run takes 80 messages at most, a fifth of what one that began before decision 015 took', () => {
  expect([shortRuns, longRuns]).toEqual([
    { quiet: 30, atMost: 80 },
    { quiet: 100, atMost: 400 },
  ]);
});

describe.each([
  ['of today', shortRuns],
  ['that began before decision 015', longRuns],
])('rule 19: a run of a lane, %s, makes room for the next', (_, limits) => {
  const { quiet, atMost } = limits;

  test('at the first quiet moment once it has had some messages', () => {
    const lane = new LaneUnderTest();
    expect(isTurnoverDue(lane.lane, quiet - 1, lane.nowMs, limits)).toBe(false);
    expect(isTurnoverDue(lane.lane, quiet, lane.nowMs, limits)).toBe(true);
  });

  test('not while a request is out, whose report would make its last task fail', () => {
    const lane = new LaneUnderTest();
    expect(lane.asksOne('a').kind).toBe('go');
    expect(isTurnoverDue(lane.lane, atMost - 1, lane.after(20).nowMs, limits)).toBe(false);
    lane.reports('a', { outcome: 'sent' });
    expect(isTurnoverDue(lane.lane, atMost - 1, lane.nowMs, limits)).toBe(true);
  });

  test('nor for ever: a request that is never answered is not waited for beyond its bound', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    const { nowMs } = lane.after(lane.policy.answerBoundMs);
    expect(isTurnoverDue(lane.lane, quiet, nowMs, limits)).toBe(true);
  });

  test('at any moment after so many: a long history takes too long to replay', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    const due = [quiet, atMost - 1, atMost, atMost + 1].map((messages) =>
      isTurnoverDue(lane.lane, messages, startMs, limits),
    );
    expect(due).toEqual([false, false, true, true]);
  });
});
