import { describe, expect, test } from 'vitest';
import { shortHash } from '../../../domain/ids.ts';
import {
  dropUnused,
  fenceKey,
  oldestAskMs,
  revocationLifeMs,
  passProbeOn,
  putFence,
} from '../../../domain/lane/fence.ts';
import { markDone } from '../../../domain/lane/order.ts';
import { LaneUnderTest, startMs, whyOf } from './lane-under-test.ts';

describe('a claim that is taken back', () => {
  test('U6: is over, gives its slots back at its bound, its place and its probe at once', () => {
    const lane = new LaneUnderTest();
    lane.lane.probe = { kind: 'wanted' };
    lane.asksOne('a', { weight: 2 });
    expect(lane.after(500).revokes('a')).toEqual({ kind: 'yes', reported: null });
    expect(lane.lane.fences.get(fenceKey('a'))).toMatchObject({
      revokedAtMs: startMs + 500,
      state: { kind: 'settled', atMs: startMs + 500, outcome: null },
    });
    expect(lane.lane).toMatchObject({
      answered: [[startMs + 25_000, 2]],
      placeCount: 0,
      probe: { kind: 'wanted' },
    });
    expect([...lane.lane.done]).toEqual([[shortHash('a', 6), startMs + 500]]);
  });

  test('asked again, it is answered as it is then', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    for (const _ of [1, 2]) expect(lane.revokes('a')).toEqual({ kind: 'yes', reported: null });
    lane.asksOne('b', { chat: '78' });
    lane.reports('b', { chat: '78', outcome: 'held' });
    for (const _ of [1, 2]) expect(lane.revokes('b')).toEqual({ kind: 'yes', reported: 'held' });
  });

  test('U7: one that was never made leaves a tombstone, as the youngest of all', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    lane.reports('a', { outcome: 'unreached' });
    lane.asksOne('b', { chat: '78' });
    expect(lane.after(9).revokes('a', 2)).toEqual({ kind: 'never' });
    expect([...lane.lane.fences.keys()]).toEqual([fenceKey('b'), fenceKey('a')]);
    expect(lane.lane.fences.get(fenceKey('a'))).toEqual({
      attempt: 2,
      run: shortHash('run-of-a', 6),
      nonce: '',
      chat: '',
      chatKind: 'chat',
      weight: 0,
      grantedAtMs: startMs + 9,
      count: 0,
      revokedAtMs: startMs + 9,
      state: { kind: 'revoked', atMs: startMs + 9, answer: 'never' },
    });
    lane.revokes('new', 1);
    expect(lane.lane.fences.get(fenceKey('new'))).toMatchObject({ run: '', attempt: 1 });
  });

  test('an attempt before the one that is known cannot be told of any more', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a', { attempt: 2 });
    expect(lane.revokes('a', 1)).toEqual({ kind: 'lost' });
    expect(lane.lane.fences.get(fenceKey('a'))?.attempt).toBe(2);
  });

  test('rule 5: never is said only where a grant cannot have been forgotten, by more than a second', () => {
    const lane = new LaneUnderTest();
    lane.lane.forgottenMs = startMs;
    expect(lane.revokes('a', 1, startMs + 1000)).toEqual({ kind: 'lost' });
    expect(lane.revokes('b', 1, startMs + 1001)).toEqual({ kind: 'never' });
  });

  test('a later grant of the reply still tells when an earlier one was taken back', () => {
    const lane = new LaneUnderTest();
    lane.revokes('a');
    lane.after(5).asksOne('a', { attempt: 2 });
    expect(lane.lane.fences.get(fenceKey('a'))).toMatchObject({ attempt: 2, revokedAtMs: startMs });
  });
});

