import { orLate } from '../../activities/pause.ts';

export interface CachedOptions<T> {
  readonly read: () => Promise<T>;
  /** At most so often, however often it is asked for. */
  readonly leastMs: number;
  /** Whoever asks waits for a reading that is under way for so long, and then gets the one before. */
  readonly patienceMs: number;
}

/** Of the time between two readings, at most this part is spent on reading: a slow store is asked more seldom. */
const mostOfTime = 0.1;

/** The latest reading of something that costs; read only when asked for, one at a time. */
export class Cached<T> {
  readonly #options: CachedOptions<T>;
  #value: T | undefined;
  #reading: Promise<void> | undefined;
  #nextMs = -Infinity;

  constructor(options: CachedOptions<T>) {
    this.#options = options;
  }

  /** Undefined before the first reading has ended, and after one that failed. Never rejects. */
  async get(): Promise<T | undefined> {
    if (!this.#reading && performance.now() >= this.#nextMs) {
      this.#reading = this.#read().finally(() => (this.#reading = undefined));
    }
    if (this.#reading) await orLate(this.#reading, this.#options.patienceMs);
    return this.#value;
  }

  async #read(): Promise<void> {
    const beganMs = performance.now();
    try {
      this.#value = await this.#options.read();
    } catch {
      this.#value = undefined;
    }
    const nowMs = performance.now();
    this.#nextMs = nowMs + Math.max(this.#options.leastMs, (nowMs - beganMs) / mostOfTime);
  }
}
