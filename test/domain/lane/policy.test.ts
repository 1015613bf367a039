import { describe, expect, test } from 'vitest';
import {
  type LanePolicy,
  defaultLanePolicy,
  notePolicy,
  policyInForce,
  strictest,
} from '../../../domain/lane/policy.ts';

const nowMs = 1_800_000_000_000;
const window = (limit: number, perMs: number) => ({ limit, perMs });
const a: LanePolicy = {
  bot: [window(30, 1000)],
  chat: [window(1, 1000)],
  group: [window(20, 60_000)],
  maxOutstanding: 20,
  heldPauseMs: 60_000,
  answerBoundMs: 25_000,
};
const b: LanePolicy = {
  bot: [window(30, 1000), window(30, 2000)],
  chat: [window(2, 1000)],
  group: [window(20, 60_000)],
  maxOutstanding: 5,
  heldPauseMs: 90_000,
  answerBoundMs: 5000,
};

describe('the strictest of several policies', () => {
  test('has the windows of all, each once, and the strictest of each other part', () => {
    const strict = {
      bot: [window(30, 1000), window(30, 2000)],
      chat: [window(1, 1000), window(2, 1000)],
      group: [window(20, 60_000)],
      maxOutstanding: 5,
      heldPauseMs: 90_000,
      answerBoundMs: 25_000,
    };
    expect(strictest([a, b])).toEqual(strict);
    expect(strictest([b, a])).toMatchObject({
      maxOutstanding: 5,
      heldPauseMs: 90_000,
      answerBoundMs: 25_000,
    });
    expect(strictest([a, a])).toEqual(a);
  });

  test('has a window that several of them have once', () => {
    const two = { ...a, bot: [window(30, 1000), window(30, 2000)] };
    expect(strictest([two, a]).bot).toEqual(two.bot);
    expect(strictest([two, two]).bot).toEqual(two.bot);
  });

  test("the usual limits are those of the service's contract", () => {
    expect(defaultLanePolicy).toMatchObject({
      bot: [window(30, 1000)],
      chat: [window(1, 1000)],
      group: [window(1, 1000), window(20, 60_000)],
    });
  });

  test('of one is that one, of none the usual one', () => {
    expect(strictest([b])).toEqual(b);
    expect(strictest([])).toEqual(defaultLanePolicy);
    expect(policyInForce({ policies: [] })).toEqual(defaultLanePolicy);
  });
});

describe('a policy that a worker has shown', () => {
  const lane = () => ({ policies: [] as readonly { policy: LanePolicy; seenAtMs: number }[] });

  test('is in force for a minute after that, or as long as its requests may be out', () => {
    const one = lane();
    const slow = { ...b, answerBoundMs: 90_000 };
    notePolicy(one, b, nowMs);
    notePolicy(one, slow, nowMs);
    notePolicy(one, a, nowMs + 59_999);
    expect(one.policies.map(({ policy }) => policy)).toEqual([b, slow, a]);
    notePolicy(one, a, nowMs + 60_000);
    expect(one.policies.map(({ policy }) => policy)).toEqual([slow, a]);
    notePolicy(one, a, nowMs + 89_999);
    expect(one.policies).toHaveLength(2);
    notePolicy(one, a, nowMs + 90_000);
    expect(one.policies).toEqual([{ policy: a, seenAtMs: nowMs + 90_000 }]);
  });

  test('is remembered once, however often it is shown, and without fields of tomorrow', () => {
    const one = lane();
    const more = { ...a, note: 'x', bot: [{ ...window(30, 1000), note: 'x' }] };
    for (const policy of [a, more, a]) notePolicy(one, policy, nowMs + 5);
    expect(one.policies).toEqual([{ policy: a, seenAtMs: nowMs + 5 }]);
    expect(JSON.stringify(one.policies)).not.toContain('note');
  });

  test('is one of eight at most: the oldest is forgotten first', () => {
    const one = lane();
    for (let i = 1; i <= 12; i++) notePolicy(one, { ...a, maxOutstanding: i }, nowMs + i);
    expect(one.policies.map(({ policy }) => policy.maxOutstanding)).toEqual([5, 6, 7, 8, 9, 10, 11, 12]);
  });
});
