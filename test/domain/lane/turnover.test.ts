import { describe, expect, test } from 'vitest';
import { isTurnoverDue } from '../../../domain/lane/turnover.ts';
import { LaneUnderTest } from './lane-under-test.ts';

describe('rule 19: a run of a lane makes room for the next', () => {
  test('at the first quiet moment once it has had a hundred messages', () => {
    const lane = new LaneUnderTest();
    expect(isTurnoverDue(lane.lane, 99, lane.nowMs)).toBe(false);
    expect(isTurnoverDue(lane.lane, 100, lane.nowMs)).toBe(true);
  });

  test('not while a request is out, whose report would make its last task fail', () => {
    const lane = new LaneUnderTest();
    expect(lane.asksOne('a').kind).toBe('go');
    expect(isTurnoverDue(lane.lane, 399, lane.after(20).nowMs)).toBe(false);
    lane.reports('a', { outcome: 'sent' });
    expect(isTurnoverDue(lane.lane, 399, lane.nowMs)).toBe(true);
  });

  test('nor for ever: a request that is never answered is not waited for beyond its bound', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    expect(isTurnoverDue(lane.lane, 200, lane.after(lane.policy.answerBoundMs).nowMs)).toBe(true);
  });

  test('at any moment after four hundred: a long history takes too long to replay', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    expect(isTurnoverDue(lane.lane, 400, lane.nowMs)).toBe(true);
  });
});
