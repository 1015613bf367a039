import { describe, expect, test } from 'vitest';
import type { OutcomeKind } from '../../domain/outcome.ts';
import {
  type Phase,
  type Reply,
  applyBudgets,
  beginRun,
  decisionRefusal,
  leavesPlace,
  mayBeRestart,
  newReply,
  noteFinding,
  noteLoss,
  passGate,
  replyRecord,
  wakeReply,
} from '../../domain/reply/index.ts';
import { type SendLoss, defaultBudgets } from '../../domain/send.ts';
import {
  after,
  asksToCancel,
  attempted,
  decide,
  decided,
  input,
  outcomes,
  postponed,
  refusedBot,
  startMs,
} from './reply-samples.ts';

const cancelRequest = { by: 'ana', reason: 'answered by phone' };
const gateOf = (reply: Reply, nowMs = startMs) => passGate(reply, nowMs).gate.kind;
const phaseAt = (reply: Reply, nowMs = startMs) => passGate(reply, nowMs).reply.phase.at;
const sending = (reply = newReply(input, startMs)) => beginRun(reply, startMs);

describe('the job gate', () => {
  test('a fresh reply runs', () => {
    expect(gateOf(newReply(input, startMs))).toBe('run');
  });

  test('invariant 6: a cancellation counts before an expiry, and an expiry before a budget', () => {
    const spent = after(
      Array.from({ length: 10 }, () => attempted(outcomes.migrated)).map((finding, i) =>
        attempted({ kind: 'migrated', chat: `-${i}` }, finding.chat + i),
      ),
      { expiresAt: '2026-12-01T11:00:00Z' },
    );
    const lateMs = startMs + 3_600_000;
    expect(phaseAt(spent)).toBe('review');
    expect(phaseAt(spent, lateMs)).toBe('expired');
    expect(phaseAt(asksToCancel(spent, cancelRequest, startMs), lateMs)).toBe('cancelled');
  });

  test('an expiry counts at its very instant', () => {
    const reply = newReply({ ...input, expiresAt: '2026-12-01T12:00:00+01:00' }, startMs);
    expect(gateOf(reply, startMs + 3_600_000 - 1)).toBe('run');
    expect(phaseAt(reply, startMs + 3_600_000)).toBe('expired');
  });

  test('nothing is settled while a run is in flight, nor under review: an expiry never closes a review', () => {
    const expiring = { ...input, expiresAt: '2026-12-01T11:00:00Z' };
    const lateMs = startMs + 86_400_000 * 3;
    const inFlight = asksToCancel(sending(newReply(expiring, startMs)), cancelRequest, startMs);
    expect(passGate(inFlight, lateMs)).toEqual({ reply: inFlight, gate: { kind: 'hold' } });
    const reviewed = after([attempted(outcomes.unknown)], { expiresAt: expiring.expiresAt });
    expect(passGate(reviewed, lateMs)).toEqual({ reply: reviewed, gate: { kind: 'hold' } });
  });

  test('waits until the instant it was told, but no longer than until its expiry or budget', () => {
    const reply = after([postponed(7_200_000)], { expiresAt: '2026-12-01T11:00:00Z' });
    expect(passGate(reply, startMs).gate).toEqual({ kind: 'wait', untilMs: startMs + 3_600_000 });
    const hurried = after([postponed(7_200_000)], { reviewIfDelayedOverMs: 5000 });
    expect(passGate(hurried, startMs).gate).toEqual({ kind: 'wait', untilMs: startMs + 5000 });
    const old = after([postponed(200_000_000)]);
    expect(passGate(old, startMs).gate).toEqual({ kind: 'wait', untilMs: startMs + 86_400_000 });
  });

  test('at least the attempt gap lies between two attempts, a wake notwithstanding', () => {
    const reply = wakeReply(after([attempted({ kind: 'flood', retryAfterSeconds: 0 })]), startMs);
    expect(passGate(reply, startMs).gate).toEqual({ kind: 'wait', untilMs: startMs + 1000 });
    const slower = applyBudgets(reply, { ...defaultBudgets, attemptGapMs: 5000 });
    expect(passGate(slower, startMs).gate).toEqual({ kind: 'wait', untilMs: startMs + 5000 });
  });

  test('a wake ends a wait for a ticket', () => {
    expect(gateOf(wakeReply(after([postponed(60_000)]), startMs))).toBe('run');
  });
});

