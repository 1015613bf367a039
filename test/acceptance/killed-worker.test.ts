import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cooldownWorkflowId } from '../../domain/ids.ts';
import { controlUpdate, decideReplyUpdate } from '../../workflows/protocol.ts';
import type { Arrival } from '../support/fake-service/index.ts';
import { duplicates, earlyArrivals, step, unsafeRepeats } from '../support/fake-service/index.ts';
import { freezeAt, untilFrozen } from '../support/rig/freeze-at.ts';
import { Rig, textReply } from '../support/rig/rig.ts';
import type { WorkerProcess } from '../support/rig/worker-process.ts';
import { waitUntil } from '../support/wait-until.ts';

const who = { by: 'ana', reason: 'looked into the chat' };

let rig: Rig;

beforeAll(async () => {
  rig = await Rig.start({
    workers: 0,
    // A long time-out, so that on a busy machine too it is the kill that ends the request.
    bots: {
      bot: { settings: { httpTimeoutMs: 45_000 } },
      fresh: {},
      brief: { settings: { claimLifeMs: 1000 } },
    },
  });
});

afterAll(async () => {
  await rig.close();
  expect(rig.fake.problems).toEqual([]);
  expect(duplicates(rig.fake.stored())).toEqual([]);
  // This one a person had sent again.
  const unasked = rig.fake.arrivals.filter(({ text }) => text !== 'proven-meanwhile');
  expect(unsafeRepeats(unasked)).toEqual([]);
});

function arrivalsOf(key: string): readonly Arrival[] {
  return rig.fake.arrivals.filter(({ text }) => text === key);
}

/** What is left of the workers of the test before goes; the new one is the only one. */
async function onlyWorker(env: Readonly<Record<string, string>> = {}): Promise<WorkerProcess> {
  await rig.killWorkers();
  return rig.addWorker(env);
}

/** A lane whose last word was not a success lets one request go first: this one is it. */
async function openLane(key: string): Promise<void> {
  await rig.start(textReply('bot', key, 90));
  expect(await rig.result('bot', key)).toMatchObject({ state: 'sent' });
}

describe('a worker that is killed (kill -9)', () => {
  it('U6, U7: with one request stored and unanswered, one answered and not reported, one not yet claimed; three restarts', async () => {
    const first = await onlyWorker(freezeAt('report', { match: 'answered' }));
    await rig.untilLaneIsOld('fresh');
    await openLane('opener-1');
    rig.fake.script('bot', { chat: 1 }, step.silence({ store: true }));
    await rig.start(textReply('bot', 'stored', 1));
    await rig.fake.waitFor(() => arrivalsOf('stored')[0]?.verdict === 'stored');
    await rig.start(textReply('bot', 'answered', 2));
    await untilFrozen(first);
    expect(arrivalsOf('answered')).toMatchObject([{ verdict: 'stored', httpStatus: 200 }]);
    const second = await onlyWorker(freezeAt('claim', { match: 'before-claim' }));
    // The first of all claims that this bot's lane would see: nothing else tells it since when it remembers.
    await rig.start(textReply('fresh', 'before-claim', 3));
    await untilFrozen(second);
    await onlyWorker();
    await onlyWorker();

    for (const key of ['stored', 'answered']) {
      const record = await rig.until('bot', key, ({ state }) => state === 'review', 60_000);
      expect(record).toMatchObject({
        review: { kind: 'unknown', attempt: 1 },
        attempts: [{ attempt: 1, outcome: 'unknown', worker: `${first.pid}@${hostname()}` }],
      });
      expect(arrivalsOf(key)).toHaveLength(1);
      expect(await rig.activityResults('bot', key, 'revokeAttempt')).toEqual([
        { kind: 'yes', reported: null, worker: `${first.pid}@${hostname()}` },
      ]);
    }
    expect(await rig.result('fresh', 'before-claim')).toMatchObject({
      state: 'sent',
      attempts: [{ attempt: 1, outcome: 'sent' }],
    });
    expect(arrivalsOf('before-claim')).toHaveLength(1);
    expect(await rig.activityResults('fresh', 'before-claim', 'revokeAttempt')).toEqual([
      { kind: 'never', worker: `${second.pid}@${hostname()}` },
    ]);
  }, 120_000);

  it('U6: after it told the lane, before it told the reply: a flood goes on by itself, a success is shown to a person', async () => {
    const first = await onlyWorker(freezeAt('reported', { match: 'told-sent' }));
    await rig.start(textReply('bot', 'told-sent', 8));
    await untilFrozen(first);
    const second = await onlyWorker(freezeAt('reported', { match: 'told-flood' }));
    rig.fake.script('fresh', { chat: 9 }, step.flood(15));
    await rig.start(textReply('fresh', 'told-flood', 9));
    await untilFrozen(second);
    await onlyWorker();
    expect(await rig.result('fresh', 'told-flood')).toMatchObject({
      state: 'sent',
      attempts: [
        { attempt: 1, outcome: 'flood' },
        { attempt: 2, outcome: 'sent' },
      ],
    });
    expect(earlyArrivals(rig.fake.arrivals, rig.fake.deadlines)).toEqual([]);
    expect(arrivalsOf('told-flood')).toHaveLength(2);
    const record = await rig.until('bot', 'told-sent', ({ state }) => state === 'review', 60_000);
    expect(record.review).toMatchObject({ kind: 'unknown', attempt: 1 });
    expect(record.review?.evidence).toMatch(/the lane was told "sent"/);
    // A proof, which no policy of the bot may pass over.
    expect(record.lateProof).toMatchObject({ attempt: 1, outcome: 'sent', messageId: null });
    expect(arrivalsOf('told-sent')).toHaveLength(1);
  }, 120_000);

  it('a worker that is told to stop (SIGTERM) finishes its request first: no deploy makes an unknown', async () => {
    const worker = await onlyWorker();
    rig.fake.script('bot', { chat: 4 }, step.hold(1500));
    await rig.start(textReply('bot', 'deployed', 4));
    await rig.fake.waitFor(() => arrivalsOf('deployed').length === 1);
    const toldMs = performance.now();
    await worker.stop();
    expect(await worker.exited).toBe(0);
    expect(performance.now() - toldMs).toBeLessThan(20_000);
    await onlyWorker();
    expect(await rig.result('bot', 'deployed')).toMatchObject({ state: 'sent', attempts: [{ attempt: 1 }] });
    expect(arrivalsOf('deployed')).toHaveLength(1);
  });
});

