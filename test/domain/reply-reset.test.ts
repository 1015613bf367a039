import { describe, expect, test } from 'vitest';
import {
  applyDecision,
  askAboutReset,
  beginRun,
  deniesAfterReset,
  newReply,
  noteLoss,
  passGate,
  requestCancel,
} from '../../domain/reply/index.ts';
import { after, attempted, decide, input, outcomes, postponed, startMs } from './reply-samples.ts';

const cancelled = passGate(
  requestCancel(newReply(input, startMs), { by: 'ana', reason: 'by phone' }, startMs),
  startMs,
).reply;
const expired = passGate(newReply({ ...input, expiresAt: '2026-12-01T09:00:00Z' }, startMs), startMs).reply;

describe('invariants 5 and 7: a run that a reset has made', () => {
  test('says that nothing was sent where it ends cancelled or expired, and only there', () => {
    expect([cancelled, expired].map(deniesAfterReset)).toEqual([true, true]);
    const others = [
      newReply(input, startMs),
      beginRun(newReply(input, startMs)),
      after([postponed(1000)]),
      ...Object.values(outcomes).map((outcome) => after([attempted(outcome)])),
    ];
    expect(others.some(deniesAfterReset)).toBe(false);
  });

  test('asks a person before that, once', () => {
    const asked = askAboutReset(cancelled, startMs + 5);
    expect(asked.phase).toMatchObject({ at: 'review', kind: 'unknown', sinceMs: startMs + 5 });
    expect(asked.phase).toHaveProperty('evidence', expect.stringMatching(/made by a reset/));
    const decided = applyDecision(asked, decide('cancel', 0), startMs + 9);
    expect(decided.phase.at).toBe('cancelled');
    expect(deniesAfterReset(decided)).toBe(false);
  });

  test('was asked about too where the lane said so', () => {
    expect(after([{ kind: 'reset' }]).askedAboutReset).toBe(true);
    expect(newReply(input, startMs).askedAboutReset).toBe(false);
  });
});

describe('what does not fit the state of a reply changes nothing', () => {
  const done = after([attempted(outcomes.sent)]);

  test('a run begins only for one that waits', () => {
    for (const reply of [done, cancelled, beginRun(newReply(input, startMs))])
      expect(beginRun(reply)).toBe(reply);
  });

  test('a loss counts only for one in flight', () => {
    for (const reply of [done, newReply(input, startMs)])
      expect(noteLoss(reply, { kind: 'lost', why: 'w' }, startMs, 0)).toBe(reply);
  });

  test('a decision counts only under review', () =>
    expect(applyDecision(done, decide('resend', 1), startMs)).toBe(done));

  test('the first cancellation counts', () => {
    const again = requestCancel(cancelled, { by: 'ben', reason: 'again' }, startMs + 1);
    expect(again).toBe(cancelled);
    expect(again.cancel).toEqual({ by: 'ana', reason: 'by phone', atMs: startMs });
  });
});
