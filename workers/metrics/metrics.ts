import { Counter, Gauge, Registry } from 'prom-client';
import { type Observe, harmless } from '../../activities/observe.ts';
import type { TemporalLink } from '../../client/temporal-link.ts';
import { type MeasuredBot, observedMetrics } from './observed-metrics.ts';
import { readSdkMetrics } from './sdk-metrics.ts';
import { type ScrapeSource, TemporalGauges, counted } from './temporal-gauges.ts';

export interface MetricsOptions {
  readonly bots: readonly MeasuredBot[];
  /** Where the SDK's core serves its own metrics; null where it does not. */
  readonly sdkUrl: string | null;
  readonly isReady: () => boolean;
  /** Temporal is read at most so often. */
  readonly leastMs?: number;
}

const sources: Readonly<Record<ScrapeSource, true>> = { replies: true, reviews: true, lane: true, sdk: true };

/** All metrics of one worker process: what it does, what Temporal has of its bots, and the SDK's own (`temporal_…`). */
export class Metrics {
  readonly observe: Observe;
  readonly contentType: string;
  readonly #registry = new Registry();
  readonly #gauges: TemporalGauges;
  readonly #ready: Gauge;
  readonly #errors: Counter<'source'>;
  readonly #options: MetricsOptions;

  constructor(options: MetricsOptions) {
    const { bots, leastMs } = options;
    const registers = [this.#registry];
    this.#options = options;
    this.contentType = this.#registry.contentType;
    this.observe = harmless(observedMetrics(this.#registry, bots));
    this.#errors = new Counter({
      name: 'replylane_scrape_errors_total',
      help: 'Readings for the metrics that failed; what they were to give is absent meanwhile',
      labelNames: ['source'],
      registers,
    });
    for (const source of Object.keys(sources)) this.#errors.inc({ source }, 0);
    this.#ready = new Gauge({
      name: 'replylane_worker_ready',
      help: '1: this process runs and polls for work',
      registers,
    });
    this.#gauges = new TemporalGauges({
      registry: this.#registry,
      bots: bots.map(({ name }) => name),
      errors: this.#errors,
      ...(leastMs === undefined ? {} : { leastMs }),
    });
  }

  /** From now on the gauges tell what Temporal has. */
  follow(link: TemporalLink): void {
    this.#gauges.follow(link);
  }

  /** The text of one scrape. Whatever cannot be read is left out of it, and counted. */
  async scrape(): Promise<string> {
    const [sdk] = await Promise.all([this.#sdkText(), this.#gauges.update()]);
    this.#ready.set(this.#options.isReady() ? 1 : 0);
    return `${(await this.#registry.metrics()).trimEnd()}\n${sdk}`;
  }

  async #sdkText(): Promise<string> {
    const { sdkUrl } = this.#options;
    if (sdkUrl === null) return '';
    try {
      return await counted(this.#errors, 'sdk', () => readSdkMetrics(sdkUrl));
    } catch {
      return '';
    }
  }
}
