import { describe, expect, test } from 'vitest';
import {
  isContradicted,
  lateProofProblem,
  beginRun,
  newReply,
  noteFinding,
  noteLateProof,
  noteLoss,
  passGate,
  proofRefusal,
  replyRecord,
  stopByLateProof,
} from '../../domain/reply/index.ts';
import type { DecisionName, LateOutcome } from '../../domain/record.ts';
import { after, attempted, decide, decided, input, outcomes, postponed, startMs } from './reply-samples.ts';

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

  test('without the message’s id is replaced by one that names it', () => {
    const nameless = noteLateProof(unknown, { ...sent, messageId: null }, startMs);
    expect(noteLateProof(nameless, { ...sent, messageId: null }, startMs + 1)).toBe(nameless);
    expect(noteLateProof(nameless, sent, startMs + 1).lateProof).toMatchObject({ messageId: 501 });
  });

  test('of "sent" brings a reply that waits to be sent again back to a person; nothing else does', () => {
    const resent = decided(unknown, decide('resend', 1), startMs);
    const waiting = noteLateProof(
      noteFinding(beginRun(resent, startMs), postponed(60_000), startMs, 0),
      sent,
      startMs,
    );
    for (const reply of [noteLateProof(resent, sent, startMs), waiting])
      expect(stopByLateProof(reply, startMs + 7).phase).toEqual({
        at: 'review',
        kind: 'unknown',
        sinceMs: startMs + 7,
        evidence: expect.stringMatching(/^attempt 1 was sent after all, .*has not left$/),
      });
    const unreached = noteLateProof(resent, { ...sent, outcome: 'unreached' }, startMs);
    for (const reply of [
      resent,
      unreached,
      noteLateProof(unknown, sent, startMs),
      beginRun(waiting, startMs),
    ])
      expect(stopByLateProof(reply, startMs)).toBe(reply);
  });

  test.each<[DecisionName, string | undefined, RegExp | undefined]>([
    ['sent', undefined, undefined],
    ['sent', 'bulk-decision:1', undefined],
    ['resend', undefined, /^resend: attempt 1 was sent after all.*new key/],
    ['resend', 'bulk-decision:1', /^resend: /],
    ['not_sent', undefined, undefined],
    ['not_sent', 'bulk-decision:1', /^not_sent: .*decide it by itself/],
    ['cancel', 'bulk-decision:1', /^cancel: /],
  ])('of "sent" against the decision "%s" of %s: %s', (decision, bulk, problem) => {
    const request = decide(decision, 1, bulk === undefined ? {} : { bulk });
    const refusal = proofRefusal(noteLateProof(unknown, sent, startMs), request);
    if (problem === undefined) expect(refusal).toBeUndefined();
    else expect(refusal).toMatch(problem);
    expect(proofRefusal(unknown, request)).toBeUndefined();
    expect(
      proofRefusal(noteLateProof(unknown, { ...sent, outcome: 'rejected' }, startMs), request),
    ).toBeUndefined();
  });

  test('of an earlier attempt contradicts as well that nothing was sent, but not that the latest was', () => {
    const twice = { ...unknown, attemptCount: 2 };
    const { decision: notSent } = decided(twice, decide('not_sent', 2), startMs);
    const { decision: wasSent } = decided(twice, decide('sent', 2), startMs);
    const proof = { attempt: 1, at: '', messageId: null };
    expect(notSent && isContradicted(notSent, { ...proof, outcome: 'sent' })).toBe(true);
    expect(wasSent && isContradicted(wasSent, { ...proof, outcome: 'rejected' })).toBe(false);
  });

  test.each<[LateOutcome | 'unknown' | null, boolean, boolean]>([
    ['sent', true, true],
    ['rejected', true, true],
    ['sent', false, false],
    ['unknown', true, false],
    [null, true, false],
  ])('is what the lane was told before the worker was lost: %s, %s', (reported, isProof, isKept) => {
    const loss = { kind: 'claimed', reported, why: 'lost', worker: 'w2', isProof } as const;
    const reply = noteLoss(beginRun(newReply(input, startMs), startMs), loss, startMs, 0);
    expect(reply.phase.at).toBe('review');
    expect(reply.attempts).toMatchObject([{ worker: 'w2' }]);
    expect(reply.lateProof?.outcome).toBe(isKept ? reported : undefined);
    if (isKept) expect(reply.lateProof).toMatchObject({ attempt: 1, messageId: null });
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
