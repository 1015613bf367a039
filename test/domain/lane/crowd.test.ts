import { describe, expect, test } from 'vitest';
import type { Verdict } from '../../../domain/lane/messages.ts';
import { LaneUnderTest, startMs } from './lane-under-test.ts';
import { drain } from './model/drain.ts';

const open = { bot: [], chat: [{ limit: 1, perMs: 1000 }], group: [], maxOutstanding: 50 };

function waitMs(verdict: Verdict, lane: LaneUnderTest): number {
  return verdict.kind === 'wait' ? verdict.untilMs - lane.nowMs : 0;
}

/** Ten chats with so many in each, of a lane that lets one go in a second and is asked a minute late. */
function crowd(each: number, late: { readonly latenessMs: number } = { latenessMs: 60_000 }): LaneUnderTest {
  const lane = new LaneUnderTest(open);
  for (let i = 0; i < each; i++) {
    for (let chat = 0; chat < 10; chat++) lane.asksOne(`r${chat}-${i}`, { chat: `${100 + chat}` });
  }
  lane.after(20_000);
  lane.lane.latenessMs = late.latenessMs;
  lane.lane.pace = { grantedAtMs: lane.nowMs, everyMs: 1000 };
  return lane;
}

describe('decision 014: in a crowd that is late, who stands far behind stays away', () => {
  test('by how many are ahead, and how fast the lane lets them go', () => {
    const lane = crowd(20);
    const far = waitMs(lane.asksOne('r3-15', { chat: '103' }), lane);
    const near = waitMs(lane.asksOne('r3-2', { chat: '103' }), lane);
    // Ten chats take turns, one a second: 15 ahead take 150 s, and two take 20 s.
    expect(far).toBe(60_000);
    expect(near).toBeGreaterThanOrEqual(8000);
    expect(near).toBeLessThanOrEqual(10_000);
  });

  test('five minutes at most', () => {
    const lane = crowd(200);
    expect(waitMs(lane.asksOne('r3-190', { chat: '103' }), lane)).toBe(300_000);
  });

  test.each<[string, LaneUnderTest]>([
    ['few wait', crowd(5)],
    ['it is on time', crowd(20, { latenessMs: 5000 })],
  ])('not where %s', (_, lane) => {
    expect(waitMs(lane.asksOne('r3-4', { chat: '103' }), lane)).toBeLessThanOrEqual(30_000);
    lane.lane.hasCrowdRules = false;
    const before = waitMs(lane.asksOne('r4-4', { chat: '104' }), lane);
    lane.lane.hasCrowdRules = true;
    expect(waitMs(lane.asksOne('r5-4', { chat: '105' }), lane)).toBe(before);
  });

  test('nor in a run that began under the rules before', () => {
    const lane = crowd(20);
    lane.lane.hasCrowdRules = false;
    expect(waitMs(lane.asksOne('r3-15', { chat: '103' }), lane)).toBeLessThanOrEqual(30_000);
  });

  test('the pace is that of late: a lane that was closed is not taken for slow', () => {
    const lane = new LaneUnderTest({ ...open, chat: [] });
    lane.asksOne('a');
    lane.after(3_600_000).asksOne('b');
    expect(lane.lane.pace.everyMs).toBeLessThanOrEqual(700);
    for (let i = 0; i < 100; i++) lane.after(100).asksOne(`c${i}`, { chat: `${200 + i}` });
    expect(lane.lane.pace.everyMs).toBeLessThan(130);
    expect(lane.cut().lane.pace.everyMs).toBeLessThan(130);
  });
});

describe('decision 014: a backlog does not feed itself', () => {
  test('1,800 replies that waited for an operator leave, though the server carries few asks', () => {
    const world = { replies: 2500, ratePerSecond: 6, chats: 20, roundsPerSecond: 27, pausedMs: 300_000 };
    const { doneAtMs, asks } = drain({ ...world, hasCrowdRules: true }, 900_000);
    expect(doneAtMs).toBeLessThan(Infinity);
    expect(asks / world.replies).toBeLessThan(8);
    // The control: as it was before, they still ask in vain.
    expect(drain({ ...world, hasCrowdRules: false }, 1_800_000).doneAtMs).toBe(Infinity);
  }, 120_000);
});

