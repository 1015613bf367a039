import { type Counter, Gauge, type Registry } from 'prom-client';
import { mapAsDone } from '../../client/concurrency.ts';
import type { TemporalLink } from '../../client/temporal-link.ts';
import { Cached } from './cached.ts';
import { type ReviewsByKind, countReplies, readLane, readReviews } from './temporal-readings.ts';

/** What was asked for when a reading failed. */
export type ScrapeSource = 'replies' | 'reviews' | 'lane' | 'sdk';

export interface TemporalGaugesOptions {
  readonly registry: Registry;
  readonly bots: readonly string[];
  readonly errors: Counter<'source'>;
  readonly leastMs?: number;
}

interface LaneReading {
  /** On this process's monotonic clock. */
  readonly closedUntilMs: number;
  readonly isStopped: boolean;
  readonly isPaused: boolean;
  readonly waiting: number;
}

const leastMs = 15_000;
/** Well below what Prometheus gives a scrape (10 s). */
const patienceMs = 2000;
const botsAtOnce = 4;

/** What Temporal has of the bots' replies and lanes. Whatever cannot be read is absent: an old number would lie. */
export class TemporalGauges {
  readonly #options: TemporalGaugesOptions;
  readonly #gauges: ReturnType<typeof gaugesOf>;
  #caches: ReturnType<TemporalGauges['cachesOf']> | undefined;

  constructor(options: TemporalGaugesOptions) {
    this.#options = options;
    this.#gauges = gaugesOf(options.registry);
  }

  /** From now on it is read over this link. */
  follow(link: TemporalLink): void {
    this.#caches = this.cachesOf(link);
  }

  /** Sets the gauges for a scrape; takes a few seconds at most, and never rejects. */
  async update(): Promise<void> {
    const caches = this.#caches;
    const [replies, reviews, lanes] = await Promise.all([
      caches?.replies.get(),
      caches?.reviews.get(),
      caches?.lanes.get(),
    ]);
    for (const gauge of Object.values(this.#gauges)) gauge.reset();
    for (const [bot, counts] of replies ?? []) {
      for (const [state, count] of counts) this.#gauges.replies.set({ bot, state }, count);
    }
    for (const [bot, byKind] of reviews ?? []) this.#setReviews(bot, byKind);
    for (const [bot, lane] of lanes ?? []) this.#setLane(bot, lane);
  }

  #setReviews(bot: string, byKind: ReviewsByKind): void {
    for (const [kind, { count, oldestSinceMs }] of Object.entries(byKind)) {
      const ageSeconds = oldestSinceMs === null ? 0 : Math.max(0, (Date.now() - oldestSinceMs) / 1000);
      this.#gauges.reviews.set({ bot, kind }, count);
      this.#gauges.oldest.set({ bot, kind }, ageSeconds);
    }
  }

  #setLane(bot: string, { closedUntilMs, isStopped, isPaused, waiting }: LaneReading): void {
    this.#gauges.cooldown.set({ bot }, Math.max(0, (closedUntilMs - performance.now()) / 1000));
    this.#gauges.stopped.set({ bot }, isStopped ? 1 : 0);
    this.#gauges.paused.set({ bot }, isPaused ? 1 : 0);
    this.#gauges.waiting.set({ bot }, waiting);
  }

  private cachesOf(link: TemporalLink) {
    const { bots, errors } = this.#options;
    const pace = { leastMs: this.#options.leastMs ?? leastMs, patienceMs };
    return {
      replies: new Cached({ ...pace, read: () => this.#each('replies', (bot) => countReplies(link, bot)) }),
      reviews: new Cached({
        ...pace,
        read: () => counted(errors, 'reviews', () => readReviews(link, bots)),
      }),
      lanes: new Cached({ ...pace, read: () => this.#each('lane', (bot) => laneReading(link, bot)) }),
    };
  }

  /** One bot that cannot be read takes nothing from the others (invariant 10). */
  async #each<T>(source: ScrapeSource, read: (bot: string) => Promise<T>): Promise<ReadonlyMap<string, T>> {
    const readings = new Map<string, T>();
    const { bots, errors } = this.#options;
    const tries = mapAsDone(bots, botsAtOnce, async (bot) => {
      try {
        readings.set(bot, await counted(errors, source, () => read(bot)));
      } catch {
        // Counted; it is absent until it can be read again.
      }
    });
    for await (const _ of tries);
    return readings;
  }
}

/** Runs a reading, and counts it where it fails. */
export async function counted<T>(
  errors: Counter<'source'>,
  source: ScrapeSource,
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    errors.inc({ source });
    throw error;
  }
}

async function laneReading(link: TemporalLink, bot: string): Promise<LaneReading> {
  const { notBefore, stopped, paused, waiting } = await readLane(link, bot);
  const leftMs = notBefore === null ? 0 : Date.parse(notBefore) - Date.now();
  return {
    closedUntilMs: performance.now() + leftMs,
    isStopped: stopped !== null,
    isPaused: paused !== null,
    waiting,
  };
}

function gaugesOf(registry: Registry) {
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Gauge({ name: `replylane_${name}`, help, labelNames, registers: [registry] });
  return {
    replies: gauge('replies', 'Replies that Temporal has, by state', ['bot', 'state']),
    reviews: gauge('reviews', 'Replies that wait for a person, by kind of doubt', ['bot', 'kind']),
    oldest: gauge('review_oldest_seconds', 'Age of the oldest review; 0 where there is none', [
      'bot',
      'kind',
    ]),
    cooldown: gauge('cooldown_seconds_left', 'Time until the lane may send again; 0 where it may', ['bot']),
    stopped: gauge('lane_stopped', '1: the lane stopped by itself and waits for an operator', ['bot']),
    paused: gauge('lane_paused', '1: an operator has paused the lane', ['bot']),
    waiting: gauge('lane_waiting', 'Replies that the lane knows to be waiting', ['bot']),
  };
}