describe('each outcome has one phase', () => {
  test.each<[OutcomeKind, Phase['at']]>([
    ['sent', 'sent'],
    ['flood', 'waiting'],
    ['held', 'review'],
    ['rejected', 'rejected'],
    ['migrated', 'ready'],
    ['unreached', 'waiting'],
    ['unknown', 'review'],
  ])('%s: %s', (kind, at) => {
    const reply = after([attempted(outcomes[kind])]);
    expect(reply.phase.at).toBe(at);
    expect(reply.attempts).toMatchObject([{ attempt: 1, outcome: kind, at: '2026-12-01T10:00:00.000Z' }]);
  });

  test('flood: waits for the delay, keeps its place, and shows the deadline as its ticket', () => {
    const known = { epoch: 'e', notBeforeMs: startMs + 35_001 };
    const reply = after([{ ...attempted(outcomes.flood), known }]);
    expect(reply).toMatchObject({ ticketMs: startMs + 35_001, known, placeIn: '123' });
    expect(reply.phase).toMatchObject({ why: 'cooldown', untilMs: startMs + 35_000 });
  });

  test('R4: a refusal of the bot itself does not end the reply', () => {
    const reply = after([attempted(refusedBot)]);
    expect(reply.phase).toMatchObject({ at: 'waiting', why: 'lane_stopped' });
    expect(reply.spent.attempts).toBe(0);
  });

  test('U3: an unreached service is tried again with doubled waits up to a minute, with jitter that only adds', () => {
    let reply = newReply(input, startMs);
    const waits = Array.from({ length: 9 }, () => {
      reply = noteFinding(sending(reply), attempted(outcomes.unreached), startMs, 0.5);
      return reply.phase.at === 'waiting' ? (reply.phase.untilMs - startMs) / 1100 : NaN;
    });
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  test('R2: a migration goes to the new chat; a ring ends with a person', () => {
    const once = after([attempted({ kind: 'migrated', chat: 'B' }, 'A')]);
    expect(once).toMatchObject({ chat: 'B', phase: { at: 'ready' } });
    const ring = noteFinding(sending(once), attempted({ kind: 'migrated', chat: 'A' }, 'B'), startMs, 0);
    expect(ring.phase).toMatchObject({ at: 'review', kind: 'held' });
    expect(ring.chat).toBe('B');
  });

  test.each(['claimed', 'revoked', 'other_run'] as const)(
    'U13: a claim refused as %s goes to review: another run may have sent it',
    (why) => {
      const reply = after([{ kind: 'refused', why }]);
      expect(reply.phase).toMatchObject({ at: 'review', kind: 'unknown' });
      expect(reply.attemptCount).toBe(1);
    },
  );

  test('the other refusals', () => {
    expect(after([{ kind: 'refused', why: 'expired' }]).phase.at).toBe('expired');
    expect(after([{ kind: 'refused', why: 'bad_request' }]).phase).toMatchObject({
      at: 'review',
      kind: 'held',
    });
    expect(after([{ kind: 'refused', why: 'stale_ask' }]).phase).toMatchObject({
      at: 'waiting',
      why: 'backoff',
    });
    const cancelled = asksToCancel(sending(), cancelRequest, startMs);
    expect(noteFinding(cancelled, { kind: 'refused', why: 'expired' }, startMs, 0).phase.at).toBe(
      'cancelled',
    );
  });

  test('rule 6: a run that was made by a reset goes to review', () => {
    expect(after([{ kind: 'reset' }]).phase).toMatchObject({ at: 'review', kind: 'unknown' });
  });

  test('U13: a start by hand of a key that was run before goes to review, says why, and is asked about once', () => {
    const fresh = sending();
    expect(mayBeRestart(fresh)).toBe(true);
    const asked = after([{ kind: 'restarted', evidence: 'run 1 of it ended before' }]);
    expect(replyRecord(asked)).toMatchObject({
      state: 'review',
      review: { kind: 'unknown', attempt: 0, evidence: 'run 1 of it ended before' },
      attempts: [],
    });
    const resent = decided(asked, decide('resend', 0), startMs);
    expect(gateOf(resent)).toBe('run');
    expect(mayBeRestart(resent)).toBe(false);
    expect(mayBeRestart(after([postponed(10)]))).toBe(false);
    expect(mayBeRestart(after([attempted(outcomes.unreached)]))).toBe(false);
  });

  test('no token: others may have it; after ten minutes of runs in a row a person must look', () => {
    const missing = { kind: 'no_token', why: 'no token for the bot support' } as const;
    const times = (length: number) => Array.from({ length }, () => missing);
    expect(after(times(34)).phase.at).toBe('waiting');
    expect(after(times(35)).phase).toMatchObject({ at: 'review', kind: 'held' });
    expect(after([...times(34), postponed(1), missing]).phase.at).toBe('waiting');
    const waits = Array.from({ length: 34 }, (_, i) => {
      const { phase } = after(times(i + 1));
      return phase.at === 'waiting' ? phase.untilMs - startMs : NaN;
    });
    // The next worker may have it: soon at first, so that all of the open polls of one worker are passed.
    expect(waits.slice(0, 20).every((ms) => ms === 250)).toBe(true);
    expect(waits.slice(20, 27)).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000]);
    const totalMs = waits.reduce((sum, ms) => sum + ms, 0);
    expect(totalMs).toBeGreaterThan(540_000);
    expect(totalMs).toBeLessThan(660_000);
  });

  test('content that the service would refuse is rejected before anything is asked', () => {
    expect(after([{ kind: 'bad_content', problem: 'text: is empty' }]).phase).toEqual({
      at: 'rejected',
      rejection: { kind: 'request', code: null, description: 'text: is empty' },
    });
  });

  test('rule 12: a lane that does not answer is asked ever less often, from a few minutes of silence on', () => {
    let reply = newReply(input, startMs);
    const unheard = { kind: 'postponed', why: 'backoff', waitMs: 5000, ticketMs: null, chat: '' } as const;
    const waits = Array.from({ length: 70 }, () => {
      reply = noteFinding(sending(reply), unheard, startMs, 0);
      return reply.phase.at === 'waiting' ? (reply.phase.untilMs - startMs) / 1000 : NaN;
    });
    expect([0, 9, 10, 20, 49, 50, 69].map((run) => waits[run])).toEqual([5, 5, 10, 15, 25, 30, 30]);
    const heard = noteFinding(sending(reply), postponed(1), startMs, 0);
    expect(heard.unheardStreak).toBe(0);
  });
});

