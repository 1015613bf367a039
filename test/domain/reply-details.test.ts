import { describe, expect, test } from 'vitest';
import {
  type Reply,
  applyBudgets,
  beginRun,
  decisionRefusal,
  leavesPlace,
  newReply,
  noteFinding,
  noteLoss,
  passGate,
  replyRecord,
  waitsForOpening,
  wakeReply,
} from '../../domain/reply/index.ts';
import { defaultBudgets } from '../../domain/send.ts';
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

const dayMs = 86_400_000;
const sending = (reply = newReply(input, startMs)) => beginRun(reply, startMs);
const times = <T>(length: number, value: T): T[] => Array.from({ length }, () => value);

test('a fresh reply knows nothing but its input', () => {
  expect(newReply({ ...input, expiresAt: '2026-12-01T11:00:00Z' }, startMs)).toEqual({
    input: { ...input, expiresAt: '2026-12-01T11:00:00Z' },
    expiresAtMs: startMs + 3_600_000,
    startedAtMs: startMs,
    phase: { at: 'ready' },
    cancel: null,
    decision: null,
    attempts: [],
    attemptCount: 0,
    runs: 0,
    lastAttemptAtMs: null,
    budgets: defaultBudgets,
    spent: { attempts: 0, floods: 0, sinceMs: startMs, sinceRun: 0 },
    doubt: null,
    uncertainSince: null,
    unreachedStreak: 0,
    noTokenStreak: 0,
    unheardStreak: 0,
    ticketMs: null,
    heldSinceMs: null,
    known: null,
    lateProof: null,
    chat: null,
    visited: [],
    placeIn: null,
    allowExpired: false,
    askedAboutReset: false,
  });
  expect(newReply(input, startMs).expiresAtMs).toBe(null);
});

test('each run is counted, and may leave a place somewhere', () => {
  const once = sending();
  expect(once).toMatchObject({ phase: { at: 'sending' }, runs: 1, placeIn: '' });
  expect(beginRun(after([postponed(1)]), startMs)).toMatchObject({ runs: 2, placeIn: '123' });
});

describe('what a postponed run brings', () => {
  const known = { epoch: 'e', notBeforeMs: startMs + 9 };

  test('its ticket, since when it is held, the cooldown, its place', () => {
    const reply = after([{ ...postponed(1000), heldSinceMs: startMs - 7, known, chat: 'B' }]);
    expect(reply).toMatchObject({
      phase: { at: 'waiting', why: 'cooldown', untilMs: startMs + 1000, notBeforeMs: startMs + 1000 },
      ticketMs: startMs + 1000,
      heldSinceMs: startMs - 7,
      known,
      placeIn: 'B',
    });
  });

  test('without a lane it keeps ticket, place and cooldown, but not since when it was held', () => {
    const before = after([{ ...postponed(1000), heldSinceMs: startMs - 7, known, chat: 'B' }]);
    const unasked = { kind: 'postponed', why: 'bot_pace', waitMs: 50, ticketMs: null, chat: 'C' } as const;
    const reply = noteFinding(sending(before), unasked, startMs, 0);
    expect(reply).toMatchObject({ ticketMs: startMs + 1000, heldSinceMs: null, known, placeIn: 'B' });
    expect(reply.phase).toMatchObject({ untilMs: startMs + 50, notBeforeMs: startMs + 50 });
    expect(reply.unheardStreak).toBe(0);
  });

  test('only a silent lane makes the waits longer', () => {
    const unasked = { kind: 'postponed', why: 'bot_pace', waitMs: 50, ticketMs: null, chat: '' } as const;
    expect(after(times(60, unasked)).unheardStreak).toBe(0);
    const heard = { ...postponed(50), why: 'backoff' } as const;
    expect(after(times(60, heard)).unheardStreak).toBe(0);
  });

  test('runs without a secret in a row begin anew', () => {
    expect(after([{ kind: 'no_token', why: 'w' }]).noTokenStreak).toBe(1);
    expect(after([{ kind: 'no_token', why: 'w' }, postponed(1)]).noTokenStreak).toBe(0);
    expect(after([{ kind: 'no_token', why: 'w' }, attempted(outcomes.flood)]).noTokenStreak).toBe(0);
  });
});

