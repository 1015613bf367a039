import { describe, expect, test } from 'vitest';
import type { Ask } from '../../../domain/lane/messages.ts';
import { placesAhead } from '../../../domain/lane/order.ts';
import { type LanePolicy, defaultLanePolicy } from '../../../domain/lane/policy.ts';
import { chatOf, newLane } from '../../../domain/lane/state.ts';
import {
  type TicketHolder,
  backlogUntilMs,
  dueTicket,
  isOwedToBulk,
  isPromisedToReplies,
  newTicket,
  orderTicket,
  stallTicket,
} from '../../../domain/lane/tickets.ts';
import { shortHash } from '../../../domain/ids.ts';

const nowMs = 1_800_000_000_000;

interface Given {
  readonly class?: Ask['class'];
  readonly weight?: number;
  readonly policy?: Partial<LanePolicy>;
  readonly cursors?: Partial<TicketHolder['lane']['cursors']>;
}

/** Who asks, with cursors given from now. 20 slots a second: tickets are 50 ms apart. */
function holder(given: Given = {}): TicketHolder {
  const lane = newLane('b', 'e', nowMs);
  const cursors = Object.entries(given.cursors ?? {}).map(([name, inMs]) => [name, nowMs + inMs]);
  Object.assign(lane.cursors, Object.fromEntries(cursors));
  lane.probe = { kind: 'open' };
  const ask: Ask = {
    reply: 'self',
    run: 'r',
    attempt: 1,
    nonce: 'n',
    chat: '77',
    chatKind: 'chat',
    weight: given.weight ?? 1,
    class: given.class ?? 'reply',
    scheduledAtMs: nowMs,
  };
  const policy = { ...defaultLanePolicy, bot: [{ limit: 20, perMs: 1000 }], ...given.policy };
  return { lane, policy, ask, chat: chatOf(lane, '77', 'chat'), nowMs };
}

const ahead = (one: TicketHolder, inMs: number): void => {
  one.chat.places.add({
    hash: shortHash(`x${inMs}`, 6),
    ticketMs: nowMs + inMs,
    bulk: false,
    blockedOn: null,
    skips: false,
  });
};

describe('rule 8: tickets out for the bot', () => {
  test('a reply stands behind replies, bulk behind all', () => {
    const cursors = { reply: 10, replyDue: 20, bulk: 30, bulkDue: 40 };
    expect(backlogUntilMs(holder({ cursors }))).toBe(nowMs + 20);
    expect(backlogUntilMs(holder({ cursors: { ...cursors, reply: 25 } }))).toBe(nowMs + 25);
    expect(backlogUntilMs(holder({ cursors, class: 'bulk' }))).toBe(nowMs + 40);
    for (const name of ['reply', 'replyDue', 'bulk'] as const)
      expect(backlogUntilMs(holder({ cursors: { ...cursors, [name]: 50 }, class: 'bulk' }))).toBe(nowMs + 50);
  });

  test('a slot is promised to replies for a quarter of a second', () => {
    const promised = (cursors: Given['cursors']) => isPromisedToReplies(holder({ cursors: cursors ?? {} }));
    expect(promised({ reply: -249 })).toBe(true);
    expect(promised({ replyDue: -249 })).toBe(true);
    expect(promised({ reply: -250, replyDue: -250 })).toBe(false);
    expect(promised({ bulk: 500, bulkDue: 500 })).toBe(false);
  });

  test('bulk is owed a slot when it has two, and is about to come', () => {
    const owed = (bulkCredit: number, inMs: number): boolean => {
      const one = holder({ cursors: { bulkDue: inMs } });
      one.lane.bulkCredit = bulkCredit;
      return isOwedToBulk(one);
    };
    expect(owed(2, 1)).toBe(true);
    expect(owed(1.9, 1)).toBe(false);
    expect(owed(2, 0)).toBe(false);
  });
});