describe('rule 12: a claim that was given up unused', () => {
  test('is over when the next attempt asks, and passes its probe on', () => {
    const lane = new LaneUnderTest();
    lane.lane.probe = { kind: 'wanted' };
    lane.asksOne('a');
    lane.extends(60).asksOne('a', { attempt: 2 });
    expect(lane.lane.fences.get(fenceKey('a'))?.state).toMatchObject({
      kind: 'settled',
      outcome: 'unreached',
    });
    expect(lane.lane.probe).toEqual({ kind: 'wanted' });
  });

  test('and only then', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    const ask = { reply: 'a', attempt: 1 } as Parameters<typeof dropUnused>[1];
    dropUnused(lane.lane, ask, lane.nowMs);
    expect(lane.lane.fences.get(fenceKey('a'))?.state.kind).toBe('outstanding');
    lane.after(5).reports('a', { outcome: 'held' });
    dropUnused(lane.lane, { ...ask, attempt: 2 }, lane.after(5).nowMs);
    expect(lane.lane.fences.get(fenceKey('a'))?.state).toMatchObject({ outcome: 'held', atMs: startMs + 5 });
  });

  test('the probe of another is its own', () => {
    const lane = new LaneUnderTest();
    const probe = { kind: 'leased', reply: fenceKey('x'), sinceMs: 1, untilMs: 2 } as const;
    lane.lane.probe = probe;
    passProbeOn(lane.lane, fenceKey('a'));
    expect(lane.lane.probe).toBe(probe);
    passProbeOn(lane.lane, fenceKey('x'));
    expect(lane.lane.probe).toEqual({ kind: 'wanted' });
    lane.lane.probe = { kind: 'open' };
    passProbeOn(lane.lane, fenceKey('x'));
    expect(lane.lane.probe).toEqual({ kind: 'open' });
  });
});

describe('an ask that is too late', () => {
  test('is refused for its age before its revocation is forgotten', () =>
    expect(revocationLifeMs - oldestAskMs).toBe(60_000));

  const agedMs = (lane: LaneUnderTest, scheduledAtMs: number): string =>
    whyOf(lane.asksOne('a', { scheduledAtMs, attempt: 1 }));

  test('rule 12: is one whose activity was scheduled twelve minutes ago', () => {
    expect(agedMs(new LaneUnderTest(), startMs - oldestAskMs)).toBe('go');
    expect(agedMs(new LaneUnderTest(), startMs - oldestAskMs - 1)).toBe('stale_ask');
  });

  test('is one that may have been revoked in a time that is forgotten', () => {
    const lane = new LaneUnderTest();
    lane.lane.refusedBeforeMs = startMs - 5;
    expect(agedMs(lane, startMs - 5)).toBe('stale_ask');
    expect(agedMs(lane, startMs - 4)).toBe('go');
  });

  test('is one that was scheduled before its reply was through', () => {
    const lane = new LaneUnderTest();
    markDone(lane.lane, undefined, 'a', startMs - 5);
    expect(agedMs(lane, startMs - 6)).toBe('stale_ask');
    expect(agedMs(lane, startMs - 5)).toBe('go');
  });

  test('rule 4: the nonce counts only while the claim is out', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    expect(whyOf(lane.asksOne('a'))).toBe('go');
    const key = fenceKey('a');
    const fence = lane.lane.fences.get(key)!;
    putFence(lane.lane, key, { ...fence, state: { kind: 'settled', atMs: startMs, outcome: 'sent' } });
    expect(whyOf(lane.asksOne('a'))).toBe('claimed');
    putFence(lane.lane, key, { ...fence, run: '' });
    expect(whyOf(lane.asksOne('a', { run: 'any' }))).toBe('go');
  });
});