describe('rule 8: a reply comes when its ticket is due, however late it heard of its wait', () => {
  const waitsUntil = (asOfMs: number | undefined, nowMs: number, waitMs = 3999): number => {
    const finding = { ...postponed(waitMs), ...(asOfMs === undefined ? {} : { asOfMs }) };
    const { phase } = noteFinding(beginRun(newReply(input, startMs), startMs), finding, nowMs, 0);
    return phase.at === 'waiting' ? phase.untilMs - startMs : NaN;
  };

  test('what has passed since the wait was measured is taken off', () => {
    expect(waitsUntil(startMs + 100, startMs + 100)).toBe(4099);
    expect(waitsUntil(startMs + 100, startMs + 900)).toBe(4099);
  });

  test('after a long wait its activity starts a little before, and holds the rest', () => {
    expect(waitsUntil(startMs + 100, startMs + 900, 4000)).toBe(3700);
    expect(waitsUntil(startMs + 100, startMs + 900, 60_000)).toBe(59_700);
  });

  test('there is always a wait, so that workers of two versions write the same history', () => {
    expect(waitsUntil(startMs + 100, startMs + 9000)).toBe(9001);
  });

  test('where the clocks differ: no more than the run took, and nothing is added', () => {
    expect(waitsUntil(startMs - 3_600_000, startMs + 900)).toBe(3999);
    expect(waitsUntil(startMs + 3_600_000, startMs + 900)).toBe(4899);
  });

  test('a finding of an older worker is taken as before', () => {
    expect(waitsUntil(undefined, startMs + 900, 5000)).toBe(5900);
  });
});

