import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { ClaimBatch } from '../../activities/claim-batch.ts';
import type { LaneClient } from '../../activities/lane-client.ts';
import type { Ask, Report, Verdict } from '../../domain/lane/messages.ts';
import { defaultLanePolicy } from '../../domain/lane/policy.ts';
import { waitUntil } from '../support/wait-until.ts';

/** A lane that answers when the test says so. */
class SlowLane implements LaneClient {
  readonly claims: {
    readonly asks: readonly Ask[];
    readonly answer: (verdicts: readonly Verdict[]) => void;
  }[] = [];
  readonly reports: Report[] = [];

  ensure(): Promise<void> {
    return Promise.resolve();
  }

  claim(_bot: string, { asks }: { readonly asks: readonly Ask[] }): Promise<readonly Verdict[]> {
    return new Promise((answer) => this.claims.push({ asks, answer }));
  }

  report(_bot: string, reports: readonly Report[]): Promise<void> {
    this.reports.push(...reports);
    return Promise.resolve();
  }

  revoke(): Promise<never> {
    return Promise.reject(new Error('not asked here'));
  }
}

const ask = (reply: string): Ask => ({
  reply,
  run: 'run',
  attempt: 1,
  nonce: `nonce-${reply}`,
  chat: '1',
  chatKind: 'chat',
  weight: 1,
  class: 'reply',
  scheduledAtMs: 0,
});
const go: Verdict = { kind: 'go', nowMs: 1000, epoch: 'e' };

function batchOf(lanes: LaneClient): ClaimBatch {
  return new ClaimBatch({ bot: 'b', lanes, policy: () => defaultLanePolicy, log: () => {} });
}

describe('an ask that is withdrawn (a reply cancelled meanwhile)', () => {
  it('gives back a claim that is granted all the same: nothing was sent with it, and its slot is free', async () => {
    const lane = new SlowLane();
    const withdrawn = new AbortController();
    const answer = batchOf(lane).ask(ask('a'), withdrawn.signal);
    expect(lane.claims).toHaveLength(1);
    withdrawn.abort();
    expect(await answer).toEqual({ kind: 'no_answer', why: 'it was withdrawn' });
    lane.claims[0]?.answer([go]);
    await waitUntil(() => lane.reports.length > 0, { withinMs: 5000, what: () => 'no report' });
    expect(lane.reports).toMatchObject([{ reply: 'a', attempt: 1, outcome: 'unreached' }]);
  });

  it('never leaves, if it has not left yet', async () => {
    const lane = new SlowLane();
    const batch = batchOf(lane);
    const first = batch.ask(ask('first'));
    const withdrawn = new AbortController();
    const second = batch.ask(ask('second'), withdrawn.signal);
    const third = batch.ask(ask('third'));
    withdrawn.abort();
    lane.claims[0]?.answer([go]);
    expect(await first).toMatchObject({ verdict: { kind: 'go' } });
    await second;
    await waitUntil(() => lane.claims.length > 1, { withinMs: 5000, what: () => 'no second claim' });
    expect(lane.claims[1]?.asks.map(({ reply }) => reply)).toEqual(['third']);
    lane.claims[1]?.answer([go]);
    await third;
  });

  it('leaves nothing behind at its signal once it is answered, however often one run asks', async () => {
    const lane = new SlowLane();
    const batch = batchOf(lane);
    const { signal } = new AbortController();
    for (let n = 0; n < 3; n++) {
      const answer = batch.ask(ask('a'), signal);
      await waitUntil(() => lane.claims.length > n, { withinMs: 5000, what: () => 'no claim' });
      expect(getEventListeners(signal, 'abort')).toHaveLength(1);
      lane.claims[n]?.answer([go]);
      await answer;
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    }
  });

  it('is not asked at all, if it was withdrawn before', async () => {
    const lane = new SlowLane();
    expect(await batchOf(lane).ask(ask('a'), AbortSignal.abort())).toMatchObject({ kind: 'no_answer' });
    expect(lane.claims).toEqual([]);
  });
});