describe('a place that is given up', () => {
  test('shortens the queue, but not below now', () => {
    const cursorAfter = (inMs: number, bulk: boolean, ticketInMs = 5000): [reply: number, bulk: number] => {
      const lane = new LaneUnderTest({ bot: [{ limit: 20, perMs: 1000 }] }).extends(1);
      lane.asksOne('a', { class: bulk ? 'bulk' : 'reply' });
      const place = [...(lane.lane.chats.get('77')?.places ?? [])][0]!;
      place.ticketMs = startMs + ticketInMs;
      lane.lane.cursors = { ...lane.lane.cursors, reply: startMs + inMs, bulk: startMs + inMs };
      markDone(lane.lane, lane.lane.chats.get('77'), 'a', startMs);
      return [lane.lane.cursors.reply - startMs, lane.lane.cursors.bulk - startMs];
    };
    expect(cursorAfter(300, false)).toEqual([250, 300]);
    expect(cursorAfter(300, true)).toEqual([300, 250]);
    expect(cursorAfter(20, false)).toEqual([0, 20]);
    expect(cursorAfter(300, false, 0)).toEqual([300, 300]);
    expect(cursorAfter(300, false, 1)).toEqual([250, 300]);
  });

  test('lets those go that named its reply, and only those', () => {
    const lane = new LaneUnderTest().extends(60);
    lane.asks(
      { reply: 'a' },
      { reply: 'b', after: 'a' },
      { reply: 'c', after: 'b' },
      { reply: 'd', after: 'a' },
    );
    markDone(lane.lane, lane.lane.chats.get('77'), 'a', startMs);
    const blocked = [...(lane.lane.chats.get('77')?.places ?? [])].map(({ blockedOn }) => blockedOn);
    expect(blocked).toEqual([null, shortHash('b', 6), null]);
    expect(lane.lane.placeCount).toBe(3);
  });

  test('that it never had changes nothing but that it is through', () => {
    const lane = new LaneUnderTest().extends(60);
    lane.asksOne('a');
    markDone(lane.lane, lane.lane.chats.get('77'), 'nobody', startMs);
    expect(lane.lane.placeCount).toBe(1);
    expect(lane.lane.done.size).toBe(1);
  });

  test('a reply that is its own predecessor waits for nobody', () => {
    expect(new LaneUnderTest().asksOne('a', { after: 'a' }).kind).toBe('go');
  });

  test('a longer ring of keys does not stop a chat either', () => {
    const lane = new LaneUnderTest();
    expect(whyOf(lane.asksOne('a', { after: 'c' }))).toBe('order');
    expect(whyOf(lane.asksOne('b', { after: 'a' }))).toBe('order');
    expect(whyOf(lane.asksOne('c', { after: 'b' }))).toBe('go');
  });

  test('a key that comes again after its end is not through any more', () => {
    const lane = new LaneUnderTest().extends(60);
    markDone(lane.lane, undefined, 'a', startMs);
    lane.after(1).asksOne('a');
    expect(lane.lane.done.size).toBe(0);
  });
});

describe('an operator opens a lane', () => {
  test('tickets begin anew, and no place waits longer than until now', () => {
    for (const action of ['resume', 'override'] as const) {
      const lane = new LaneUnderTest().extends(3600);
      lane.asks({ reply: 'a', chat: '1' }, { reply: 'b', chat: '2' });
      lane.lane.cursors = { reply: 1, bulk: 2, replyDue: 3, bulkDue: 4, stall: 5 };
      lane.lane.authStreak = 2;
      lane.lane.unreadableStreak = 3;
      const early = [...(lane.lane.chats.get('2')?.places ?? [])][0]!;
      early.ticketMs = 7;
      lane.after(50).controls(action);
      const { nowMs } = lane;
      expect(lane.lane.cursors).toEqual({
        reply: nowMs,
        bulk: nowMs,
        replyDue: nowMs,
        bulkDue: nowMs,
        stall: nowMs,
      });
      const tickets = [...lane.lane.chats.values()].flatMap(({ places }) =>
        [...places].map(({ ticketMs }) => ticketMs),
      );
      expect(tickets).toEqual([nowMs, 7]);
    }
  });

  test('resume lifts a stop and a pause, and wants a probe where there was one', () => {
    const lane = new LaneUnderTest();
    lane.controls('resume');
    expect(lane.lane).toMatchObject({ probe: { kind: 'open' }, acts: [{ what: 'resume', at: startMs }] });
    lane.lane.stopped = { why: 'w', atMs: 1 };
    lane.lane.authStreak = 2;
    lane.lane.unreadableStreak = 3;
    lane.controls('resume');
    expect(lane.lane).toMatchObject({
      stopped: null,
      authStreak: 0,
      unreadableStreak: 0,
      probe: { kind: 'wanted' },
    });
    lane.lane.probe = { kind: 'open' };
    lane.controls('pause');
    expect(lane.lane.paused).toEqual({ by: 'an operator', reason: 'a test', atMs: startMs });
    expect(lane.lane.probe).toEqual({ kind: 'open' });
    lane.controls('resume');
    expect(lane.lane).toMatchObject({ paused: null, probe: { kind: 'wanted' } });
  });

  test('override ends a cooldown now, and is kept with who and why', () => {
    const lane = new LaneUnderTest().extends(60).after(5);
    lane.lane.probe = { kind: 'open' };
    lane.controls('override');
    expect(lane.lane).toMatchObject({
      cooldown: {
        notBeforeMs: startMs + 5,
        reason: 'override',
        savedAtMs: startMs + 5,
        by: 'an operator',
        why: 'a test',
      },
      overriddenAtMs: startMs + 5,
      probe: { kind: 'wanted' },
    });
  });
});

