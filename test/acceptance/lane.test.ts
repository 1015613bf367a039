import { WorkflowExecutionAlreadyStartedError, WorkflowFailedError } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cooldownWorkflowId } from '../../domain/ids.ts';
import type { ClaimRequest } from '../../domain/lane/batch.ts';
import type { Ask, Report, Verdict } from '../../domain/lane/messages.ts';
import { defaultLanePolicy } from '../../domain/lane/policy.ts';
import { freezeLane } from '../../domain/lane/snapshot.ts';
import { newLane } from '../../domain/lane/state.ts';
import { packageRoot } from '../../tools/temporal/package-root.ts';
import { laneWorkerOptions } from '../../workers/reply-worker.ts';
import { laneStartOptions } from '../../workflows/lane-options.ts';
import {
  cancelReplyUpdate,
  claimUpdate,
  cooldownWorkflowType,
  reportSignal,
  revokeUpdate,
  decideReplyUpdate,
} from '../../workflows/protocol.ts';
import { type Arrival, earlyArrivals, step } from '../support/fake-service/index.ts';
import { Rig, textReply } from '../support/rig/rig.ts';
import { waitUntil } from '../support/wait-until.ts';

const who = { by: 'anna', reason: 'a rule' };
/** As many messages as end one run of a lane, whatever is under way in it. */
const messagesPerRun = 80;

let rig: Rig;

beforeAll(async () => {
  rig = await Rig.start({
    workers: 0,
    bots: {
      unstarted: {},
      'own-queue': {},
      rerun: {},
      burst: { settings: { limits: 'none' } },
      slow: {},
      probe: { settings: { limits: 'none' } },
      amnesia: {},
      reset: {},
      twice: {},
      flush: { settings: { limits: 'none' } },
      unreadable: {},
      killed: {},
    },
  });
});

afterAll(async () => {
  expect(rig.fake.problems).toEqual([]);
  await rig.close();
});

function laneOf(bot: string) {
  return rig.client.workflow.getHandle(cooldownWorkflowId(bot));
}

function arrivalsOf(bot: string): readonly Arrival[] {
  return rig.fake.arrivals.filter((arrival) => arrival.bot === bot);
}

function askOf(reply: string, rest: Partial<Ask> = {}): Ask {
  const scheduledAtMs = Date.now();
  const where = { chat: '7', chatKind: 'chat', weight: 1, class: 'reply' } as const;
  return { reply, run: 'run-1', attempt: 1, nonce: 'nonce-1', ...where, scheduledAtMs, ...rest };
}

async function claim(bot: string, ask: Ask): Promise<Verdict | undefined> {
  const request: ClaimRequest = { policy: defaultLanePolicy, asks: [ask] };
  const [verdict] = await laneOf(bot).executeUpdate(claimUpdate, { args: [request] });
  return verdict;
}

function floodReport(seconds: number): readonly Report[] {
  const what = { reply: 'somebody', attempt: 1, nonce: 'n', chat: '9', outcome: 'flood' } as const;
  return [{ ...what, retryAfterMs: seconds * 1000, ageMs: 0 }];
}

