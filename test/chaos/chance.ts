/** Chance that repeats itself: the same seed gives the same draws. Good enough for tests, for nothing else. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** In [0, 1). */
  next(): number {
    // Mulberry32: 32 bits of state, full period.
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  happens(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new Error('there is nothing to pick from');
    return items[Math.floor(this.next() * items.length)] as T;
  }

  /** Picks by weight. */
  weighted<T>(items: readonly (readonly [number, T])[]): T {
    let left = this.next() * items.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, item] of items) {
      left -= weight;
      if (left < 0) return item;
    }
    return this.pick(items)[1];
  }

  /** A chance of its own that draws differently, so that what one part draws does not move what another one does. */
  fork(label: string): Chance {
    let hash = this.#state;
    for (const char of label) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193) >>> 0;
    return new Chance(hash);
  }
}
