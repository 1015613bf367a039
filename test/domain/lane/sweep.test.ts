import { describe, expect, test } from 'vitest';
import { addAnswer, slotsSince, thinAnswers, type Answers } from '../../../domain/lane/answers.ts';
import { fenceKey, putFence, revocationLifeMs } from '../../../domain/lane/fence.ts';
import { measureLane } from '../../../domain/lane/size.ts';
import { type Fence, type FenceState, chatOf } from '../../../domain/lane/state.ts';
import { sweep } from '../../../domain/lane/sweep.ts';
import { LaneUnderTest, startMs } from './lane-under-test.ts';

const minuteMs = 60_000;

function fence(state: FenceState, part: Partial<Fence> = {}): Fence {
  return {
    attempt: 1,
    run: '',
    nonce: '',
    chat: '77',
    chatKind: 'chat',
    weight: 1,
    grantedAtMs: startMs,
    count: 0,
    revokedAtMs: null,
    state,
    ...part,
  };
}

const settled = (atMs: number, part: Partial<Fence> = {}): Fence =>
  fence({ kind: 'settled', atMs, outcome: 'sent' }, part);
const revoked = (atMs: number, part: Partial<Fence> = {}): Fence =>
  fence({ kind: 'revoked', atMs, answer: 'never' }, { revokedAtMs: atMs, ...part });
const outstanding = (grantedAtMs: number, part: Partial<Fence> = {}): Fence =>
  fence({ kind: 'outstanding' }, { grantedAtMs, ...part });

/** How many fences are left of these after a sweep at an instant. */
function leftOf(fences: readonly Fence[], atMs: number): { lane: LaneUnderTest['lane']; left: number } {
  const { lane } = new LaneUnderTest();
  fences.forEach((one, i) => putFence(lane, fenceKey(`r${i}`), { ...one }));
  sweep(lane, atMs);
  return { lane, left: lane.fences.size };
}

