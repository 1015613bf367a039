import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { movedChat } from '../../../domain/lane/state.ts';
import { runs } from '../../support/runs.ts';
import { LaneUnderTest, whyOf } from './lane-under-test.ts';
import { type Arrival, brokenWindows } from './model/service.ts';
import { World } from './model/world.ts';

describe('R2: a chat that moves', () => {
  test('those who wait for the old id follow, in their order', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a', { chat: '-1' });
    lane.asksOne('b', { chat: '-1' });
    lane.after(50).reports('a', { chat: '-1', outcome: 'migrated', movedTo: '-100' });
    expect(whyOf(lane.cut().after(1000).asksOne('b', { chat: '-1' }))).toBe('order');
    expect(lane.asksOne('a', { chat: '-100', attempt: 2 })).toMatchObject({ kind: 'go' });
    lane.after(50).reports('a', { chat: '-100', attempt: 2, outcome: 'sent' });
    expect(lane.cut().after(1000).asksOne('b', { chat: '-1' })).toMatchObject({ kind: 'go', chat: '-100' });
  });

  test('pacing of both ids merges: what was answered, and what is still out', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('new', { chat: '-100' });
    lane.asksOne('old', { chat: '-1' });
    lane.after(50).reports('old', { chat: '-1', outcome: 'migrated', movedTo: '-100' });
    // The one at the new id is still out.
    expect(whyOf(lane.cut().after(2000).asksOne('old', { chat: '-100', attempt: 2 }))).toBe('chat_pace');
    lane.after(50).reports('new', { chat: '-100', outcome: 'sent' });
    expect(whyOf(lane.after(999).asksOne('old', { chat: '-100', attempt: 2 }))).toBe('chat_pace');
    expect(whyOf(lane.after(1).asksOne('old', { chat: '-100', attempt: 2 }))).toBe('go');
  });

  test('the slot of the request that brought the news counts at the new id', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a', { chat: '-1' });
    lane.after(50).reports('a', { chat: '-1', outcome: 'migrated', movedTo: '-100' });
    expect(whyOf(lane.after(999).asksOne('a', { chat: '-100', attempt: 2 }))).toBe('chat_pace');
    expect(lane.after(1).asksOne('a', { chat: '-100', attempt: 2 }).kind).toBe('go');
  });

  test('so does one that is still out at the old id', () => {
    const lane = new LaneUnderTest({ chat: [{ limit: 2, perMs: 1000 }] });
    lane.asks({ reply: 'b', chat: '-1', class: 'bulk' });
    expect(lane.asksOne('a', { chat: '-1' }).kind).toBe('go');
    lane.after(50).reports('a', { chat: '-1', outcome: 'migrated', movedTo: '-100' });
    expect(whyOf(lane.cut().after(100).asksOne('a', { chat: '-100', attempt: 2 }))).toBe('chat_pace');
  });

  test('a group and a chat that become one are paced as a group', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('b', { chat: '-100', chatKind: 'chat' });
    lane.asksOne('a', { chat: '-1', chatKind: 'group' });
    lane.after(50).reports('a', { chat: '-1', outcome: 'migrated', movedTo: '-100' });
    expect(lane.lane.chats.get('-100')?.kind).toBe('group');
  });

  test('A to B and back to A ends at A, whatever was granted before', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a', { chat: 'A' });
    lane.after(50).reports('a', { chat: 'A', outcome: 'migrated', movedTo: 'B' });
    lane.after(1000).asksOne('a', { chat: 'B', attempt: 2 });
    lane.after(50).reports('a', { chat: 'B', attempt: 2, outcome: 'migrated', movedTo: 'A' });
    expect(movedChat(lane.lane, 'B')).toBe('A');
    expect(movedChat(lane.lane, 'A')).toBe('A');
    expect(lane.after(1000).asksOne('a', { chat: 'A', attempt: 3 })).not.toHaveProperty('chat');
  });

  test('a chat that moves to one that has moved on follows it, and those who wait there stay', () => {
    const lane = new LaneUnderTest();
    lane.asks({ reply: 'a', chat: 'A' }, { reply: 'b', chat: 'B' });
    lane.asks({ reply: 'a2', chat: 'A' }, { reply: 'b2', chat: 'B' });
    lane.after(50).reports('a', { chat: 'A', outcome: 'migrated', movedTo: 'C' });
    lane.after(50).reports('b', { chat: 'B', outcome: 'migrated', movedTo: 'A' });
    expect(['A', 'B', 'C'].map((chat) => movedChat(lane.lane, chat))).toEqual(['C', 'C', 'C']);
    expect(lane.lane.placeCount).toBe(4);
    expect([...lane.lane.chats.keys()]).toEqual(['C']);
  });

  test('however chats move about, there is no ring, and the order of each is kept', () => {
    const moves = fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { maxLength: 40 });
    fc.assert(
      fc.property(moves, (list) => {
        const lane = new LaneUnderTest({ bot: [], chat: [] });
        list.forEach(([from, to], i) => {
          const attempt = i + 1;
          lane.after(50).asksOne(`r${i}`, { chat: `chat-${from}`, attempt });
          lane.reports(`r${i}`, {
            chat: `chat-${from}`,
            attempt,
            outcome: 'migrated',
            movedTo: `chat-${to}`,
          });
          if (i % 7 === 0) lane.cut();
        });
        for (let i = 0; i < 6; i++) {
          const end = movedChat(lane.lane, `chat-${i}`);
          expect(lane.lane.moved.has(end)).toBe(false);
        }
        const placed = [...lane.lane.chats.values()].reduce((sum, chat) => sum + chat.places.size, 0);
        expect(lane.lane.placeCount).toBe(placed);
      }),
    );
  });

  test('more moves than are kept, and ids of any length, do no harm', () => {
    const lane = new LaneUnderTest({ bot: [], chat: [] });
    for (let i = 0; i < 2000; i++) {
      const chat = i % 2 === 0 ? `-${i}` : `${'é'.repeat(290)}${i}`;
      lane.after(5).asksOne(`r${i}`, { chat });
      lane.reports(`r${i}`, { chat, outcome: 'migrated', movedTo: `${chat}0` });
    }
    lane.after(2000).asksOne('last');
    expect(lane.lane.moved.size).toBeLessThanOrEqual(300);
    expect(lane.bytes).toBeLessThan(160_000);
  });

  test('in the model: goes once to the new id, and the service never sees more of both than one chat may take', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 40 }), (seed, replies) => {
        const migrations = [
          ['chat-0', 'chat-100'],
          ['chat-1', 'chat-2'],
        ] as const;
        const world = new World(seed, {
          ways: { cutChance: 0.1 },
          service: { migrations, answerMs: [10, 3000] },
        });
        for (let i = 0; i < replies; i++) {
          world.add(Math.round((i * 5000) / replies), { key: `r${i}`, chat: `chat-${i % 4}` });
        }
        world.judge.checksOrder = false;
        world.runFor(3_600_000);
        expect(world.violations()).toEqual([]);
        expect(world.stuck()).toEqual([]);
        expect(world.replies.every(({ end }) => end === 'sent')).toBe(true);
        const one = (names: readonly string[]): Arrival[] =>
          world.service.arrivals.filter(({ chat }) => names.includes(chat));
        expect(one(['chat-0', 'chat-100']).length).toBeLessThanOrEqual(replies + 10);
        for (const [from, to] of migrations) {
          const movedAtMs = world.service.movedAtMs(from) ?? Infinity;
          const after = one([from, to]).filter(({ atMs }) => atMs > movedAtMs + 3100);
          expect(brokenWindows(after, world.policy.chat, `${from} and ${to}`)).toEqual([]);
        }
      }),
      { numRuns: runs(30) },
    );
  });
});
