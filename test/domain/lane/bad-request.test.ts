import { describe, expect, test } from 'vitest';
import { claimBatch, noteReports, oldestBatchMs } from '../../../domain/lane/batch.ts';
import { controlLane } from '../../../domain/lane/control.ts';
import { extendCooldown } from '../../../domain/lane/report.ts';
import { revokeAttempt } from '../../../domain/lane/revoke.ts';
import { defaultLanePolicy, policyProblem } from '../../../domain/lane/policy.ts';
import { LaneUnderTest, startMs, whyOf } from './lane-under-test.ts';

const ask = {
  reply: 'a',
  run: 'run-of-a',
  attempt: 1,
  nonce: 'a-1',
  chat: '77',
  chatKind: 'chat',
  weight: 1,
  class: 'reply',
  scheduledAtMs: startMs,
};

function answerTo(one: unknown): string {
  const lane = new LaneUnderTest();
  const [verdict] = claimBatch(lane.lane, { policy: lane.policy, asks: [one] as never }, lane.nowMs);
  return verdict ? whyOf(verdict) : 'none';
}

describe('rule 10: an ask is read field by field', () => {
  test.each([
    {},
    { chatKind: 'group' },
    { class: 'bulk' },
    { weight: 100 },
    { attempt: 7 },
    { after: 'a', ticketMs: 0, heldSinceMs: 0, expiresAtMs: startMs + 1 },
    {
      after: undefined,
      ticketMs: undefined,
      heldSinceMs: undefined,
      expiresAtMs: undefined,
      known: undefined,
    },
    { known: { epoch: '', notBeforeMs: 0 } },
    { reply: 'é'.repeat(300), run: '', nonce: '', chat: 'c'.repeat(300) },
    { field: 'of tomorrow' },
  ])('whole: %j', (part) => expect(answerTo({ ...ask, ...part })).toBe('go'));

  test.each<[keyof typeof ask | 'after' | 'ticketMs' | 'heldSinceMs' | 'expiresAtMs' | 'known', unknown[]]>([
    ['reply', ['', 7, null, undefined, 'x'.repeat(301)]],
    ['run', [7, null, undefined, 'x'.repeat(301)]],
    ['nonce', [7, null, undefined, 'x'.repeat(301)]],
    ['chat', ['', 7, null, undefined, 'x'.repeat(301)]],
    ['chatKind', ['', 'channel', null, undefined]],
    ['class', ['', 'urgent', null, undefined]],
    ['attempt', [0, -1, 1.5, '1', null, undefined, 2 ** 53]],
    ['weight', [0, -1, 1.5, '1', null, undefined, 101]],
    ['scheduledAtMs', [1.5, '1', null, undefined, NaN]],
    ['after', [7, null, 'x'.repeat(301)]],
    ['ticketMs', [1.5, '1', null, NaN]],
    ['heldSinceMs', [1.5, '1', null, NaN]],
    ['expiresAtMs', [startMs + 0.5, '1', null, NaN]],
    ['known', [null, 7, {}, { epoch: 7, notBeforeMs: 1 }, { epoch: 'e', notBeforeMs: 1.5 }, { epoch: 'e' }]],
  ])('%s: %j is refused', (field, values) => {
    for (const value of values) expect(answerTo({ ...ask, [field]: value })).toBe('bad_request');
  });

  test.each([[null], ['a'], [7], [undefined]])('%j is none', (value) =>
    expect(answerTo(value)).toBe('bad_request'),
  );

  test('those beside it are answered, each in its place', () => {
    const lane = new LaneUnderTest();
    const other = { ...ask, reply: 'b', chat: '78', nonce: 'b-1', ticketMs: startMs - 5 };
    const asks = [null, ask, 7, other, {}] as never;
    const refused = { kind: 'refused', nowMs: startMs, why: 'bad_request', epoch: 'epoch-1' };
    const go = { kind: 'go', nowMs: startMs, epoch: 'epoch-1' };
    expect(claimBatch(lane.lane, { policy: lane.policy, asks }, lane.nowMs)).toEqual([
      refused,
      go,
      refused,
      go,
      refused,
    ]);
    expect(claimBatch(lane.lane, { policy: null, asks } as never, lane.nowMs)).toEqual(
      Array.from({ length: 5 }, () => refused),
    );
  });

  test('a batch without a list of asks has no answers', () => {
    const lane = new LaneUnderTest();
    for (const request of [undefined, null, {}, { asks: 'a' }, { asks: { length: 1 } }])
      expect(claimBatch(lane.lane, request as never, lane.nowMs)).toEqual([]);
  });
});

