import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReplyRecord } from '../../domain/record.ts';
import { type Arrival, duplicates, step, unsafeRepeats } from '../support/fake-service/index.ts';
import { type Hold, holdAt, releaseHeld, untilHeld } from '../support/rig/hold-at.ts';
import { Rig, textReply } from '../support/rig/rig.ts';
import type { WorkerProcess } from '../support/rig/worker-process.ts';
import { type TcpProxy, startTcpProxy } from '../support/tcp-proxy.ts';
import { waitUntil } from '../support/wait-until.ts';

/**
 * Every step between a worker's taking the activity and the recording of its result, each with a bot of its own, so that
 * one reply stands at each step at the same moment. Then the worker is killed, or frozen.
 */
const steps = ['taken', 'claimed', 'written', 'arrived', 'answered', 'reported'] as const;
type Step = (typeof steps)[number];
const heldInWorker = ['taken', 'claimed', 'answered', 'reported'] as const;

let rig: Rig;
/** Stands before the service for the bot `written`: what the worker writes does not arrive. */
let proxy: TcpProxy;

beforeAll(async () => {
  rig = await Rig.start({
    workers: 0,
    bots: Object.fromEntries(
      steps.map((name) => [name, { settings: { limits: 'none', httpTimeoutMs: 45_000 } }]),
    ),
  });
  proxy = await startTcpProxy({ toPort: rig.fake.port });
  await rig.configure('written', {
    limits: 'none',
    httpTimeoutMs: 45_000,
    apiRoot: `http://${proxy.address}`,
  });
});

afterAll(async () => {
  await proxy.close();
  await rig.close();
  expect(rig.fake.problems).toEqual([]);
  expect(duplicates(rig.fake.stored())).toEqual([]);
  expect(unsafeRepeats(rig.fake.arrivals)).toEqual([]);
});

function arrivalsOf(key: string): readonly Arrival[] {
  return rig.fake.arrivals.filter(({ text }) => text === key);
}

/**
 * Lanes that are older than all that follows, open, and with a worker that stands still at each step. An ask is given up
 * after ten seconds, so those are the last.
 */
async function standing(round: string, arrived: ReturnType<typeof step.hold>): Promise<WorkerProcess> {
  await rig.killWorkers();
  proxy.set({ kind: 'pass' });
  await rig.addWorker();
  for (const name of steps) {
    await rig.untilLaneIsOld(name);
    await rig.start(textReply(name, `${round}-opens-${name}`, 1));
  }
  for (const name of steps)
    expect(await rig.result(name, `${round}-opens-${name}`)).toMatchObject({ state: 'sent' });
  await rig.killWorkers();

  const holds: Hold[] = heldInWorker.map((name) => ({ step: name, match: `${round}-${name}` }));
  const worker = await rig.addWorker(holdAt(holds));
  proxy.set({ kind: 'blackhole' });
  rig.fake.script('arrived', { times: 1 }, arrived);
  const start = (name: Step) => rig.start(textReply(name, `${round}-${name}`, 2));
  for (const name of ['written', 'answered', 'reported', 'arrived'] as const) await start(name);
  await untilHeld(worker, holds.slice(2));
  await rig.fake.waitFor(() => arrivalsOf(`${round}-arrived`).length === 1);
  await waitUntil(() => proxy.busy > 0, { withinMs: 20_000, what: () => 'nothing was written to the proxy' });
  for (const name of ['taken', 'claimed'] as const) await start(name);
  await untilHeld(worker, holds);
  return worker;
}

const arrivedAt: Readonly<Record<Step, number>> = {
  taken: 0,
  claimed: 0,
  written: 0,
  arrived: 1,
  answered: 1,
  reported: 1,
};

function stateOf(name: Step, round: string, wanted: (record: ReplyRecord) => boolean): Promise<ReplyRecord> {
  return rig.until(name, `${round}-${name}`, wanted, 90_000);
}

/** What must be known of replies whose worker has not come back: only the one without a claim goes on by itself. */
async function expectLost(round: string): Promise<void> {
  expect(await rig.result('taken', `${round}-taken`)).toMatchObject({
    state: 'sent',
    attempts: [{ attempt: 1, outcome: 'sent' }],
  });
  expect(arrivalsOf(`${round}-taken`)).toHaveLength(1);
  for (const name of steps) {
    if (name === 'taken') continue;
    const record = await stateOf(name, round, ({ state }) => state === 'review');
    expect(record, name).toMatchObject({
      review: { kind: 'unknown', attempt: 1 },
      attempts: [{ attempt: 1, outcome: 'unknown' }],
    });
    expect(arrivalsOf(`${round}-${name}`), name).toHaveLength(arrivedAt[name]);
    // What was known before the worker was lost is shown to the person who decides.
    if (name === 'reported') expect(record.review?.evidence).toContain('the lane was told "sent"');
    else expect(record.review?.evidence).not.toContain('the lane was told');
  }
}

describe('each step between taking an activity and recording its result', () => {
  it('U6, U7: the worker is killed: unknown from the claim on, tried again before it', async () => {
    await standing('killed', step.silence({ store: true }));
    for (const name of steps) expect(arrivalsOf(`killed-${name}`), name).toHaveLength(arrivedAt[name]);
    await rig.killWorkers();
    await rig.addWorker();
    await expectLost('killed');
  }, 240_000);

  it('U8: the worker is frozen for less than its time-out: each is sent once, and none is unknown', async () => {
    const worker = await standing('brief', step.hold(8000));
    worker.freeze();
    await rig.fake.waitFor(() => rig.fake.stored('arrived').some(({ text }) => text === 'brief-arrived'), {
      timeoutMs: 20_000,
    });
    proxy.set({ kind: 'pass' });
    proxy.resetAll();
    worker.thaw();
    releaseHeld(worker);
    for (const name of steps) {
      if (name === 'written') continue;
      expect(await rig.result(name, `brief-${name}`), name).toMatchObject({ state: 'sent' });
      expect(arrivalsOf(`brief-${name}`), name).toHaveLength(1);
    }
    // Its connection was reset after the request had been written: nobody can know.
    const written = await stateOf('written', 'brief', ({ state }) => state === 'review');
    expect(written).toMatchObject({
      review: { kind: 'unknown' },
      attempts: [{ progress: 'written' }],
    });
    expect(arrivalsOf('brief-written')).toHaveLength(0);
  }, 240_000);

  it('U8: the worker is frozen until others have taken over: woken, it sends nothing with what it held', async () => {
    const worker = await standing('frozen', step.silence({ store: true }));
    worker.freeze();
    await rig.addWorker();
    await expectLost('frozen');
    proxy.set({ kind: 'pass' });
    proxy.resetAll();
    worker.thaw();
    releaseHeld(worker);
    // Ended in good order, it has done all that it was about to do.
    await worker.stop();
    for (const name of steps)
      expect(arrivalsOf(`frozen-${name}`), name).toHaveLength(name === 'taken' ? 1 : arrivedAt[name]);
    for (const name of steps) {
      if (name !== 'taken')
        expect(await rig.record(name, `frozen-${name}`), name).toMatchObject({ state: 'review' });
      await waitUntil(async () => (await rig.lane(name)).outstanding === 0, {
        withinMs: 60_000,
        what: () => `the lane of ${name} to hold no request any more`,
      });
    }
  }, 300_000);
});
