import { describe, expect, test } from 'vitest';
import { shortHash } from '../../../domain/ids.ts';
import { batchOrder } from '../../../domain/lane/claim.ts';
import { fenceKey } from '../../../domain/lane/fence.ts';
import type { Ask } from '../../../domain/lane/messages.ts';
import { noteHeard, noteLateness } from '../../../domain/lane/order.ts';
import { LaneUnderTest, startMs, untilOf, whyOf } from './lane-under-test.ts';

const ask = (part: Partial<Ask>): Ask => ({
  reply: 'a',
  run: 'r',
  attempt: 1,
  nonce: 'n',
  chat: '77',
  chatKind: 'chat',
  weight: 1,
  class: 'reply',
  scheduledAtMs: startMs,
  ...part,
});

test.each<[string, Partial<Ask>[], number[]]>([
  ['as they came', [{}, {}, {}], [0, 1, 2]],
  ['replies before bulk', [{ class: 'bulk' }, {}, { class: 'bulk' }, {}], [1, 3, 0, 2]],
  [
    'the older ticket first',
    [{ ticketMs: startMs - 1 }, { ticketMs: startMs - 3 }, { ticketMs: startMs - 2 }],
    [1, 2, 0],
  ],
  [
    'one without a ticket as if due now',
    [{}, { ticketMs: startMs - 1 }, { ticketMs: startMs + 9 }],
    [1, 0, 2],
  ],
  ['class before ticket', [{ class: 'bulk', ticketMs: startMs - 9 }, { ticketMs: startMs - 1 }], [1, 0]],
])('rule 8: a batch is answered %s', (_, parts, order) =>
  expect(batchOrder(parts.map(ask), startMs)).toEqual(order),
);

describe('a verdict', () => {
  test('go: names the lane, its clock, and the chat only where it moved', () => {
    const lane = new LaneUnderTest();
    expect(lane.asksOne('a')).toEqual({ kind: 'go', nowMs: startMs, epoch: 'epoch-1' });
    lane.lane.moved.set('-1', '-100');
    expect(lane.asksOne('b', { chat: '-1' })).toEqual({
      kind: 'go',
      nowMs: startMs,
      epoch: 'epoch-1',
      chat: '-100',
    });
  });

  test('refused: says why, and remembers nothing', () => {
    const lane = new LaneUnderTest();
    expect(lane.asksOne('a', { expiresAtMs: startMs })).toEqual({
      kind: 'refused',
      nowMs: startMs,
      why: 'expired',
      epoch: 'epoch-1',
    });
    expect(lane.lane.chats.size).toBe(0);
    expect(lane.asksOne('b', { expiresAtMs: startMs + 1 }).kind).toBe('go');
    expect(lane.asksOne('b', { nonce: 'other' })).toEqual({
      kind: 'refused',
      nowMs: startMs,
      why: 'claimed',
      epoch: 'epoch-1',
    });
  });

  test('wait: until a whole millisecond that lies ahead, with the cooldown where there is one', () => {
    const lane = new LaneUnderTest().extends(60);
    expect(lane.asksOne('a')).toEqual({
      kind: 'wait',
      nowMs: startMs,
      untilMs: startMs + 60_000,
      why: 'cooldown',
      epoch: 'epoch-1',
      cooldownMs: startMs + 60_000,
    });
    lane.nowMs = startMs + 59_999;
    expect(lane.asksOne('b', { chat: '78' }).kind).toBe('wait');
    lane.nowMs = startMs + 60_000;
    expect(lane.asksOne('a', { ticketMs: startMs + 60_000 }).kind).toBe('go');
    expect(lane.asksOne('b', { chat: '78' })).not.toHaveProperty('cooldownMs');
  });

  test('an expiry gives up the place', () => {
    const lane = new LaneUnderTest().extends(60);
    lane.asksOne('a');
    lane.after(10).asksOne('a', { expiresAtMs: lane.nowMs });
    expect(lane.lane.placeCount).toBe(0);
    expect(lane.lane.done.size).toBe(1);
  });
});