test('no token: each wait is longer by chance, up to twice', () => {
  const missing = { kind: 'no_token', why: 'w' } as const;
  const reply = noteFinding(sending(), missing, startMs, 0.5);
  expect(reply.phase).toMatchObject({ why: 'backoff', untilMs: startMs + 375 });
  const { phase } = after(times(35, missing));
  expect(phase).toEqual({ at: 'review', kind: 'held', sinceMs: startMs, evidence: 'w' });
});

describe('an attempt', () => {
  test('is written down with what was seen', () => {
    expect(
      after([{ ...attempted(outcomes.unreached), progress: 'not_connected', httpStatus: null }]),
    ).toMatchObject({
      attemptCount: 1,
      lastAttemptAtMs: startMs,
      attempts: [
        {
          attempt: 1,
          at: '2026-12-01T10:00:00.000Z',
          outcome: 'unreached',
          progress: 'not_connected',
          httpStatus: null,
          worker: 'w1',
        },
      ],
    });
  });

  test('that nothing is known of counts as written, and is spent', () => {
    expect(after([{ kind: 'refused', why: 'claimed' }])).toMatchObject({
      attempts: [{ outcome: 'unknown', progress: 'written', httpStatus: null, worker: null }],
      spent: { attempts: 1, floods: 0 },
      phase: { evidence: 'another run of this reply has claimed it (claimed): it may have sent it' },
    });
  });

  test.each([
    ['sent', 0, null],
    ['flood', 0, '123'],
    ['held', 1, null],
    ['rejected', 0, null],
    ['migrated', 1, '123'],
    ['unreached', 0, '123'],
    ['unknown', 1, null],
  ] as const)('%s: takes %i of the budget, and the place is %s', (kind, attempts, placeIn) => {
    const reply = after([attempted(outcomes[kind])]);
    expect(reply.spent.attempts).toBe(attempts);
    expect(reply.placeIn).toBe(placeIn);
  });

  test('shows what its outcome carried', () => {
    expect(after([attempted(outcomes.sent)]).phase).toEqual({
      at: 'sent',
      message: { message_id: 501, date: 1_764_583_200 },
    });
    expect(after([attempted(outcomes.held)]).phase).toEqual({
      at: 'review',
      kind: 'held',
      sinceMs: startMs,
      evidence: '429 without a delay',
    });
    expect(after([attempted(outcomes.rejected)]).phase).toMatchObject({ rejection: { code: 403 } });
    expect(after([attempted(refusedBot)])).toMatchObject({
      phase: { untilMs: startMs + 5000, notBeforeMs: startMs + 5000 },
      placeIn: '123',
    });
  });

  test('unreached ones in a row are counted, and any answer ends the row', () => {
    const unreached = after(times(3, attempted(outcomes.unreached)));
    expect(unreached.unreachedStreak).toBe(3);
    for (const kind of ['flood', 'migrated', 'held', 'sent', 'unknown', 'rejected'] as const) {
      const next = noteFinding(sending(unreached), attempted(outcomes[kind]), startMs, 0);
      expect(next.unreachedStreak).toBe(0);
    }
  });

  test('of a flood without a lane keeps the cooldown that is known', () => {
    const known = { epoch: 'e', notBeforeMs: startMs + 900 };
    const before = after([{ ...postponed(10), known }]);
    const reply = noteFinding(sending(before), attempted(outcomes.flood), startMs, 0);
    expect(reply).toMatchObject({ known, ticketMs: startMs + 900, spent: { floods: 1 } });
    expect(after([attempted(outcomes.flood)]).ticketMs).toBe(null);
  });

  test('that is told a shorter delay than the gap between attempts waits for the gap', () => {
    const reply = applyBudgets(newReply(input, startMs), { ...defaultBudgets, attemptGapMs: 5000 });
    const flooded = noteFinding(
      sending(reply),
      attempted({ kind: 'flood', retryAfterSeconds: 2 }),
      startMs,
      0,
    );
    expect(flooded.phase).toMatchObject({ untilMs: startMs + 5000 });
  });

  test('R2: each id it has been to is remembered, until a person decides', () => {
    const twice = after([
      attempted({ kind: 'migrated', chat: 'B' }, 'A'),
      attempted({ kind: 'migrated', chat: 'C' }, 'B'),
    ]);
    expect(twice.visited).toEqual(['A', 'B', 'B', 'C']);
    for (const chat of ['A', 'B', 'C']) {
      const ring = noteFinding(sending(twice), attempted({ kind: 'migrated', chat }, 'C'), startMs, 0);
      expect(ring.phase).toMatchObject({
        at: 'review',
        kind: 'held',
        evidence: expect.stringMatching(/ring/),
      });
      expect(ring.spent.attempts).toBe(3);
    }
    expect(
      noteFinding(sending(twice), attempted({ kind: 'migrated', chat: 'D' }, 'C'), startMs, 0).chat,
    ).toBe('D');
  });
});

