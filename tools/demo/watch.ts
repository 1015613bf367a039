import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { ReplyClient } from '../../client/index.ts';
import { parseReplyWorkflowId } from '../../domain/ids.ts';
import type { ReplyStateName } from '../../domain/record.ts';
import type { FakeTelegram } from '../../test/support/fake-service/index.ts';
import { attributeNames, replyWorkflowType } from '../../workflows/names.ts';
import { demoBot } from './plan.ts';
import type { Glance } from './table.ts';

const lookEveryMs = 400;

/** Looks at the replies and the lane all the time, as Temporal's list and the lane's Query show them. */
export class Watch {
  readonly #client: Client;
  readonly #replies: ReplyClient;
  readonly #fake: FakeTelegram;
  readonly #startedAtMs = performance.now();
  readonly #ending = new AbortController();
  #states: ReadonlyMap<string, ReplyStateName> = new Map();
  #closed: { readonly until: string; readonly reason: string } | null = null;

  constructor(parts: {
    readonly client: Client;
    readonly replies: ReplyClient;
    readonly fake: FakeTelegram;
  }) {
    this.#client = parts.client;
    this.#replies = parts.replies;
    this.#fake = parts.fake;
    void this.#look(() => this.#lookAtReplies());
    void this.#look(() => this.#lookAtLane());
  }

  /** What the table shows. */
  glance(): Glance {
    const nowMs = performance.now();
    const recent = this.#fake.arrivals.filter(({ atMs, bot }) => bot === demoBot && atMs > nowMs - 1000);
    const counts: Partial<Record<ReplyStateName, number>> = {};
    for (const state of this.#states.values()) counts[state] = (counts[state] ?? 0) + 1;
    const leftMs = this.#closed === null ? 0 : Date.parse(this.#closed.until) - Date.now();
    return {
      elapsedMs: nowMs - this.#startedAtMs,
      counts,
      inFlight: this.#fake.outstanding(demoBot),
      lastSecond: recent.length,
      closed: this.#closed !== null && leftMs > 0 ? { ...this.#closed, leftMs } : null,
    };
  }

  /** Whether each of so many replies has ended or is under review. */
  isSettled(count: number): boolean {
    const settled = [...this.#states.values()].filter((state) => state !== 'waiting' && state !== 'sending');
    return settled.length >= count;
  }

  stop(): void {
    this.#ending.abort();
  }

  /** A look that fails (a worker was killed) keeps what was seen last. */
  async #look(once: () => Promise<void>): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await once().catch(() => {});
      await pause(lookEveryMs, undefined, { signal }).catch(() => {});
    }
  }

  async #lookAtReplies(): Promise<void> {
    const states = new Map<string, ReplyStateName>();
    for await (const found of this.#client.workflow.list({
      query: `WorkflowType = '${replyWorkflowType}'`,
    })) {
      const name = parseReplyWorkflowId(found.workflowId);
      const [state] = (found.searchAttributes[attributeNames.state] ?? []) as ReplyStateName[];
      if (name !== undefined) states.set(name.key, state ?? 'waiting');
    }
    this.#states = states;
  }

  async #lookAtLane(): Promise<void> {
    const lane = await this.#replies.lane(demoBot).show();
    this.#closed = lane.notBefore === null ? null : { until: lane.notBefore, reason: lane.reason ?? '' };
  }
}