describe('rule 8: where tickets are out for the bot', () => {
  /** One request is out, so that the bot is not idle, and tickets are given from now. */
  const busy = (cursors: Partial<LaneUnderTest['lane']['cursors']>) => {
    const lane = new LaneUnderTest({ bot: [{ limit: 20, perMs: 1000 }] });
    lane.asksOne('x', { chat: 'x' });
    lane.lane.cursors = { ...lane.lane.cursors, ...cursors };
    return lane;
  };

  test('a newcomer stands behind them, and so does one that comes before its ticket is due', () => {
    for (const part of [{}, { ticketMs: startMs + 1 }]) {
      const lane = busy({ reply: startMs + 500 });
      expect(lane.asksOne('a', part)).toMatchObject({ why: 'bot_pace', untilMs: startMs + 500 });
      expect(lane.lane.cursors.reply).toBe(startMs + 550);
    }
  });

  test('one whose ticket is due goes, and anybody where none is out', () => {
    expect(busy({ reply: startMs + 500 }).asksOne('a', { ticketMs: startMs }).kind).toBe('go');
    expect(busy({ reply: startMs }).asksOne('a').kind).toBe('go');
    const idle = new LaneUnderTest();
    idle.lane.cursors.reply = startMs + 500;
    expect(idle.asksOne('a').kind).toBe('go');
  });

  test('a wait lies ahead, if only by a millisecond', () =>
    expect(busy({ replyDue: startMs + 500 }).asksOne('a')).toMatchObject({
      why: 'bot_pace',
      untilMs: startMs + 1,
    }));
});

describe('since when a predecessor is missing', () => {
  test('is told to a reply that waits for it, and brought again by it', () => {
    const lane = new LaneUnderTest();
    const verdict = lane.asksOne('b', { after: 'a' });
    expect(verdict).toMatchObject({ why: 'order', heldSinceMs: startMs });
    expect(lane.after(5000).asksOne('b', { after: 'a', heldSinceMs: startMs })).toMatchObject({
      heldSinceMs: startMs,
    });
  });

  test('time in which the lane was not asked does not count', () => {
    const lane = new LaneUnderTest();
    lane.lane.heardMs = startMs;
    lane.lane.awakeSinceMs = startMs - 1000;
    const held = { after: 'a', heldSinceMs: startMs - 40_000 };
    expect(lane.asksOne('b', held)).toMatchObject({ why: 'order', heldSinceMs: startMs - 1000 });
    lane.lane.awakeSinceMs = startMs - 60_000;
    expect(lane.asksOne('c', { ...held, chat: '78' }).kind).toBe('go');
  });

  test('ends with the wait for it, for one who has no place too', () => {
    const lane = new LaneUnderTest();
    Object.assign(lane.lane, { heardMs: startMs, awakeSinceMs: 0, sweptAtMs: startMs, bytes: 200_000 });
    expect(lane.asksOne('b', { after: 'a', heldSinceMs: startMs - 29_999 })).toMatchObject({ why: 'order' });
    expect(lane.asksOne('b', { after: 'a', heldSinceMs: startMs - 30_000 }).kind).toBe('go');
  });

  test('is remembered by nobody where the predecessor is known', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    expect(lane.asksOne('b', { after: 'a', heldSinceMs: startMs - 5 })).not.toHaveProperty('heldSinceMs');
  });

  test('is told to one for whom there was no room, as it was', () => {
    const lane = new LaneUnderTest().extends(60);
    lane.lane.sweptAtMs = startMs;
    lane.lane.bytes = 175_000;
    expect(lane.asksOne('b', { heldSinceMs: startMs - 5 })).toMatchObject({ heldSinceMs: startMs - 5 });
    expect(lane.asksOne('c')).not.toHaveProperty('heldSinceMs');
  });
});

test('a place is due until its grant', () => {
  const lane = new LaneUnderTest().extends(60);
  lane.asksOne('a');
  lane.lane.cooldown = null;
  lane.lane.probe = { kind: 'open' };
  expect(lane.after(10).asksOne('a', { ticketMs: lane.nowMs }).kind).toBe('go');
  expect([...(lane.lane.chats.get('77')?.places ?? [])].map(({ ticketMs }) => ticketMs)).toEqual([
    startMs + 10,
  ]);
});

test('rule 9: behind another, named or not, one asks again when that one has had its turn', () => {
  const lane = new LaneUnderTest();
  lane.asksOne('a');
  expect(lane.asksOne('b')).toMatchObject({ why: 'order', untilMs: startMs + 1000 });
  expect(lane.asksOne('c', { after: 'b' })).toMatchObject({ why: 'order', untilMs: startMs + 2000 });
});

