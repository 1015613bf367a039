import { describe, expect, test } from 'vitest';
import { fenceKey, putFence } from '../../../domain/lane/fence.ts';
import type { OutcomeKind } from '../../../domain/outcome.ts';
import { freezeLane, thawLane } from '../../../domain/lane/snapshot.ts';
import { type Fence, type FenceState, type Lane, chatOf } from '../../../domain/lane/state.ts';
import { shortHash } from '../../../domain/ids.ts';
import { LaneUnderTest, startMs } from './lane-under-test.ts';

const overCut = (lane: Lane, nowMs = startMs): Lane =>
  thawLane(JSON.parse(JSON.stringify(freezeLane(lane, nowMs))));

const fence = (state: FenceState, part: Partial<Fence> = {}): Fence => ({
  attempt: 40,
  run: shortHash('run', 6),
  nonce: '',
  chat: '',
  chatKind: 'chat',
  weight: 0,
  grantedAtMs: startMs - 500,
  count: 37,
  revokedAtMs: null,
  state,
  ...part,
});

describe('rule 19: a lane goes on in its next run as it was', () => {
  test('with everything that it holds once', () => {
    const { lane } = new LaneUnderTest();
    Object.assign(lane, {
      cooldown: { notBeforeMs: startMs + 9, reason: 'flood', savedAtMs: startMs, by: null, why: null },
      probe: { kind: 'leased', reply: 'r', sinceMs: startMs, untilMs: startMs + 5 },
      stopped: { why: 'w', atMs: startMs },
      paused: { by: 'a', reason: 'r', atMs: startMs },
      authStreak: 1,
      unreadableStreak: 2,
      silentStreak: 3,
      answered: [[startMs - 5, 2]],
      cursors: { reply: 1, bulk: 2, replyDue: 3, bulkDue: 4, stall: 5 },
      bulkCredit: 0.3,
      forgottenMs: startMs - 9,
      latenessMs: 12,
      latencyMs: 13,
      bytes: 14,
      overriddenAtMs: startMs - 1,
      sent: 15,
      floods: 16,
      acts: [{ at: startMs, what: 'pause', by: 'a', reason: 'r' }],
    });
    lane.moved.set('1', '2');
    lane.done.set(shortHash('x', 6), startMs - 1);
    lane.done.set(shortHash('y', 6), startMs);
    expect(overCut(lane)).toEqual(lane);
  });

  test('with its chats, and the places in them in their order', () => {
    const { lane } = new LaneUnderTest();
    const places = [
      { hash: shortHash('a', 6), ticketMs: startMs, bulk: false, blockedOn: null, skips: false },
      { hash: shortHash('b', 6), ticketMs: startMs + 1, bulk: true, blockedOn: null, skips: false },
      {
        hash: shortHash('c', 6),
        ticketMs: startMs + 2,
        bulk: false,
        blockedOn: shortHash('a', 6),
        skips: false,
      },
      {
        hash: shortHash('d', 6),
        ticketMs: startMs + 3,
        bulk: true,
        blockedOn: shortHash('c', 6),
        skips: true,
      },
      { hash: shortHash('e', 6), ticketMs: startMs + 4, bulk: false, blockedOn: null, skips: false },
    ];
    for (const place of places) chatOf(lane, '77', 'chat').places.add({ ...place });
    chatOf(lane, '-5', 'group').answered.push([startMs - 3, 1], [startMs - 2, 4]);
    const thawed = overCut(lane);
    expect([...(thawed.chats.get('77')?.places ?? [])]).toEqual(places);
    expect(thawed.chats.get('77')).toMatchObject({ kind: 'chat', answered: [] });
    expect(thawed.chats.get('-5')).toMatchObject({
      kind: 'group',
      answered: [
        [startMs - 3, 1],
        [startMs - 2, 4],
      ],
    });
    expect(thawed.placeCount).toBe(5);
    expect([...thawed.chats.keys()]).toEqual(['77', '-5']);
  });

  test('with its claims', () => {
    const { lane } = new LaneUnderTest();
    const out = { nonce: shortHash('n', 12), chat: '-5', weight: 3 };
    putFence(lane, fenceKey('a'), fence({ kind: 'outstanding' }, { ...out, chatKind: 'group' }));
    putFence(lane, fenceKey('b'), fence({ kind: 'outstanding' }, { ...out, revokedAtMs: startMs - 77 }));
    expect([...overCut(lane).fences]).toEqual([...lane.fences]);
  });

  test('with what became of those that are over', () => {
    const { lane } = new LaneUnderTest();
    const outcomes: (OutcomeKind | null)[] = [
      'sent',
      'flood',
      'held',
      'rejected',
      'migrated',
      'unknown',
      'unreached',
      'paused',
      null,
    ];
    for (const [i, outcome] of outcomes.entries())
      putFence(
        lane,
        fenceKey(`r${i}`),
        fence({ kind: 'settled', atMs: startMs - i, outcome }, { attempt: 1 + 40 * i }),
      );
    for (const answer of ['never', 'lost'] as const)
      putFence(
        lane,
        fenceKey(answer),
        fence({ kind: 'revoked', atMs: startMs - 3, answer }, { run: '', revokedAtMs: startMs - 3 }),
      );
    expect([...overCut(lane).fences]).toEqual([...lane.fences]);
  });

  test('but for instants that it cannot write: those are cut to what it can', () => {
    const { lane } = new LaneUnderTest();
    const chat = chatOf(lane, '77', 'chat');
    const longAgoMs = startMs - 86_400_000;
    chat.places.add({ hash: 'aaaaaa', ticketMs: startMs + 1e12, bulk: false, blockedOn: null, skips: false });
    chat.places.add({ hash: 'bbbbbb', ticketMs: startMs - 1e12, bulk: false, blockedOn: null, skips: false });
    chat.places.add({ hash: 'cccccc', ticketMs: startMs + 0.6, bulk: false, blockedOn: null, skips: false });
    expect([...(overCut(lane).chats.get('77')?.places ?? [])].map(({ ticketMs }) => ticketMs)).toEqual([
      longAgoMs + 36 ** 6 - 1,
      longAgoMs,
      startMs + 1,
    ]);
  });
});

