import { ServiceError } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AskAnswer, ClaimBatch } from '../../activities/claim-batch.ts';
import type { LaneClient } from '../../activities/lane-client.ts';
import type { Ask, Report, Verdict } from '../../domain/lane/messages.ts';
import { defaultLanePolicy } from '../../domain/lane/policy.ts';

interface Call {
  readonly atMs: number;
  readonly nonces: readonly string[];
  readonly answer: (verdicts: readonly Verdict[]) => void;
}

/** A lane that answers when the test says so, or fails as a server does. */
class BrokenLane implements LaneClient {
  readonly calls: Call[] = [];
  readonly reports: Report[] = [];
  ensured = 0;
  /** Resolves when a report is acknowledged. */
  saved: Promise<void> = Promise.resolve();
  failure: Error | null = null;

  ensure(): Promise<void> {
    this.ensured++;
    return Promise.resolve();
  }

  claim(_bot: string, { asks }: { readonly asks: readonly Ask[] }): Promise<readonly Verdict[]> {
    const { failure } = this;
    return new Promise((answer, fail) => {
      this.calls.push({ atMs: performance.now(), nonces: asks.map(({ nonce }) => nonce), answer });
      if (failure) fail(failure);
    });
  }

  report(_bot: string, reports: readonly Report[]): Promise<void> {
    this.reports.push(...reports);
    return this.saved;
  }

  revoke(): Promise<never> {
    return Promise.reject(new Error('not asked here'));
  }
}

/** What the client throws when the server answers with such a code. */
function serverFailure(code: number, details: string): Error {
  const cause = Object.assign(new Error(`${code} ${details}`), { code, details, metadata: {} });
  return new ServiceError('Failed to update', { cause });
}

function askOf(reply: string): Ask {
  const where = { chat: '1', chatKind: 'chat', weight: 1, class: 'reply' } as const;
  return { reply, run: 'run', attempt: 1, nonce: `nonce-${reply}`, ...where, scheduledAtMs: 0 };
}

const go: Verdict = { kind: 'go', nowMs: 1000, epoch: 'e' };

let lane: BrokenLane;
let batch: ClaimBatch;

/** The answer, once there is one. */
function answerOf(reply: string): { readonly answer: AskAnswer | undefined } {
  const seen: { answer: AskAnswer | undefined } = { answer: undefined };
  void batch.ask(askOf(reply)).then((answer) => (seen.answer = answer));
  return seen;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  lane = new BrokenLane();
  batch = new ClaimBatch({ bot: 'b', lanes: lane, policy: () => defaultLanePolicy, log: () => {} });
});

afterEach(() => void vi.useRealTimers());