describe('R2: a chat that moves', () => {
  const moved = (
    moves: readonly [string, string][],
    prepare: (lane: LaneUnderTest) => void = () => undefined,
  ) => {
    const lane = new LaneUnderTest({ bot: [], chat: [] });
    prepare(lane);
    moves.forEach(([from, to], i) => {
      lane.asksOne(`r${i}`, { chat: from });
      lane.after(5).reports(`r${i}`, { chat: from, outcome: 'migrated', movedTo: to });
    });
    return lane.lane;
  };

  test('is remembered, the latest 300 of them', () => {
    const many = Array.from({ length: 301 }, (_, i): [string, string] => [`-${i}`, `-100${i}`]);
    expect(moved(many.slice(0, 300)).moved.size).toBe(300);
    const lane = moved(many);
    expect(lane.moved.size).toBe(300);
    expect([...lane.moved][0]).toEqual(['-1', '-1001']);
  });

  test('ids of unusual length are not worth the room, on either side', () => {
    const long = '5'.repeat(41);
    expect(moved([['-1', long]]).moved.size).toBe(0);
    expect(moved([[long, '-1']]).moved.size).toBe(0);
  });

  test('to itself, it stays', () => {
    const lane = moved([['-1', '-1']]);
    expect(lane.moved.size).toBe(0);
    expect(lane.chats.has('-1')).toBe(true);
  });

  test('that the lane knows nothing of is remembered all the same', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a', { chat: '-1' });
    lane.after(5).reports('a', { chat: '-7', outcome: 'migrated', movedTo: '-700' });
    expect([...lane.lane.moved]).toEqual([['-7', '-700']]);
    expect([...lane.lane.chats.keys()]).toEqual(['-1']);
  });

  test('stays a chat where neither was a group, and the claims of others stay where they are', () => {
    const lane = new LaneUnderTest();
    lane.asks({ reply: 'a', chat: '1' }, { reply: 'b', chat: '2' }, { reply: 'c', chat: '3' });
    lane.after(5).reports('a', { chat: '1', outcome: 'migrated', movedTo: '2' });
    expect(lane.lane.chats.get('2')?.kind).toBe('chat');
    expect([...lane.lane.fences.values()].map(({ chat }) => chat)).toEqual(['2', '2', '3']);
  });

  test('one who waits at both ids has one place, that at the old id', () => {
    const lane = new LaneUnderTest().extends(60);
    lane.asks({ reply: 'new', chat: '-100' }, { reply: 'both', chat: '-100' });
    lane.asks({ reply: 'both', chat: '-1' }, { reply: 'old', chat: '-1' });
    lane.lane.cooldown = null;
    lane.asksOne('both', { chat: '-1', ticketMs: startMs });
    lane.after(5).reports('both', { chat: '-1', outcome: 'migrated', movedTo: '-100' });
    const places = [...(lane.lane.chats.get('-100')?.places ?? [])].map(({ hash }) => hash);
    expect(places).toEqual(['both', 'old', 'new'].map((reply) => shortHash(reply, 6)));
    expect(lane.lane.placeCount).toBe(3);
    expect(lane.lane.chats.has('-1')).toBe(false);
  });
});
