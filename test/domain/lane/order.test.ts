import { describe, expect, test } from 'vitest';
import { LaneUnderTest, untilOf, whyOf } from './lane-under-test.ts';

describe('F12: a flooded or failed reply keeps its place', () => {
  test('through a cooldown of hours, with the others of its chat asking in it', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    lane.after(50).reports('a', { outcome: 'flood', retryAfterMs: 2_282_000 });
    const ticketMs = lane.nowMs + 2_282_000;
    lane.asks({ reply: 'b' }, { reply: 'c' });
    // Others are heard of all the time, so that nobody's silence is excused.
    for (let i = 0; i < 2282; i++) lane.after(1000).asksOne(`x${i}`, { chat: '78' });
    lane.cut();
    expect(whyOf(lane.asksOne('c'))).toBe('order');
    expect(whyOf(lane.asksOne('b'))).toBe('order');
    expect(lane.asksOne('a', { attempt: 2, ticketMs }).kind).toBe('go');
  });

  test('through the longest backoff of an unreached service, asked for by others all the time', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    lane.after(50).reports('a', { outcome: 'unreached' });
    for (let second = 0; second < 74; second++) {
      expect(whyOf(lane.after(1000).asksOne('b'))).toBe('order');
    }
    expect(lane.asksOne('a', { attempt: 2 }).kind).toBe('go');
  });

  test('an auth refusal stops the lane and not the reply', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    lane.after(50).reports('a', { outcome: 'rejected', detail: 'auth' });
    expect(whyOf(lane.after(3000).asksOne('b'))).toBe('order');
  });
});

describe('rule 9: order along after', () => {
  test('a reply waits for its predecessor, and goes once that is through', () => {
    const lane = new LaneUnderTest();
    expect(lane.asksOne('a').kind).toBe('go');
    expect(whyOf(lane.asksOne('b', { after: 'a' }))).toBe('order');
    lane.after(50).reports('a', { outcome: 'sent' });
    expect(lane.after(1000).asksOne('b', { after: 'a' }).kind).toBe('go');
  });

  test('a predecessor that was through before its follower came is known, over a cut too', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    lane.after(50).reports('a', { outcome: 'sent' });
    expect(lane.after(60_000).cut().asksOne('b', { after: 'a' }).kind).toBe('go');
  });

  test('a missing predecessor is waited for 30 s, and not again after a full chat', () => {
    const lane = new LaneUnderTest();
    let verdict = lane.asksOne('b', { after: 'a' });
    for (let waited = 0; waited < 29_000; waited += 1000) {
      expect(verdict).toMatchObject({ kind: 'wait', why: 'order' });
      const heldSinceMs = verdict.kind === 'wait' ? verdict.heldSinceMs : undefined;
      verdict = lane.after(1000).asksOne('b', { after: 'a', ...(heldSinceMs ? { heldSinceMs } : {}) });
    }
    const heldSinceMs = verdict.kind === 'wait' ? (verdict.heldSinceMs ?? 0) : 0;
    expect(lane.after(1000).asksOne('x').kind).toBe('go');
    // The chat is busy: the reply is told to come later, and has then no `heldSinceMs` to show any more.
    expect(whyOf(lane.asksOne('b', { after: 'a', heldSinceMs }))).not.toBe('go');
    lane.after(50).reports('x', { outcome: 'sent' });
    expect(lane.after(1000).asksOne('b', { after: 'a' }).kind).toBe('go');
  });

  test('a predecessor that was through before a long cooldown is not missing after it', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    lane.asksOne('b', { after: 'a' });
    lane.after(50).reports('a', { outcome: 'sent' });
    lane.asksOne('x', { chat: '78' });
    lane.after(50).reports('x', { chat: '78', outcome: 'flood', retryAfterMs: 7_200_000 });
    const ticketMs = untilOf(lane.after(1000).asksOne('b', { after: 'a' }));
    for (let minute = 0; minute < 120; minute++)
      lane.after(60_000).cut().asksOne(`y${minute}`, { chat: '79' });
    expect(lane.after(1000).asksOne('b', { after: 'a', ticketMs }).kind).toBe('go');
  });

  test('a chain that waits through a cooldown asks one after the other', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('x', { chat: '78' });
    lane.after(50).reports('x', { chat: '78', outcome: 'flood', retryAfterMs: 60_000 });
    const tickets = Array.from({ length: 10 }, (_, i) =>
      untilOf(lane.asksOne(`r${i}`, i === 0 ? {} : { after: `r${i - 1}` })),
    );
    for (let i = 1; i < 10; i++) {
      expect((tickets[i] ?? 0) - (tickets[i - 1] ?? 0)).toBeGreaterThanOrEqual(1000);
    }
  });

  test('a ring of keys does not stop a chat', () => {
    const lane = new LaneUnderTest();
    expect(whyOf(lane.asksOne('a', { after: 'b' }))).toBe('order');
    expect(lane.asksOne('b', { after: 'a' }).kind).toBe('go');
  });

  test('a reply whose predecessor is through is not overtaken before it asks again', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    lane.asksOne('b', { after: 'a' });
    lane.asksOne('c');
    lane.after(50).reports('a', { outcome: 'sent' });
    expect(whyOf(lane.after(2000).asksOne('c'))).toBe('order');
    expect(lane.asksOne('b', { after: 'a' }).kind).toBe('go');
  });
});