describe('a worker that is frozen (SIGSTOP)', () => {
  it('U8, U10: proves meanwhile that it had sent what a person let be sent again: that does not leave any more', async () => {
    const worker = await onlyWorker(freezeAt('report', { match: 'proven' }));
    await rig.start(textReply('bot', 'proven', 11));
    await untilFrozen(worker);
    await rig.addWorker();
    await rig.until('bot', 'proven', ({ state }) => state === 'review', 60_000);
    const lane = rig.client.workflow.getHandle(cooldownWorkflowId('bot'));
    await lane.executeUpdate(controlUpdate, { args: [{ action: 'pause', ...who }] });
    await rig.handle('bot', 'proven').executeUpdate(decideReplyUpdate, {
      args: [{ attempt: 1, decision: 'resend', ...who }],
    });
    await rig.until('bot', 'proven', ({ waiting }) => waiting?.why === 'lane_paused');
    worker.thaw();
    const record = await rig.until('bot', 'proven', ({ state }) => state === 'review', 60_000);
    expect(record.review?.evidence).toMatch(/attempt 1 was sent after all.*has not left/);
    await lane.executeUpdate(controlUpdate, { args: [{ action: 'resume', ...who }] });
    await rig.handle('bot', 'proven').executeUpdate(decideReplyUpdate, {
      args: [{ attempt: 1, decision: 'sent', ...who }],
    });
    expect(await rig.result('bot', 'proven')).toMatchObject({ state: 'sent', attempts: [{ attempt: 1 }] });
    expect(arrivalsOf('proven')).toHaveLength(1);
  }, 120_000);

  it('U8, U10: proves it while the second attempt is out, and that one is refused for flood: no third one leaves', async () => {
    const worker = await onlyWorker(freezeAt('report', { match: 'proven-meanwhile' }));
    await rig.start(textReply('bot', 'proven-meanwhile', 12));
    await untilFrozen(worker);
    await rig.addWorker();
    await rig.until('bot', 'proven-meanwhile', ({ state }) => state === 'review', 60_000);
    rig.fake.script('bot', { chat: 12 }, step.flood(2, { holdMs: 20_000 }));
    await rig.handle('bot', 'proven-meanwhile').executeUpdate(decideReplyUpdate, {
      args: [{ attempt: 1, decision: 'resend', ...who }],
    });
    await rig.fake.waitFor(() => arrivalsOf('proven-meanwhile').length === 2, { timeoutMs: 60_000 });
    worker.thaw();
    await rig.until(
      'bot',
      'proven-meanwhile',
      ({ state, lateProof }) => state === 'sending' && lateProof !== null,
    );
    const record = await rig.until('bot', 'proven-meanwhile', ({ state }) => state === 'review', 60_000);
    expect(record.attempts.map(({ outcome }) => outcome)).toEqual(['unknown', 'flood']);
    expect(record.review?.evidence).toMatch(/attempt 1 was sent after all.*has not left/);
    await rig.handle('bot', 'proven-meanwhile').executeUpdate(decideReplyUpdate, {
      args: [{ attempt: 2, decision: 'sent', ...who }],
    });
    expect(arrivalsOf('proven-meanwhile')).toHaveLength(2);
  }, 120_000);

  it('U8: between claim and request until the claim is stale: sends nothing with it, and once with the next', async () => {
    const worker = await onlyWorker(freezeAt('connect', { port: rig.fake.port }));
    await rig.start(textReply('brief', 'stale-claim', 5));
    await untilFrozen(worker);
    await new Promise((resolve) => setTimeout(resolve, 1500)); // the life of the claim, and half as much
    expect(arrivalsOf('stale-claim')).toHaveLength(0);
    worker.thaw();
    const record = await rig.result('brief', 'stale-claim');
    expect(record).toMatchObject({
      state: 'sent',
      attempts: [
        { attempt: 1, outcome: 'unreached', progress: 'not_connected' },
        { attempt: 2, outcome: 'sent' },
      ],
    });
    expect(arrivalsOf('stale-claim')).toHaveLength(1);
  });

  it('U8, L15: past the activity’s time-out: what it had claimed does not go out again; its open polls delay others, and double none', async () => {
    const worker = await onlyWorker(freezeAt('connect', { port: rig.fake.port, passes: 2 }));
    await openLane('opener-2');
    await rig.fake.waitFor(({ connections }) => connections.every(({ open }) => !open)); // each makes its own
    rig.fake.script('bot', { chat: 6 }, step.hold(3000));
    await rig.start(textReply('bot', 'outlived', 6));
    await rig.fake.waitFor(() => arrivalsOf('outlived').length === 1);
    await rig.start(textReply('bot', 'not-begun', 7));
    await untilFrozen(worker);
    await rig.addWorker();
    const others = Array.from({ length: 12 }, (_, i) => `other-${i}`);
    const startedMs = performance.now();
    await Promise.all(others.map((key, i) => rig.start(textReply('bot', key, 100 + i))));
    await rig.fake.waitFor(() => others.every((key) => arrivalsOf(key).length > 0), { timeoutMs: 120_000 });
    expect(performance.now() - startedMs).toBeLessThan(40_000); // Polls end after a minute by themselves.
    for (const key of ['outlived', 'not-begun']) {
      const record = await rig.until('bot', key, ({ state }) => state === 'review', 60_000);
      expect(record).toMatchObject({ review: { kind: 'unknown', attempt: 1 }, attempts: [{ attempt: 1 }] });
    }
    expect(arrivalsOf('outlived')).toMatchObject([{ httpStatus: 200 }]);
    worker.thaw();
    // The woken worker ends in good order: then it has done all that it was about to do.
    await worker.stop();
    expect(arrivalsOf('outlived')).toHaveLength(1);
    expect(arrivalsOf('not-begun')).toHaveLength(0);
    // What it read too late decides nothing, and does not vanish: in the record, the lane and the log.
    const late = { outlived: 'sent', 'not-begun': 'unreached' } as const;
    for (const [key, outcome] of Object.entries(late)) {
      const proven = await rig.until('bot', key, ({ lateProof }) => lateProof !== null);
      const messageId = outcome === 'sent' ? expect.any(Number) : null;
      expect(proven).toMatchObject({
        state: 'review',
        attempts: [{ attempt: 1 }],
        lateProof: { attempt: 1, outcome, messageId },
      });
      const told = new RegExp(
        `"event":"late_proof".*"reply":"bot/${key}","attempt":1,"outcome":"${outcome}"`,
      );
      await waitUntil(() => told.test(worker.output()), {
        withinMs: 10_000,
        what: () => `the late proof of ${key} in the log: ${worker.output()}`,
      });
    }
    const resend = rig.handle('bot', 'outlived').executeUpdate(decideReplyUpdate, {
      args: [{ attempt: 1, decision: 'resend', ...who }],
    });
    await expect(resend).rejects.toMatchObject({
      cause: { message: expect.stringMatching(/sent after all/) },
    });
    expect((await rig.lane('bot')).lateProofs).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ reply: 'outlived', attempt: 1, outcome: 'sent' }),
        expect.objectContaining({ reply: 'not-begun', attempt: 1, outcome: 'unreached' }),
      ]),
    );
    for (const key of others) {
      expect(await rig.result('bot', key)).toMatchObject({ state: 'sent' });
      expect(arrivalsOf(key)).toHaveLength(1);
    }
    await waitUntil(async () => (await rig.lane('bot')).outstanding === 0, {
      withinMs: 10_000,
      what: () => 'the lane to hold no request any more',
    });
  }, 180_000);
});