describe('a lane that has had no worker for a while', () => {
  it('L1: a claim never overtakes a saved cooldown: a first run, and one right after continue-as-new', async () => {
    const bots = ['saved-first', 'saved-last', 'open', 'next-first', 'next-last', 'next-open'];
    for (const bot of bots) {
      const snapshot = freezeLane(newLane(bot, 'epoch-1', Date.now()), Date.now());
      const input = bot.startsWith('next') ? { bot, snapshot } : { bot };
      await rig.client.workflow.start(cooldownWorkflowType, { ...laneStartOptions(bot), args: [input] });
    }
    const verdicts = new Map<string, Promise<Verdict | undefined>>();
    const ask = (bot: string): void => void verdicts.set(bot, claim(bot, askOf('k')));
    for (const bot of bots) if (!bot.endsWith('first')) ask(bot);
    // Time for the claims to be with the server; the more of them are, the more the case shows.
    await new Promise((resolve) => setTimeout(resolve, 500));
    for (const bot of bots)
      if (!bot.endsWith('open')) await laneOf(bot).signal(reportSignal, floodReport(60));
    for (const bot of bots) if (bot.endsWith('first')) ask(bot);
    await rig.addWorker();

    for (const bot of bots) {
      const verdict = await verdicts.get(bot);
      if (bot.endsWith('open')) expect(verdict, bot).toMatchObject({ kind: 'go' });
      else expect(verdict, bot).toMatchObject({ kind: 'wait', why: 'cooldown' });
    }
  });

  it('L4, L19: a run ends by its count of messages, and the next one knows the nonces of its claims', async () => {
    const before = await laneOf('rerun').describe();
    expect(await claim('rerun', askOf('k'))).toMatchObject({ kind: 'go' });
    const gone = { reply: 'other', attempt: 1, nonce: '', chat: '8', outcome: 'gone', ageMs: 0 } as const;
    // With nobody to take them, they come to the lane all at once.
    await rig.workers.at(-1)?.kill();
    const numbers = Array.from({ length: messagesPerRun }, (_, i) => i).values();
    const sender = async (): Promise<void> => {
      for (const _ of numbers) await laneOf('rerun').signal(reportSignal, [gone]);
    };
    await Promise.all(Array.from({ length: 20 }, sender));
    await rig.addWorker();
    await waitUntil(async () => (await laneOf('rerun').describe()).runId !== before.runId, {
      withinMs: 90_000,
      what: () => 'a new run of the lane',
    });
    const { events } = await rig.client.workflow
      .getHandle(cooldownWorkflowId('rerun'), before.runId)
      .fetchHistory();
    expect(events?.some((event) => event.workflowExecutionContinuedAsNewEventAttributes)).toBe(true);
    // Whoever takes it over must have replayed it before its task times out (decision 015).
    expect(events?.length).toBeLessThan(450);

    expect(await claim('rerun', askOf('k'))).toMatchObject({ kind: 'go' });
    expect(await claim('rerun', askOf('k', { nonce: 'another' }))).toMatchObject({ why: 'claimed' });
  }, 150_000);

  it('L16: a cancellation withdraws an activity that has not started, at once', async () => {
    await rig.workers.at(-1)?.kill();
    Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
    // This worker takes workflow tasks only: the activity is never started.
    const connection = await NativeConnection.connect({ address: rig.server.address });
    const codePath = join(packageRoot(), 'dist', 'workflow-bundle.js');
    const worker = await Worker.create({ connection, taskQueue: 'replylane', workflowBundle: { codePath } });
    const running = worker.run();
    const handle = await rig.start(textReply('unstarted', 'k', 1));
    await waitUntil(async () => (await handle.describe()).raw.pendingActivities?.length === 1, {
      withinMs: 20_000,
      what: () => 'the activity is scheduled',
    });
    const askedAtMs = performance.now();
    const answer = await handle.executeUpdate(cancelReplyUpdate, { args: [who] });
    expect(answer).toMatchObject({ kind: 'cancelled', reply: { state: 'cancelled', attempts: [] } });
    // Waiting for its time in the queue would have been ten minutes.
    expect(performance.now() - askedAtMs).toBeLessThan(5000);
    worker.shutdown();
    await running;
    await connection.close();
  });

  it('L15: a lane answers while nobody takes the replies that have started: it has a queue of its own', async () => {
    await rig.killWorkers();
    const waiting = await rig.start(textReply('own-queue', 'waiting', 1));
    const connection = await NativeConnection.connect({ address: rig.server.address });
    const worker = await Worker.create({ ...laneWorkerOptions(), connection });
    await worker.runUntil(async () => {
      await rig.client.workflow.start(cooldownWorkflowType, laneStartOptions('own-queue'));
      expect(await claim('own-queue', askOf('k'))).toMatchObject({ kind: 'go' });
      // The reply's first task is still where it was.
      const { events } = await waiting.fetchHistory();
      expect(events?.some((event) => event.workflowTaskStartedEventAttributes)).toBe(false);
    });
    await connection.close();
  });
});