test('rule 12: a batch that was sent long ago is refused as a whole, at its very age', () => {
  const lane = new LaneUnderTest();
  const sent = (agoMs: unknown) =>
    claimBatch(
      lane.lane,
      {
        policy: lane.policy,
        asks: [{ ...ask, scheduledAtMs: lane.nowMs }] as never,
        sentAtMs: (typeof agoMs === 'number' ? lane.nowMs - agoMs : agoMs) as number,
      },
      lane.nowMs,
    ).map(whyOf);
  expect(sent(oldestBatchMs + 1)).toEqual(['stale_ask']);
  expect(lane.lane.policies).toEqual([]);
  expect(sent(oldestBatchMs)).toEqual(['go']);
  expect(sent('long ago')).toEqual(['go']);
  expect(sent('5')).toEqual(['go']);
});

describe('rule 10: a report is read field by field', () => {
  const report = { reply: 'a', attempt: 1, nonce: 'a-1', chat: '77', outcome: 'sent', ageMs: 0 };

  function isTaken(part: Record<string, unknown>): boolean {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    noteReports(lane.lane, [{ ...report, ...part }] as never, lane.nowMs);
    return [...lane.lane.fences.values()][0]?.state.kind === 'settled';
  }

  test.each([
    {},
    { outcome: 'flood', retryAfterMs: 5 },
    { outcome: 'held' },
    { outcome: 'rejected' },
    { outcome: 'migrated', movedTo: '78' },
    { outcome: 'unknown' },
    { outcome: 'unreached' },
    { retryAfterMs: undefined, movedTo: undefined, detail: undefined },
    { chat: '' },
    { ageMs: NaN },
  ])('whole: %j', (part) => expect(isTaken(part)).toBe(true));

  test('that a place is given up is one too', () => {
    const lane = new LaneUnderTest().extends(60);
    lane.asksOne('a');
    expect(lane.lane.placeCount).toBe(1);
    noteReports(lane.lane, [{ ...report, outcome: 'gone' }] as never, lane.nowMs);
    expect(lane.lane.placeCount).toBe(0);
  });

  test.each<[string, unknown[]]>([
    ['reply', [7, null, undefined]],
    ['nonce', [7, null, undefined]],
    ['chat', [7, null, undefined]],
    ['attempt', [1.5, '1', undefined]],
    ['outcome', ['', 'Sent', 'stale', undefined, null]],
    ['ageMs', ['0', null, undefined]],
    ['retryAfterMs', ['5', null]],
    ['movedTo', ['', 7, null]],
  ])('%s: %j is passed over', (field, values) => {
    for (const value of values) expect(isTaken({ [field]: value })).toBe(false);
  });

  test('those beside a malformed one count', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('a');
    noteReports(lane.lane, [null, 7, 'x', undefined, report] as never, lane.nowMs);
    expect(lane.lane.sent).toBe(1);
    for (const reports of [null, undefined, {}, 'x']) noteReports(lane.lane, reports as never, lane.nowMs);
    expect(lane.lane.sent).toBe(1);
  });
});

