import { describe, expect, test } from 'vitest';
import { Places } from '../../../domain/lane/places.ts';
import { bucketOf, chatOf, movedChat, newLane } from '../../../domain/lane/state.ts';
import { measureLane } from '../../../domain/lane/size.ts';
import { LaneUnderTest } from './lane-under-test.ts';

const place = (hash: string) => ({ hash, ticketMs: 1, bulk: false, blockedOn: null, skips: false });
const hashes = (places: Iterable<{ hash: string }>): string => [...places].map(({ hash }) => hash).join('');
const of = (text: string): Places => {
  const places = new Places();
  for (const hash of text) places.add(place(hash));
  return places;
};

describe('the places of a chat', () => {
  test('stand in the order in which they were added, and are found by their hash', () => {
    const places = of('abc');
    expect(hashes(places)).toBe('abc');
    expect(places.size).toBe(3);
    expect(places.get('b')).toEqual(place('b'));
    expect(places.get('x')).toBeUndefined();
  });

  test.each([
    ['a', 'bcd', 'dcb'],
    ['b', 'acd', 'dca'],
    ['d', 'abc', 'cba'],
  ])('%s taken out: the others keep their order, both ways', (hash, left, back) => {
    const places = of('abcd');
    expect(places.remove(hash)).toEqual(place(hash));
    expect(places.remove(hash)).toBeUndefined();
    expect(hashes(places)).toBe(left);
    expect(hashes(places.before('x'))).toBe(back);
    places.add(place('e'));
    expect(hashes(places.before('e'))).toBe(back);
    expect(hashes(places.before('x'))).toBe(`e${back}`);
  });

  test('neighbours taken out one after the other leave no trace of each other', () => {
    for (const pair of ['ba', 'ab', 'bc', 'cb', 'cd', 'dc']) {
      const places = of('abcd');
      for (const hash of pair) places.remove(hash);
      const left = [...'abcd'].filter((hash) => !pair.includes(hash));
      expect(hashes(places)).toBe(left.join(''));
      expect(hashes(places.before('x'))).toBe(left.toReversed().join(''));
    }
  });

  test('before one: from the nearest on', () => {
    expect(hashes(of('abcd').before('c'))).toBe('ba');
    expect(hashes(of('abcd').before('a'))).toBe('');
    expect(hashes(of('').before('a'))).toBe('');
  });

  test('all gone: the next is the first', () => {
    const places = of('a');
    places.remove('a');
    places.add(place('b'));
    expect(hashes(places.before('x'))).toBe('b');
    expect(hashes(places)).toBe('b');
  });
});

