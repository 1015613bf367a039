import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../tools/temporal/free-port.ts';
import { startDevServer } from '../../tools/temporal/launcher.ts';
import {
  type Arrival,
  duplicates,
  earlyArrivals,
  outOfOrder,
  step,
  unsafeRepeats,
} from '../support/fake-service/index.ts';
import { Rig, textReply } from '../support/rig/rig.ts';

let rig: Rig;
let port: number;
let folder: string;

beforeAll(async () => {
  port = await freePort('127.0.0.1');
  folder = await mkdtemp(join(tmpdir(), 'replylane-restart-'));
  rig = await Rig.start({
    workers: 2,
    server: { port, dbFilename: join(folder, 'temporal.db') },
    bots: { rolling: {}, stored: {} },
  });
});

afterAll(async () => {
  expect(rig.fake.problems).toEqual([]);
  await rig.close();
  await rm(folder, { recursive: true, force: true });
});

function arrivalsOf(bot: string): readonly Arrival[] {
  return rig.fake.arrivals.filter((arrival) => arrival.bot === bot);
}

const inOrder = ({ text }: { readonly text: string | null }): number => Number(text);

/** Four to a chat, one after the other. */
async function startChains(bot: string, count: number): Promise<readonly string[]> {
  const keys = Array.from({ length: count }, (_, i) => String(i));
  for (const [i, key] of keys.entries())
    await rig.start(textReply(bot, key, 100 + (i % 8), i < 8 ? {} : { after: String(i - 8) }));
  return keys;
}

async function expectAllSentOnce(bot: string, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    const { state, attempts } = await rig.result(bot, key);
    expect(state, key).toBe('sent');
    expect(
      attempts.every(({ outcome }) => outcome !== 'unknown'),
      key,
    ).toBe(true);
  }
  expect(duplicates(rig.fake.stored(bot))).toEqual([]);
  expect(unsafeRepeats(arrivalsOf(bot))).toEqual([]);
  expect(outOfOrder(arrivalsOf(bot), inOrder)).toEqual([]);
}

describe('a restart under load', () => {
  it('of the workers, one after the other: what is being sent is finished, and nothing is unknown', async () => {
    rig.fake.script('rolling', { times: 'always' }, step.hold(700));
    const keys = await startChains('rolling', 32);
    await rig.fake.waitFor((fake) => fake.stored('rolling').length >= 6, { timeoutMs: 30_000 });
    for (const worker of rig.workers.slice(0, 2)) {
      await rig.addWorker();
      const stoppedAtMs = performance.now();
      await worker.stop();
      // Well within the grace time, though requests were on their way.
      expect(await worker.exited).toBe(0);
      expect(performance.now() - stoppedAtMs).toBeLessThan(30_000);
    }
    await expectAllSentOnce('rolling', keys);
  });

  it('of the Temporal server, killed in the middle of a cooldown: the workers find it again by themselves', async () => {
    rig.fake.script('stored', { after: 6 }, step.flood(10));
    const keys = await startChains('stored', 24);
    await rig.fake.waitFor((fake) => fake.deadlines.some(({ bot }) => bot === 'stored'), {
      timeoutMs: 30_000,
    });
    for (const key of keys.slice(-8))
      await rig.until(
        'stored',
        key,
        ({ waiting }) => waiting?.why === 'cooldown' || waiting?.why === 'order',
      );
    await rig.server.kill();
    rig.server = await startDevServer({ port, dbFilename: join(folder, 'temporal.db') });
    await expectAllSentOnce('stored', keys);
    expect(earlyArrivals(arrivalsOf('stored'), rig.fake.deadlines, { inFlightMs: 5000 })).toEqual([]);
  }, 120_000);
});