describe('a refusal by the lane', () => {
  test('for expiry: ends the reply, unless a person allowed that', () => {
    expect(after([{ kind: 'refused', why: 'expired' }])).toMatchObject({ placeIn: null });
    const allowed = { ...newReply(input, startMs), allowExpired: true };
    expect(
      noteFinding(sending(allowed), { kind: 'refused', why: 'expired' }, startMs, 0).phase,
    ).toMatchObject({
      at: 'review',
      kind: 'held',
    });
  });

  test('as stale is tried again after the shortest wait', () => {
    const reply = after([...times(4, attempted(outcomes.unreached)), { kind: 'refused', why: 'stale_ask' }]);
    expect(reply.phase).toMatchObject({ why: 'backoff', untilMs: startMs + 1000 });
  });

  test('content that cannot be sent leaves no place', () =>
    expect(after([{ kind: 'bad_content', problem: 'p' }]).placeIn).toBe(null));
});

describe('a run that returned nothing', () => {
  test('waits the longer the more of them were never claimed', () => {
    let reply = newReply(input, startMs);
    const waits = times(4, 0).map(() => {
      reply = noteLoss(sending(reply), { kind: 'never_claimed' }, startMs, 0);
      return reply.phase.at === 'waiting' ? reply.phase.untilMs - startMs : NaN;
    });
    expect(waits).toEqual([1000, 2000, 4000, 8000]);
    const other = noteLoss(sending(reply), { kind: 'not_started' }, startMs, 0);
    expect(other.phase).toMatchObject({ why: 'backoff', untilMs: startMs + 1000 });
  });

  test.each([
    ['flood', 'answered', 1],
    ['unreached', 'not_connected', 0],
  ] as const)('what the lane was told is proof: %s', (reported, progress, floods) => {
    const reply = noteLoss(sending(), { kind: 'claimed', reported, why: 'w' }, startMs, 0);
    expect(reply).toMatchObject({
      attempts: [{ outcome: reported, progress, httpStatus: null }],
      spent: { attempts: 0, floods },
      phase: { why: 'backoff', untilMs: startMs + 1000 },
    });
  });

  test('says why, and spends an attempt', () => {
    const lost = noteLoss(sending(), { kind: 'lost', why: 'the lane is new' }, startMs, 0);
    expect(lost).toMatchObject({ spent: { attempts: 1 }, phase: { evidence: 'the lane is new' } });
    const claimed = noteLoss(sending(), { kind: 'claimed', reported: null, why: 'worker died' }, startMs, 0);
    expect(claimed).toMatchObject({ spent: { attempts: 1 }, phase: { evidence: 'worker died' } });
  });
});

