import { describe, expect, test } from 'vitest';
import { isoTime, showLane } from '../../../domain/lane/show.ts';
import { recordAct } from '../../../domain/lane/state.ts';
import { LaneUnderTest, startMs } from './lane-under-test.ts';

const at = (afterMs: number): string => new Date(startMs + afterMs).toISOString();

describe('what people see of a lane', () => {
  test('that has done nothing', () => {
    const lane = new LaneUnderTest();
    expect(showLane(lane.lane, lane.nowMs)).toEqual({
      bot: 'support',
      notBefore: null,
      reason: null,
      policy: lane.policy,
      stopped: null,
      paused: null,
      waiting: 0,
      outstanding: 0,
      sent: 0,
      floods: 0,
      lastFlood: null,
      acts: [],
      lateProofs: [],
    });
  });

  test('who waits, what is out, what was sent, and the last flood', () => {
    const lane = new LaneUnderTest();
    lane.asks({ reply: 'a', chat: '1' }, { reply: 'b', chat: '2' }, { reply: 'c', chat: '2' });
    expect(showLane(lane.lane, lane.nowMs)).toMatchObject({ waiting: 1, outstanding: 2, sent: 0 });
    lane.after(50).reports('a', { chat: '1', outcome: 'sent' });
    lane.asksOne('d', { chat: '-4', chatKind: 'group' });
    lane.after(2000).reports('d', { chat: '-4', outcome: 'flood', retryAfterMs: 35_000 });
    expect(showLane(lane.lane, lane.nowMs)).toMatchObject({
      notBefore: at(37_050),
      reason: 'flood',
      waiting: 2,
      outstanding: 1,
      sent: 1,
      floods: 1,
      lastFlood: {
        at: at(2050),
        retryAfterSeconds: 35,
        chatKind: 'group',
        sentLastSecond: 1,
        sentLastMinute: 2,
      },
    });
    // Its bound is over: out no more, and not waiting either.
    expect(showLane(lane.lane, startMs + 25_000)).toMatchObject({ outstanding: 0 });
    lane.after(35_000);
    expect(showLane(lane.lane, lane.nowMs)).toMatchObject({ notBefore: null, reason: null, floods: 1 });
  });

  test('a flood without a delay, of a claim that is not known', () => {
    const lane = new LaneUnderTest().reports('x', { outcome: 'held' });
    expect(showLane(lane.lane, lane.nowMs)).toMatchObject({
      notBefore: at(60_000),
      reason: 'held',
      lastFlood: { retryAfterSeconds: null, chatKind: null, sentLastSecond: 0, sentLastMinute: 0 },
    });
  });

  test('a pause, a stop, and an extension, with who and why', () => {
    const lane = new LaneUnderTest().extends(60).after(5).controls('pause');
    lane.lane.stopped = { why: 'no token', atMs: startMs + 3 };
    expect(showLane(lane.lane, lane.nowMs)).toMatchObject({
      reason: 'extended: by an operator: a test',
      paused: { by: 'an operator', reason: 'a test', since: at(5) },
      stopped: { why: 'no token', since: at(3) },
      acts: [
        { at: at(0), what: 'extend 60 s', by: 'an operator', reason: 'a test' },
        { at: at(5), what: 'pause', by: 'an operator', reason: 'a test' },
      ],
    });
  });

  test('never fewer than none that wait', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    lane.lane.placeCount = 0;
    expect(showLane(lane.lane, lane.nowMs)).toMatchObject({ waiting: 0, outstanding: 1 });
  });
});

test('the log of acts keeps the latest twenty, long texts cut', () => {
  const { lane } = new LaneUnderTest();
  for (let i = 0; i < 25; i++)
    recordAct(lane, { at: i, what: 'pause', by: 'b'.repeat(81), reason: 'r'.repeat(121) });
  expect(lane.acts.map((act) => act.at)).toEqual(Array.from({ length: 20 }, (_, i) => i + 5));
  expect(lane.acts[0]).toMatchObject({ by: 'b'.repeat(80), reason: 'r'.repeat(120) });
});

test('an instant past the end of the calendar is shown as its end', () => {
  expect(isoTime(startMs)).toBe('2027-01-15T08:00:00.000Z');
  expect(isoTime(9e15)).toBe('+275760-09-13T00:00:00.000Z');
});