describe('rule 19: what is remembered of claims, and for how long', () => {
  test.each<[string, Fence, number]>([
    ['over', settled(startMs), 5 * minuteMs],
    ['over for less than its grant is old', settled(startMs + 9000), 5 * minuteMs + 9000],
    ['revoked', revoked(startMs), revocationLifeMs],
    ['over after a revocation', settled(startMs, { revokedAtMs: startMs + 7 }), revocationLifeMs + 7],
    ['out', outstanding(startMs), 60 * minuteMs],
  ])('%s', (_, one, lifeMs) => {
    expect(leftOf([one], startMs + lifeMs - 1).left).toBe(1);
    expect(leftOf([one], startMs + lifeMs).left).toBe(0);
  });

  test('of those that are over the latest 800, of those revoked 300, of those lost 150: the oldest goes first', () => {
    const atMs = startMs + 30_000;
    const many = (length: number, one: (i: number) => Fence): Fence[] =>
      Array.from({ length }, (_, i) => one(i));
    expect(
      leftOf(
        many(900, () => settled(startMs)),
        atMs,
      ).left,
    ).toBe(800);
    expect(
      leftOf(
        many(800, () => settled(startMs)),
        atMs,
      ).left,
    ).toBe(800);
    expect(
      leftOf(
        many(400, () => revoked(startMs)),
        atMs,
      ).left,
    ).toBe(300);
    expect(
      leftOf(
        many(300, () => revoked(startMs)),
        atMs,
      ).left,
    ).toBe(300);
    expect(
      leftOf(
        many(200, () => outstanding(startMs)),
        atMs,
      ).left,
    ).toBe(150);
    expect(
      leftOf(
        many(150, () => outstanding(startMs)),
        atMs,
      ).left,
    ).toBe(150);
    const { lane } = leftOf(
      many(900, (i) => settled(startMs, { attempt: i })),
      atMs,
    );
    expect([...lane.fences.values()][0]?.attempt).toBe(100);
    const mixed = leftOf(
      [
        ...many(100, () => revoked(startMs)),
        ...many(150, () => outstanding(startMs)),
        ...many(800, () => settled(startMs)),
      ],
      atMs,
    );
    expect(mixed.left).toBe(1050);
  });

  test('those that may still be answered are all kept, however many', () => {
    const many = Array.from({ length: 200 }, () => outstanding(startMs));
    expect(leftOf(many, startMs + 24_999).left).toBe(200);
    expect(leftOf(many, startMs + 25_000).left).toBe(150);
  });

  test('a grant that is forgotten is noted, and a revocation that is', () => {
    const lateMs = startMs + 120 * minuteMs;
    const none = { forgottenMs: startMs - 60 * minuteMs, refusedBeforeMs: 0 };
    expect(leftOf([], lateMs).lane).toMatchObject(none);
    expect(leftOf([settled(startMs, { grantedAtMs: startMs - 5 })], lateMs).lane).toMatchObject({
      ...none,
      forgottenMs: startMs - 5,
    });
    expect(
      leftOf([settled(startMs), settled(startMs, { grantedAtMs: startMs - 5 })], lateMs).lane.forgottenMs,
    ).toBe(startMs);
    expect(leftOf([revoked(startMs), revoked(startMs - 9)], lateMs).lane).toMatchObject({
      ...none,
      refusedBeforeMs: startMs,
    });
    expect(leftOf([settled(startMs, { revokedAtMs: startMs - 3 })], lateMs).lane).toMatchObject({
      forgottenMs: startMs,
      refusedBeforeMs: startMs - 3,
    });
    expect(leftOf([settled(startMs, { grantedAtMs: startMs - 120 * minuteMs })], lateMs).lane).toMatchObject(
      none,
    );
  });

  test('a lost claim that is forgotten gives its slots back at its bound, where they count still', () => {
    const hourAgoMs = startMs - 60 * minuteMs;
    const { lane } = new LaneUnderTest({ bot: [{ limit: 1, perMs: 7_200_000 }] });
    lane.policies = [
      {
        policy: { ...new LaneUnderTest().policy, bot: [{ limit: 1, perMs: 7_200_000 }] },
        seenAtMs: startMs,
      },
    ];
    putFence(lane, fenceKey('r'), outstanding(hourAgoMs, { weight: 3 }));
    sweep(lane, startMs);
    expect(lane.answered).toEqual([[hourAgoMs + 25_000, 3]]);
  });
});

