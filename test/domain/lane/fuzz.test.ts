import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { claimBatch, noteReports } from '../../../domain/lane/batch.ts';
import { controlLane } from '../../../domain/lane/control.ts';
import type { Ask } from '../../../domain/lane/messages.ts';
import { extendCooldown } from '../../../domain/lane/report.ts';
import { revokeAttempt } from '../../../domain/lane/revoke.ts';
import { showLane } from '../../../domain/lane/show.ts';
import { runs } from '../../support/runs.ts';
import { LaneUnderTest, startMs } from './lane-under-test.ts';

const json = fc.jsonValue({ maxDepth: 3 });
/** Objects with the right fields, of which any may hold anything. */
const like = (...fields: readonly string[]): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 1, arbitrary: json },
    {
      weight: 4,
      arbitrary: fc.record(Object.fromEntries(fields.map((field) => [field, valueOf(field)])), {
        requiredKeys: [],
      }),
    },
  );

function valueOf(field: string): fc.Arbitrary<unknown> {
  const usual: Record<string, fc.Arbitrary<unknown>> = {
    reply: fc.constantFrom('a', 'b', 'c'),
    nonce: fc.constantFrom('a-1', 'b-1'),
    run: fc.constantFrom('run-of-a', 'run-of-b'),
    chat: fc.constantFrom('77', '', '78'),
    chatKind: fc.constantFrom('chat', 'group'),
    class: fc.constantFrom('reply', 'bulk'),
    after: fc.constantFrom('a', 'b', 'z'),
    outcome: fc.constantFrom('sent', 'flood', 'held', 'rejected', 'migrated', 'unknown', 'unreached', 'gone'),
    movedTo: fc.constantFrom('77', '78', '79'),
    action: fc.constantFrom('pause', 'resume', 'override'),
    by: fc.string(),
    reason: fc.string(),
  };
  const number = fc.oneof(
    fc.integer({ min: -2, max: 5 }),
    fc.maxSafeInteger(),
    fc.double(),
    fc.constant(startMs),
  );
  return fc.oneof({ weight: 3, arbitrary: usual[field] ?? number }, { weight: 1, arbitrary: json });
}

const anyAsk = like(
  'reply',
  'run',
  'attempt',
  'nonce',
  'chat',
  'chatKind',
  'weight',
  'class',
  'scheduledAtMs',
  'after',
  'ticketMs',
  'heldSinceMs',
  'expiresAtMs',
  'known',
);
const anyReport = like(
  'reply',
  'attempt',
  'nonce',
  'chat',
  'outcome',
  'retryAfterMs',
  'ageMs',
  'detail',
  'movedTo',
);
const anyPolicy = like('bot', 'chat', 'group', 'maxOutstanding', 'heldPauseMs', 'answerBoundMs');
const anyMessage = fc.oneof(
  fc.record({
    to: fc.constant('claim'),
    policy: fc.option(anyPolicy),
    asks: fc.oneof(fc.array(anyAsk), json),
  }),
  fc.record({ to: fc.constant('report'), reports: fc.oneof(fc.array(anyReport), json) }),
  fc.record({ to: fc.constant('revoke'), request: like('reply', 'attempt', 'scheduledAtMs') }),
  fc.record({ to: fc.constant('extend'), request: like('seconds', 'by', 'reason') }),
  fc.record({ to: fc.constant('control'), request: like('action', 'by', 'reason') }),
  fc.record({ to: fc.constant('cut') }),
);

/* eslint-disable typescript/no-explicit-any */
function take(lane: LaneUnderTest, message: any): void {
  const { nowMs } = lane;
  switch (message.to) {
    case 'claim': {
      const { asks } = message;
      const verdicts = claimBatch(lane.lane, { policy: message.policy ?? lane.policy, asks } as never, nowMs);
      expect(verdicts).toHaveLength(Array.isArray(asks) ? asks.length : 0);
      for (const verdict of verdicts) {
        if (verdict.kind === 'wait') expect(Number.isSafeInteger(verdict.untilMs)).toBe(true);
      }
      return;
    }
    case 'report':
      return noteReports(lane.lane, message.reports, nowMs);
    case 'revoke':
      expect(['never', 'yes', 'lost']).toContain(revokeAttempt(lane.lane, message.request, nowMs).kind);
      return;
    case 'extend':
      return extendCooldown(lane.lane, message.request, nowMs);
    case 'control':
      return controlLane(lane.lane, message.request, nowMs);
    case 'cut':
      lane.cut();
  }
}

