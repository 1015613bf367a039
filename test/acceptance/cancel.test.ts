import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReplyRecord } from '../../domain/record.ts';
import { packageRoot } from '../../tools/temporal/launcher.ts';
import {
  type CancelAnswer,
  cancelReplyUpdate,
  cancelSignal,
  controlUpdate,
} from '../../workflows/protocol.ts';
import type { Arrival } from '../support/fake-service/index.ts';
import { duplicates, step, unsafeRepeats } from '../support/fake-service/index.ts';
import { Rig, textReply } from '../support/rig/rig.ts';

const who = { by: 'ann', reason: 'answered in person' };
let rig: Rig;

beforeAll(async () => {
  rig = await Rig.start({
    bots: {
      waits: {},
      flies: { settings: { httpTimeoutMs: 2500, connectTimeoutMs: 1000 } },
      races: { settings: { limits: 'none' } },
      flooded: {},
      queued: {},
    },
  });
});

afterAll(async () => {
  await rig.close();
  expect(rig.fake.problems).toEqual([]);
  expect(duplicates(rig.fake.stored())).toEqual([]);
  expect(unsafeRepeats(rig.fake.arrivals)).toEqual([]);
});

function arrivalsOf(key: string): readonly Arrival[] {
  return rig.fake.arrivals.filter(({ text }) => text === key);
}

function cancel(bot: string, key: string): Promise<CancelAnswer> {
  return rig.handle(bot, key).executeUpdate(cancelReplyUpdate, { args: [who] });
}

/** A reply that has met a 429 of an hour. */
async function waitingAnHour(bot: string, key: string, chat: number): Promise<void> {
  if ((await rig.lane(bot)).notBefore === null) rig.fake.script(bot, { chat }, step.flood(3600));
  await rig.start(textReply(bot, key, chat));
  const record = await rig.until(bot, key, ({ waiting }) => waiting?.why === 'cooldown');
  expect(Date.parse(record.waiting?.notBefore ?? '')).toBeGreaterThan(Date.now() + 3_000_000);
}

/** Opens the lane, and shows by another reply that it is open. */
async function openLane(bot: string, chat: number): Promise<void> {
  await rig.client.workflow
    .getHandle(`cooldown:${bot}`)
    .executeUpdate(controlUpdate, { args: [{ action: 'override', by: 'ops', reason: 'drill' }] });
  // The fake would still flood: what counts here is that nothing else comes.
  rig.fake.script(
    bot,
    { chat, times: 'always' },
    step.answer({ status: 200, store: true, body: messageBody }),
  );
  await rig.start(textReply(bot, `opened-${chat}`, chat));
  expect(await rig.result(bot, `opened-${chat}`)).toMatchObject({ state: 'sent' });
}

const messageBody = { ok: true, result: { message_id: 9, date: 1, chat: { id: 1, type: 'private' } } };

describe('T3: cancel while waiting an hour', () => {
  it('answers cancelled at once, and nothing is ever sent', async () => {
    await waitingAnHour('waits', 'waiting', 1);
    const askedMs = performance.now();
    const answer = await cancel('waits', 'waiting');
    const tookMs = performance.now() - askedMs;
    expect(answer).toMatchObject({ kind: 'cancelled', reply: { state: 'cancelled' } });
    expect(tookMs).toBeLessThan(10_000);
    expect(await rig.result('waits', 'waiting')).toMatchObject({
      state: 'cancelled',
      decision: { decision: 'cancel', ...who },
      attempts: [{ outcome: 'flood' }],
    });
  });

  it('a cancellation request from Temporal is the same cancel, and the workflow completes with its state', async () => {
    await waitingAnHour('waits', 'by-temporal', 2);
    await rig.handle('waits', 'by-temporal').cancel();
    expect(await rig.result('waits', 'by-temporal')).toMatchObject({
      state: 'cancelled',
      decision: { decision: 'cancel', by: 'temporal' },
    });
    const { status } = await rig.handle('waits', 'by-temporal').describe();
    expect(status.name).toBe('COMPLETED');
  });

  it('a second cancel, and one of a reply that has ended, answer by its end', async () => {
    await expect(cancel('waits', 'waiting')).rejects.toThrow(/completed|not found/i);
    expect(await rig.record('waits', 'waiting')).toMatchObject({ state: 'cancelled' });
  });

  it('once the lane is open again, others are sent and the cancelled are not', async () => {
    await openLane('waits', 3);
    expect(arrivalsOf('waiting')).toHaveLength(1);
    expect(arrivalsOf('by-temporal')).toHaveLength(0);
  });
});

