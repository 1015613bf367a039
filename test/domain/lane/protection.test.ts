import { describe, expect, test } from 'vitest';
import type { ClaimMark, Verdict } from '../../../domain/lane/messages.ts';
import { LaneUnderTest, startMs } from './lane-under-test.ts';

const windowMs = 55 * 60_000;
const bounds = { windowMs, otherKeys: 900 };

function markOf(verdict: Verdict): ClaimMark {
  if (verdict.kind !== 'go' || !verdict.mark) throw new Error(`no mark: ${JSON.stringify(verdict)}`);
  return verdict.mark;
}

/** A reply that was granted once, and asks to repeat that. */
function inDoubt(lane = new LaneUnderTest({ bot: [], chat: [], group: [] })) {
  const since = markOf(lane.asksOne('a', { hasKeys: true }));
  lane.reports('a', { outcome: 'unknown', keepsPlace: true });
  const repeats = (attempt = 2): Verdict =>
    lane.asksOne('a', { attempt, hasKeys: true, doubt: { ...since, ...bounds } });
  return { lane, since, repeats };
}

const refusal = { kind: 'refused', why: 'unprotected' };

describe('invariant 5: a repetition is granted only while its idempotency key protects it', () => {
  test('at once: where the claim stands is told with each grant', () => {
    const { since, repeats } = inDoubt();
    expect(since).toEqual({ epoch: 'epoch-1', atMs: startMs, count: 1 });
    expect(markOf(repeats())).toEqual({ epoch: 'epoch-1', atMs: startMs, count: 2 });
  });

  test('asks without keys are told nothing of it, and need no protection', () => {
    const lane = new LaneUnderTest();
    expect(lane.asksOne('a')).toEqual({ kind: 'go', nowMs: startMs, epoch: 'epoch-1' });
  });

  test.each([
    [windowMs, 'go'],
    [windowMs + 1, 'refused'],
  ])('K2: %i ms after the earliest uncertain claim: %s', (ms, kind) => {
    const { lane, repeats } = inDoubt();
    lane.after(ms);
    expect(repeats().kind).toBe(kind);
  });

  test.each([
    [900, 'go'],
    [901, 'refused'],
  ])('K2: after %i other claims of the bot: %s', (others, kind) => {
    const { lane, repeats } = inDoubt(
      new LaneUnderTest({ bot: [], chat: [], group: [], maxOutstanding: 2000 }),
    );
    for (let i = 0; i < others; i++) {
      expect([i, lane.asksOne(`other-${i}`, { chat: `${1000 + i}` })]).toMatchObject([i, { kind: 'go' }]);
      lane.reports(`other-${i}`, { outcome: 'sent', chat: `${1000 + i}` });
      lane.after(1000);
    }
    expect(repeats()).toMatchObject(kind === 'go' ? { kind } : refusal);
  });

  test('the count goes on over any cut into runs', () => {
    const { lane, since } = inDoubt();
    lane.cut();
    const doubt = { ...since, windowMs, otherKeys: 1 };
    expect(markOf(lane.asksOne('b', { chat: '78', hasKeys: true })).count).toBe(2);
    lane.reports('b', { outcome: 'sent', chat: '78' });
    expect(markOf(lane.cut().asksOne('c', { chat: '79', hasKeys: true })).count).toBe(3);
    expect(lane.asksOne('a', { attempt: 2, doubt })).toMatchObject(refusal);
  });

  test('a lane that has lost its memory cannot know, and refuses', () => {
    const { since } = inDoubt();
    const other = new LaneUnderTest();
    const doubt = { ...since, epoch: 'of another lane', ...bounds };
    expect(other.asksOne('a', { attempt: 2, doubt })).toMatchObject(refusal);
  });

  test('what it would have to wait for past its protection is not waited for', () => {
    const { lane, repeats } = inDoubt();
    lane.extends(windowMs / 1000 + 60);
    expect(repeats()).toMatchObject(refusal);
    expect(lane.controls('override').after(1).asksOne('b', { chat: '78' })).toMatchObject({ kind: 'go' });
  });

  test('a shorter cooldown is', () => {
    const { lane, repeats } = inDoubt();
    lane.extends(60);
    expect(repeats()).toMatchObject({ kind: 'wait', why: 'cooldown' });
  });

  test('a repetition keeps its place in the chat: who comes after it waits', () => {
    const { lane, repeats } = inDoubt();
    expect(lane.asksOne('b', { after: 'a' })).toMatchObject({ kind: 'wait', why: 'order' });
    expect(repeats().kind).toBe('go');
    lane.reports('a', { attempt: 2, outcome: 'sent' });
    expect(lane.after(60_000).asksOne('b', { after: 'a' }).kind).toBe('go');
  });

  test('refused, it gives its place up', () => {
    const { lane, repeats } = inDoubt();
    lane.after(windowMs + 1);
    expect(repeats()).toMatchObject(refusal);
    expect(lane.asksOne('b', { after: 'a' }).kind).toBe('go');
  });

  test('the same nonce is told the same mark again', () => {
    const { lane, repeats } = inDoubt();
    const first = repeats();
    lane.asksOne('b', { chat: '78' });
    expect(lane.after(20).asks({ reply: 'a', attempt: 2, hasKeys: true })[0]).toEqual({
      ...first,
      nowMs: lane.nowMs,
    });
  });
});