describe('rule 19: what is remembered besides', () => {
  test('a sweep comes once a second at most', () => {
    const { lane } = new LaneUnderTest();
    sweep(lane, startMs);
    putFence(lane, fenceKey('r'), settled(startMs - 100 * minuteMs));
    sweep(lane, startMs + 999);
    expect(lane).toMatchObject({ sweptAtMs: startMs });
    expect(lane.fences.size).toBe(1);
    sweep(lane, startMs + 1000);
    expect(lane).toMatchObject({ sweptAtMs: startMs + 1000 });
    expect(lane.fences.size).toBe(0);
    expect(lane.bytes).toBe(measureLane(lane));
  });

  test('keys that are through: for two minutes, the latest four thousand, or two where there is no room', () => {
    const left = (count: number, atMs: number, bytes = 0): number => {
      const { lane } = new LaneUnderTest();
      for (let i = 0; i < count; i++) lane.done.set(`${i}`, startMs);
      lane.bytes = bytes;
      sweep(lane, atMs);
      return lane.done.size;
    };
    expect(left(5, startMs + 119_999)).toBe(5);
    expect(left(5, startMs + 120_000)).toBe(0);
    expect(left(4000, startMs + 1)).toBe(4000);
    expect(left(4001, startMs + 1)).toBe(4000);
    expect(left(4001, startMs + 1, 175_000)).toBe(2000);
    expect(left(4001, startMs + 1, 174_999)).toBe(4000);
  });

  test('a chat: as long as somebody waits there, or its slots are in use', () => {
    const { lane } = new LaneUnderTest();
    chatOf(lane, 'empty', 'chat');
    chatOf(lane, 'answered', 'chat').answered.push([startMs - 999, 1]);
    chatOf(lane, 'long ago', 'chat').answered.push([startMs - 1000, 1]);
    chatOf(lane, 'group', 'group').answered.push([startMs - 59_999, 1]);
    const place = { hash: 'aaaaaa', ticketMs: startMs, bulk: false, blockedOn: null, skips: false };
    chatOf(lane, 'waiting', 'chat').places.add({ ...place });
    chatOf(lane, 'dead', 'chat').places.add({ ...place, ticketMs: startMs - 90_001 });
    lane.placeCount = 2;
    lane.awakeSinceMs = 0;
    sweep(lane, startMs);
    expect([...lane.chats.keys()]).toEqual(['answered', 'group', 'waiting']);
    expect(lane.placeCount).toBe(1);
  });

  test('a place that is dead holds up nobody who named it', () => {
    const { lane } = new LaneUnderTest();
    const { places } = chatOf(lane, '77', 'chat');
    places.add({ hash: 'aaaaaa', ticketMs: startMs - 90_001, bulk: false, blockedOn: null, skips: false });
    places.add({ hash: 'bbbbbb', ticketMs: startMs, bulk: false, blockedOn: 'aaaaaa', skips: false });
    places.add({ hash: 'cccccc', ticketMs: startMs, bulk: false, blockedOn: 'bbbbbb', skips: false });
    lane.awakeSinceMs = 0;
    sweep(lane, startMs);
    expect([...places].map(({ blockedOn }) => blockedOn)).toEqual([null, 'bbbbbb']);
  });

  test("the bot's answers: for a minute at least, or as long as its windows look back", () => {
    const { lane } = new LaneUnderTest();
    lane.answered = [
      [startMs - 60_000, 1],
      [startMs - 59_999, 2],
    ];
    sweep(lane, startMs);
    expect(lane.answered).toEqual([[startMs - 59_999, 2]]);
  });
});

describe('answers', () => {
  test('are noted, and counted from an instant on', () => {
    const answers: Answers = [];
    addAnswer(answers, 5, 2);
    addAnswer(answers, 7, 1);
    expect(answers).toEqual([
      [5, 2],
      [7, 1],
    ]);
    expect([4, 5, 6, 7].map((sinceMs) => slotsSince(answers, sinceMs))).toEqual([3, 1, 1, 0]);
  });

  const list = (length: number, ageMs: (i: number) => number): Answers =>
    Array.from({ length }, (_, i) => [startMs - ageMs(i), 1]);

  test('a short list, and what is young, is kept exactly', () => {
    const short = list(100, (i) => 50_000 + i);
    expect(thinAnswers(short, 60_000, startMs)).toEqual(short);
    const young = list(101, (i) => 1900 + i);
    expect(thinAnswers(young, 60_000, startMs)).toEqual(young);
  });

  test('the rest is gathered on grids of powers of two', () => {
    const old = list(101, (i) => 64_000 + i);
    const gathered = thinAnswers(old, 100_000, startMs);
    expect(gathered.length).toBeLessThan(4);
    expect(gathered.every(([atMs]) => atMs % 512 === 0)).toBe(true);
    for (const [atMs] of gathered) expect(atMs).toBeLessThanOrEqual(startMs - 64_000 + 512);
    expect(slotsSince(gathered, 0)).toBe(101);
  });

  test('what is older than the longest window is dropped, at its very age', () => {
    expect(
      thinAnswers(
        [
          [startMs - 1000, 1],
          [startMs - 999, 1],
        ],
        1000,
        startMs,
      ),
    ).toEqual([[startMs - 999, 1]]);
  });
});