describe('the gates in their order', () => {
  test('a stop before a pause, that before a cooldown, that before order', () => {
    const lane = new LaneUnderTest();
    lane.extends(1).asksOne('first');
    lane.lane.cooldown = null;
    expect(whyOf(lane.asksOne('b'))).toBe('order');
    lane.extends(60);
    expect(whyOf(lane.asksOne('b'))).toBe('cooldown');
    lane.controls('pause');
    expect(whyOf(lane.asksOne('b'))).toBe('lane_paused');
    lane.lane.stopped = { why: 'w', atMs: startMs };
    expect(whyOf(lane.asksOne('b'))).toBe('lane_stopped');
  });

  test('the pace of the chat before that of the bot, and that before the probe', () => {
    const lane = new LaneUnderTest({ bot: [{ limit: 1, perMs: 1000 }] });
    lane.lane.probe = { kind: 'wanted' };
    lane.asksOne('a');
    lane.reports('a', { outcome: 'unknown' });
    lane.lane.probe = { kind: 'leased', reply: 'x', sinceMs: startMs, untilMs: startMs + 25_000 };
    expect(untilOf(lane.asksOne('b'))).toBe(startMs + 1000);
    expect(whyOf(lane.asksOne('b'))).toBe('chat_pace');
    expect(whyOf(lane.asksOne('c', { chat: '78' }))).toBe('bot_pace');
    expect(whyOf(lane.after(5000).asksOne('c', { chat: '78', ticketMs: lane.nowMs }))).toBe('probe');
  });

  test('rule 17: behind a probe one asks soon, then less often, and at the latest when its lease ends', () => {
    const until = (ageMs: number): number => {
      const lane = new LaneUnderTest({ bot: [] });
      lane.lane.silentStreak = 0;
      lane.lane.probe = {
        kind: 'leased',
        reply: 'x',
        sinceMs: startMs - ageMs,
        untilMs: startMs - ageMs + 25_000,
      };
      return untilOf(lane.asksOne('a')) - startMs;
    };
    expect([0, 300, 302, 6000, 24_000].map(until)).toEqual([150, 150, 151, 3000, 1000]);
  });

  test('rule 17: a lease ends at its bound, and the next that goes has it', () => {
    const lane = new LaneUnderTest({ bot: [] });
    lane.lane.probe = { kind: 'leased', reply: 'x', sinceMs: startMs - 25_000, untilMs: startMs };
    expect(lane.asksOne('a').kind).toBe('go');
    expect(lane.lane.probe).toMatchObject({
      reply: fenceKey('a'),
      sinceMs: startMs,
      untilMs: startMs + 25_000,
    });
  });
});

describe('rule 5: a cooldown that a reply knows of', () => {
  const known = { epoch: 'the lost one', notBeforeMs: startMs + 5000 };
  const cooldownAfter = (lane: LaneUnderTest, part: Partial<Ask>) => {
    lane.asksOne('a', part);
    return lane.lane.cooldown?.notBeforeMs;
  };

  test('counts where another lane told it, and it is later', () => {
    const lane = new LaneUnderTest();
    expect(cooldownAfter(lane, { known })).toBe(startMs + 5000);
    expect(lane.lane).toMatchObject({
      cooldown: { reason: 'known', savedAtMs: startMs },
      probe: { kind: 'wanted' },
    });
    expect(cooldownAfter(new LaneUnderTest(), { known: { ...known, epoch: 'epoch-1' } })).toBeUndefined();
    expect(cooldownAfter(new LaneUnderTest(), { known: { ...known, notBeforeMs: startMs } })).toBeUndefined();
    expect(cooldownAfter(new LaneUnderTest(), { known: { ...known, notBeforeMs: startMs + 1 } })).toBe(
      startMs + 1,
    );
    expect(cooldownAfter(new LaneUnderTest().extends(60), { known })).toBe(startMs + 60_000);
    expect(cooldownAfter(new LaneUnderTest().extends(5), { known })).toBe(startMs + 5000);
    const same = new LaneUnderTest().extends(5);
    cooldownAfter(same, { known });
    expect(same.lane.cooldown?.reason).toBe('extended');
  });

  test('not after an operator has opened the lane', () => {
    const lane = new LaneUnderTest().controls('override');
    expect(cooldownAfter(lane, { known })).toBe(startMs);
  });
});