describe('K1 under load: each claim of others takes from what protects a repetition', () => {
  /** A bot of one message a second, for which many wait. */
  function backlog() {
    const lane = new LaneUnderTest({
      bot: [{ limit: 1, perMs: 1000 }],
      chat: [],
      group: [],
      maxOutstanding: 500,
    });
    const doubt = inDoubt(lane);
    for (let i = 0; i < 50; i++) lane.asksOne(`other-${i}`, { chat: `${1000 + i}` });
    return doubt;
  }

  test('it goes before all that wait', () => {
    const { lane, repeats } = backlog();
    const first = repeats();
    expect(first.kind === 'wait' ? first.untilMs - lane.nowMs : 0).toBeLessThanOrEqual(2000);
    const behind = lane.asksOne('newcomer', { chat: '5' });
    expect(behind.kind === 'wait' ? behind.untilMs - lane.nowMs : 0).toBeGreaterThan(20_000);
  });

  test('also behind a cooldown', () => {
    const { lane, repeats } = backlog();
    lane.extends(60);
    for (let i = 0; i < 50; i++) lane.asksOne(`waiting-${i}`, { chat: `${2000 + i}` });
    expect(repeats()).toMatchObject({ why: 'cooldown', untilMs: lane.nowMs + 60_000 });
  });

  test('in one batch it is answered first', () => {
    const { lane, since } = inDoubt(new LaneUnderTest({ bot: [{ limit: 1, perMs: 1000 }], chat: [] }));
    lane.after(5000);
    const [bulk, repeated] = lane.asks(
      { reply: 'b', chat: '5' },
      { reply: 'a', attempt: 2, class: 'bulk', hasKeys: true, doubt: { ...since, ...bounds } },
    );
    expect([bulk?.kind, repeated?.kind]).toEqual(['wait', 'go']);
  });

  test('its place lives until it comes again, however late its answer was', () => {
    const lane = new LaneUnderTest({ bot: [], chat: [], group: [] });
    lane.asksOne('a', { hasKeys: true });
    const passes = (ms: number): LaneUnderTest => {
      for (let rest = ms; rest > 0; rest -= 20_000)
        lane.after(20_000).asksOne(`busy-${lane.nowMs}`, { chat: '5' });
      return lane;
    };
    passes(60_000).reports('a', { outcome: 'unknown', keepsPlace: true });
    expect(passes(80_000).asksOne('b', { after: 'a' })).toMatchObject({ kind: 'wait', why: 'order' });
  });
});

describe('no mark is given that protects nothing', () => {
  test('of a claim that was asked for without keys', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    expect(lane.asks({ reply: 'a', hasKeys: true })[0]).not.toHaveProperty('mark');
    expect(lane.after(9).revokes('a', 1, startMs, { hasKeys: true })).toEqual({
      kind: 'yes',
      reported: null,
    });
  });

  test('of a doubt that a repetition cannot end', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a', { hasKeys: true });
    lane.reports('a', { outcome: 'unknown' });
    expect(lane.revokes('a', 1, startMs, { hasKeys: true })).toEqual({ kind: 'yes', reported: 'unknown' });
  });
});

