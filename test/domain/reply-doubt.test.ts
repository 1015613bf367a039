import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../domain/outcome.ts';
import {
  type Reply,
  applyDecision,
  beginRun,
  decisionRefusal,
  newReply,
  noteFinding,
  noteLateProof,
  noteLoss,
  passGate,
  replyRecord,
  requestCancel,
  stopByLateProof,
} from '../../domain/reply/index.ts';
import type { SendLoss } from '../../domain/send.ts';
import { attempted, input, outcomes, startMs } from './reply-samples.ts';

const mark = { epoch: 'e', atMs: startMs, count: 7 };
const lost: Outcome = { kind: 'unknown', unreadable: false, evidence: 'no answer', mayRepeat: true };
const who = { by: 'ann', reason: 'test' };

/** A run that came to an outcome, at a service with keys. */
function runs(reply: Reply, outcome: Outcome, nowMs: number, claim = mark): Reply {
  return noteFinding(beginRun(reply, nowMs), { ...attempted(outcome), mark: claim }, nowMs, 0);
}

function inDoubt(part: Partial<typeof input> & { expiresAt?: string } = {}): Reply {
  return runs(newReply({ ...input, ...part }, startMs), lost, startMs);
}

describe('K1: what may have arrived is repeated by itself, under its key', () => {
  test('after a wait that doubles, counted from the earliest uncertain claim', () => {
    const first = inDoubt();
    expect(first.phase).toMatchObject({ at: 'waiting', why: 'backoff', untilMs: startMs + 1000 });
    const second = runs(first, lost, startMs + 1000, { ...mark, atMs: startMs + 1000, count: 9 });
    expect(second.phase).toMatchObject({ at: 'waiting', untilMs: startMs + 3000 });
    expect(second.doubt).toEqual({ since: mark, attempt: 1, evidence: 'no answer', streak: 2 });
  });

  test('its success ends the doubt', () => {
    const sent = runs(inDoubt(), outcomes.sent, startMs + 1000);
    expect(replyRecord(sent)).toMatchObject({ state: 'sent', message: { message_id: 501 }, review: null });
    expect(sent.doubt).toBe(null);
    expect(sent.attempts.map(({ outcome }) => outcome)).toEqual(['unknown', 'sent']);
  });

  test.each<[string, Outcome]>([
    ['a flood', outcomes.flood],
    ['a pause of the service', outcomes.paused],
    ['no connection', outcomes.unreached],
  ])('%s between keeps it', (_, outcome) => {
    const waits = runs(inDoubt(), outcome, startMs + 1000);
    expect(waits.phase.at).toBe('waiting');
    expect(waits.doubt?.since).toEqual(mark);
  });

  test('not where the contract does not say that it may, nor without a mark', () => {
    const { mayRepeat: _, ...plain } = lost;
    expect(runs(newReply(input, startMs), plain, startMs).phase).toMatchObject({
      at: 'review',
      kind: 'unknown',
    });
    const unmarked = noteFinding(beginRun(newReply(input, startMs), startMs), attempted(lost), startMs, 0);
    expect(unmarked.phase).toMatchObject({ at: 'review', kind: 'unknown' });
  });
});