describe('the gate at its bounds', () => {
  const evidenceOf = (reply: Reply, nowMs: number): string => {
    const { phase } = passGate(reply, nowMs).reply;
    return phase.at === 'review' ? phase.evidence : phase.at;
  };

  test('each budget is used up at its very value, and says so', () => {
    const moved = (count: number) =>
      after(times(count, 0).map((_, i) => attempted({ kind: 'migrated', chat: `-${i}` }, `c${i}`)));
    expect(passGate(moved(9), startMs + 1000).gate.kind).toBe('run');
    expect(evidenceOf(moved(10), startMs + 1000)).toBe('10 attempts without success');
    expect(evidenceOf(after(times(100, attempted(outcomes.flood))), startMs)).toBe(
      'refused for flood 100 times',
    );
    const fresh = newReply(input, startMs);
    expect(passGate(fresh, startMs + dayMs - 1).gate.kind).toBe('run');
    expect(evidenceOf(fresh, startMs + dayMs)).toBe('not sent for 1440 minutes');
    expect(evidenceOf(newReply({ ...input, reviewIfDelayedOverMs: 5000 }, startMs), startMs + 5000)).toBe(
      'delayed by more than 5000 ms, as the app asked',
    );
    expect(passGate({ ...fresh, runs: 3999 }, startMs).gate.kind).toBe('run');
    expect(evidenceOf({ ...fresh, runs: 4000 }, startMs)).toMatch(/^asked 4000 times/);
  });

  test('after a resend age and delay count from there', () => {
    const reply = after([attempted(outcomes.unknown)], { reviewIfDelayedOverMs: 5000 });
    const resent = decided(reply, decide('resend', 1), startMs + 60_000);
    expect(passGate(resent, startMs + 64_999).gate.kind).toBe('run');
    expect(passGate(resent, startMs + 65_000).gate.kind).toBe('hold');
    const told = noteFinding(sending(resent), postponed(2 * dayMs), startMs + 60_000, 0);
    expect(passGate(told, startMs + 60_000).gate).toEqual({ kind: 'wait', untilMs: startMs + 65_000 });
  });

  test('a resend has room for fifty runs more, and no review for its history before', () => {
    const asked = { ...after([attempted(outcomes.unknown)]), runs: 5000 };
    const resent = decided(asked, decide('resend', 1), startMs);
    expect(passGate({ ...resent, runs: 5049 }, startMs + 1000).gate.kind).toBe('run');
    expect(passGate({ ...resent, runs: 5050 }, startMs + 1000).gate.kind).toBe('hold');
  });

  test('an expiry that a person has set aside wakes nobody', () => {
    const reply = after([attempted(outcomes.unknown)], { expiresAt: '2026-12-01T11:00:00Z' });
    const resent = decided(reply, decide('resend', 1, { allowExpired: true }), startMs);
    const told = noteFinding(sending(resent), postponed(7_200_000), startMs, 0);
    expect(passGate(told, startMs).gate).toEqual({ kind: 'wait', untilMs: startMs + 7_200_000 });
  });
});

test('a resend before the expiry needs no leave, at its very instant it does', () => {
  const reply = after([attempted(outcomes.unknown)], { expiresAt: '2026-12-01T11:00:00Z' });
  const expiryMs = startMs + 3_600_000;
  expect(decisionRefusal(reply, decide('resend', 1), expiryMs - 1)).toBeUndefined();
  expect(decisionRefusal(reply, decide('resend', 1), expiryMs)).toMatch(/expired at/);
});

test('a resend begins anew, but for what has been', () => {
  const reply: Reply = {
    ...after([attempted(outcomes.unknown)]),
    runs: 7,
    unreachedStreak: 3,
    noTokenStreak: 4,
    unheardStreak: 5,
    visited: ['A'],
    ticketMs: 9,
    heldSinceMs: 8,
    cancel: { by: 'ben', reason: 'r', door: 'signal', atMs: 1 },
  };
  expect(decided(reply, decide('resend', 1), startMs + 3)).toMatchObject({
    phase: { at: 'ready' },
    allowExpired: false,
    spent: { attempts: 0, floods: 0, sinceMs: startMs + 3, sinceRun: 7 },
    unreachedStreak: 0,
    noTokenStreak: 0,
    unheardStreak: 0,
    visited: [],
    ticketMs: null,
    heldSinceMs: null,
    cancel: null,
    attemptCount: 1,
    runs: 7,
  });
});