describe('rule 8: a new ticket', () => {
  test('stands at the end of the schedule, and makes it longer by what it takes', () => {
    const one = holder({ cursors: { reply: 300 } });
    expect(newTicket(one, nowMs) - nowMs).toBe(300);
    expect(newTicket(one, nowMs) - nowMs).toBe(350);
    const heavy = holder({ cursors: { reply: 300 }, weight: 3 });
    newTicket(heavy, nowMs);
    expect(heavy.lane.cursors.reply).toBe(nowMs + 450);
    expect(heavy.lane.cursors.bulk).toBe(0);
  });

  test('is not before the instant that it is asked for', () => {
    const one = holder({ cursors: { reply: 300 } });
    expect(newTicket(one, nowMs + 5000) - nowMs).toBe(5000);
    expect(newTicket(one, nowMs + 5000) - nowMs).toBe(5050);
  });

  test('of bulk stands behind replies, and holds none of them up', () => {
    const one = holder({ cursors: { reply: 300, bulk: 200 }, class: 'bulk' });
    expect(newTicket(one, nowMs) - nowMs).toBe(300);
    expect(one.lane.cursors).toMatchObject({ reply: nowMs + 300, bulk: nowMs + 350 });
    const behind = holder({ cursors: { reply: 100, bulk: 200 }, class: 'bulk' });
    expect(newTicket(behind, nowMs) - nowMs).toBe(200);
  });

  test('stands a pitch behind the one ahead in its chat, and leaves the slot of the bot to others', () => {
    const one = holder({ cursors: { reply: 300 } });
    ahead(one, 700);
    expect(newTicket(one, nowMs) - nowMs).toBe(1700);
    expect(one.lane.cursors.reply).toBe(nowMs + 300);
    const later = holder({ cursors: { reply: 1700 } });
    ahead(later, 700);
    expect(newTicket(later, nowMs) - nowMs).toBe(1700);
    expect(later.lane.cursors.reply).toBe(nowMs + 1750);
  });

  test('is not held up by one ahead that was due before', () => {
    const one = holder({ cursors: { reply: 300 } });
    ahead(one, 700);
    expect(newTicket(one, nowMs + 701) - nowMs).toBe(701);
    const same = holder();
    ahead(same, 700);
    expect(newTicket(same, nowMs + 700) - nowMs).toBe(1700);
  });
});

describe('rule 8: a ticket behind others of its chat', () => {
  const behind = (one: TicketHolder, inMs: number) =>
    orderTicket(one, { kind: 'behind', aheadTicketMs: nowMs + inMs }) - nowMs;

  test('a pitch after the one ahead', () => {
    expect(behind(holder(), 700)).toBe(1700);
    expect(behind(holder(), 0)).toBe(1000);
    expect(behind(holder({ policy: { chat: [] } }), 700)).toBe(800);
  });

  test('the later the longer that one is overdue, up to half a minute', () => {
    const one = holder();
    one.lane.awakeSinceMs = 0;
    expect(behind(one, -1000)).toBe(1000);
    expect(behind(one, -5000)).toBe(2500);
    expect(behind(one, -100_000)).toBe(30_000);
    // Time in which nobody could come does not count.
    one.lane.awakeSinceMs = nowMs - 3000;
    expect(behind(one, -100_000)).toBe(1500);
    one.lane.awakeSinceMs = nowMs + 3000;
    expect(behind(one, -100_000)).toBe(1000);
  });

  test('behind one that the lane does not know: soon, then ever less often', () => {
    const missing = (agoMs: number) =>
      orderTicket(holder(), { kind: 'missing', sinceMs: nowMs - agoMs }) - nowMs;
    expect([0, 600, 602, 4000, 10_000, 29_000].map(missing)).toEqual([300, 300, 301, 2000, 5000, 5000]);
  });
});

test('rule 8: due tickets that found no slot come one after the other, each class for itself', () => {
  const one = holder();
  expect(dueTicket(one, nowMs + 100) - nowMs).toBe(100);
  expect(dueTicket(one, nowMs + 100) - nowMs).toBe(150);
  expect(dueTicket(one, nowMs + 900) - nowMs).toBe(900);
  expect(one.lane.cursors).toMatchObject({ replyDue: nowMs + 950, bulkDue: 0, reply: 0 });
  const bulk = { ...one, ask: { ...one.ask, class: 'bulk' as const, weight: 4 } };
  expect(dueTicket(bulk, nowMs + 100) - nowMs).toBe(100);
  expect(one.lane.cursors).toMatchObject({ replyDue: nowMs + 950, bulkDue: nowMs + 300 });
});

test('while a lane stands still, each is asked again after a minute, five a second', () => {
  const one = holder();
  expect([0, 1, 2].map(() => stallTicket(one) - nowMs)).toEqual([60_000, 60_200, 60_400]);
  expect(stallTicket({ ...one, nowMs: nowMs + 60_000 }) - nowMs).toBe(120_000);
});

test('rule 9: ahead are the living places of those who asked before, the nearest first, but no bulk before a reply', () => {
  const one = holder();
  one.lane.awakeSinceMs = 0;
  for (const [hash, bulk, ageMs] of [
    ['first', false, 0],
    ['dead', false, 90_001],
    ['bulk', true, 0],
    ['late', false, 90_000],
  ] as const)
    one.chat.places.add({ hash, ticketMs: nowMs - ageMs, bulk, blockedOn: null, skips: false });
  const seen = (ask: Ask) => [...placesAhead(one.lane, one.chat, ask, nowMs)].map(({ hash }) => hash);
  expect(seen(one.ask)).toEqual(['late', 'first']);
  expect(seen({ ...one.ask, class: 'bulk' })).toEqual(['late', 'bulk', 'first']);
  one.lane.latenessMs = 1;
  expect(seen(one.ask)).toEqual(['late', 'dead', 'first']);
});