describe('invariant 7: in doubt nothing is said but that nobody knows', () => {
  const review = (reply: Reply) => replyRecord(reply).review;

  test.each<[string, Outcome]>([
    ['refused', outcomes.rejected],
    ['held', outcomes.held],
    [
      'an answer that says nothing',
      { kind: 'unknown', unreadable: false, evidence: 'HTTP 502, bad_gateway' },
    ],
  ])('its repetition is %s: a person is asked', (_, outcome) => {
    const asked = runs(inDoubt(), outcome, startMs + 1000);
    expect(review(asked)).toMatchObject({ kind: 'unknown', attempt: 2 });
    expect(review(asked)?.evidence).toMatch(/^attempt 1 may have arrived \(no answer\); /);
    expect(asked.doubt).toBe(null);
  });

  test('the lane says that its key protects it no longer', () => {
    const asked = noteFinding(
      beginRun(inDoubt(), startMs + 1000),
      { kind: 'refused', why: 'unprotected' },
      startMs + 1000,
      0,
    );
    expect(review(asked)).toMatchObject({ kind: 'unknown', attempt: 1 });
    expect(review(asked)?.evidence).toMatch(/protects a repetition no longer$/);
  });

  test('cancelled while it waits to be repeated', () => {
    const cancelled = requestCancel(inDoubt(), who, 'update', startMs + 10);
    const { reply } = passGate(cancelled, startMs + 10);
    expect(review(reply)).toMatchObject({ kind: 'unknown' });
    expect(review(reply)?.evidence).toMatch(/then it was to be cancelled$/);
    expect(passGate(reply, startMs + 20).gate).toEqual({ kind: 'hold' });
  });

  test('expired', () => {
    const expiresAt = new Date(startMs + 500).toISOString();
    const { reply } = passGate(inDoubt({ expiresAt }), startMs + 500);
    expect(review(reply)?.evidence).toMatch(/then it expired$/);
  });

  test('its attempts used up', () => {
    let reply = inDoubt();
    for (let nowMs = startMs, n = 0; n < 9; n++) reply = runs(reply, lost, (nowMs += 60_000));
    const passed = passGate({ ...reply }, startMs + 3_000_000).reply;
    expect(review(passed)).toMatchObject({ kind: 'unknown', attempt: 10 });
    expect(review(passed)?.evidence).toMatch(/10 attempts without success$/);
  });

  test('a late proof stops no repetition: the key brings the answer back', () => {
    const told = noteLateProof(inDoubt(), { attempt: 1, outcome: 'sent', messageId: 5 }, startMs + 9);
    expect(stopByLateProof(told, startMs + 9)).toBe(told);
  });
});

describe('a lost run', () => {
  const loss = (part: Partial<Extract<SendLoss, { kind: 'claimed' }>>): SendLoss => ({
    kind: 'claimed',
    reported: null,
    why: 'the worker was lost',
    mark,
    ...part,
  });
  const losing = (what: SendLoss): Reply =>
    noteLoss(beginRun(newReply(input, startMs), startMs), what, startMs, 0);

  test.each([null, 'unknown', 'sent'] as const)(
    'of which the lane was told %s is repeated under its key',
    (reported) => {
      const reply = losing(loss({ reported }));
      expect(reply.phase).toMatchObject({ at: 'waiting', why: 'backoff' });
      expect(reply.doubt?.since).toEqual(mark);
      expect(reply.attempts).toHaveLength(1);
    },
  );

  test('of which the lane was told that it was sent is repeated, and that word is kept', () => {
    const reply = losing(loss({ reported: 'sent', isProof: true }));
    expect(reply.doubt?.evidence).toBe('the worker was lost; the lane was told "sent" before that');
    expect(reply.lateProof).toMatchObject({ attempt: 1, outcome: 'sent' });
    const cancelled = requestCancel(reply, who, 'update', startMs + 10);
    expect(passGate(cancelled, startMs + 10).reply).toMatchObject({
      phase: { at: 'review', kind: 'unknown' },
      lateProof: { outcome: 'sent' },
    });
  });

  test.each(['held', 'rejected'] as const)('of which it was told %s is for a person', (reported) => {
    expect(losing(loss({ reported })).phase).toMatchObject({ at: 'review', kind: 'unknown' });
  });

  test('is for a person without a mark', () => {
    const { mark: _, ...unmarked } = loss({}) as Extract<SendLoss, { kind: 'claimed' }>;
    expect(losing(unmarked).phase).toMatchObject({ at: 'review', kind: 'unknown' });
  });

  test('that the lane has forgotten is for a person, with what was in doubt before', () => {
    const reply = noteLoss(
      beginRun(inDoubt(), startMs + 1000),
      { kind: 'lost', why: 'the lane has lost its memory' },
      startMs + 1000,
      0,
    );
    expect(replyRecord(reply).review?.evidence).toBe(
      'attempt 1 may have arrived (no answer); then: the lane has lost its memory',
    );
  });
});

