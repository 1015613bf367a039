import { describe, expect, test } from 'vitest';
import { LaneUnderTest, whyOf } from './lane-under-test.ts';

describe('an ask that is applied after its reply was through (withdrawn while the lane was away)', () => {
  test('is refused, and takes no place: the next of its chat does not wait for the lane to forget it', () => {
    const lane = new LaneUnderTest();
    const scheduledAtMs = lane.nowMs;
    lane.after(5000).reports('a', { outcome: 'gone', chat: '' });
    expect(lane.after(1000).asksOne('a', { scheduledAtMs })).toMatchObject({
      kind: 'refused',
      why: 'stale_ask',
    });
    expect(lane.asksOne('b', { after: 'a' }).kind).toBe('go');
  });

  test('is not taken for that of a reply which a person lets go again: that was scheduled later', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    lane.after(50).reports('a', { outcome: 'unknown' });
    expect(whyOf(lane.after(20).asksOne('a', { attempt: 2 }))).toBe('chat_pace');
    expect(lane.after(2000).asksOne('a', { attempt: 2 }).kind).toBe('go');
  });
});