describe('a lane that has stopped by itself', () => {
  it('is told to whoever reads the log, once for each stop', async () => {
    const said: string[] = [];
    batch = new ClaimBatch({
      bot: 'b',
      lanes: lane,
      policy: () => defaultLanePolicy,
      log: (line) => said.push(line),
    });
    const stopped: Verdict = { kind: 'wait', nowMs: 1000, untilMs: 61_000, why: 'lane_stopped', epoch: 'e' };
    for (const [i, verdict] of [stopped, stopped, go, stopped].entries()) {
      answerOf(`r${i}`);
      await vi.advanceTimersByTimeAsync(200);
      lane.calls[i]?.answer([verdict]);
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(said).toHaveLength(2);
    expect(said[0]).toMatch(/lane of b has stopped.*lane show b.*lane resume b/);
  });
});

describe('claims during an outage of the lane', () => {
  it('L12: an ask is given up after ten seconds, and a claim that is granted late is given back', async () => {
    const first = answerOf('a');
    await vi.advanceTimersByTimeAsync(9_900);
    expect(first.answer).toBeUndefined();
    await vi.advanceTimersByTimeAsync(200);
    expect(first.answer?.kind).toBe('no_answer');
    // The Update itself goes on: it is not asked a second time, and its late answer costs nobody a slot.
    expect(lane.calls).toHaveLength(1);
    lane.calls[0]?.answer([go]);
    await vi.advanceTimersByTimeAsync(100);
    expect(lane.reports).toMatchObject([{ reply: 'a', nonce: 'nonce-a', outcome: 'unreached' }]);
  });

  it('L12: one Update at a time, however long it takes; what came meanwhile goes in the next', async () => {
    const early = answerOf('a');
    const late = ['b', 'c'].map(answerOf);
    await vi.advanceTimersByTimeAsync(8_000);
    expect(lane.calls).toHaveLength(1);
    lane.calls[0]?.answer([go]);
    await vi.advanceTimersByTimeAsync(10);
    expect(lane.calls.map(({ nonces }) => nonces)).toEqual([['nonce-a'], ['nonce-b', 'nonce-c']]);
    lane.calls[1]?.answer([go, go]);
    await vi.advanceTimersByTimeAsync(10);
    for (const { answer } of [early, ...late]) expect(answer).toMatchObject({ kind: 'verdict' });
  });

  it('L4: a failed workflow task was applied zero times: the same ask goes again, with its nonce', async () => {
    lane.failure = serverFailure(9, 'unexpected workflow task failure');
    const seen = answerOf('a');
    await vi.advanceTimersByTimeAsync(100);
    lane.failure = null;
    await vi.advanceTimersByTimeAsync(500);
    expect(lane.calls.map(({ nonces }) => nonces)).toEqual([['nonce-a'], ['nonce-a']]);
    lane.calls[1]?.answer([go]);
    await vi.advanceTimersByTimeAsync(10);
    expect(seen.answer).toMatchObject({ kind: 'verdict' });
  });

  it.each([
    [10, 75],
    [50, 100],
    [74, 148],
    [90, 150],
  ])('L11: after an Update that took %d ms the next leaves %d ms after it', async (tookMs, apartMs) => {
    answerOf('a');
    await vi.advanceTimersByTimeAsync(tookMs);
    lane.calls[0]?.answer([go]);
    await vi.advanceTimersByTimeAsync(1);
    answerOf('b');
    await vi.advanceTimersByTimeAsync(500);
    expect(lane.calls).toHaveLength(2);
    expect(Math.round((lane.calls[1]?.atMs ?? 0) - (lane.calls[0]?.atMs ?? 0))).toBe(apartMs);
  });

  it('L11: too many Updates in flight: it waits long before the next, never fast', async () => {
    lane.failure = serverFailure(8, 'limit on number of concurrent in-flight updates has been reached');
    answerOf('a');
    await vi.advanceTimersByTimeAsync(60_000);
    for (const [i, { atMs }] of lane.calls.entries())
      if (i > 0) expect(atMs - (lane.calls[i - 1]?.atMs ?? Infinity)).toBeGreaterThanOrEqual(5000);
  });

  it('L11: a lane between two runs is asked again after 50 ms, one that is gone is started', async () => {
    lane.failure = serverFailure(5, 'workflow execution already completed');
    answerOf('a');
    await vi.advanceTimersByTimeAsync(60);
    expect(lane.calls).toHaveLength(2);
    expect(lane.ensured).toBe(0);
    await vi.advanceTimersByTimeAsync(200);
    expect(lane.ensured).toBeGreaterThan(0);
  });
});

describe('a flood that the lane has not acknowledged yet', () => {
  it('L2: keeps back the claims of its own process, and those that were asked before it', async () => {
    const before = answerOf('before');
    await vi.advanceTimersByTimeAsync(10);
    lane.calls[0]?.answer([go]);
    await vi.advanceTimersByTimeAsync(10);
    let acknowledge = (): void => {};
    lane.saved = new Promise((resolve) => (acknowledge = resolve));
    const met = {
      reply: 'met',
      attempt: 1,
      nonce: 'n',
      chat: '2',
      outcome: 'flood',
      retryAfterMs: 60_000,
    } as const;
    void batch.report(met, performance.now());
    answerOf('after');
    await vi.advanceTimersByTimeAsync(5_000);
    // Granted, but overtaken: nothing may be sent with it any more.
    const { answer } = before;
    expect(answer).toMatchObject({ kind: 'verdict', verdict: { kind: 'go' } });
    if (answer?.kind === 'verdict') expect(batch.overtakenByFlood(answer.askedAtMs)).toBe(true);
    expect(lane.calls).toHaveLength(1);

    acknowledge();
    await vi.advanceTimersByTimeAsync(200);
    expect(lane.calls.map(({ nonces }) => nonces)).toEqual([['nonce-before'], ['nonce-after']]);
    expect(batch.overtakenByFlood(lane.calls[1]?.atMs ?? 0)).toBe(false);
  });

  it('L2: so does a refusal that names no usable delay, and nothing else', async () => {
    lane.saved = new Promise(() => {});
    const rest = { reply: 'met', attempt: 1, nonce: 'n', chat: '2' } as const;
    void batch.report({ ...rest, outcome: 'sent' }, performance.now());
    answerOf('a');
    await vi.advanceTimersByTimeAsync(200);
    expect(lane.calls).toHaveLength(1);
    lane.calls[0]?.answer([go]);
    void batch.report({ ...rest, outcome: 'held' }, performance.now());
    answerOf('b');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(lane.calls).toHaveLength(1);
  });
});