describe('T3: cancel while the request is in flight', () => {
  async function inFlight(key: string, chat: number): Promise<void> {
    await rig.start(textReply('flies', key, chat));
    await rig.fake.waitFor(() => arrivalsOf(key)[0]?.received === 'whole');
  }

  it('the answer is sent, too late', async () => {
    rig.fake.script('flies', { chat: 11 }, step.hold(1200));
    await inFlight('flying', 11);
    expect(await cancel('flies', 'flying')).toMatchObject({
      kind: 'too_late',
      reply: { state: 'sent', message: { message_id: expect.any(Number) } },
    });
  });

  it('the answer is unknown, too late, where nobody can know', async () => {
    rig.fake.script('flies', { chat: 12 }, step.silence({ store: true }));
    await inFlight('lost', 12);
    expect(await cancel('flies', 'lost')).toMatchObject({
      kind: 'too_late',
      reply: { state: 'review', review: { kind: 'unknown', attempt: 1 } },
    });
    expect(await rig.record('flies', 'lost')).toMatchObject({ state: 'review' });
  });

  it('a cancel does not close a review, one from Temporal decides it', async () => {
    expect(await cancel('flies', 'lost')).toMatchObject({ kind: 'too_late', reply: { state: 'review' } });
    await rig.handle('flies', 'lost').signal(cancelSignal, who);
    await rig.handle('flies', 'lost').cancel();
    expect(await rig.result('flies', 'lost')).toMatchObject({
      state: 'cancelled',
      decision: { attempt: 1, decision: 'cancel', by: 'temporal' },
      attempts: [{ attempt: 1, outcome: 'unknown' }],
    });
    expect(arrivalsOf('lost')).toHaveLength(1);
  });

  it('a request from Temporal while in flight lets the truth be: sent', async () => {
    rig.fake.script('flies', { chat: 13 }, step.hold(1200));
    await inFlight('flying-temporal', 13);
    await rig.handle('flies', 'flying-temporal').cancel();
    expect(await rig.result('flies', 'flying-temporal')).toMatchObject({ state: 'sent' });
  });

  it('the answer is cancelled where the request was refused for flood: nothing was taken, nothing will be', async () => {
    rig.fake.script('flooded', { chat: 14 }, step.flood(3600, { holdMs: 1200 }));
    await rig.start(textReply('flooded', 'flooded', 14));
    await rig.fake.waitFor(() => arrivalsOf('flooded')[0]?.received === 'whole');
    expect(await cancel('flooded', 'flooded')).toMatchObject({
      kind: 'cancelled',
      reply: { attempts: [{ outcome: 'flood' }] },
    });
    await openLane('flooded', 15);
    expect(arrivalsOf('flooded')).toHaveLength(1);
  });
});

