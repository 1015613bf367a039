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
      { hash: shortHash('a', 6), ticketMs: startMs, bulk: false, blockedOn: null },
      { hash: shortHash('b', 6), ticketMs: startMs + 1, bulk: true, blockedOn: null },
      { hash: shortHash('c', 6), ticketMs: startMs + 2, bulk: false, blockedOn: shortHash('a', 6) },
      { hash: shortHash('d', 6), ticketMs: startMs + 3, bulk: true, blockedOn: shortHash('c', 6) },
      { hash: shortHash('e', 6), ticketMs: startMs + 4, bulk: false, blockedOn: null },
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
    chat.places.add({ hash: 'aaaaaa', ticketMs: startMs + 1e12, bulk: false, blockedOn: null });
    chat.places.add({ hash: 'bbbbbb', ticketMs: startMs - 1e12, bulk: false, blockedOn: null });
    chat.places.add({ hash: 'cccccc', ticketMs: startMs + 0.6, bulk: false, blockedOn: null });
    expect([...(overCut(lane).chats.get('77')?.places ?? [])].map(({ ticketMs }) => ticketMs)).toEqual([
      longAgoMs + 36 ** 6 - 1,
      longAgoMs,
      startMs + 1,
    ]);
  });
});
