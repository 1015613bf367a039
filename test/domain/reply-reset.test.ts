import { describe, expect, test } from 'vitest';
import {
  askAboutReset,
  beginRun,
  deniesAfterReset,
  newReply,
  noteFinding,
  noteLoss,
  passGate,
} from '../../domain/reply/index.ts';
import { finalStates } from '../../domain/record.ts';
import {
  after,
  asksToCancel,
  attempted,
  decide,
  decided,
  input,
  outcomes,
  postponed,
  startMs,
} from './reply-samples.ts';

const cancelled = passGate(
  asksToCancel(newReply(input, startMs), { by: 'ana', reason: 'by phone' }, startMs),
  startMs,
).reply;
const expired = passGate(newReply({ ...input, expiresAt: '2026-12-01T09:00:00Z' }, startMs), startMs).reply;

describe('invariants 5 and 7: a run that a reset has made', () => {
  test('says that nothing was sent where it ends cancelled or expired, and only there', () => {
    expect([cancelled, expired].map(deniesAfterReset)).toEqual([true, true]);
    const others = [
      newReply(input, startMs),
      beginRun(newReply(input, startMs), startMs),
      after([postponed(1000)]),
      ...Object.values(outcomes).map((outcome) => after([attempted(outcome)])),
    ];
    expect(others.some(deniesAfterReset)).toBe(false);
  });

  test('asks a person before that, once', () => {
    const asked = askAboutReset(cancelled, startMs + 5);
    expect(asked.phase).toMatchObject({ at: 'review', kind: 'unknown', sinceMs: startMs + 5 });
    expect(asked.phase).toHaveProperty('evidence', expect.stringMatching(/made by a reset/));
    const cancelledThen = decided(asked, decide('cancel', 0), startMs + 9);
    expect(cancelledThen.phase.at).toBe('cancelled');
    expect(deniesAfterReset(cancelledThen)).toBe(false);
  });

  test('was asked about too where the lane said so', () => {
    expect(after([{ kind: 'reset' }]).askedAboutReset).toBe(true);
    expect(newReply(input, startMs).askedAboutReset).toBe(false);
  });
});

const done = () => after([attempted(outcomes.sent)]);

describe('what does not fit the state of a reply changes nothing', () => {
  test('a run begins only for one that waits', () => {
    for (const reply of [done(), cancelled, beginRun(newReply(input, startMs), startMs)])
      expect(beginRun(reply, startMs)).toBe(reply);
  });

  test('a loss counts only for one in flight', () => {
    for (const reply of [done(), newReply(input, startMs)])
      expect(noteLoss(reply, { kind: 'lost', why: 'w' }, startMs, 0)).toBe(reply);
  });

  test('a finding counts only for one in flight', () => {
    for (const reply of [done(), newReply(input, startMs)])
      expect(noteFinding(reply, attempted(outcomes.unknown), startMs, 0)).toBe(reply);
  });

  test('a decision counts only under review', () => {
    const reply = done();
    expect(decided(reply, decide('resend', 1), startMs)).toBe(reply);
  });

  test('the first cancellation counts', () => {
    const again = asksToCancel(cancelled, { by: 'ben', reason: 'again' }, startMs + 1);
    expect(again).toBe(cancelled);
    expect(again.cancel).toEqual({ by: 'ana', reason: 'by phone', door: 'update', atMs: startMs });
  });
});

test('invariant 7: what is final is done, and stays as it is', () => {
  const unknown = after([attempted(outcomes.unknown)]);
  const finals = [
    done(),
    after([attempted(outcomes.rejected)]),
    cancelled,
    expired,
    decided(unknown, decide('not_sent', 1), startMs),
  ];
  expect(finals.map(({ phase }) => phase.at)).toEqual([...finalStates]);
  for (const reply of finals) expect(passGate(reply, startMs)).toEqual({ reply, gate: { kind: 'done' } });
});

test('what a newer version wrote is an error, and never passed over in silence', () => {
  const of = <T>(value: unknown): T => value as T;
  const fresh = newReply(input, startMs);
  const inFlight = beginRun(fresh, startMs);
  const review = after([attempted(outcomes.unknown)]);
  const newer = of<never>({ kind: 'of tomorrow' });
  expect(() => passGate({ ...fresh, phase: of({ at: 'of tomorrow' }) }, startMs)).toThrow(/unexpected value/);
  expect(() => noteFinding(inFlight, newer, startMs, 0)).toThrow(/unexpected value.*of tomorrow/);
  expect(() => noteFinding(inFlight, { kind: 'refused', why: newer }, startMs, 0)).toThrow(/unexpected/);
  expect(() => noteFinding(inFlight, attempted(newer), startMs, 0)).toThrow(/unexpected/);
  expect(() => noteLoss(inFlight, newer, startMs, 0)).toThrow(/unexpected/);
  expect(() => decided(review, { ...decide('sent', 1), decision: newer }, startMs)).toThrow(/unexpected/);
});