describe('rule 10: a policy is read part by part', () => {
  const window = { limit: 1, perMs: 1 };

  test.each([
    defaultLanePolicy,
    { ...defaultLanePolicy, bot: [], chat: [], group: [] },
    { ...defaultLanePolicy, bot: Array.from({ length: 8 }, () => window) },
    { ...defaultLanePolicy, maxOutstanding: 1, heldPauseMs: 1, answerBoundMs: 1 },
  ])('whole: %j', (policy) => expect(policyProblem(policy)).toBeUndefined());

  test.each([[null], ['fast'], [7], [undefined]])('%j is none', (policy) =>
    expect(policyProblem(policy)).toMatch(/must be an object/),
  );

  test.each(['bot', 'chat', 'group'])('%s must be a list of windows', (scope) => {
    for (const windows of [
      undefined,
      null,
      'x',
      {},
      { length: 1 },
      Array.from({ length: 9 }, () => window),
      [null],
      [7],
      [undefined],
      [window, {}],
      [{ limit: 0, perMs: 1 }],
      [{ limit: 1, perMs: 0 }],
      [{ limit: 1.5, perMs: 1 }],
      [{ limit: 1, perMs: '1' }],
      [{ limit: -1, perMs: 1 }],
    ])
      expect(policyProblem({ ...defaultLanePolicy, [scope]: windows })).toMatch(
        new RegExp(`policy\\.${scope}`),
      );
  });

  test.each(['maxOutstanding', 'heldPauseMs', 'answerBoundMs'])('%s must be a positive integer', (field) => {
    for (const value of [0, -1, 1.5, '1', null, undefined, Infinity, 2 ** 53])
      expect(policyProblem({ ...defaultLanePolicy, [field]: value })).toMatch(
        new RegExp(`policy\\.${field}`),
      );
  });
});

describe('rule 10: what else is malformed changes nothing', () => {
  test.each([
    null,
    undefined,
    'a',
    {},
    { reply: 7, attempt: 1, scheduledAtMs: 1 },
    { reply: 'a', attempt: 1.5, scheduledAtMs: 1 },
    { reply: 'a', attempt: 1, scheduledAtMs: NaN },
    { reply: 'a', attempt: 1 },
    { reply: 'a', attempt: 1, scheduledAtMs: '1' },
  ])('a revocation: %j is answered lost', (request) => {
    const lane = new LaneUnderTest();
    expect(revokeAttempt(lane.lane, request as never, lane.nowMs)).toEqual({ kind: 'lost' });
    expect(lane.lane.fences.size).toBe(0);
  });

  test.each([
    null,
    undefined,
    'x',
    { by: 'a', reason: 'b' },
    { seconds: 0, by: 'a', reason: 'b' },
    { seconds: -1, by: 'a', reason: 'b' },
    { seconds: 1.5, by: 'a', reason: 'b' },
    { seconds: '60', by: 'a', reason: 'b' },
    { seconds: 60, by: '', reason: 'b' },
    { seconds: 60, by: 'a' },
  ])('an extension: %j', (request) => {
    const lane = new LaneUnderTest();
    extendCooldown(lane.lane, request as never, lane.nowMs);
    expect(lane.lane).toMatchObject({ cooldown: null, acts: [], probe: { kind: 'open' } });
  });

  test('an extension of one second is the shortest', () => {
    const lane = new LaneUnderTest();
    extendCooldown(lane.lane, { seconds: 1, by: 'a', reason: 'b' }, lane.nowMs);
    expect(lane.lane.cooldown).toEqual({
      notBeforeMs: startMs + 1000,
      reason: 'extended',
      savedAtMs: startMs,
      by: 'a',
      why: 'b',
    });
  });

  test.each([null, { action: 'pause' }, { action: 'stop', by: 'a', reason: 'b' }])(
    'an act: %j',
    (request) => {
      const lane = new LaneUnderTest();
      controlLane(lane.lane, request as never, lane.nowMs);
      expect(lane.lane).toMatchObject({ paused: null, acts: [] });
    },
  );
});