describe('T3: 30 races of cancel against send', () => {
  it('no answer is untrue, and what is answered cancelled is never sent', async () => {
    const races = Array.from({ length: 30 }, (_, i) => ({
      key: `race-${i}`,
      chat: 1000 + i,
      afterMs: i * 8,
    }));
    rig.fake.script('races', { times: 'always' }, step.hold(40));
    const answers = new Map<string, CancelAnswer | 'ended'>();
    for (let from = 0; from < races.length; from += 6) {
      await Promise.all(
        races.slice(from, from + 6).map(async ({ key, chat, afterMs }) => {
          await rig.start(textReply('races', key, chat));
          // The last three come when the request is there: on a busy machine, all others may come before it.
          if (chat >= 1027) await rig.fake.waitFor(() => arrivalsOf(key).length > 0, { timeoutMs: 30_000 });
          else await new Promise((resolve) => setTimeout(resolve, afterMs));
          answers.set(key, await cancelOrEnd(key));
        }),
      );
    }
    const counts = { cancelled: 0, too_late: 0, ended: 0 };
    for (const { key } of races) {
      const answer = answers.get(key) ?? 'ended';
      const record = await rig.result('races', key);
      const arrivals = arrivalsOf(key);
      counts[answer === 'ended' ? 'ended' : answer.kind]++;
      expect(arrivals.length).toBeLessThanOrEqual(1);
      expect(record.state).toBe(arrivals.length === 1 ? 'sent' : 'cancelled');
      if (answer === 'ended') continue;
      expect(answer.kind).toBe(record.state === 'sent' ? 'too_late' : 'cancelled');
      expect(answer.reply.state).toBe(record.state);
    }
    // Both sides must have won some, else this was no race.
    expect(counts.cancelled).toBeGreaterThan(0);
    expect(counts.too_late + counts.ended).toBeGreaterThan(0);
  });

  async function cancelOrEnd(key: string): Promise<CancelAnswer | 'ended'> {
    try {
      return await cancel('races', key);
    } catch {
      return 'ended';
    }
  }
});

describe('with no worker up', () => {
  it('a cancel by Signal is kept, and honoured before anything is sent', async () => {
    await waitingAnHour('waits', 'signalled', 21);
    await rig.killWorkers();
    await rig.handle('waits', 'signalled').signal(cancelSignal, who);
    // Started and cancelled with nobody to look at it.
    await rig.start(textReply('queued', 'unseen', 22));
    await rig.handle('queued', 'unseen').signal(cancelSignal, who);
    await rig.start(textReply('queued', 'unseen-temporal', 23));
    await rig.handle('queued', 'unseen-temporal').cancel();
    await rig.addWorker();
    const results: ReplyRecord[] = [
      await rig.result('waits', 'signalled'),
      await rig.result('queued', 'unseen'),
      await rig.result('queued', 'unseen-temporal'),
    ];
    expect(results.map(({ state }) => state)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(results.map(({ decision }) => decision?.by)).toEqual(['ann', 'ann', 'temporal']);
    expect([...arrivalsOf('unseen'), ...arrivalsOf('unseen-temporal')]).toEqual([]);
  });
});

describe('an activity that has not started', () => {
  it('L16: is withdrawn: the cancel is answered in a moment, not after its time in the queue', async () => {
    await rig.killWorkers();
    Runtime.install({ logger: new DefaultLogger('ERROR') });
    const connection = await NativeConnection.connect({ address: rig.server.address });
    // Takes workflows only, so the activity stays in the queue.
    const worker = await Worker.create({
      connection,
      taskQueue: 'replylane',
      workflowBundle: { codePath: join(packageRoot(), 'dist', 'workflow-bundle.js') },
    });
    await worker.runUntil(async () => {
      await rig.start(textReply('queued', 'not-started', 31));
      await rig.until('queued', 'not-started', ({ state }) => state === 'sending');
      const askedMs = performance.now();
      expect(await cancel('queued', 'not-started')).toMatchObject({ kind: 'cancelled' });
      expect(performance.now() - askedMs).toBeLessThan(10_000);
    });
    await connection.close();
    await rig.addWorker();
    expect(await rig.result('queued', 'not-started')).toMatchObject({ state: 'cancelled', attempts: [] });
    expect(arrivalsOf('not-started')).toEqual([]);
  });
});
