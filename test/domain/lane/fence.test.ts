import { describe, expect, test } from 'vitest';
import { oldestAskMs } from '../../../domain/lane/fence.ts';
import { LaneUnderTest, whyOf } from './lane-under-test.ts';

describe('rule 4: a nonce per activity run', () => {
  test('the same nonce gets the same go, over a cut too', () => {
    const lane = new LaneUnderTest();
    expect(lane.asksOne('a').kind).toBe('go');
    expect(lane.after(40).asksOne('a').kind).toBe('go');
    expect(lane.after(40).cut().asksOne('a').kind).toBe('go');
  });

  test('another nonce for the same attempt is refused: the claim may be in use', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    expect(whyOf(lane.asksOne('a', { nonce: 'other' }))).toBe('claimed');
    lane.after(50).reports('a', { outcome: 'sent' });
    for (const part of [{}, { nonce: 'other' }]) expect(whyOf(lane.asksOne('a', part))).toBe('claimed');
    for (const part of [{}, { nonce: 'other' }]) expect(whyOf(lane.cut().asksOne('a', part))).toBe('claimed');
  });

  test('an attempt of the past is refused', () => {
    const lane = new LaneUnderTest();
    expect(lane.asksOne('a', { attempt: 2 }).kind).toBe('go');
    expect(whyOf(lane.asksOne('a', { attempt: 1 }))).toBe('stale_ask');
  });

  test('rule 6: a claim of another run of the same reply is refused', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    expect(whyOf(lane.cut().asksOne('a', { run: 'started by hand', attempt: 2 }))).toBe('other_run');
  });

  test('rule 12: an ask whose activity was scheduled long ago, and a batch sent long ago, are refused', () => {
    const lane = new LaneUnderTest();
    expect(whyOf(lane.asksOne('a', { scheduledAtMs: lane.nowMs - oldestAskMs - 1 }))).toBe('stale_ask');
    expect(lane.asksOne('a', { scheduledAtMs: lane.nowMs - oldestAskMs }).kind).toBe('go');
  });

  test('rule 12: a claim that was given up unused holds neither its chat nor the probe', () => {
    const lane = new LaneUnderTest();
    lane.lane.probe = { kind: 'wanted' };
    expect(lane.asksOne('a').kind).toBe('go');
    expect(lane.after(10_000).asksOne('a', { attempt: 2 }).kind).toBe('go');
  });
});

describe('U7: revoke of an attempt that never claimed', () => {
  test('answers never; a late claim is refused, and the next attempt goes', () => {
    const lane = new LaneUnderTest();
    expect(lane.revokes('a')).toEqual({ kind: 'never' });
    expect(whyOf(lane.cut().asksOne('a'))).toBe('revoked');
    expect(lane.asksOne('a', { attempt: 2 }).kind).toBe('go');
    expect(whyOf(lane.asksOne('a', { run: 'another', attempt: 3 }))).toBe('other_run');
  });

  test('a worker that wakes after the next attempt is long through and forgotten cannot claim', () => {
    const lane = new LaneUnderTest();
    const scheduledAtMs = lane.nowMs;
    lane.after(10_000).revokes('a', 1, scheduledAtMs);
    lane.asksOne('a', { attempt: 2 });
    lane.after(50).reports('a', { attempt: 2, outcome: 'sent' });
    for (let minute = 0; minute < 20; minute++) {
      expect(lane.after(60_000).cut().asksOne('a', { scheduledAtMs }).kind).toBe('refused');
    }
  });

  test('the promise outlives a tombstone that is evicted for others', () => {
    const lane = new LaneUnderTest();
    const scheduledAtMs = lane.nowMs;
    for (let i = 0; i < 2000; i++) lane.after(1).revokes(`r${i}`, 1, scheduledAtMs);
    lane.after(2000).asksOne('somebody');
    expect(lane.lane.fences.size).toBeLessThan(400);
    for (let i = 0; i < 2000; i += 50) {
      expect(lane.asksOne(`r${i}`, { scheduledAtMs }).kind).toBe('refused');
    }
    expect(lane.asksOne('r0', { attempt: 2, chat: '78' }).kind).not.toBe('refused');
  });

  test('asked again it answers the same, over a cut too', () => {
    const lane = new LaneUnderTest();
    for (const [reply, scheduledAtMs] of [
      ['a', lane.nowMs],
      ['b', lane.lane.bornAtMs - 5000],
    ] as const) {
      const first = lane.revokes(reply, 1, scheduledAtMs);
      expect(lane.after(1000).revokes(reply, 1, scheduledAtMs)).toEqual(first);
      expect(lane.cut().revokes(reply, 1, scheduledAtMs)).toEqual(first);
      expect(whyOf(lane.asksOne(reply, { scheduledAtMs: lane.nowMs }))).toBe('revoked');
    }
  });
});

describe('revoke of an attempt that claimed', () => {
  test('U6: answers yes with what was reported, and others in the chat go on', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    lane.asksOne('b');
    expect(lane.after(10_000).revokes('a')).toEqual({ kind: 'yes', reported: null });
    // Its request may be on the way until the bound: 25 s and the chat's window after the grant.
    expect(whyOf(lane.after(15_999).asksOne('b'))).toBe('chat_pace');
    expect(lane.after(1).asksOne('b').kind).toBe('go');
    expect(lane.after(20).reports('b', { outcome: 'rejected' }).revokes('b')).toEqual({
      kind: 'yes',
      reported: 'rejected',
    });
  });

  test('rule 5: a lane that was born after the attempt was scheduled answers lost', () => {
    const lane = new LaneUnderTest();
    expect(lane.revokes('a', 1, lane.lane.bornAtMs - 1)).toEqual({ kind: 'lost' });
    expect(lane.revokes('b', 1, lane.lane.bornAtMs + 2000)).toEqual({ kind: 'never' });
  });

  test('a grant that was forgotten is answered lost, never never', () => {
    const lane = new LaneUnderTest({ bot: [], chat: [] });
    const scheduledAtMs = lane.nowMs;
    lane.after(5).asksOne('a', { scheduledAtMs });
    lane.after(50).reports('a', { outcome: 'sent' });
    lane.after(301_000).asksOne('somebody');
    expect(lane.revokes('a', 1, scheduledAtMs)).toEqual({ kind: 'lost' });
  });

  test('a run that never claimed is known as such, though the lane is asked minutes later and others have come and gone', () => {
    const lane = new LaneUnderTest({ bot: [], chat: [] });
    const scheduledAtMs = lane.after(5000).nowMs;
    lane.after(1000).asksOne('other');
    lane.after(50).reports('other', { outcome: 'sent' });
    lane.after(240_000).asksOne('somebody');
    expect(lane.revokes('a', 1, scheduledAtMs)).toEqual({ kind: 'never' });
  });

  test('what a fence of an earlier attempt proves is not lost with other fences', () => {
    const lane = new LaneUnderTest();
    const scheduledAtMs = lane.nowMs;
    lane.asksOne('a');
    lane.after(50).reports('a', { outcome: 'unreached' });
    lane.lane.forgottenMs = lane.nowMs + 60_000;
    expect(lane.revokes('a', 2, scheduledAtMs)).toEqual({ kind: 'never' });
  });
});