describe('a lane and one worker', () => {
  beforeAll(async () => {
    await rig.addWorker();
  });

  it('L2: a flood stops the other sends of its own process', async () => {
    const keys = Array.from({ length: 60 }, (_, i) => `k${i}`);
    rig.fake.script('burst', { after: 8 }, step.flood(6));
    await Promise.all(keys.map((key, i) => rig.start(textReply('burst', key, 100 + i))));
    await rig.fake.waitFor((fake) => fake.stored('burst').length === keys.length, { timeoutMs: 40_000 });
    const [first] = rig.fake.deadlines.filter(({ bot }) => bot === 'burst');
    // Only what the kernel or the service had already.
    const late = earlyArrivals(arrivalsOf('burst'), first ? [first] : []);
    expect(late.length).toBeLessThanOrEqual(20);
    expect(earlyArrivals(arrivalsOf('burst'), first ? [first] : [], { inFlightMs: 2000 })).toEqual([]);
  });

  it('L5: a lane that was terminated is followed by another: probe first, and the cooldown that replies know', async () => {
    rig.fake.script('amnesia', {}, step.flood(10));
    await rig.start(textReply('amnesia', 'first', 1));
    await rig.until('amnesia', 'first', ({ waiting }) => waiting?.why === 'cooldown');
    await rig.start(textReply('amnesia', 'second', 2));
    await rig.until('amnesia', 'second', ({ waiting }) => waiting?.why === 'cooldown');
    const saved = (await rig.lane('amnesia')).notBefore;

    // A mere request to cancel changes nothing.
    const { runId } = await laneOf('amnesia').describe();
    await laneOf('amnesia').cancel();
    expect((await rig.lane('amnesia')).notBefore).toBe(saved);

    await laneOf('amnesia').terminate('a rule');
    await rig.handle('amnesia', 'second').signal('wake');
    await waitUntil(async () => (await laneOf('amnesia').describe()).runId !== runId, {
      withinMs: 20_000,
      what: () => 'another lane',
    });
    await waitUntil(async () => (await rig.lane('amnesia')).notBefore !== null, {
      withinMs: 20_000,
      what: () => 'its cooldown',
    });
    const lane = await rig.lane('amnesia');
    expect(lane).toMatchObject({ notBefore: saved, reason: 'known', sent: 0 });
    // What was scheduled before its birth it cannot know.
    const revoke = { reply: 'other', attempt: 1, scheduledAtMs: Date.now() - 600_000 };
    expect(await laneOf('amnesia').executeUpdate(revokeUpdate, { args: [revoke] })).toEqual({ kind: 'lost' });

    for (const key of ['first', 'second'])
      expect(await rig.result('amnesia', key)).toMatchObject({ state: 'sent' });
    expect(earlyArrivals(arrivalsOf('amnesia'), rig.fake.deadlines)).toEqual([]);
  });

  it('L6, U13: a run made by a reset goes to review before any send', async () => {
    const handle = await rig.start(textReply('reset', 'k', 1));
    expect(await rig.result('reset', 'k')).toMatchObject({ state: 'sent' });
    const { runId } = await handle.describe();
    await rig.client.workflowService.resetWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: handle.workflowId, runId },
      // After the first workflow task: before the activity was scheduled.
      workflowTaskFinishEventId: 4 as never,
      reason: 'a rule',
      requestId: 'reset-1',
    });
    const record = await rig.until('reset', 'k', ({ state }) => state === 'review');
    expect(record.review).toMatchObject({ kind: 'unknown' });
    expect(record.review?.evidence).toMatch(/reset/);
    const resend = rig.handle('reset', 'k').executeUpdate(decideReplyUpdate, {
      args: [{ attempt: record.review?.attempt ?? 0, decision: 'resend', by: 'ana', reason: 'asked to' }],
    });
    await expect(resend).rejects.toMatchObject({
      cause: { message: expect.stringMatching(/reset.*new key/) },
    });
    expect(arrivalsOf('reset')).toHaveLength(1);
  });

  it('L7: a slot comes back after the answer, not after the request', async () => {
    rig.fake.script('slow', { times: 'always' }, step.hold(700));
    for (const key of ['a', 'b', 'c']) await rig.start(textReply('slow', key, 1));
    for (const key of ['a', 'b', 'c']) expect(await rig.result('slow', key)).toMatchObject({ state: 'sent' });
    const arrivals = arrivalsOf('slow');
    for (const [i, { atMs }] of arrivals.entries())
      if (i > 0) expect(atMs - (arrivals[i - 1]?.answeredAtMs ?? Infinity)).toBeGreaterThanOrEqual(1000);
  });

  it('L10: what cannot be read is refused, and the lane goes on', async () => {
    const bad: readonly unknown[] = [
      null,
      7,
      {},
      { ...askOf('k'), chat: undefined },
      { ...askOf('k'), weight: 'x' },
    ];
    const request = { policy: defaultLanePolicy, asks: bad } as ClaimRequest;
    const verdicts = await laneOf('unreadable').executeUpdate(claimUpdate, { args: [request] });
    expect(verdicts.map((verdict) => verdict.kind === 'refused' && verdict.why)).toEqual(
      bad.map(() => 'bad_request'),
    );
    for (const args of [null, 'x', { policy: { bot: 'x' }, asks: [askOf('k')] }])
      await laneOf('unreadable').executeUpdate(claimUpdate, { args: [args as never] });
    for (const reports of [null, [null], [{ outcome: 'nonsense' }]])
      await laneOf('unreadable').signal(reportSignal, reports as never);
    expect(await claim('unreadable', askOf('k'))).toMatchObject({ kind: 'go' });
  });

  it('L11: one process asks at most every 75 ms, however many wait', async () => {
    const keys = Array.from({ length: 40 }, (_, i) => `k${i}`);
    await Promise.all(keys.map((key, i) => rig.start(textReply('flush', key, 100 + i))));
    await rig.fake.waitFor((fake) => fake.stored('flush').length === keys.length, { timeoutMs: 30_000 });
    const { events } = await laneOf('flush').fetchHistory();
    const instants = (events ?? [])
      .filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes)
      .map(({ eventTime }) => Number(eventTime?.seconds) * 1000 + Number(eventTime?.nanos) / 1e6);
    const spanMs = Math.max(...instants) - Math.min(...instants);
    expect(instants.length).toBeGreaterThan(1);
    // An Update that took long to arrive may come closer to the next one than they were sent.
    expect(instants.length).toBeLessThanOrEqual((spanMs + 500) / 75 + 1);
  });

  it('L17: after a cooldown one goes first, and the others wait for what becomes of it', async () => {
    rig.fake.script('probe', {}, step.flood(3));
    rig.fake.script('probe', { after: 1 }, step.hold(1500));
    const keys = Array.from({ length: 12 }, (_, i) => `k${i}`);
    await Promise.all(keys.map((key, i) => rig.start(textReply('probe', key, 100 + i))));
    for (const key of keys) expect(await rig.result('probe', key)).toMatchObject({ state: 'sent' });
    const [flooded, first, ...others] = arrivalsOf('probe');
    expect(flooded?.verdict).toBe('flood');
    expect(others).toHaveLength(keys.length - 1);
    for (const { atMs } of others) expect(atMs).toBeGreaterThan(first?.answeredAtMs ?? Infinity);
    expect((first?.answeredAtMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(1490);
  });

  it('L18: a key is started once; a Workflow Id that is not the derived one fails before any claim', async () => {
    await rig.start(textReply('twice', 'k', 1));
    expect(await rig.result('twice', 'k')).toMatchObject({ state: 'sent' });
    await expect(rig.start(textReply('twice', 'k', 1))).rejects.toThrow(WorkflowExecutionAlreadyStartedError);

    const handle = await rig.client.workflow.start('replyWorkflow', {
      workflowId: 'reply:twice:another',
      taskQueue: 'replylane',
      args: [textReply('twice', 'one', 1)],
    });
    await expect(handle.result()).rejects.toThrow(WorkflowFailedError);
    const { events } = await handle.fetchHistory();
    expect(events?.some((event) => event.activityTaskScheduledEventAttributes)).toBe(false);
    expect(arrivalsOf('twice')).toHaveLength(1);
  });

  it('L15: with the lane’s worker killed, claims go on elsewhere within seconds', async () => {
    const { events } = await rig.handle('twice', 'k').fetchHistory();
    const seconds = (duration: { readonly seconds?: unknown } | null | undefined): number =>
      Number(duration?.seconds ?? 0);
    const scheduled = events?.find(
      (event) => event.activityTaskScheduledEventAttributes,
    )?.activityTaskScheduledEventAttributes;
    expect(seconds(scheduled?.heartbeatTimeout)).toBe(10);
    expect(seconds(scheduled?.startToCloseTimeout)).toBe(60);
    expect(seconds(scheduled?.scheduleToStartTimeout)).toBe(600);
    expect(scheduled?.retryPolicy?.maximumAttempts).toBe(1);

    const holder = rig.workers.at(-1);
    await rig.addWorker();
    await rig.start(textReply('killed', 'warm', 1));
    await rig.result('killed', 'warm');
    await holder?.kill();
    const askedAtMs = performance.now();
    const asked = claim('killed', askOf('direct'));
    await rig.start(textReply('killed', 'next', 2));
    expect(await asked).toMatchObject({ kind: 'go' });
    // Ten seconds is what it takes at the SDK's default, by which every claim has been given up.
    expect(performance.now() - askedAtMs).toBeLessThan(9000);
    // Its own tasks may have been handed to the killed worker at the last moment: those time out after ten seconds.
    await rig.fake.waitFor((fake) => fake.arrivals.some(({ text }) => text === 'next'), {
      timeoutMs: 20_000,
    });
  });
});
