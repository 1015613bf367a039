import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { step } from '../support/fake-service/index.ts';
import { missingIn, parseScrape, valueOf } from '../support/promql.ts';
import { Rig, textReply } from '../support/rig/rig.ts';
import { waitUntil } from '../support/wait-until.ts';
import { runCli } from '../cli/run-cli.ts';
import { alertRules, dashboardExpressions } from './deploy-files.ts';
import { drill, drillBot as bot, drillBots, drillSecrets } from './drill.ts';

let rig: Rig;
let url: string;
let scrape: string;

beforeAll(async () => {
  rig = await Rig.start({ bots: drillBots, workerEnv: { REPLYLANE_METRICS_PORT: '0' } });
  url = /metrics: (\S+)\/metrics;/.exec(rig.workers[0]?.output() ?? '')?.[1] ?? '';
  await drill(rig);
  await waitUntil(
    async () => {
      scrape = await text('/metrics');
      return valueOf(scrape, 'replylane_replies', { bot, state: 'rejected' }) === 1;
    },
    { withinMs: 45_000, what: () => `the drill in the metrics: ${scrape}` },
  );
});
afterAll(() => rig?.close());

async function text(path: string): Promise<string> {
  return (await fetch(`${url}${path}`)).text();
}

async function status(origin: string, path: string): Promise<number | null> {
  try {
    const answer = await fetch(`${origin}${path}`, { headers: { connection: 'close' } });
    await answer.text();
    return answer.status;
  } catch {
    return null;
  }
}

describe('a scrape after a drill', () => {
  it.each([...dashboardExpressions(), ...alertRules()])('has what $where asks for', ({ expression }) => {
    expect(missingIn(expression, parseScrape(scrape))).toEqual([]);
  });

  it('a misspelt metric would have been missed (control)', () => {
    const misspelt = alertRules().map(({ expression }) => expression.replace('replylane_', 'replylanes_'));
    for (const expression of misspelt) expect(missingIn(expression, parseScrape(scrape))).not.toEqual([]);
  });

  it.each([
    ['replylane_replies', { bot, state: 'sent' }, 2],
    ['replylane_replies', { bot, state: 'review' }, 1],
    ['replylane_replies', { bot, state: 'waiting' }, 0],
    ['replylane_reviews', { bot, kind: 'unknown' }, 1],
    ['replylane_reviews', { bot, kind: 'held' }, 0],
    ['replylane_floods_total', { bot, contract: 'telegram' }, 1],
    ['replylane_attempts_total', { bot, contract: 'telegram', outcome: 'sent' }, 2],
    ['replylane_attempts_total', { bot, contract: 'telegram', outcome: 'unknown' }, 1],
    ['replylane_attempts_total', { bot, contract: 'telegram', outcome: 'rejected' }, 1],
    ['replylane_send_seconds_count', { bot, contract: 'telegram', outcome: 'flood' }, 1],
    ['replylane_lane_stopped', { bot }, 0],
    ['replylane_lane_paused', { bot }, 0],
    ['replylane_worker_ready', {}, 1],
  ])('%s%j is %i', (name, labels, value) => {
    expect(valueOf(scrape, name, labels)).toBe(value);
  });

  it('the time of an answer that never came is the time-out', () => {
    const seconds = valueOf(scrape, 'replylane_send_seconds_sum', { bot, outcome: 'unknown' });
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThan(5);
  });

  it('the oldest unknown has an age, and nothing failed to be read', () => {
    expect(valueOf(scrape, 'replylane_review_oldest_seconds', { bot, kind: 'unknown' })).toBeGreaterThan(0);
    for (const source of ['replies', 'reviews', 'lane', 'sdk'])
      expect(valueOf(scrape, 'replylane_scrape_errors_total', { source })).toBe(0);
  });

  it("the SDK's own metrics are in the same scrape", () => {
    expect(
      [...parseScrape(scrape).keys()].filter((name) => name.startsWith('temporal_')).length,
    ).toBeGreaterThan(5);
  });

  it('invariant 8: no token, destination, text or key, and no label but these', () => {
    for (const [what, secret] of Object.entries(drillSecrets(rig)))
      expect(scrape.includes(secret), what).toBe(false);
    const labels = new Set(
      [...parseScrape(scrape)]
        .filter(([name]) => name.startsWith('replylane_'))
        .flatMap(([, samples]) => samples.flatMap((sample) => Object.keys(sample))),
    );
    expect([...labels].sort()).toEqual(['bot', 'contract', 'kind', 'le', 'outcome', 'source', 'state']);
  });
});

describe('every alert', () => {
  it('names the command that shows or clears it', () => {
    expect(alertRules().length).toBeGreaterThan(6);
    for (const { where, command } of alertRules()) expect(command, where).toMatch(/^npx replylane [a-z]+/);
  });
});

describe('the health of a worker', () => {
  it('is ready only when it polls: 503 while it starts and once it stops, and always alive', async () => {
    for (const worker of rig.workers.splice(0)) await worker.stop();
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const starting = rig.addWorker({ REPLYLANE_METRICS_PORT: String(port) });
    expect(await firstStatus(origin, '/readyz')).toBe(503);
    const worker = await starting;
    expect(await status(origin, '/readyz')).toBe(200);
    expect(await status(origin, '/healthz')).toBe(200);
    // What is being sent keeps the worker from ending at once.
    rig.fake.script(bot, { chat: 77 }, step.hold(800));
    await rig.start(textReply(bot, 'held-while-stopping', 77));
    await rig.fake.waitFor(() => rig.fake.arrivals.some(({ chat }) => chat === '77'));
    const stopped = worker.stop();
    const seen: (number | null)[] = [];
    await waitUntil(
      async () => {
        seen.push(await status(origin, '/readyz'));
        return seen.at(-1) === null;
      },
      { withinMs: 45_000, what: () => `the end of the worker: ${seen.join(' ')}` },
    );
    await stopped;
    expect(seen).toContain(503);
    expect(seen.lastIndexOf(200)).toBeLessThan(seen.indexOf(503));
  });

  it('a port in use is told, with the option that gives another, and exit code 1', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const end = await runCli(['worker', '--metrics-port', String(port)], { env: rig.env() });
    taken.close();
    expect(end.stderr).toContain(`port ${port} cannot be used for the metrics (EADDRINUSE)`);
    expect(end.stderr).toContain('--metrics-port');
    expect(end.code).toBe(1);
  });
});

/** The first answer of a process that is starting. */
async function firstStatus(origin: string, path: string): Promise<number | null> {
  let first: number | null = null;
  await waitUntil(async () => (first = await status(origin, path)) !== null, {
    withinMs: 30_000,
    what: () => `an answer of ${origin}${path}`,
  });
  return first;
}

async function freePort(): Promise<number> {
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  await new Promise<void>((resolve) => listener.close(() => resolve()));
  return port;
}
