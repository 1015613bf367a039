import { afterEach, describe, expect, it } from 'vitest';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TemporalLink } from '../../client/temporal-link.ts';
import { Cached } from '../../workers/metrics/cached.ts';
import { Metrics } from '../../workers/metrics/metrics.ts';
import { valueOf } from '../support/promql.ts';

const bots = [
  { name: 'good', contract: 'telegram' },
  { name: 'bad', contract: 'qivuna' },
];

/** A Temporal where everything about the bot `bad` fails, and lists too if `lists` is false. */
function linkTo(asked: string[], lists = true): TemporalLink {
  const answer = <T>(about: string, value: T): Promise<T> => {
    asked.push(about);
    return about.includes('bad') ? Promise.reject(new Error('out of reach')) : Promise.resolve(value);
  };
  const lane = {
    notBefore: new Date(Date.now() + 60_000).toISOString(),
    stopped: {},
    paused: null,
    waiting: 4,
  };
  async function* list() {
    if (!lists) throw new Error('out of reach');
    yield review('good', { kind: 'held', since: new Date(Date.now() - 90_000).toISOString() });
    yield review('good', { kind: 'held', since: new Date(Date.now() - 30_000).toISOString() });
    yield review('good', null);
    yield review('not-ours', { kind: 'held', since: new Date().toISOString() });
  }
  const workflow = {
    count: (query: string) => answer(query, { count: query.includes(`'sent'`) ? 7 : 2 }),
    list,
    getHandle: (id: string) => ({ query: () => answer(id, lane) }),
  };
  const client = { workflow, withDeadline: <T>(_: number, fn: () => Promise<T>) => fn() };
  return {
    client,
    workerTimeoutMs: 1000,
    call: <T>(fn: () => Promise<T>) => fn(),
  } as unknown as TemporalLink;
}

/** A listed reply under review, an hour and a half old if its memo cannot be read. */
function review(bot: string, saved: object | null) {
  return {
    memo: { reply: { review: saved } },
    startTime: new Date(Date.now() - 5_400_000),
    typedSearchAttributes: { get: ({ name }: { name: string }) => (name === 'ReplyBot' ? bot : undefined) },
  };
}

function metricsOn(link: TemporalLink | undefined, sdkUrl: string | null = null, leastMs = 0): Metrics {
  const metrics = new Metrics({ bots, sdkUrl, isReady: () => false, leastMs });
  if (link) metrics.follow(link);
  return metrics;
}

let sdk: Server | undefined;
afterEach(() => sdk?.close());