describe('what stands for a destination', () => {
  test.each(['77', '-1003000000123', '@News_1', 'a.b:c+d', 'x'.repeat(40)])(
    'a short plain id: itself: %s',
    (id) => expect(bucketOf(id)).toBe(id),
  );

  test.each(['x'.repeat(41), 'é', 'a b', ' a', 'a ', '', 'a/b', '(a', 'a)'])(
    'anything else: its hash: %j',
    (id) => {
      expect(bucketOf(id)).toMatch(/^#[\w-]{12}$/);
      expect(bucketOf(id)).not.toBe(bucketOf(`${id}x`));
    },
  );

  test('a chat is made once, of the kind that it had first', () => {
    const lane = newLane('b', 'e', 0);
    const chat = chatOf(lane, '77', 'group');
    expect(chat).toMatchObject({ kind: 'group', answered: [] });
    expect(chatOf(lane, '77', 'chat')).toBe(chat);
  });

  test('moves are followed to their end, and a ring once', () => {
    const lane = newLane('b', 'e', 0);
    lane.moved = new Map([
      ['a', 'b'],
      ['b', 'c'],
      ['x', 'y'],
      ['y', 'x'],
    ]);
    expect(['a', 'b', 'c', 'd'].map((id) => movedChat(lane, id))).toEqual(['c', 'c', 'c', 'd']);
    expect(movedChat(lane, 'x')).toBe('y');
  });
});

test('a lane without memory wants a probe, and knows nothing', () => {
  expect(newLane('support', 'e', 7)).toEqual({
    bot: 'support',
    epoch: 'e',
    bornAtMs: 7,
    policies: [],
    cooldown: null,
    probe: { kind: 'wanted' },
    stopped: null,
    paused: null,
    authStreak: 0,
    unreadableStreak: 0,
    silentStreak: 0,
    chats: new Map(),
    fences: new Map(),
    moved: new Map(),
    done: new Map(),
    answered: [],
    cursors: { reply: 0, bulk: 0, replyDue: 0, bulkDue: 0, stall: 0 },
    bulkCredit: 0,
    forgottenMs: 7,
    refusedBeforeMs: 0,
    heardMs: 7,
    awakeSinceMs: 7,
    hasCrowdRules: true,
    graceUntilMs: 0,
    pace: { grantedAtMs: 7, everyMs: 0 },
    latenessMs: 0,
    latencyMs: 0,
    sweptAtMs: 7,
    placeCount: 0,
    bytes: 0,
    overriddenAtMs: null,
    granted: 0,
    pauseStreak: 0,
    sent: 0,
    floods: 0,
    lastFlood: null,
    acts: [],
    lateProofs: [],
  });
});

describe('rule 19: a lane is measured by what its snapshot takes', () => {
  test('part by part', () => {
    const { lane } = new LaneUnderTest();
    expect(measureLane(lane)).toBe(12_000);
    const chat = chatOf(lane, 'abc', 'chat');
    chat.answered.push([1, 1], [2, 1]);
    chat.places.add(place('a'));
    chat.places.add({ ...place('b'), blockedOn: 'a', skips: false });
    lane.moved.set('12', '345');
    lane.lateProofs = [{ reply: 'abcd', attempt: 1, outcome: 'sent', at: 1 }];
    lane.done.set('x', 1);
    lane.answered.push([1, 1]);
    expect(measureLane(lane)).toBe(12_000 + (3 + 16) + 2 * 14 + 13 + 19 + (2 + 3 + 6) + 12 + 14 + (4 + 80));
    const before = measureLane(lane);
    const other = new LaneUnderTest();
    other.asksOne('a');
    lane.fences = other.lane.fences;
    expect(measureLane(lane) - before).toBe(110);
    for (const fence of lane.fences.values()) fence.state = { kind: 'settled', atMs: 1, outcome: 'sent' };
    expect(measureLane(lane) - before).toBe(42);
  });

  const grown = (grow: (lane: LaneUnderTest) => void): [measured: number, written: number] => {
    const lane = new LaneUnderTest();
    const before: [number, number] = [measureLane(lane.lane), lane.bytes];
    grow(lane);
    return [measureLane(lane.lane) - before[0], lane.bytes - before[1]];
  };

  test.each<[string, (lane: LaneUnderTest) => void]>([
    ['places', (lane) => lane.extends(60).asks(...many((i) => ({ reply: `r${i}` })))],
    [
      'places of those that wait for others',
      (lane) => lane.extends(60).asks(...many((i) => ({ reply: `r${i}`, after: `x${i}` }))),
    ],
    ['chats', (lane) => lane.extends(60).asks(...many((i) => ({ reply: `r${i}`, chat: `chat-of-${i}` })))],
    ['moves', (lane) => many((i) => lane.lane.moved.set(`-${i}`, `-100${i}`))],
    ['keys that are through', (lane) => many((i) => lane.lane.done.set(`hash${i + 10}`, lane.nowMs))],
    ['answers', (lane) => many((i) => lane.lane.answered.push([lane.nowMs - i, 1]))],
    ['revocations', (lane) => many((i) => lane.revokes(`r${i}`))],
    ['claims', (lane) => many((i) => lane.after(1000).asksOne(`r${i}`, { chat: `${i % 20}` }))],
  ])('%s: never less, and not twice as much', (_, grow) => {
    const [measured, written] = grown(grow);
    // What an extension or a policy leaves in the rest of the lane is not counted here.
    expect(measured).toBeGreaterThanOrEqual(written - 700);
    expect(measured).toBeLessThan(2.2 * written);
  });
});

function many<T>(one: (i: number) => T): T[] {
  return Array.from({ length: 80 }, (_, i) => one(i));
}
