import { describe, expect, test } from 'vitest';
import { claimBatch, noteReports } from '../../../domain/lane/batch.ts';
import { measureLane } from '../../../domain/lane/size.ts';
import type { Ask, Report } from '../../../domain/lane/messages.ts';
import { LaneUnderTest, whyOf } from './lane-under-test.ts';

const limitBytes = 256 * 1024;

const ask = (i: number, chat: string, part: Partial<Ask> = {}): Ask => ({
  reply: `upd-${1_000_000 + i}-reply`,
  run: 'f3b2c1d0-aaaa-bbbb-cccc-000000000000',
  attempt: 1,
  nonce: `nonce-of-${i}-which-is-long-enough`,
  chat,
  chatKind: 'chat',
  weight: 1,
  class: 'reply',
  scheduledAtMs: 0,
  ...part,
});

const sent = ({ reply, attempt, nonce, chat }: Ask): Report => ({
  reply,
  attempt,
  nonce,
  chat,
  outcome: 'sent',
  ageMs: 3,
});

/** Asks in batches of a hundred, with time between them. */
function askAll(lane: LaneUnderTest, asks: readonly Ask[], msBetween: number): void {
  for (let i = 0; i < asks.length; i += 100) {
    const batch = asks.slice(i, i + 100).map((one) => ({ ...one, scheduledAtMs: lane.nowMs }));
    claimBatch(lane.lane, { policy: lane.policy, asks: batch }, lane.after(msBetween).nowMs);
  }
}

