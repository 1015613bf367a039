import { setTimeout as sleep } from 'node:timers/promises';
import type { PlannedReply } from './fault.ts';
import type { Stage } from './stage.ts';

/** A reply that Temporal has accepted. */
export interface AcceptedReply {
  readonly planned: PlannedReply;
  readonly acceptedAtMs: number;
}

const tryAgainAfterMs = 300;

/**
 * The app: hands replies over, one after the other in each chat, and repeats a hand-over that failed with the same key
 * until it is accepted.
 */
export class Stream {
  readonly accepted: AcceptedReply[] = [];
  /** Hand-overs that failed and were repeated, by the name of the error. */
  readonly failures: Record<string, number> = {};
  /** Repeated hand-overs that were told that the reply had been there already. */
  deduplicated = 0;
  readonly #stage: Stage;
  readonly #tails = new Map<string, Promise<void>>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Takes a reply in at its instant; does not wait. */
  begin(planned: PlannedReply): void {
    const chat = `${planned.bot} ${planned.chat}`;
    const before = this.#tails.get(chat) ?? Promise.resolve();
    this.#tails.set(
      chat,
      before.then(() => this.#handOver(planned)),
    );
  }

  /** Resolves when everything that was begun is accepted. */
  async ended(): Promise<void> {
    await Promise.all(this.#tails.values());
  }

  async #handOver(planned: PlannedReply): Promise<void> {
    const { bot, key, chat, chain, expiresInMs, reviewIfDelayedOverMs } = planned;
    const request = {
      bot,
      chat,
      text: key,
      class: planned.class,
      after: chain?.after ?? undefined,
      expiresAt: expiresInMs === null ? undefined : new Date(Date.now() + expiresInMs),
      reviewIfDelayedOverMs: reviewIfDelayedOverMs ?? undefined,
    };
    for (;;) {
      try {
        const { deduplicated } = await this.#stage.replies.send(request, { key });
        if (deduplicated) this.deduplicated++;
        this.accepted.push({ planned, acceptedAtMs: Date.now() });
        return;
      } catch (error) {
        const name = error instanceof Error ? error.name : 'unknown error';
        this.failures[name] = (this.failures[name] ?? 0) + 1;
        await sleep(tryAgainAfterMs);
      }
    }
  }
}
