import type { Context } from '@temporalio/activity';
import { describe, expect, it } from 'vitest';
import { BotRoom } from '../../activities/bot-room.ts';
import { ClaimBatch } from '../../activities/claim-batch.ts';
import type { LaneClient } from '../../activities/lane-client.ts';
import type { SendDeps } from '../../activities/send-deps.ts';
import { SendRun } from '../../activities/send-run.ts';
import type { BotConfig } from '../../config/bot-config.ts';
import type { Contract } from '../../contracts/contract.ts';
import { contractOf } from '../../contracts/index.ts';
import type { Ask, ClaimMark, Report, Verdict } from '../../domain/lane/messages.ts';
import { defaultLanePolicy } from '../../domain/lane/policy.ts';
import type { SendFinding, SendInput } from '../../domain/send.ts';

const mark: ClaimMark = { epoch: 'e', atMs: 0, count: 1 };

/** A lane that lets everything go, as one of an older version does: it does not know what is in doubt. */
class OpenLane implements LaneClient {
  readonly reports: Omit<Report, 'ageMs'>[] = [];
  readonly #mark: ClaimMark | undefined;

  constructor(claimMark?: ClaimMark) {
    this.#mark = claimMark;
  }

  ensure(): Promise<void> {
    return Promise.resolve();
  }

  claim(_bot: string, { asks }: { readonly asks: readonly Ask[] }): Promise<readonly Verdict[]> {
    const go = { kind: 'go', nowMs: 0, epoch: 'e', ...(this.#mark ? { mark: this.#mark } : {}) } as const;
    return Promise.resolve(asks.map(() => go));
  }

  report(_bot: string, reports: readonly Report[]): Promise<void> {
    this.reports.push(...reports);
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

/** One run at Qivuna, and how many requests it made. */
async function run(lane: OpenLane, doubt: ClaimMark | undefined) {
  const batch = new ClaimBatch({ bot: 'b', lanes: lane, policy: () => defaultLanePolicy, log: () => {} });
  let requests = 0;
  const deps = {
    batchOf: () => batch,
    transport: {
      send: () => {
        requests++;
        return Promise.resolve({ kind: 'not_connected', why: 'refused' });
      },
    },
    log: () => {},
    worker: 'w',
  } as unknown as SendDeps;
  const input = {
    bot: 'b',
    key: 'k',
    content: { method: 'sendMessage', params: { chat_id: '1', text: 'hi' } },
    chat: null,
    run: 2,
    class: 'reply',
    startedAtMs: 0,
    ...(doubt ? { doubt } : {}),
  } as unknown as SendInput;
  const bot = {
    name: 'b',
    apiRoot: 'http://127.0.0.1:1',
    account: null,
    claimLifeMs: 5000,
    httpTimeoutMs: 5000,
    expiresAfterMs: null,
  } as BotConfig;
  const qivuna = contractOf('qivuna') as Contract;
  const finding: SendFinding = await new SendRun(deps, bot, input, context, qivuna, 't').run(new BotRoom());
  return { finding, requests };
}

describe('invariant 5: a grant that does not say what is protected', () => {
  it('sends no repetition: the claim is given back, and a person is asked', async () => {
    const lane = new OpenLane();
    expect(await run(lane, mark)).toEqual({ finding: { kind: 'refused', why: 'unprotected' }, requests: 0 });
    expect(lane.reports).toMatchObject([{ reply: 'k', attempt: 2, outcome: 'unreached' }]);
  });

  it('lets a first attempt go, and a repetition that it says is protected', async () => {
    expect((await run(new OpenLane(), undefined)).requests).toBe(1);
    expect((await run(new OpenLane({ ...mark, count: 2 }), mark)).requests).toBe(1);
  });
});
