import { describe, expect, test } from 'vitest';
import {
  type BulkTarget,
  bulkDecisionProblem,
  chunkSize,
  newBulkProgress,
  noteBulkOutcomes,
} from '../../domain/bulk-decision.ts';

const target: BulkTarget = { bot: 'support', key: 'k', attempt: 1 };
const input = { replies: [target], decision: 'not_sent', by: 'ana', reason: 'outage', ratePerSecond: 10 };

describe('a bulk decision', () => {
  test('takes a frozen list, a decision, who and why, and a pace', () => {
    expect(bulkDecisionProblem(input)).toBeUndefined();
    expect(
      bulkDecisionProblem({ ...input, via: 'cli', decision: 'resend', allowExpired: true }),
    ).toBeUndefined();
  });

  test.each([
    [{ replies: [] }, /replies: .*not empty/],
    [{ replies: Array.from({ length: 2001 }, () => target) }, /at most 2000.*there are 2001.*several/],
    [{ replies: [{ bot: 'support', key: 'k' }] }, /replies: each/],
    [{ replies: [{ ...target, bot: 'No Bot' }] }, /replies: each/],
    [{ ratePerSecond: 0 }, /ratePerSecond/],
    [{ ratePerSecond: 1000 }, /ratePerSecond/],
    [{ decision: 'maybe' }, /decision/],
    [{ by: ' ' }, /by:/],
    [{ messageId: 5 }, /messageId/],
    [{ via: 'x'.repeat(41) }, /via/],
  ])('is refused where %j', (part, problem) => {
    expect(bulkDecisionProblem({ ...input, ...part })).toMatch(problem);
  });

  test('works in parts of about a second', () => {
    expect([0.2, 1, 2.5, 10, 100].map(chunkSize)).toEqual([1, 1, 2, 10, 20]);
  });

  test('counts each reply once, and names those that were not decided, a hundred at most', () => {
    const replies = Array.from({ length: 150 }, (_, at) => ({ ...target, key: `k${at}` }));
    const first = noteBulkOutcomes(newBulkProgress(152), replies.slice(0, 2), [
      { kind: 'done' },
      { kind: 'skipped', why: 'it is sent now' },
    ]);
    expect(first).toEqual({
      total: 152,
      done: 1,
      skipped: 1,
      failed: 0,
      notDone: [{ reply: 'support/k1', kind: 'skipped', why: 'it is sent now' }],
    });
    const second = noteBulkOutcomes(first, replies, []);
    expect(second).toMatchObject({ done: 1, skipped: 1, failed: 150 });
    expect(second.notDone).toHaveLength(100);
  });
});
