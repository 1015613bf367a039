import { describe, expect, test } from 'vitest';
import { startBulkDecision } from '../../client/bulk-decision.ts';
import { ReplyInputError, TemporalUnreachableError } from '../../client/errors.ts';
import { TemporalLink } from '../../client/temporal-link.ts';
import type { BulkDecisionInput } from '../../domain/bulk-decision.ts';
import type { ReplyRecord } from '../../domain/record.ts';

const request = { decision: 'not_sent', by: 'ana', reason: 'a test' } as const;

interface Start {
  readonly workflowId: string;
  readonly taskQueue: string;
  readonly args: readonly [BulkDecisionInput];
}

/** A Temporal that only takes starts. */
function linkTo(starts: Start[]): TemporalLink {
  const workflow = { start: (_: string, options: Start) => Promise.resolve(starts.push(options)) };
  const client = { workflow, withDeadline: (_: number, fn: () => Promise<unknown>) => fn() };
  return new TemporalLink(client as never, { callTimeoutMs: 1000, workerTimeoutMs: 1000 });
}

const reviewed = (key: string): ReplyRecord =>
  ({ bot: 'support', key, review: { kind: 'unknown', attempt: 3, since: '', evidence: '' } }) as ReplyRecord;

describe('a bulk decision', () => {
  test('of nothing starts nothing', async () => {
    const starts: Start[] = [];
    expect(await startBulkDecision(linkTo(starts), [], request, 'q')).toBeNull();
    expect(starts).toEqual([]);
  });

  test('of more than 2,000 is several starts, which keep to the rate together', async () => {
    const starts: Start[] = [];
    const reviews = Array.from({ length: 4500 }, (_, at) => reviewed(`key ${at}`));
    const bulk = await startBulkDecision(linkTo(starts), reviews, { ...request, ratePerSecond: 30 }, 'q');
    expect(starts.map(({ args }) => args[0].replies.length)).toEqual([2000, 2000, 500]);
    expect(starts.map(({ args }) => args[0].ratePerSecond)).toEqual([10, 10, 10]);
    expect(new Set(bulk?.ids)).toEqual(new Set(starts.map(({ workflowId }) => workflowId)));
    // Odd keys stand as their hashes: two thousand of them must fit a payload.
    expect(JSON.stringify(starts[0]?.args).length).toBeLessThan(600_000);
    expect(starts[0]?.args[0].replies[0]).toEqual({
      bot: 'support',
      key: expect.stringMatching(/^sha256-/),
      attempt: 3,
    });
  });

  test('that may have been started says so, and names each of its workflows', async () => {
    const starts: Start[] = [];
    const lostAnswer = Object.assign(new Error('Deadline exceeded'), { code: 4, details: '', metadata: {} });
    const workflow = {
      start: (_: string, options: Start) =>
        starts.push(options) < 2 ? Promise.resolve() : Promise.reject(lostAnswer),
    };
    const client = {
      workflow,
      withDeadline: (_: number, fn: () => Promise<unknown>) => fn(),
      connection: {},
    };
    const link = new TemporalLink(client as never, { callTimeoutMs: 1000, workerTimeoutMs: 1000 });
    const reviews = Array.from({ length: 4500 }, (_, at) => reviewed(`key ${at}`));
    const error = await startBulkDecision(link, reviews, request, 'q').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TemporalUnreachableError);
    const ids = starts.map(({ workflowId }) => workflowId);
    expect(ids).toHaveLength(2);
    expect((error as Error).message).toContain(`review bulk ${ids.join(' ')}"`);
  });

  test.each([
    { ...request, by: '' },
    { ...request, ratePerSecond: -1 },
    { ...request, decision: 'maybe' as 'sent' },
  ])('of the wrong shape starts nothing: %j', async (bad) => {
    const starts: Start[] = [];
    const start = startBulkDecision(linkTo(starts), [reviewed('k')], bad, 'q');
    await expect(start).rejects.toThrow(ReplyInputError);
    expect(starts).toEqual([]);
  });
});