describe('K4: a key that was used for another request', () => {
  const mismatch: Outcome = { kind: 'held', evidence: 'idempotency_mismatch', isFlood: false, isFinal: true };
  const decide = (reply: Reply, decision: 'resend' | 'not_sent') =>
    decisionRefusal(reply, { attempt: reply.attemptCount, decision, ...who }, startMs);

  test.each([
    ['at first', newReply(input, startMs), 'held'],
    ['in doubt', inDoubt(), 'unknown'],
  ] as const)('%s: is held, and resend is refused', (_, reply, kind) => {
    const held = runs(reply, mismatch, startMs + 1000);
    expect(replyRecord(held).review).toMatchObject({ kind, isFinal: true });
    expect(decide(held, 'resend')).toMatch(/^resend: it cannot be sent again under this key/);
    expect(decide(held, 'not_sent')).toBe(undefined);
  });

  test('another review has no such mark', () => {
    const held = runs(newReply(input, startMs), outcomes.held, startMs);
    expect(replyRecord(held).review).not.toHaveProperty('isFinal');
    expect(decide(held, 'resend')).toBe(undefined);
  });
});

describe('invariant 5: a decision to resend does not renew what the key protects', () => {
  const later = { epoch: 'e', atMs: startMs + 9000, count: 50 };
  const resent = (reply: Reply): Reply =>
    applyDecision(
      reply,
      { attempt: reply.attemptCount, decision: 'resend', ...who },
      'update',
      startMs + 9000,
    );
  const { mayRepeat: _, ...plain } = lost;
  const claimed: SendLoss = { kind: 'claimed', reported: null, why: 'the worker was lost' };
  const loses = (reply: Reply, loss: SendLoss, nowMs = startMs): Reply =>
    noteLoss(beginRun(reply, nowMs), loss, nowMs, 0);

  test.each<[string, Reply]>([
    ['repeated, then held', runs(inDoubt(), outcomes.held, startMs + 1000)],
    ['unknown at once', runs(newReply(input, startMs), plain, startMs)],
    [
      'lost, and refused as the lane was told',
      loses(newReply(input, startMs), { ...claimed, mark, reported: 'held' }),
    ],
  ])('an attempt that was %s: counted from its claim', (_what, asked) => {
    expect(asked.phase).toMatchObject({ at: 'review', kind: 'unknown' });
    const again = resent(asked);
    expect(again.doubt).toBe(null);
    expect(runs(again, lost, startMs + 9000, later).doubt?.since).toEqual(mark);
    expect(loses(again, { ...claimed, mark: later }, startMs + 9000).doubt?.since).toEqual(mark);
  });

  test.each<[string, Reply]>([
    ['that the lane has forgotten', loses(newReply(input, startMs), { kind: 'lost', why: 'forgotten' })],
    ['without a mark', loses(newReply(input, startMs), claimed)],
    [
      'that another run has claimed',
      noteFinding(
        beginRun(newReply(input, startMs), startMs),
        { kind: 'refused', why: 'claimed' },
        startMs,
        0,
      ),
    ],
    [
      'of a run before a start by hand',
      noteFinding(
        beginRun(newReply(input, startMs), startMs),
        { kind: 'restarted', evidence: 'an earlier run' },
        startMs,
        0,
      ),
    ],
  ])('an attempt %s: no repetition but by a person', (_what, asked) => {
    expect(asked.phase).toMatchObject({ at: 'review', kind: 'unknown' });
    expect(runs(resent(asked), lost, startMs + 9000, later).phase).toMatchObject({
      at: 'review',
      kind: 'unknown',
    });
  });
});

test('the wait between two repetitions is never so long that the place is given up', () => {
  let reply = inDoubt();
  let nowMs = startMs;
  for (let n = 0; n < 8; n++) {
    reply = runs(reply, lost, (nowMs += 60_000));
    expect(reply.phase).toMatchObject({ at: 'waiting' });
    expect(reply.phase.at === 'waiting' && reply.phase.untilMs - nowMs).toBeLessThanOrEqual(30_000);
  }
});