describe('what Temporal has of the bots, in a scrape', () => {
  it('is absent before Temporal is reached, while what this process counts is there from the start', async () => {
    const text = await metricsOn(undefined).scrape();
    expect(valueOf(text, 'replylane_replies', { bot: 'good', state: 'sent' })).toBeUndefined();
    expect(valueOf(text, 'replylane_floods_total', { bot: 'bad', contract: 'qivuna' })).toBe(0);
    expect(valueOf(text, 'replylane_worker_ready')).toBe(0);
  });

  it('is absent where it cannot be read, and counted; the other bots have theirs (invariant 10)', async () => {
    const text = await metricsOn(linkTo([])).scrape();
    expect(valueOf(text, 'replylane_replies', { bot: 'good', state: 'sent' })).toBe(7);
    expect(valueOf(text, 'replylane_lane_stopped', { bot: 'good' })).toBe(1);
    expect(valueOf(text, 'replylane_lane_paused', { bot: 'good' })).toBe(0);
    expect(valueOf(text, 'replylane_lane_waiting', { bot: 'good' })).toBe(4);
    for (const name of ['replylane_replies', 'replylane_lane_stopped', 'replylane_cooldown_seconds_left'])
      expect(text).not.toMatch(new RegExp(`^${name}\\{bot="bad"`, 'm'));
    expect(valueOf(text, 'replylane_scrape_errors_total', { source: 'replies' })).toBe(1);
    expect(valueOf(text, 'replylane_scrape_errors_total', { source: 'lane' })).toBe(1);
  });

  it('a cooldown counts down', async () => {
    const text = await metricsOn(linkTo([])).scrape();
    const left = valueOf(text, 'replylane_cooldown_seconds_left', { bot: 'good' }) ?? 0;
    expect(left).toBeGreaterThan(50);
    expect(left).toBeLessThanOrEqual(60);
  });

  it('reviews are told by kind with the age of the oldest; one whose kind cannot be read is an unknown', async () => {
    const text = await metricsOn(linkTo([])).scrape();
    const oldest = (kind: string) => valueOf(text, 'replylane_review_oldest_seconds', { bot: 'good', kind });
    expect(valueOf(text, 'replylane_reviews', { bot: 'good', kind: 'held' })).toBe(2);
    expect(valueOf(text, 'replylane_reviews', { bot: 'good', kind: 'unknown' })).toBe(1);
    expect(valueOf(text, 'replylane_reviews', { bot: 'good', kind: 'budget' })).toBe(0);
    expect(valueOf(text, 'replylane_reviews', { bot: 'bad', kind: 'unknown' })).toBe(0);
    expect(oldest('held')).toBeCloseTo(90, -1);
    expect(oldest('unknown')).toBeCloseTo(5400, -1);
    expect(oldest('budget')).toBe(0);
    expect(text).not.toContain('not-ours');
  });

  it('reviews that cannot be listed are absent: 0 would be a lie', async () => {
    const text = await metricsOn(linkTo([], false)).scrape();
    expect(text).not.toMatch(/^replylane_reviews\{/m);
    expect(text).not.toMatch(/^replylane_review_oldest_seconds\{/m);
    expect(valueOf(text, 'replylane_scrape_errors_total', { source: 'reviews' })).toBe(1);
  });

  it('Temporal is not asked again for scrapes that come soon', async () => {
    const asked: string[] = [];
    const metrics = metricsOn(linkTo(asked), null, 60_000);
    await metrics.scrape();
    const first = asked.length;
    await metrics.scrape();
    expect(first).toBeGreaterThan(0);
    expect(asked).toHaveLength(first);
  });
});

describe("the SDK's own metrics", () => {
  it('stand after ours; where they cannot be had, that is counted and ours are there', async () => {
    sdk = createServer((_, response) => void response.end('# TYPE temporal_x gauge\ntemporal_x 1\n'));
    await new Promise<void>((resolve) => sdk?.listen(0, '127.0.0.1', resolve));
    const { port } = sdk.address() as AddressInfo;
    const metrics = metricsOn(undefined, `http://127.0.0.1:${port}/metrics`);
    const text = await metrics.scrape();
    expect(text).toMatch(
      /replylane_worker_ready 0\n# TYPE temporal_x gauge\ntemporal_x 1\n$|\ntemporal_x 1\n$/,
    );
    sdk.close();
    sdk.closeAllConnections();
    const without = await metrics.scrape();
    expect(valueOf(without, 'replylane_worker_ready')).toBe(0);
    expect(without).not.toContain('temporal_x');
    expect(
      valueOf(await metrics.scrape(), 'replylane_scrape_errors_total', { source: 'sdk' }),
    ).toBeGreaterThan(0);
  });
});

describe('a reading that costs', () => {
  it('is made once for all who ask at the same time, and nobody waits longer than their patience', async () => {
    let finish = (): void => {};
    let reads = 0;
    const read = (): Promise<number> => {
      reads++;
      return new Promise((resolve) => (finish = () => resolve(reads)));
    };
    const cached = new Cached({ read, leastMs: 0, patienceMs: 20 });
    expect(await Promise.all([cached.get(), cached.get()])).toEqual([undefined, undefined]);
    expect(reads).toBe(1);
    finish();
    await new Promise((resolve) => setTimeout(resolve, 5));
    // It took over 20 ms, so the next is not due for ten times that.
    expect(await cached.get()).toBe(1);
    expect(reads).toBe(1);
  });

  it('leaves nothing old behind when it fails', async () => {
    const answers = [() => Promise.resolve(1), () => Promise.reject(new Error('gone'))];
    const cached = new Cached({
      read: () => (answers.shift() ?? (() => Promise.resolve(2)))(),
      leastMs: 0,
      patienceMs: 100,
    });
    expect(await cached.get()).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await cached.get()).toBeUndefined();
  });
});
