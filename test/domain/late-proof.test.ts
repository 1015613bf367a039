import { describe, expect, test } from 'vitest';
import {
  isContradicted,
  lateProofProblem,
  noteLateProof,
  passGate,
  replyRecord,
} from '../../domain/reply/index.ts';
import type { DecisionName, LateOutcome } from '../../domain/record.ts';
import { after, attempted, decide, decided, outcomes, startMs } from './reply-samples.ts';

const unknown = after([attempted(outcomes.unknown)]);
const sent = { attempt: 1, outcome: 'sent', messageId: 501 } as const;

describe('a late proof', () => {
  test('stands in the record, and decides nothing by itself', () => {
    const proven = noteLateProof(unknown, sent, startMs + 5);
    expect(replyRecord(proven)).toMatchObject({
      state: 'review',
      review: { kind: 'unknown' },
      decision: null,
      lateProof: { attempt: 1, outcome: 'sent', at: '2026-12-01T10:00:00.005Z', messageId: 501 },
    });
    expect(passGate(proven, startMs + 1e9).gate).toEqual({ kind: 'hold' });
    expect(replyRecord(unknown).lateProof).toBeNull();
  });

  test('of a message that was sent is not covered by a later one', () => {
    const unreached = { attempt: 1, outcome: 'unreached', messageId: null } as const;
    const both = noteLateProof(noteLateProof(unknown, unreached, startMs), sent, startMs);
    expect(both.lateProof?.outcome).toBe('sent');
    expect(noteLateProof(both, unreached, startMs).lateProof?.outcome).toBe('sent');
  });

  test.each<[DecisionName, LateOutcome, boolean]>([
    ['not_sent', 'sent', true],
    ['cancel', 'sent', true],
    ['resend', 'sent', true],
    ['sent', 'sent', false],
    ['sent', 'unreached', true],
    ['sent', 'rejected', true],
    ['not_sent', 'unreached', false],
    ['resend', 'rejected', false],
  ])('after the decision "%s", one of "%s" contradicts it: %s', (decision, outcome, contradicts) => {
    const { decision: record } = decided(unknown, decide(decision, 1), startMs);
    const proof = { attempt: 1, outcome, at: '', messageId: null };
    expect(record && isContradicted(record, proof)).toBe(contradicts);
    expect(record && isContradicted(record, { ...proof, attempt: 2 })).toBe(false);
  });

  test.each([
    [null, /^give /],
    ['sent', /^give /],
    [{ ...sent, attempt: 0 }, /^attempt:/],
    [{ ...sent, attempt: 1.5 }, /^attempt:/],
    [{ ...sent, outcome: 'unknown' }, /^outcome:/],
    [{ ...sent, outcome: 'toString' }, /^outcome:/],
    [{ ...sent, outcome: ['sent'] }, /^outcome:/],
    [{ ...sent, messageId: {} }, /^messageId:/],
    [{ ...sent, messageId: { length: 3 } }, /^messageId:/],
    [{ ...sent, messageId: undefined }, /^messageId:/],
    [{ ...sent, messageId: 'x'.repeat(201) }, /^messageId:/],
  ])('that proves nothing is passed over: %j', (note, problem) =>
    expect(lateProofProblem(note)).toMatch(problem),
  );

  test.each([null, 501, 'x'.repeat(200)])('names the message, where there is one: %j', (messageId) =>
    expect(lateProofProblem({ ...sent, messageId })).toBeUndefined(),
  );
});