describe('U6: a run that was lost with its claim', () => {
  test('is told where the claim stood, and keeps its place, where keys protect a repetition', () => {
    const lane = new LaneUnderTest({ chat: [] });
    lane.asksOne('a', { hasKeys: true });
    const mark = { epoch: 'epoch-1', atMs: startMs, count: 1 };
    expect(lane.after(9).revokes('a', 1, startMs, { hasKeys: true })).toEqual({
      kind: 'yes',
      reported: null,
      mark,
    });
    expect(lane.cut().revokes('a', 1, startMs, { hasKeys: true })).toEqual({
      kind: 'yes',
      reported: null,
      mark,
    });
    expect(lane.asksOne('b', { after: 'a' })).toMatchObject({ kind: 'wait', why: 'order' });
  });

  test('is told no such thing elsewhere', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    expect(lane.after(9).revokes('a')).toEqual({ kind: 'yes', reported: null });
  });
});

describe('K5: a service that has paused as a whole', () => {
  const delayMs = (lane: LaneUnderTest): number => (lane.lane.cooldown?.notBeforeMs ?? 0) - lane.nowMs;

  test('pauses the lane for minutes, twice as long each time, half an hour at most', () => {
    const lane = new LaneUnderTest({ chat: [] });
    const minutes: number[] = [];
    for (let attempt = 1; attempt <= 8; attempt++) {
      expect(lane.asksOne('a', { attempt }).kind).toBe('go');
      lane.after(5).reports('a', { attempt, outcome: 'paused' });
      minutes.push(delayMs(lane) / 60_000);
      lane.after(delayMs(lane));
    }
    expect(minutes).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
    expect(lane.lane.cooldown).toMatchObject({ reason: 'service_paused', by: null, why: null });
    expect(lane.lane.floods).toBe(0);
  });

  test('several requests that met one pause make it no longer', () => {
    const lane = new LaneUnderTest({ chat: [], bot: [] });
    lane.asks({ reply: 'a', chat: '1' }, { reply: 'b', chat: '2' }, { reply: 'c', chat: '3' });
    lane.after(5);
    for (const [reply, chat] of [
      ['a', '1'],
      ['b', '2'],
      ['c', '3'],
    ] as const)
      lane.reports(reply, { chat, outcome: 'paused' });
    expect(delayMs(lane)).toBe(60_000);
    lane.after(60_000).asksOne('a', { chat: '1', attempt: 2 });
    lane.reports('a', { chat: '1', attempt: 2, outcome: 'paused' });
    expect(delayMs(lane)).toBe(120_000);
  });

  test('an answer ends the row of pauses', () => {
    const lane = new LaneUnderTest({ chat: [] });
    lane.asksOne('a');
    lane.reports('a', { outcome: 'paused' }).after(60_000);
    lane.asksOne('a', { attempt: 2 });
    lane.reports('a', { attempt: 2, outcome: 'sent' });
    lane.asksOne('b');
    lane.reports('b', { outcome: 'paused' });
    expect(delayMs(lane)).toBe(60_000);
  });

  test('the reply that met it keeps its place', () => {
    const lane = new LaneUnderTest({ chat: [] });
    lane.asksOne('a');
    lane.reports('a', { outcome: 'paused' });
    lane.after(60_000);
    expect(lane.asksOne('b', { after: 'a' })).toMatchObject({ kind: 'wait', why: 'order' });
    expect(lane.asksOne('a', { attempt: 2 }).kind).toBe('go');
  });
});

test('held, but not for flood: the lane goes on', () => {
  const lane = new LaneUnderTest({ chat: [] });
  lane.asksOne('a');
  lane.reports('a', { outcome: 'held', detail: 'no_flood' });
  expect(lane.lane.cooldown).toBe(null);
  expect(lane.asksOne('b').kind).toBe('go');
});