describe('budgets', () => {
  const many = (count: number, kind: OutcomeKind) =>
    Array.from({ length: count }, () => attempted(outcomes[kind]));

  test('floods and unreached attempts do not count as attempts', () => {
    const reply = after([...many(90, 'flood'), ...many(50, 'unreached')]);
    expect(reply.spent).toMatchObject({ attempts: 0, floods: 90 });
    expect(phaseAt(reply)).toBe('waiting');
  });

  test('F15: review after a hundred floods', () => {
    expect(phaseAt(after(many(99, 'flood')))).toBe('waiting');
    const { reply } = passGate(after(many(100, 'flood')), startMs);
    expect(reply.phase).toMatchObject({ at: 'review', kind: 'budget' });
  });

  test('review at a day of age, or past the delay that the app named', () => {
    expect(phaseAt(newReply(input, startMs), startMs + 86_400_000)).toBe('review');
    const hurried = newReply({ ...input, reviewIfDelayedOverMs: 5000 }, startMs);
    expect(phaseAt(hurried, startMs + 4999)).toBe('ready');
    expect(phaseAt(hurried, startMs + 5000)).toBe('review');
  });

  test("the bot's own budgets count, and its expiry for replies that name none", () => {
    const budgets = { ...defaultBudgets, floods: 2, ageMs: 10_000, expiresAfterMs: 5000 };
    expect(phaseAt(applyBudgets(after(many(2, 'flood')), budgets))).toBe('review');
    expect(phaseAt(applyBudgets(newReply(input, startMs), budgets), startMs + 5000)).toBe('expired');
    const own = newReply({ ...input, expiresAt: '2026-12-01T10:00:07Z' }, startMs);
    expect(phaseAt(applyBudgets(own, budgets), startMs + 6000)).toBe('ready');
  });

  test('review before the history of a reply that asks for days is full', () => {
    const asked = { ...after([postponed(1)]), runs: 4000 };
    expect(passGate(asked, startMs + 10).reply.phase).toMatchObject({ at: 'review', kind: 'budget' });
    const resent = decided(passGate(asked, startMs + 10).reply, decide('resend', 0), startMs + 10);
    expect(gateOf(resent, startMs + 10)).toBe('run');
    expect(gateOf({ ...resent, runs: 4050 }, startMs + 10)).toBe('hold');
  });
});

describe('a run that returned nothing', () => {
  test.each<[string, SendLoss, Phase['at'], number]>([
    ['never started', { kind: 'not_started' }, 'waiting', 0],
    ['U7: never claimed', { kind: 'never_claimed' }, 'waiting', 0],
    ['claimed, a flood reported', { kind: 'claimed', reported: 'flood', why: 'w' }, 'waiting', 1],
    ['claimed, unreached reported', { kind: 'claimed', reported: 'unreached', why: 'w' }, 'waiting', 1],
    ['U6: claimed, nothing reported', { kind: 'claimed', reported: null, why: 'w' }, 'review', 1],
    ['claimed, sent reported', { kind: 'claimed', reported: 'sent', why: 'w' }, 'review', 1],
    ['claimed, unknown reported', { kind: 'claimed', reported: 'unknown', why: 'w' }, 'review', 1],
    ['claimed, held reported', { kind: 'claimed', reported: 'held', why: 'w' }, 'review', 1],
    ['claimed, rejected reported', { kind: 'claimed', reported: 'rejected', why: 'w' }, 'review', 1],
    ['claimed, migrated reported', { kind: 'claimed', reported: 'migrated', why: 'w' }, 'review', 1],
    ['rule 5: the lane has lost its memory', { kind: 'lost', why: 'w' }, 'review', 1],
  ])('%s', (_, loss, at, attempts) => {
    const reply = noteLoss(sending(), loss, startMs, 0);
    expect(reply.phase.at).toBe(at);
    expect(reply.attempts).toHaveLength(attempts);
    if (at === 'review') expect(reply.phase).toMatchObject({ kind: 'unknown' });
  });

  test('what the lane was told stands in the evidence', () => {
    const { review } = replyRecord(
      noteLoss(sending(), { kind: 'claimed', reported: 'sent', why: 'lost' }, startMs, 0),
    );
    expect(review?.evidence).toBe('lost; the lane was told "sent" before that');
  });

  test('a flood that the lane was told counts as one', () => {
    const reply = noteLoss(sending(), { kind: 'claimed', reported: 'flood', why: 'w' }, startMs, 0);
    expect(reply.spent).toMatchObject({ attempts: 0, floods: 1 });
  });

  test('the lane may hold a place for it, the reply does not know where; it gives it up when it ends', () => {
    const reply = asksToCancel(
      noteLoss(sending(), { kind: 'not_started' }, startMs, 0),
      cancelRequest,
      startMs,
    );
    expect(leavesPlace(reply)).toBe(false);
    const { reply: ended } = passGate(reply, startMs);
    expect(ended).toMatchObject({ phase: { at: 'cancelled' }, placeIn: '' });
    expect(leavesPlace(ended)).toBe(true);
  });
});