describe('F14: what bulk is owed', () => {
  test('a tenth of a slot for each reply that goes while bulk waits, three at most', () => {
    const lane = new LaneUnderTest({ bot: [] });
    lane.asksOne('a', { chat: '1' });
    expect(lane.lane.bulkCredit).toBe(0);
    lane.lane.cursors.bulk = startMs + 1;
    lane.asksOne('b', { chat: '2' });
    expect(lane.lane.bulkCredit).toBeCloseTo(0.1);
    lane.lane.cursors = { ...lane.lane.cursors, bulk: 0, bulkDue: startMs + 1 };
    lane.asksOne('c', { chat: '3' });
    expect(lane.lane.bulkCredit).toBeCloseTo(0.2);
    lane.lane.cursors.bulkDue = startMs;
    lane.asksOne('d', { chat: '4' });
    expect(lane.lane.bulkCredit).toBeCloseTo(0.2);
    lane.lane.cursors.bulkDue = startMs + 1;
    lane.lane.bulkCredit = 2.95;
    lane.asksOne('e', { chat: '5' });
    expect(lane.lane.bulkCredit).toBe(3);
    lane.lane.cursors.bulkDue = 0;
    lane.asksOne('f', { chat: '6', class: 'bulk', ticketMs: startMs });
    expect(lane.lane.bulkCredit).toBe(2);
    lane.lane.bulkCredit = 0.4;
    lane.asksOne('g', { chat: '7', class: 'bulk', ticketMs: startMs });
    expect(lane.lane.bulkCredit).toBe(0);
  });

  test('a slot that replies were promised is theirs, unless bulk is owed one', () => {
    const promised = (bulkCredit: number): string => {
      const lane = new LaneUnderTest();
      lane.lane.cursors.reply = startMs - 100;
      lane.lane.bulkCredit = bulkCredit;
      const verdict = lane.asksOne('a', { class: 'bulk', ticketMs: startMs });
      if (verdict.kind === 'wait') expect(verdict.untilMs).toBe(startMs + 250);
      return whyOf(verdict);
    };
    expect(promised(0.9)).toBe('bot_pace');
    expect(promised(1)).toBe('go');
  });

  test('where bulk has come for slots that it is owed, a reply leaves one', () => {
    const lane = new LaneUnderTest({ bot: [{ limit: 2, perMs: 1000 }] });
    lane.asksOne('a', { chat: '1' });
    lane.lane.bulkCredit = 2;
    lane.lane.cursors.bulkDue = startMs + 5;
    expect(whyOf(lane.asksOne('b', { chat: '2', ticketMs: startMs }))).toBe('bot_pace');
    expect(whyOf(lane.asksOne('c', { chat: '3', class: 'bulk', ticketMs: startMs }))).toBe('go');
  });
});

describe('rule 19: where there is no room', () => {
  test('a place is not remembered, but the reply is paced', () => {
    const lane = new LaneUnderTest().extends(60);
    lane.lane.sweptAtMs = startMs;
    lane.lane.bytes = 175_000;
    lane.lane.heardMs = startMs;
    const verdict = lane.asksOne('b', { after: 'a', heldSinceMs: startMs - 5 });
    expect(verdict).toMatchObject({ why: 'cooldown', heldSinceMs: startMs - 5 });
    expect(lane.lane.placeCount).toBe(0);
    lane.lane.bytes = 174_999;
    lane.asksOne('b');
    expect(lane.lane.placeCount).toBe(1);
    // The measure grows with what is added.
    expect(lane.lane.bytes).toBe(174_999 + 13 + 18);
    lane.asksOne('c');
    expect(lane.lane.bytes).toBe(174_999 + 13 + 18);
  });

  test('nothing is granted', () => {
    const lane = new LaneUnderTest();
    lane.lane.sweptAtMs = startMs;
    lane.lane.bytes = 245_000;
    expect(lane.asksOne('a')).toMatchObject({ kind: 'wait', why: 'bot_pace', untilMs: startMs + 1000 });
    lane.lane.bytes = 244_999;
    expect(lane.asksOne('b', { chat: '78', ticketMs: startMs }).kind).toBe('go');
    expect(lane.lane.bytes).toBe(244_999 + 110 + 28 + 18);
  });
});

describe('rule 9: how late replies come, and how long the lane was not asked', () => {
  test('the lateness is a moving average of a sixteenth, of five minutes at most, and never below zero', () => {
    const { lane } = new LaneUnderTest();
    noteLateness(lane, startMs - 160, startMs);
    expect(lane.latenessMs).toBe(10);
    noteLateness(lane, startMs + 999, startMs);
    expect(lane.latenessMs).toBe(9);
    noteLateness(lane, 0, startMs);
    expect(lane.latenessMs).toBe(Math.round(9 + (300_000 - 9) / 16));
  });

  test('after a minute of silence the lane is awake anew', () => {
    const { lane } = new LaneUnderTest();
    lane.heardMs = startMs - 60_000;
    lane.awakeSinceMs = 5;
    noteHeard(lane, startMs);
    expect(lane).toMatchObject({ heardMs: startMs, awakeSinceMs: 5 });
    noteHeard(lane, startMs + 60_001);
    expect(lane).toMatchObject({ heardMs: startMs + 60_001, awakeSinceMs: startMs + 60_001 });
  });

  test('only one who shows a ticket tells how late it is', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    expect(lane.lane.latenessMs).toBe(0);
    lane.asksOne('b', { chat: '78', ticketMs: startMs - 1600 });
    expect(lane.lane.latenessMs).toBe(100);
  });
});

test('a grant is remembered with all that its answer will need', () => {
  const lane = new LaneUnderTest();
  lane.asksOne('a', { chat: '-5', chatKind: 'group', weight: 3, attempt: 2 });
  expect(lane.lane.fences.get(fenceKey('a'))).toEqual({
    attempt: 2,
    run: shortHash('run-of-a', 6),
    nonce: shortHash('a-2', 12),
    chat: '-5',
    chatKind: 'group',
    weight: 3,
    grantedAtMs: startMs,
    count: 0,
    revokedAtMs: null,
    state: { kind: 'outstanding' },
  });
});
