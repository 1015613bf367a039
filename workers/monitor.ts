import type { Client } from '@temporalio/client';
import type { Observe } from '../activities/observe.ts';
import { TemporalLink } from '../client/temporal-link.ts';
import { type PollingPair, whyNotReady } from './health/readiness.ts';
import { serveHealth } from './health/server.ts';
import type { MeasuredBot } from './metrics/observed-metrics.ts';
import type { MetricsPlace } from './settings.ts';

export interface MonitorOptions extends MetricsPlace {
  /** Where the SDK's core serves its own metrics, if it does: they are joined to ours. */
  readonly sdkUrl?: string | null;
}

/** What shows a worker process to those who watch it. */
export interface Monitor {
  readonly url: string;
  readonly observe: Observe;
  /** From now on the gauges tell what Temporal has. */
  follow(client: Client): void;
  /** From now on the process is ready while these are. */
  watch(workers: PollingPair): void;
  close(): Promise<void>;
}

const callTimeoutMs = 5000;

/** Serves the metrics and the health of this process. Throws an error that says what to do where the port is taken. */
export async function startMonitor(
  { host, port, sdkUrl = null }: MonitorOptions,
  bots: readonly MeasuredBot[],
): Promise<Monitor> {
  // Loaded when needed: most workers under development serve no metrics.
  const { Metrics } = await import('./metrics/metrics.ts');
  let workers: PollingPair | undefined;
  const why = (): string | null => (workers ? whyNotReady(workers) : 'the worker is starting');
  const metrics = new Metrics({ bots, sdkUrl, isReady: () => why() === null });
  const server = await serveHealth({
    place: { host, port },
    scrape: () => metrics.scrape(),
    contentType: metrics.contentType,
    whyNotReady: why,
  });
  return {
    url: server.url,
    observe: metrics.observe,
    follow: (client) =>
      metrics.follow(new TemporalLink(client, { callTimeoutMs, workerTimeoutMs: callTimeoutMs })),
    watch: (pair) => void (workers = pair),
    close: () => server.close(),
  };
}