describe('rule 9: a missing predecessor is passed over after 30 s', () => {
  const paced = { bot: [{ limit: 1, perMs: 10_000 }], chat: [], group: [] };
  /** `b` names `a`, which the lane has not heard of for 30 s, and finds no slot of the bot. */
  function passed(): LaneUnderTest {
    const lane = new LaneUnderTest(paced);
    lane.asksOne('b', { after: 'a' });
    lane.after(30_000).asksOne('other', { chat: '5' });
    expect(lane.asksOne('b', { after: 'a', heldSinceMs: startMs })).toMatchObject({ why: 'bot_pace' });
    return lane;
  }

  test('it goes when it has a slot', () => {
    const lane = passed().reports('other', { chat: '5', outcome: 'sent' });
    expect(lane.after(10_000).asksOne('b', { after: 'a', ticketMs: lane.nowMs }).kind).toBe('go');
  });

  test('who comes after it waits for it', () => {
    expect(passed().asksOne('c')).toMatchObject({ why: 'order' });
  });

  test.each([
    ['at once', false],
    ['over a cut', true],
  ])('where the predecessor comes before it has gone, it waits for that after all: %s', (_, isCut) => {
    const lane = passed();
    if (isCut) lane.cut();
    lane.asksOne('a');
    expect(lane.asksOne('b', { after: 'a', ticketMs: lane.nowMs })).toMatchObject({ why: 'order' });
    lane.reports('other', { chat: '5', outcome: 'sent' }).after(10_000);
    expect(lane.asksOne('a', { ticketMs: lane.nowMs }).kind).toBe('go');
    lane.reports('a', { outcome: 'sent' }).after(10_000);
    expect(lane.asksOne('b', { after: 'a', ticketMs: lane.nowMs }).kind).toBe('go');
  });

  test('over a cut it goes too, if that one does not come', () => {
    const lane = passed().reports('other', { chat: '5', outcome: 'sent' }).cut();
    expect(lane.after(10_000).asksOne('b', { after: 'a', ticketMs: lane.nowMs }).kind).toBe('go');
  });

  test('under the rules before it does not wait any more', () => {
    const lane = new LaneUnderTest(paced);
    lane.lane.hasCrowdRules = false;
    lane.asksOne('b', { after: 'a' });
    lane.after(30_000).asksOne('other', { chat: '5' });
    lane.asksOne('b', { after: 'a', heldSinceMs: startMs });
    lane.asksOne('a');
    lane.reports('other', { chat: '5', outcome: 'sent' }).after(10_000);
    expect(lane.asksOne('b', { after: 'a', ticketMs: lane.nowMs }).kind).toBe('go');
  });
});

describe('F12: an operator opens the lane: nobody loses a place who comes when it was told to', () => {
  /** `a` waits for long, and `b` behind it; then the lane is opened, and only others come. */
  function opened(action: 'resume' | 'override'): LaneUnderTest {
    const lane = new LaneUnderTest({ ...open, group: [{ limit: 1, perMs: 200_000 }] });
    const group = { chat: '-7', chatKind: 'group' } as const;
    lane.asksOne('first', group);
    lane.reports('first', { chat: '-7', outcome: 'sent' });
    lane.asksOne('a', group);
    lane.asksOne('b', group);
    lane.controls(action);
    lane.lane.probe = { kind: 'open' };
    for (let i = 0; i < 10; i++) lane.after(20_000).asksOne(`busy-${i}`, { chat: '5' });
    return lane;
  }
  const group = { chat: '-7', chatKind: 'group' } as const;

  test.each(['resume', 'override'] as const)('%s', (action) => {
    const lane = opened(action);
    expect(lane.after(5000).asksOne('b', group)).toMatchObject({ kind: 'wait', why: 'order' });
    expect(lane.asksOne('a', group).kind).toBe('go');
  });

  test('one that has vanished meanwhile holds its chat up for a bounded time', () => {
    const lane = new LaneUnderTest({ ...open });
    lane.extends(3 * 86_400);
    lane.asksOne('a');
    lane.controls('override');
    lane.lane.probe = { kind: 'open' };
    for (let i = 0; i < 36; i++) lane.after(20_000).asksOne(`busy-${i}`, { chat: `${200 + i}` });
    expect(lane.asksOne('b').kind).toBe('go');
  });
});
