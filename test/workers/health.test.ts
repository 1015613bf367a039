import { afterEach, describe, expect, it } from 'vitest';
import type { PollingPair } from '../../workers/health/readiness.ts';
import { whyNotReady } from '../../workers/health/readiness.ts';
import { type HealthServer, serveHealth } from '../../workers/health/server.ts';

let server: HealthServer | undefined;
afterEach(() => server?.close());

async function serve(
  options: { readonly why?: string | null; readonly scrape?: () => Promise<string> } = {},
): Promise<HealthServer> {
  server = await serveHealth({
    place: { host: '127.0.0.1', port: 0 },
    scrape: options.scrape ?? (() => Promise.resolve('a 1\n')),
    contentType: 'text/plain; version=0.0.4',
    whyNotReady: () => options.why ?? null,
  });
  return server;
}

async function get(path: string, init: RequestInit = {}): Promise<readonly [number, string]> {
  const answer = await fetch(`${server?.url}${path}`, init);
  return [answer.status, await answer.text()];
}

describe('the health of a process', () => {
  it('/healthz is 200 while it lives, /readyz only while it takes work', async () => {
    await serve({ why: 'the worker is starting' });
    expect(await get('/healthz')).toEqual([200, 'ok\n']);
    expect(await get('/readyz')).toEqual([503, 'not ready: the worker is starting\n']);
    await server?.close();
    await serve();
    expect(await get('/readyz')).toEqual([200, 'ready\n']);
  });

  it('/metrics is what a scrape gives, and an error where it fails, without its words', async () => {
    await serve();
    expect(await get('/metrics?x=1')).toEqual([200, 'a 1\n']);
    await server?.close();
    await serve({ scrape: () => Promise.reject(new TypeError('holds a secret')) });
    expect(await get('/metrics')).toEqual([500, 'the metrics cannot be read: TypeError\n']);
  });

  it('anything else is not found, and nothing is taken', async () => {
    await serve();
    for (const path of ['/', '/metrics/', '/healthz/../metrics2', '/debug', '//metrics'])
      expect((await get(path))[0], path).toBe(404);
    expect((await get('/healthz', { method: 'POST', body: 'x' }))[0]).toBe(405);
    expect((await get('/healthz', { method: 'HEAD' }))[0]).toBe(200);
  });

  it('a port in use is told with the option that gives another', async () => {
    const { url } = await serve();
    const place = { host: '127.0.0.1', port: Number(new URL(url).port) };
    const second = serveHealth({
      place,
      scrape: () => Promise.resolve(''),
      contentType: '',
      whyNotReady: () => null,
    });
    await expect(second).rejects.toThrow(
      /^port \d+ cannot be used for the metrics \(EADDRINUSE\).*--metrics-port/,
    );
  });

  it('an address that is not of this machine is told with the option that gives another', async () => {
    const second = serveHealth({
      place: { host: '192.0.2.1', port: 0 },
      scrape: () => Promise.resolve(''),
      contentType: '',
      whyNotReady: () => null,
    });
    await expect(second).rejects.toThrow(/192\.0\.2\.1 \(EADDRNOTAVAIL\).*--metrics-host/);
  });

  it('it closes at once, with a scraper that keeps its connection', async () => {
    await serve();
    await get('/metrics');
    await server?.close();
    await expect(get('/healthz')).rejects.toThrow();
  });
});

describe('a worker is ready', () => {
  const pair = (
    replies: readonly [string, string, string],
    lanes: readonly [string, string] = ['RUNNING', 'POLLING'],
  ): PollingPair => {
    const [runState, workflowPollerState, activityPollerState] = replies;
    const of = (status: object) => ({ getStatus: () => status }) as unknown as PollingPair['replies'];
    return {
      replies: of({ runState, workflowPollerState, activityPollerState }),
      lanes: of({ runState: lanes[0], workflowPollerState: lanes[1], activityPollerState: 'SHUTDOWN' }),
    };
  };

  it.each<[string, PollingPair, RegExp | null]>([
    ['while both run and poll', pair(['RUNNING', 'POLLING', 'POLLING']), null],
    ['not before they run', pair(['INITIALIZED', 'POLLING', 'POLLING']), /replies is INITIALIZED/],
    ['not once it drains', pair(['DRAINING', 'POLLING', 'POLLING']), /replies is DRAINING/],
    [
      'not with a poller of workflows that failed',
      pair(['RUNNING', 'FAILED', 'POLLING']),
      /workflows is FAILED/,
    ],
    [
      'not with a poller of activities that failed',
      pair(['RUNNING', 'POLLING', 'FAILED']),
      /activities is FAILED/,
    ],
    [
      'not without the lanes',
      pair(['RUNNING', 'POLLING', 'POLLING'], ['FAILED', 'POLLING']),
      /lanes is FAILED/,
    ],
    [
      'not with a lanes poller that ended',
      pair(['RUNNING', 'POLLING', 'POLLING'], ['RUNNING', 'SHUTDOWN']),
      /workflows is SHUTDOWN/,
    ],
  ])('%s', (_, workers, why) => {
    if (why === null) expect(whyNotReady(workers)).toBeNull();
    else expect(whyNotReady(workers)).toMatch(why);
  });
});