describe('rule 10: one bad message must not wedge the lane', () => {
  test('whatever comes, in whatever order, is answered, and the lane can be written down and shown', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyMessage, fc.nat(70_000)), { maxLength: 30 }), (messages) => {
        const lane = new LaneUnderTest();
        for (const [message, afterMs] of messages) {
          lane.after(afterMs);
          take(lane, message);
          showLane(lane.lane, lane.nowMs);
        }
        const before = showLane(lane.lane, lane.nowMs);
        expect(showLane(lane.cut().lane, lane.nowMs)).toEqual(before);
      }),
      { numRuns: runs(400) },
    );
  });

  test('a bad ask is refused by itself, and those beside it are answered as if it were not there', () => {
    const bad = anyAsk.filter((ask) => !isWhole(ask));
    fc.assert(
      fc.property(fc.array(bad, { maxLength: 5 }), fc.array(bad, { maxLength: 5 }), (before, behind) => {
        const alone = new LaneUnderTest();
        const among = new LaneUnderTest();
        const good = (reply: string): Ask => ({
          reply,
          run: 'run',
          attempt: 1,
          nonce: reply,
          chat: '77',
          chatKind: 'chat',
          weight: 1,
          class: 'reply',
          scheduledAtMs: startMs,
        });
        const pair = [good('x'), good('y')];
        const expected = claimBatch(alone.lane, { policy: alone.policy, asks: pair }, startMs);
        const asks = [...before, ...pair, ...behind] as Ask[];
        const verdicts = claimBatch(among.lane, { policy: among.policy, asks }, startMs);
        expect(verdicts.slice(before.length, before.length + 2)).toEqual(expected);
        for (const [i, verdict] of verdicts.entries()) {
          if (i < before.length || i >= before.length + 2) {
            expect(verdict).toMatchObject({ kind: 'refused', why: 'bad_request' });
          }
        }
      }),
    );
  });

  test('a bad policy refuses the batch and is not remembered', () => {
    const lane = new LaneUnderTest();
    const windows = [{ limit: 0, perMs: 1000 }];
    const verdicts = claimBatch(
      lane.lane,
      { policy: { ...lane.policy, bot: windows }, asks: [null, {}] as never },
      lane.nowMs,
    );
    expect(verdicts.map((verdict) => verdict.kind === 'refused' && verdict.why)).toEqual([
      'bad_request',
      'bad_request',
    ]);
    expect(lane.lane.policies).toEqual([]);
    expect(lane.asksOne('a').kind).toBe('go');
  });

  test('the strictest of the policies that workers use now is in force, for each part by itself', () => {
    const lane = new LaneUnderTest();
    const strict = {
      ...lane.policy,
      bot: [{ limit: 1, perMs: 5000 }],
      maxOutstanding: 1,
      heldPauseMs: 90_000,
    };
    claimBatch(lane.lane, { policy: strict, asks: [] }, lane.nowMs);
    lane.asksOne('a', { chat: '1' });
    expect(showLane(lane.lane, lane.nowMs).policy).toMatchObject({ maxOutstanding: 1, heldPauseMs: 90_000 });
    lane.after(50).reports('a', { chat: '1', outcome: 'sent' });
    expect(lane.after(4000).asksOne('b', { chat: '2' }).kind).toBe('wait');
    lane.after(60_000).asksOne('c', { chat: '3', ticketMs: lane.nowMs });
    expect(showLane(lane.lane, lane.nowMs).policy).toEqual(lane.policy);
  });
});

function isWhole(ask: unknown): boolean {
  const fields = ['reply', 'run', 'attempt', 'nonce', 'chat', 'chatKind', 'weight', 'class', 'scheduledAtMs'];
  return typeof ask === 'object' && ask !== null && fields.every((field) => field in ask);
}
