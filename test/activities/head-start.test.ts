import type { Context } from '@temporalio/activity';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BotRoom } from '../../activities/bot-room.ts';
import { ClaimBatch } from '../../activities/claim-batch.ts';
import type { LaneClient } from '../../activities/lane-client.ts';
import type { SendDeps } from '../../activities/send-deps.ts';
import { SendRun } from '../../activities/send-run.ts';
import type { BotConfig } from '../../config/bot-config.ts';
import type { Contract } from '../../contracts/contract.ts';
import { contractOf } from '../../contracts/index.ts';
import type { Ask, Verdict } from '../../domain/lane/messages.ts';
import { defaultLanePolicy } from '../../domain/lane/policy.ts';
import type { SendFinding, SendInput } from '../../domain/send.ts';

/** The lane's clock is so far ahead of this process's. */
const laneAheadMs = 1_000_000;
const laneNowMs = (): number => Math.round(performance.now() + laneAheadMs);

/** A lane that refuses at once, since only the instant of the ask counts here. */
class Lane implements LaneClient {
  readonly askedAtMs: number[] = [];

  ensure(): Promise<void> {
    return Promise.resolve();
  }

  claim(_bot: string, { asks }: { readonly asks: readonly Ask[] }): Promise<readonly Verdict[]> {
    this.askedAtMs.push(laneNowMs());
    return Promise.resolve(
      asks.map(() => ({ kind: 'refused', why: 'expired', nowMs: laneNowMs(), epoch: 'e' })),
    );
  }

  report(): Promise<void> {
    return Promise.resolve();
  }

  revoke(): Promise<never> {
    return Promise.reject(new Error('not asked here'));
  }
}

const context = {
  info: { workflowExecution: { workflowId: 'reply:b:k', runId: 'r' }, currentAttemptScheduledTimestampMs: 0 },
  cancellationSignal: new AbortController().signal,
  cancelled: new Promise(() => {}),
} as unknown as Context;

const contract = contractOf('telegram') as Contract;

let lane: Lane;
let batch: ClaimBatch;
let room: BotRoom;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  lane = new Lane();
  batch = new ClaimBatch({ bot: 'b', lanes: lane, policy: () => defaultLanePolicy, log: () => {} });
  room = new BotRoom();
  const { clock } = start();
  await vi.advanceTimersByTimeAsync(1000);
  expect(clock).toMatchObject({ finding: { kind: 'refused' } });
  lane.askedAtMs.length = 0;
});

afterEach(() => void vi.useRealTimers());

/** One run of the activity for a reply with such a ticket. */
function start(ticketMs?: number): { readonly clock: { finding?: SendFinding } } {
  const input = {
    bot: 'b',
    key: 'k',
    content: { method: 'sendMessage', params: { chat_id: 1, text: 'x' } },
    chat: null,
    run: 2,
    class: 'reply',
    startedAtMs: 0,
    allowExpired: true,
    ...(ticketMs === undefined ? {} : { ticketMs }),
  } as unknown as SendInput;
  const deps = { batchOf: () => batch } as unknown as SendDeps;
  const clock: { finding?: SendFinding } = {};
  const run = new SendRun(deps, {} as BotConfig, input, context, contract, 'token');
  void run.run(room).then((finding) => (clock.finding = finding));
  return { clock };
}

describe('L8: a reply that comes a little before its ticket is due', () => {
  it('asks when it is due, not before: an early ask would cost the ticket', async () => {
    const dueMs = laneNowMs() + 300;
    start(dueMs);
    await vi.advanceTimersByTimeAsync(2000);
    expect(lane.askedAtMs).toHaveLength(1);
    expect(lane.askedAtMs[0]).toBeGreaterThanOrEqual(dueMs);
    expect(lane.askedAtMs[0]).toBeLessThan(dueMs + 100);
  });

  it('keeps its ticket, and waits in its workflow, where this process has no room to hold it', async () => {
    while (room.hold('reply'));
    const dueMs = laneNowMs() + 300;
    const { clock } = start(dueMs);
    await vi.advanceTimersByTimeAsync(10);
    expect(lane.askedAtMs).toEqual([]);
    expect(clock.finding).toMatchObject({ kind: 'postponed', ticketMs: dueMs, chat: '1' });
    const { waitMs, asOfMs } = clock.finding as Extract<SendFinding, { kind: 'postponed' }>;
    expect((asOfMs ?? 0) + waitMs).toBe(dueMs);
  });

  it.each([
    ['is due already', -300],
    ['is far away: the reply was woken', 5000],
  ])('asks at once where the ticket %s', async (_, inMs) => {
    const nowMs = laneNowMs();
    start(nowMs + inMs);
    await vi.advanceTimersByTimeAsync(10);
    expect(lane.askedAtMs).toHaveLength(1);
  });
});