describe('rule 8: in one batch', () => {
  test.each([
    ['due tickets go first', {}, { ticketMs: -10 }],
    ['the older ticket goes first', { ticketMs: -10 }, { ticketMs: -20 }],
    ['a reply goes before bulk', { class: 'bulk', ticketMs: -10 }, { ticketMs: -5 }],
  ] as const)('%s', (_, second, first) => {
    const lane = new LaneUnderTest({ bot: [{ limit: 1, perMs: 1000 }] }).after(100);
    const at = <T extends { ticketMs?: number }>(part: T): T =>
      part.ticketMs === undefined ? part : { ...part, ticketMs: lane.nowMs + part.ticketMs };
    const verdicts = lane.asks(
      { reply: 'a', chat: '1', ...at(second) },
      { reply: 'b', chat: '2', ...at(first) },
    );
    expect(verdicts.map(whyOf)).toEqual(['bot_pace', 'go']);
  });
});

describe('F14: a broadcast and the answer to a person in one chat', () => {
  test('a reply goes before bulk that has asked earlier, one after the other all the same', () => {
    const lane = new LaneUnderTest().extends(10);
    for (let i = 0; i < 5; i++) lane.asksOne(`bulk${i}`, { class: 'bulk' });
    const ticketMs = untilOf(lane.asksOne('reply'));
    lane.nowMs = ticketMs;
    expect(lane.asksOne('reply', { ticketMs }).kind).toBe('go');
    expect(whyOf(lane.asksOne('bulk0', { class: 'bulk', ticketMs }))).not.toBe('go');
  });

  test('unless it names one of them as its predecessor', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('bulk', { class: 'bulk' });
    expect(whyOf(lane.after(2000).asksOne('reply', { after: 'bulk' }))).toBe('order');
  });

  test('bulk keeps its order, and does not overtake replies', () => {
    const lane = new LaneUnderTest().extends(10);
    lane.asksOne('reply');
    lane.asksOne('bulk0', { class: 'bulk' });
    const ticketMs = untilOf(lane.asksOne('bulk1', { class: 'bulk' }));
    lane.nowMs = ticketMs;
    for (const reply of ['bulk1', 'bulk0']) {
      expect(whyOf(lane.asksOne(reply, { class: 'bulk', ticketMs }))).toBe('order');
    }
  });
});

describe('places whose holders never come back', () => {
  test('hold up their chat for about a minute and a half', () => {
    const lane = new LaneUnderTest();
    lane.lane.paused = { by: 'x', reason: 'y', atMs: 0 };
    lane.asksOne('dead');
    lane.lane.paused = null;
    lane.after(60_000);
    for (let second = 0; second < 85; second++) expect(whyOf(lane.after(1000).asksOne('b'))).toBe('order');
    expect(lane.after(10_000).asksOne('b').kind).toBe('go');
  });

  test('but a run that was lost says that its reply lives: others wait until it asks again', () => {
    const lane = new LaneUnderTest();
    lane.lane.paused = { by: 'x', reason: 'y', atMs: 0 };
    lane.asksOne('lost-twice');
    lane.lane.paused = null;
    for (let attempt = 2; attempt < 4; attempt++) {
      for (let second = 0; second < 80; second++) expect(whyOf(lane.after(1000).asksOne('b'))).toBe('order');
      expect(lane.revokes('lost-twice', attempt)).toEqual({ kind: 'never' });
    }
    for (let second = 0; second < 80; second++) expect(whyOf(lane.after(1000).asksOne('b'))).toBe('order');
    expect(lane.asksOne('lost-twice', { attempt: 4 }).kind).toBe('go');
  });

  test('T4: after an outage of all workers the places stand, in whatever order the replies come', () => {
    const lane = new LaneUnderTest();
    lane.lane.paused = { by: 'x', reason: 'y', atMs: 0 };
    for (const reply of ['a', 'b', 'c']) lane.asksOne(reply);
    lane.lane.paused = null;
    lane.cut().after(15 * 3_600_000);
    for (const reply of ['x', 'c', 'b']) {
      expect(whyOf(lane.after(1500).asksOne(reply, { scheduledAtMs: lane.nowMs }))).toBe('order');
    }
    expect(lane.asksOne('a').kind).toBe('go');
  });

  test('one reply that wakes after a day does not keep dead places alive for days', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('late', { ticketMs: lane.nowMs - 86_400_000, chat: '78' });
    expect(lane.lane.latenessMs).toBeLessThan(20_000);
  });

  test('a queue whose holders were all terminated does not make newcomers wait either', () => {
    const lane = new LaneUnderTest({ bot: [{ limit: 2, perMs: 1000 }] }).extends(10);
    for (let i = 0; i < 500; i++) lane.asksOne(`r${i}`, { chat: `c${i}` });
    lane.after(15_000);
    for (let i = 0; i < 5; i++) {
      expect(lane.after(1100).asksOne(`new${i}`, { chat: `new${i}` }).kind).toBe('go');
      lane.reports(`new${i}`, { chat: `new${i}`, outcome: 'sent' });
    }
  });

  test('a queue that is given up does not make newcomers wait behind nobody', () => {
    const lane = new LaneUnderTest({ bot: [{ limit: 1, perMs: 1000 }] });
    lane.asksOne('x');
    lane.after(50).reports('x', { outcome: 'flood', retryAfterMs: 10_000 });
    for (let i = 0; i < 500; i++) lane.asksOne(`r${i}`, { chat: `c${i}` });
    for (let i = 0; i < 500; i++) lane.reports(`r${i}`, { chat: `c${i}`, outcome: 'gone' });
    expect(untilOf(lane.asksOne('new', { chat: 'new' })) - lane.nowMs).toBeLessThan(15_000);
  });
});
