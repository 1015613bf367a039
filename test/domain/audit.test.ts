import { describe, expect, test } from 'vitest';
import { decisionProblem } from '../../domain/decisions.ts';
import {
  type AuditEntry,
  applyDecision,
  auditEntry,
  newReply,
  passGate,
  replyRecord,
} from '../../domain/reply/index.ts';
import { requestCancel } from '../../domain/reply/index.ts';
import { after, attempted, decide, input, outcomes, secretText, startMs } from './reply-samples.ts';

const unknown = after([attempted(outcomes.unknown)]);

describe('the audit of a decision', () => {
  test('says through which door it came, what the person used, and what was seen at that moment', () => {
    const request = decide('sent', 1, { via: 'cli', bulk: 'bulk-decision:1' });
    expect(replyRecord(applyDecision(unknown, request, 'bulk', startMs)).decision).toEqual({
      attempt: 1,
      decision: 'sent',
      by: 'ana',
      reason: 'the customer called',
      at: '2026-12-01T10:00:00.000Z',
      door: 'bulk',
      via: 'cli',
      bulk: 'bulk-decision:1',
      seen: { kind: 'unknown', evidence: 'no answer within 20 s' },
    });
  });

  test('of a cancellation that needed no review has seen none', () => {
    const request = { by: 'temporal', reason: 'asked to' };
    const cancelled = requestCancel(newReply(input, startMs), request, 'temporal', startMs);
    expect(replyRecord(passGate(cancelled, startMs).reply).decision).toMatchObject({
      door: 'temporal',
      via: null,
      bulk: null,
      seen: null,
    });
  });

  test('invariant 8: is one flat entry for the log, without text and destination', () => {
    const record = replyRecord(applyDecision(unknown, decide('not_sent', 1), 'signal', startMs));
    const entry = record.decision && auditEntry(record, record.decision);
    expect(entry).toEqual({
      event: 'decision',
      at: '2026-12-01T10:00:00.000Z',
      reply: 'support/upd-1-reply',
      attempt: 1,
      decision: 'not_sent',
      by: 'ana',
      reason: 'the customer called',
      door: 'signal',
      via: null,
      bulk: null,
      kind: 'unknown',
      evidence: 'no answer within 20 s',
    } satisfies AuditEntry);
    expect(JSON.stringify(entry)).not.toContain(secretText);
    expect(JSON.stringify(entry)).not.toContain('chat_id');
  });

  test.each([
    [{ via: '' }, /via/],
    [{ via: 'x'.repeat(41) }, /via/],
    [{ via: 7 }, /via/],
    [{ bulk: 'reply:support:k' }, /bulk/],
    [{ bulk: 'bulk-decision:' }, /bulk/],
  ])('takes no %j for what the person used', (part, problem) => {
    expect(decisionProblem({ ...decide('sent', 1), ...part })).toMatch(problem);
  });
});
