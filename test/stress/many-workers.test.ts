import { afterEach, describe, expect, it } from 'vitest';
import { duplicates, unsafeRepeats } from '../support/fake-service/index.ts';
import { Rig, textReply } from '../support/rig/rig.ts';

const processes = 12;
const stallMs = 3000;
const replies = 240;

let rig: Rig;

afterEach(async () => {
  await rig.close();
});

/** Twelve processes serve one bot, and Temporal stands still for three seconds while replies flow. */
async function stall(settings: Readonly<Record<string, number>>): Promise<{ readonly resumedMs: number }> {
  const bots = { crowded: { settings: { limits: { bot: [{ limit: 30, perMs: 1000 }] } } } };
  rig = await Rig.start({ bots, server: { dynamicConfig: settings }, workers: 1 });
  // One after the other, as the warning of each counts those before it.
  for (let i = 1; i < processes; i++) await rig.addWorker();
  for (let i = 0; i < replies; i += 20)
    await Promise.all(
      Array.from({ length: 20 }, (_, j) => rig.start(textReply('crowded', `k${i + j}`, 100 + i + j))),
    );
  await rig.fake.waitFor((fake) => fake.stored('crowded').length >= 20, { timeoutMs: 60_000 });

  process.kill(rig.server.pid, 'SIGSTOP');
  await new Promise((resolve) => setTimeout(resolve, stallMs));
  const before = rig.fake.arrivals.length;
  process.kill(rig.server.pid, 'SIGCONT');
  const goesOnMs = performance.now();
  await rig.fake.waitFor((fake) => fake.arrivals.length > before + 10, { timeoutMs: 120_000 });
  const resumedMs = performance.now() - goesOnMs;
  await rig.fake.waitFor((fake) => fake.stored('crowded').length === replies, { timeoutMs: 180_000 });
  for (let i = 0; i < replies; i += 10)
    expect(await rig.result('crowded', `k${i}`)).toMatchObject({ state: 'sent' });
  expect(duplicates(rig.fake.stored())).toEqual([]);
  expect(unsafeRepeats(rig.fake.arrivals)).toEqual([]);
  expect(rig.fake.problems).toEqual([]);
  return { resumedMs };
}

describe('twelve worker processes on one bot, and Temporal stands still for three seconds', () => {
  it('L11: with the raised limit of Updates in flight no lane stalls', async () => {
    const { resumedMs } = await stall({});
    // Less than the ten seconds after which asks are given up.
    expect(resumedMs).toBeLessThan(10_000);
  }, 400_000);

  it('L11: with the standard limit the worker warns at its start, and the lane recovers by itself', async () => {
    await stall({ 'history.maxInFlightUpdates': 10 });
    expect(rig.workers.at(-1)?.output()).toMatch(/history\.maxInFlightUpdates/);
    expect(rig.workers[0]?.output()).not.toMatch(/history\.maxInFlightUpdates/);
  }, 400_000);
});