describe('a snapshot is read by later versions', () => {
  const written = () => {
    const { lane } = new LaneUnderTest();
    const chat = chatOf(lane, '77', 'group');
    chat.answered.push([startMs - 5, 2]);
    chat.places.add({ hash: 'aaaaaa', ticketMs: startMs, bulk: false, blockedOn: null, skips: false });
    chat.places.add({ hash: 'bbbbbb', ticketMs: startMs + 1, bulk: true, blockedOn: 'aaaaaa', skips: false });
    lane.answered.push([startMs - 7, 1]);
    lane.done.set('cccccc', startMs - 1);
    lane.moved.set('1', '2');
    putFence(
      lane,
      'key-of-out__',
      fence({ kind: 'outstanding' }, { run: 'rrrrrr', nonce: 'n', chat: '77', weight: 3 }),
    );
    putFence(
      lane,
      'key-of-over_',
      fence({ kind: 'settled', atMs: startMs, outcome: 'sent' }, { run: 'rrrrrr' }),
    );
    putFence(
      lane,
      'key-of-tomb_',
      fence({ kind: 'revoked', atMs: startMs, answer: 'never' }, { run: '', revokedAtMs: startMs - 1 }),
    );
    return freezeLane(lane, startMs);
  };

  test('so its form stays as it is', () => {
    const { lane: _, ...snapshot } = written();
    expect(JSON.parse(JSON.stringify(snapshot))).toEqual({
      v: 1,
      baseMs: startMs - 86_400_000,
      moved: [['1', '2']],
      done: 'cccccc1ffunz',
      answered: [[86_399_993, 1]],
      chats: [['77', 1, [[86_399_995, 2]], 'aaaaaa1ffuo0rbbbbbb1ffuo1Baaaaaa']],
      claims: [['key-of-out__', 40, 'rrrrrr', 86_399_500, null, 'n', '77', 0, 3, 37]],
      over: 'key-of-over_rrrrrr1ffua4------1ffuo0s14.11 key-of-tomb_......1ffua41ffunz1ffuo0N14.11 ',
    });
  });

  test('and one of a lane that did not count its claims is read: they count as its first', () => {
    const { claims, over, ...snapshot } = written();
    const older = thawLane({
      ...snapshot,
      claims: claims.map((row) => row.slice(0, 9) as unknown as (typeof claims)[number]),
      over: over.replaceAll('.11 ', ' '),
    });
    expect([...older.fences.values()].map(({ count, attempt }) => [count, attempt])).toEqual([
      [0, 40],
      [0, 40],
      [0, 40],
    ]);
    const { granted: _, pauseStreak: __, ...lane } = snapshot.lane;
    const oldest = thawLane({ ...written(), lane: lane as typeof snapshot.lane });
    expect([oldest.granted, oldest.pauseStreak]).toEqual([0, 0]);
  });

  test('and a state that this version does not know is that of a claim of which nothing is known', () => {
    const snapshot = written();
    const over = snapshot.over.replace(/s14\.11 /, 'X14.11 ');
    expect(over).not.toBe(snapshot.over);
    expect(thawLane({ ...snapshot, over }).fences.get('key-of-over_')?.state).toEqual({
      kind: 'settled',
      atMs: startMs,
      outcome: null,
    });
  });
});