describe('a reply that needs its place no longer', () => {
  test('says so where the lane cannot know, and only there', () => {
    expect(leavesPlace(after([postponed(10)]))).toBe(false);
    expect(leavesPlace(after([attempted(outcomes.flood)]))).toBe(false);
    for (const kind of ['sent', 'held', 'rejected', 'unknown'] as const) {
      expect(leavesPlace(after([attempted(outcomes[kind])]))).toBe(false);
    }
    const floods = Array.from({ length: 100 }, () => attempted(outcomes.flood));
    expect(leavesPlace(passGate(after(floods), startMs).reply)).toBe(true);
    const ring = after([
      attempted({ kind: 'migrated', chat: 'B' }, 'A'),
      attempted({ kind: 'migrated', chat: 'A' }, 'B'),
    ]);
    expect(leavesPlace(ring)).toBe(true);
  });
});

describe('decisions', () => {
  const unknown = after([attempted(outcomes.unknown)]);

  test('U10: one about another attempt than the reviewed is refused, and names the right one', () => {
    expect(decisionRefusal(unknown, decide('resend', 1), startMs)).toBeUndefined();
    expect(decisionRefusal(unknown, decide('resend', 2), startMs)).toMatch(/about attempt 1, not 2/);
    const resent = decided(unknown, decide('resend', 1), startMs);
    expect(decisionRefusal(resent, decide('resend', 1), startMs)).toMatch(
      /not under review: the reply is waiting/,
    );
    const again = noteFinding(sending(resent), attempted(outcomes.unknown), startMs, 0);
    expect(decisionRefusal(again, decide('resend', 1), startMs)).toMatch(/about attempt 2/);
  });

  test('resend goes through the gates again, with fresh budgets', () => {
    const resent = decided(unknown, decide('resend', 1), startMs + 10);
    expect(resent.spent).toMatchObject({ attempts: 0, floods: 0, sinceMs: startMs + 10 });
    expect(passGate(resent, startMs + 10).gate).toEqual({ kind: 'wait', untilMs: startMs + 1000 });
    expect(gateOf(resent, startMs + 1000)).toBe('run');
    expect(phaseAt(asksToCancel(resent, cancelRequest, startMs), startMs + 1000)).toBe('cancelled');
  });

  test('resend of an expired reply wants allowExpired; then the expiry counts no more', () => {
    const expiresAt = '2026-12-01T11:00:00Z';
    const reply = after([attempted(outcomes.unknown)], { expiresAt });
    const lateMs = startMs + 7_200_000;
    expect(decisionRefusal(reply, decide('resend', 1), lateMs)).toMatch(
      /expired at 2026-12-01T11:00:00.000Z/,
    );
    const request = decide('resend', 1, { allowExpired: true });
    expect(decisionRefusal(reply, request, lateMs)).toBeUndefined();
    expect(gateOf(decided(reply, request, lateMs), lateMs)).toBe('run');
    for (const decision of ['sent', 'not_sent', 'cancel'] as const) {
      expect(decisionRefusal(reply, decide(decision, 1), lateMs)).toBeUndefined();
    }
  });

  test('the others end the reply', () => {
    expect(decided(unknown, decide('not_sent', 1), startMs).phase).toEqual({ at: 'not_sent' });
    expect(decided(unknown, decide('cancel', 1), startMs).phase).toEqual({ at: 'cancelled' });
    expect(decided(unknown, decide('sent', 1), startMs).phase).toEqual({ at: 'sent', message: null });
    expect(decided(unknown, decide('sent', 1, { messageId: 7 }), startMs).phase).toEqual({
      at: 'sent',
      message: { message_id: 7, date: null },
    });
  });

  test('a cancellation that came too late to count does not cancel a resend', () => {
    const tooLate = noteFinding(
      asksToCancel(sending(), cancelRequest, startMs),
      attempted(outcomes.unknown),
      startMs,
      0,
    );
    expect(phaseAt(tooLate)).toBe('review');
    expect(gateOf(decided(tooLate, decide('resend', 1), startMs), startMs + 1000)).toBe('run');
  });
});
