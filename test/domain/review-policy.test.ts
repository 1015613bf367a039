import { describe, expect, test } from 'vitest';
import {
  type Reply,
  applyBudgets,
  decisionRefusal,
  noteLateProof,
  passGate,
  replyRecord,
} from '../../domain/reply/index.ts';
import { decideByPolicy, policyDueMs } from '../../domain/reply/review-policy.ts';
import { type ReviewPolicy, defaultBudgets } from '../../domain/send.ts';
import { after, attempted, decide, decided, outcomes, startMs } from './reply-samples.ts';

const hourMs = 3_600_000;
const policy: ReviewPolicy = { afterHours: 48, decision: 'not_sent' };

function underReview(reviewPolicy?: ReviewPolicy): Reply {
  const reply = after([attempted(outcomes.unknown)]);
  return applyBudgets(reply, { ...defaultBudgets, ...(reviewPolicy ? { reviewPolicy } : {}) });
}

describe('a review that nobody decides', () => {
  test('waits for a person however long, where the bot has no policy', () => {
    const reply = underReview();
    expect(passGate(reply, startMs + 10_000 * hourMs)).toEqual({ reply, gate: { kind: 'hold' } });
  });

  test('waits for the hours of the policy, and not a moment less', () => {
    const reply = underReview(policy);
    const untilMs = startMs + 48 * hourMs;
    expect(passGate(reply, startMs)).toEqual({ reply, gate: { kind: 'wait', untilMs } });
    expect(passGate(reply, untilMs - 1)).toEqual({ reply, gate: { kind: 'wait', untilMs } });
    expect(passGate(reply, untilMs).gate).toEqual({ kind: 'done' });
  });

  test.each([
    ['sent', 'sent'],
    ['not_sent', 'not_sent'],
    ['cancel', 'cancelled'],
  ] as const)('is decided "%s" on the record as the policy’s, with its hours', (decision, state) => {
    const { reply } = passGate(underReview({ afterHours: 0.5, decision }), startMs + hourMs);
    expect(replyRecord(reply)).toMatchObject({
      state,
      review: null,
      decision: {
        attempt: 1,
        decision,
        by: 'policy',
        door: 'policy',
        reason: 'nobody decided within 0.5 hours',
        seen: { kind: 'unknown' },
      },
    });
  });

  test('after one hour: the reason says hour', () => {
    const { reply } = passGate(underReview({ afterHours: 1, decision: 'cancel' }), startMs + hourMs);
    expect(reply.decision?.reason).toBe('nobody decided within 1 hour');
  });

  test('is nobody’s before it is due, without a policy, and where there is none', () => {
    for (const reply of [
      underReview(policy),
      underReview(),
      applyBudgets(after([]), { ...defaultBudgets, reviewPolicy: policy }),
    ])
      expect(decideByPolicy(reply, startMs + hourMs)).toBe(reply);
    expect(policyDueMs(applyBudgets(after([]), { ...defaultBudgets, reviewPolicy: policy }))).toBeUndefined();
  });

  test('is a person’s until then', () => {
    const reply = underReview(policy);
    expect(decisionRefusal(reply, decide('sent', 1), startMs + 47 * hourMs)).toBeUndefined();
    const byAna = decided(reply, decide('sent', 1), startMs + 47 * hourMs);
    expect(passGate(byAna, startMs + 49 * hourMs).reply.decision).toMatchObject({
      by: 'ana',
      door: 'update',
    });
  });

  test('counts anew for the review of a resent attempt', () => {
    const resent = decided(underReview(policy), decide('resend', 1), startMs + 10 * hourMs);
    expect(passGate(resent, startMs + 48 * hourMs).reply.phase.at).not.toBe('not_sent');
  });

  test('is left to a person once a late answer has proven something', () => {
    const proven = noteLateProof(underReview(policy), { attempt: 1, outcome: 'sent', messageId: 5 }, startMs);
    expect(passGate(proven, startMs + 100 * hourMs)).toEqual({ reply: proven, gate: { kind: 'hold' } });
  });
});
