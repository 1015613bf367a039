import type { RawAnswer } from './delivery.ts';

export interface StoreRules {
  /** How long an answer is kept. */
  readonly storeForMs: number;
  /** How many keys are kept for each bot: the last ones. */
  readonly storeKeys: number;
}

interface Entry {
  readonly request: string;
  /** Null while the request runs. */
  readonly kept: { readonly answer: RawAnswer; readonly atMs: number } | null;
}

/** What the store says of a request with a key. */
export type Found =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'running' }
  | { readonly kind: 'another_request' }
  | { readonly kind: 'answer'; readonly answer: RawAnswer };

/** The stored answers by bot and key. Pure state, time is an argument. */
export class QivunaStore {
  readonly #rules: StoreRules;
  readonly #bots = new Map<string, Map<string, Entry>>();

  constructor(rules: StoreRules) {
    this.#rules = rules;
  }

  /** `request`: the method and parameters, in one form. */
  find(bot: string, key: string, request: string, atMs: number): Found {
    const keys = this.#keysOf(bot);
    const entry = keys.get(key);
    if (entry === undefined) return { kind: 'nothing' };
    const { kept } = entry;
    if (kept !== null && atMs - kept.atMs >= this.#rules.storeForMs) {
      keys.delete(key);
      return { kind: 'nothing' };
    }
    if (entry.request !== request) return { kind: 'another_request' };
    return kept === null ? { kind: 'running' } : { kind: 'answer', answer: kept.answer };
  }

  begin(bot: string, key: string, request: string): void {
    this.#keysOf(bot).set(key, { request, kept: null });
  }

  /** Keeps the answer of a request that has ended, and forgets the bot's oldest key beyond the last ones. */
  keep(bot: string, key: string, request: string, answer: RawAnswer, atMs: number): void {
    const keys = this.#keysOf(bot);
    // Set anew, so that the order is that in which answers were kept.
    keys.delete(key);
    keys.set(key, { request, kept: { answer, atMs } });
    const kept = [...keys].filter(([, entry]) => entry.kept !== null);
    for (const [oldest] of kept.slice(0, -this.#rules.storeKeys)) keys.delete(oldest);
  }

  /** As when the bot changes owners. What runs goes on. */
  forget(bot: string): void {
    const keys = this.#keysOf(bot);
    for (const [key, { kept }] of keys) {
      if (kept !== null) keys.delete(key);
    }
  }

  #keysOf(bot: string): Map<string, Entry> {
    const keys = this.#bots.get(bot) ?? new Map<string, Entry>();
    this.#bots.set(bot, keys);
    return keys;
  }
}