describe('rule 19: the state stays under 256 KiB', () => {
  test.each([1, 100, 1000, 10_000])('T9: 10,000 waiting in a long cooldown, in %i chats', (chats) => {
    const lane = new LaneUnderTest().extends(36_000);
    askAll(
      lane,
      Array.from({ length: 10_000 }, (_, i) => ask(i, `-100${4_503_600_000 + (i % chats)}`)),
      20,
    );
    expect(lane.bytes).toBeLessThan(limitBytes);
    if (chats <= 1000) expect(lane.lane.placeCount).toBe(10_000);
  });

  test.each(['chat', 'group'] as const)('T9: 10,000 waiting in 1,000 %ss, and the lane opens', (chatKind) => {
    const lane = new LaneUnderTest({ maxOutstanding: 40 }).extends(36_000);
    const asks = Array.from({ length: 10_000 }, (_, i) =>
      ask(i, `-100${4_503_600_000 + (i % 1000)}`, { chatKind }),
    );
    askAll(lane, asks, 20);
    lane.controls('override').after(1000);
    lane.lane.probe = { kind: 'open' };
    let sentCount = 0;
    let largest = 0;
    for (let second = 0; second < 120; second++) {
      const due = asks
        .slice(sentCount, sentCount + 30)
        .map((one) => ({ ...one, ticketMs: lane.nowMs, scheduledAtMs: lane.nowMs }));
      const verdicts = claimBatch(lane.lane, { policy: lane.policy, asks: due }, lane.nowMs);
      expect(verdicts.map(whyOf)).toEqual(due.map(() => 'go'));
      noteReports(lane.lane, due.map(sent), lane.after(1).nowMs);
      sentCount += due.length;
      lane.after(1020);
      if (second % 5 === 0) largest = Math.max(largest, lane.bytes);
    }
    expect(largest).toBeLessThan(limitBytes);
  });

  test('T9: a claim is answered about as fast with 10,000 waiting as with 10', () => {
    const millisecondsWith = (waiting: number): number => {
      const lane = new LaneUnderTest().extends(36_000);
      askAll(
        lane,
        Array.from({ length: waiting }, (_, i) => ask(i, 'one chat')),
        1,
      );
      const beforeMs = performance.now();
      for (let i = 0; i < 300; i++) askAll(lane, [ask(waiting - 1 - (i % 5), 'one chat')], 1);
      return performance.now() - beforeMs;
    };
    millisecondsWith(10);
    expect(millisecondsWith(10_000) / millisecondsWith(10)).toBeLessThan(20);
  });

  test('100,000 replies that never come back', () => {
    const lane = new LaneUnderTest();
    let largest = 0;
    for (let i = 0; i < 100_000; i += 100) {
      const asks = Array.from({ length: 100 }, (_, j) => ask(i + j, `chat-${(i + j) % 7919}`));
      askAll(lane, asks, 400);
      if (i % 2000 === 0) largest = Math.max(largest, lane.bytes);
    }
    expect(largest).toBeLessThan(limitBytes);
    expect(largest).toBeGreaterThan(100_000);
    for (let minute = 0; minute < 90; minute++) {
      for (let i = 0; i < 6; i++) askAll(lane, [ask(0, 'last')], 10_000);
    }
    expect(lane.lane.placeCount).toBeLessThan(5);
    expect(lane.bytes).toBeLessThan(20_000);
  });

  test.each([
    { what: 'chats', kind: 'chat', replies: 20_000, perSecond: 30 },
    { what: 'groups', kind: 'group', replies: 10_000, perSecond: 30 },
    { what: 'groups, far above the usual limits', kind: 'group', replies: 30_000, perSecond: 1000 },
  ] as const)('$replies distinct $what at $perSecond a second', ({ kind, replies, perSecond }) => {
    const lane = new LaneUnderTest({
      bot: [{ limit: perSecond, perMs: 1000 }],
      maxOutstanding: perSecond,
    });
    let largest = 0;
    let granted = 0;
    for (let i = 0; i < replies; i += perSecond) {
      lane.after(1000);
      const asks = Array.from({ length: perSecond }, (_, j) =>
        ask(i + j, `-100${4_503_600_000 + i + j}`, { chatKind: kind, scheduledAtMs: lane.nowMs }),
      );
      const verdicts = claimBatch(lane.lane, { policy: lane.policy, asks }, lane.nowMs);
      const reports = asks.filter((_, j) => verdicts[j]?.kind === 'go').map(sent);
      granted += reports.length;
      noteReports(lane.lane, reports, lane.after(5).nowMs);
      if (i % (perSecond * 10) === 0) largest = Math.max(largest, lane.bytes);
    }
    expect(largest).toBeLessThan(limitBytes);
    expect(granted).toBeGreaterThan(perSecond <= 30 ? 0.9 * replies : 600);
  });

  test('policies, operators and replies with the longest texts that are taken', () => {
    const text = '\u20ac';
    const windows = Array.from({ length: 8 }, (_, i) => ({
      limit: i + 1,
      perMs: Number.MAX_SAFE_INTEGER - i,
      note: text.repeat(5000),
    }));
    const lane = new LaneUnderTest({ bot: windows, chat: windows, group: windows }).extends(60);
    for (let i = 0; i < 3000; i++) {
      const policy = { ...lane.policy, heldPauseMs: 1 + (i % 50) };
      const asks = [
        ask(i, `${text.repeat(290)}${i}`, { nonce: `${text.repeat(290)}${i}`, scheduledAtMs: lane.nowMs }),
      ];
      claimBatch(lane.lane, { policy, asks }, lane.after(10).nowMs);
    }
    for (let i = 0; i < 40; i++) {
      lane.lane.acts = [];
      lane.extends(60);
    }
    expect(lane.bytes).toBeLessThan(limitBytes);
  });

  test('late proofs of the longest keys', () => {
    const lane = new LaneUnderTest({ bot: [], chat: [], maxOutstanding: 1000 });
    const empty = lane.bytes;
    for (let i = 0; i < 40; i++) {
      const reply = `${i}`.padEnd(200, 'x');
      lane.asksOne(reply);
      lane.revokes(reply);
      lane.reports(reply, { outcome: 'rejected', number: 1_000_000 });
    }
    const kept = lane.lane.lateProofs;
    lane.lane.lateProofs = [];
    const without = lane.bytes;
    const measured = measureLane(lane.lane);
    lane.lane.lateProofs = kept;
    expect(kept).toHaveLength(20);
    expect(lane.bytes - without).toBeLessThanOrEqual(measureLane(lane.lane) - measured);
    expect(lane.bytes).toBeGreaterThan(empty);
  });

  test('500 claims that are lost, and never revoked', () => {
    const lane = new LaneUnderTest({ bot: [], maxOutstanding: 1000 });
    for (let i = 0; i < 5000; i++) lane.after(200).asksOne(`r${i}`, { chat: `c${i}` });
    expect(lane.bytes).toBeLessThan(limitBytes);
  });
});

test('rule 7: what is forgotten of lost claims does not free their slots', () => {
  const lane = new LaneUnderTest({ bot: [{ limit: 250, perMs: 3_600_000 }], maxOutstanding: 1000 });
  let granted = 0;
  for (let i = 0; i < 1200; i++) {
    if (lane.after(1000).asksOne(`r${i}`, { chat: `c${i}`, ticketMs: lane.nowMs }).kind === 'go') granted++;
  }
  expect(granted).toBe(250);
});
