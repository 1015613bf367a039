import { setTimeout as sleep } from 'node:timers/promises';

/** A predecessor of longer ago is through, and the lane may have forgotten it: waiting for it would only delay. */
const predecessorLifeMs = 60_000;
const maxChats = 10_000;

/** What a start came to, for order: `key` where the reply is open now, so that the next of its chat goes after it. */
export interface OrderedStart<T> {
  readonly value: T;
  readonly openKey?: string;
}

/**
 * Keeps the order of the sends of one process (rule 9 of the lane): in each chat one start at a time, in the order of the
 * calls, each told its predecessor. Remembers a bounded number of chats for a minute.
 */
export class ChatOrder {
  readonly #monotonicMs: () => number;
  readonly #longestWaitMs: number;
  readonly #last = new Map<string, { readonly key: string; readonly atMs: number }>();
  readonly #tails = new Map<string, Promise<void>>();

  constructor(options: { readonly longestWaitMs: number; readonly monotonicMs?: () => number }) {
    this.#longestWaitMs = options.longestWaitMs;
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now());
  }

  /** Runs `start` after the earlier ones of the chat, with the key of the last reply that was started there. */
  async next<T>(chat: string, start: (after: string | undefined) => Promise<OrderedStart<T>>): Promise<T> {
    const before = this.#tails.get(chat);
    let settle = (): void => {};
    const tail = new Promise<void>((resolve) => (settle = resolve));
    this.#tails.set(chat, tail);
    try {
      // A start that hangs (Temporal is down) must not hold up all that follow in its chat.
      if (before) await Promise.race([before, sleep(this.#longestWaitMs, undefined, { ref: false })]);
      const { value, openKey } = await start(this.#predecessor(chat));
      if (openKey !== undefined) this.#remember(chat, openKey);
      return value;
    } finally {
      if (this.#tails.get(chat) === tail) this.#tails.delete(chat);
      settle();
    }
  }

  #predecessor(chat: string): string | undefined {
    const last = this.#last.get(chat);
    return last && last.atMs > this.#monotonicMs() - predecessorLifeMs ? last.key : undefined;
  }

  #remember(chat: string, key: string): void {
    const nowMs = this.#monotonicMs();
    this.#last.delete(chat);
    this.#last.set(chat, { key, atMs: nowMs });
    for (const [oldest, { atMs }] of this.#last) {
      if (atMs > nowMs - predecessorLifeMs && this.#last.size <= maxChats) break;
      this.#last.delete(oldest);
    }
  }
}