test('the expiry that a bot gives is counted from the start, and only for replies that name none', () => {
  const budgets = { ...defaultBudgets, expiresAfterMs: 5000 };
  expect(applyBudgets(newReply(input, startMs), budgets)).toMatchObject({
    budgets,
    expiresAtMs: startMs + 5000,
  });
  expect(applyBudgets(newReply(input, startMs), defaultBudgets).expiresAtMs).toBe(null);
});

test.each([
  ['cooldown', true],
  ['lane_stopped', true],
  ['lane_paused', true],
  ['probe', true],
  ['bot_pace', false],
  ['chat_pace', false],
  ['order', false],
  ['backoff', false],
] as const)('a reply that waits by %s waits for its lane to open: %s', (why, waits) => {
  const waiting = after([{ ...postponed(1000), why }]);
  expect(waitsForOpening(waiting)).toBe(waits);
  expect(waitsForOpening(newReply(input, startMs))).toBe(false);
});

test('a wake ends a wait, and nothing else', () => {
  expect(wakeReply(after([postponed(1000)]), startMs + 5).phase).toMatchObject({
    at: 'waiting',
    untilMs: startMs + 5,
    notBeforeMs: startMs + 1000,
  });
  const fresh = newReply(input, startMs);
  expect(wakeReply(fresh, startMs)).toBe(fresh);
});

test('a place is left by those that end or are under review, if they may have one', () => {
  const placed = { ...newReply(input, startMs), placeIn: '123' };
  const at = (phase: Reply['phase']): boolean => leavesPlace({ ...placed, phase });
  expect(at({ at: 'ready' })).toBe(false);
  expect(at({ at: 'sending', sinceMs: 1 })).toBe(false);
  expect(at({ at: 'waiting', why: 'order', untilMs: 1, notBeforeMs: 1 })).toBe(false);
  expect(at({ at: 'cancelled' })).toBe(true);
  expect(at({ at: 'review', kind: 'held', sinceMs: 1, evidence: '' })).toBe(true);
  expect(leavesPlace({ ...placed, phase: { at: 'cancelled' }, placeIn: null })).toBe(false);
});

test('the record, in full', () => {
  const cancelled = passGate(
    asksToCancel(newReply(input, startMs), { by: 'ana', reason: 'by phone' }, startMs + 7),
    startMs + 9,
  ).reply;
  const empty = {
    id: 'support/upd-1-reply',
    bot: 'support',
    key: 'upd-1-reply',
    workflowId: 'reply:support:upd-1-reply',
    waiting: null,
    review: null,
    rejection: null,
    message: null,
    decision: null,
    attempts: [],
    lateProof: null,
  };
  expect(replyRecord(newReply(input, startMs))).toEqual({ ...empty, state: 'waiting' });
  expect(replyRecord(cancelled)).toEqual({
    ...empty,
    state: 'cancelled',
    decision: {
      attempt: 0,
      decision: 'cancel',
      by: 'ana',
      reason: 'by phone',
      door: 'update',
      via: null,
      bulk: null,
      seen: null,
      at: '2026-12-01T10:00:00.007Z',
    },
  });
  expect(replyRecord(after([attempted(outcomes.unknown)]))).toMatchObject({
    state: 'review',
    review: {
      kind: 'unknown',
      attempt: 1,
      since: '2026-12-01T10:00:00.000Z',
      evidence: 'no answer within 20 s',
    },
  });
  expect(replyRecord(after([attempted(outcomes.rejected)])).rejection).toMatchObject({ code: 403 });
  expect(replyRecord(after([attempted(outcomes.sent)])).message).toMatchObject({ message_id: 501 });
  // Asked for, but not carried out: an earlier decision stands.
  const askedAfter = asksToCancel(
    decided(after([attempted(outcomes.unknown)]), decide('resend', 1), startMs),
    { by: 'ben', reason: 'r' },
    startMs,
  );
  expect(replyRecord(askedAfter).decision).toMatchObject({
    decision: 'resend',
    by: 'ana',
    reason: 'the customer called',
  });
});
