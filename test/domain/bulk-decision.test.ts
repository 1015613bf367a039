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
    [{ replies: 'support/k' }, /replies: .*not empty/],
    [{ replies: [{ bot: 'support', key: 'k' }] }, /replies: each/],
    [{ replies: [target, null] }, /replies: each/],
    [{ replies: [target, 'support/k'] }, /replies: each/],
    [{ replies: [{ ...target, bot: 'No Bot' }] }, /replies: each/],
    [{ replies: [{ ...target, key: '' }] }, /replies: each/],
    [{ replies: [{ ...target, attempt: -1 }] }, /replies: each/],
    [{ replies: [{ ...target, attempt: 0.5 }] }, /replies: each/],
    [{ ratePerSecond: 0 }, /ratePerSecond/],
    [{ ratePerSecond: 0.009 }, /ratePerSecond/],
    [{ ratePerSecond: 100.5 }, /ratePerSecond/],
    [{ ratePerSecond: '10' }, /ratePerSecond/],
    [{ decision: 'maybe' }, /decision/],
    [{ by: ' ' }, /by:/],
    [{ messageId: 5, decision: 'sent' }, /messageId: belongs to one/],
    [{ via: 'x'.repeat(41) }, /via/],
  ])('is refused where %j', (part, problem) => {
    expect(bulkDecisionProblem({ ...input, ...part })).toMatch(problem);
  });

  test('is at most a hundred a second, of replies that may have had no attempt', () => {
    const fast = { ...input, ratePerSecond: 100, replies: [{ ...target, attempt: 0 }] };
    expect(bulkDecisionProblem(fast)).toBeUndefined();
  });

  test('that is none is refused', () => {
    for (const none of [null, 'all', undefined]) expect(bulkDecisionProblem(none)).toMatch(/^give /);
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
    expect(second.notDone[0]).toEqual(first.notDone[0]);
  });

  test('keeps what a reply said of a failure short', () => {
    const { notDone } = noteBulkOutcomes(
      newBulkProgress(1),
      [target],
      [{ kind: 'failed', why: 'w'.repeat(5000) }],
    );
    expect(notDone[0]?.why.length).toBeLessThan(500);
  });
});
