import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decideReplyUpdate } from '../../workflows/protocol.ts';
import { Rig } from '../support/rig/rig.ts';
import { waitUntil } from '../support/wait-until.ts';
import { runCli } from '../cli/run-cli.ts';
import { drill, drillBot as bot, drillBots, drillSecrets } from './drill.ts';

let rig: Rig;
let lines: readonly string[];
let documents: readonly Record<string, unknown>[];

beforeAll(async () => {
  rig = await Rig.start({ bots: drillBots, workerEnv: { REPLYLANE_LOG: 'json' } });
  await drill(rig);
  const decision = {
    attempt: 1,
    decision: 'not_sent',
    by: 'ana',
    reason: 'the chat does not have it',
  } as const;
  await rig.handle(bot, 'unknown').executeUpdate(decideReplyUpdate, { args: [decision] });
  const worker = rig.workers[0];
  await waitUntil(() => worker?.output().includes('"event":"decision"') === true, {
    withinMs: 10_000,
    what: () => `the decision in the log: ${worker?.output()}`,
  });
  await worker?.stop();
  lines = (worker?.output() ?? '').split('\n').filter((line) => line !== '');
  documents = lines.map(read);
});
afterAll(() => rig?.close());

function read(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    throw new Error(`no JSON: ${line}`);
  }
}

function of(event: string): readonly Record<string, unknown>[] {
  return documents.filter((document) => document['event'] === event);
}

describe('the log of a worker in JSON, after a drill', () => {
  it('each attempt is one line: whose, which, what came of it, and how long it took', () => {
    const told = of('attempt').map(({ reply, attempt, outcome, httpStatus, progress }) => [
      reply,
      attempt,
      outcome,
      httpStatus,
      progress,
    ]);
    expect(told).toEqual([
      ['drill/sent', 1, 'sent', 200, 'answered'],
      ['drill/flood', 1, 'flood', 429, 'answered'],
      ['drill/flood', 2, 'sent', 200, 'answered'],
      ['drill/unknown', 1, 'unknown', null, 'written'],
      ['drill/rejected', 1, 'rejected', 403, 'answered'],
    ]);
    for (const line of of('attempt')) {
      expect(line).toMatchObject({ bot, contract: 'telegram', ms: expect.any(Number) as number });
      expect(Object.keys(line).sort()).toEqual([
        'at',
        'attempt',
        'bot',
        'contract',
        'event',
        'httpStatus',
        'level',
        'ms',
        'outcome',
        'progress',
        'reply',
      ]);
    }
  });

  it('the flood closes the lane until an instant, and the next claim opens it', () => {
    expect(of('lane_closed')).toEqual([
      expect.objectContaining({
        bot,
        reason: 'flood',
        notBefore: expect.stringMatching(/^20\d\d-.*Z$/) as string,
      }),
    ]);
    expect(of('lane_opened')).toEqual([expect.objectContaining({ bot })]);
  });

  it('sentences are documents too', () => {
    expect(of('log').map(({ msg }) => msg)).toContain('worker: ready');
  });

  it('a decision passes as the line that it is without this form', () => {
    const decision = lines.find((line) => line.startsWith('{"event":"decision","at":"'));
    expect(JSON.parse(decision ?? '{}')).toMatchObject({
      reply: 'drill/unknown',
      decision: 'not_sent',
      by: 'ana',
      door: 'update',
    });
    expect(decision).not.toContain('"level"');
  });

  it('invariant 8: no token, destination or text', () => {
    for (const [what, secret] of Object.entries(drillSecrets(rig)))
      for (const line of lines) expect(line.includes(secret), `${what} in ${line}`).toBe(false);
  });
});

describe('a worker with a log in JSON that cannot start', () => {
  it('says so in one document, and ends', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const end = await runCli(['worker', '--log', 'json', '--metrics-port', String(port)], { env: rig.env() });
    taken.close();
    expect(read(end.stderr)).toMatchObject({
      level: 'error',
      event: 'log',
      msg: expect.stringContaining('EADDRINUSE') as string,
    });
    expect(end.code).toBe(1);
  });
});
