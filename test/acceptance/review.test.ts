import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ReplyClient } from '../../client/index.ts';
import type { BulkDecisionInput, BulkDecisionView } from '../../domain/bulk-decision.ts';
import { replyWorkflowId } from '../../domain/ids.ts';
import type { ReplyRecord } from '../../domain/record.ts';
import { cancelSignal, decideReplyUpdate, decideSignal } from '../../workflows/protocol.ts';
import { step } from '../support/fake-service/index.ts';
import { freezeAt, untilFrozen } from '../support/rig/freeze-at.ts';
import { Rig, textReply } from '../support/rig/rig.ts';
import type { WorkerProcess } from '../support/rig/worker-process.ts';
import { waitUntil } from '../support/wait-until.ts';

const settings = { httpTimeoutMs: 2000, limits: 'none' };
const who = { by: 'ana', reason: 'looked into the chat' };
/** A few seconds. */
const reviewPolicy = { afterHours: 0.001, decision: 'not_sent' };

let rig: Rig;
let replies: ReplyClient;
/** All that ever ran, the killed ones too: their logs. */
const workers: WorkerProcess[] = [];

beforeAll(async () => {
  rig = await Rig.start({
    bots: {
      doors: { settings },
      both: { settings },
      outage: { settings },
      slow: { settings },
      policy: { settings: { ...settings, reviewPolicy } },
      again: { settings },
    },
  });
  workers.push(...rig.workers);
  replies = new ReplyClient(rig.client);
});
afterAll(async () => {
  expect(rig.fake.problems).toEqual([]);
  await rig.close();
});

async function newWorker(env: Readonly<Record<string, string>> = {}): Promise<WorkerProcess> {
  await rig.killWorkers();
  const worker = await rig.addWorker(env);
  workers.push(worker);
  return worker;
}

/** Replies whose message was taken, and whose answer was lost. */
async function doubtful(bot: string, count: number): Promise<readonly ReplyRecord[]> {
  rig.fake.script(bot, { times: 'always' }, step.resetAfterBody({ store: true }));
  const keys = Array.from({ length: count }, (_, i) => `k${i}`);
  for (const [i, key] of keys.entries()) await rig.start(textReply(bot, key, i + 1));
  let listed: readonly ReplyRecord[] = [];
  await waitUntil(async () => (listed = await replies.reviews({ bot })).length === count, {
    withinMs: 60_000,
    what: () => `${count} under review, now ${listed.length}`,
  });
  return listed;
}

/** The decisions in the workers' logs. A log comes through a pipe, later than Temporal's answers: waits for so many. */
async function auditOf(bot: string, least: number): Promise<Record<string, unknown>[]> {
  const lines = (): string[] =>
    workers
      // What stands behind the last line's end is half a line.
      .flatMap((worker) => worker.output().split('\n').slice(0, -1))
      .filter((line) => line.startsWith('{"event":"decision"') && line.includes(`"reply":"${bot}/`));
  await waitUntil(() => lines().length >= least, {
    withinMs: 10_000,
    what: () => `${least} decisions of ${bot} in the log: ${lines().join('\n')}`,
  });
  return lines().map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('each decision is on the record and in the log', () => {
  it('with its door and what was seen', async () => {
    await doubtful('doors', 3);
    await rig.handle('doors', 'k0').executeUpdate(decideReplyUpdate, {
      args: [{ attempt: 1, decision: 'sent', ...who, via: 'page' }],
    });
    await rig.handle('doors', 'k1').signal(decideSignal, { attempt: 1, decision: 'not_sent', ...who });
    await rig.handle('doors', 'k2').cancel();
    const seen = { kind: 'unknown', evidence: expect.stringMatching(/no answer/) };
    const wanted = [
      { door: 'update', via: 'page', by: 'ana', decision: 'sent' },
      { door: 'signal', via: null, by: 'ana', decision: 'not_sent' },
      { door: 'temporal', via: null, by: 'temporal', decision: 'cancel' },
    ];
    for (const [i, part] of wanted.entries()) {
      const { decision } = await rig.result('doors', `k${i}`);
      expect(decision).toMatchObject({ ...part, bulk: null, seen });
      const lines = (await auditOf('doors', i + 1)).filter(({ reply }) => reply === `doors/k${i}`);
      expect(lines).toEqual([
        {
          event: 'decision',
          at: decision?.at,
          reply: `doors/k${i}`,
          attempt: 1,
          ...part,
          reason: decision?.reason,
          bulk: null,
          ...seen,
        },
      ]);
    }
  });
});

describe('two decisions that no worker was up to take', () => {
  it('are both in the log, though the second takes the place of the first at once', async () => {
    await doubtful('both', 1);
    await rig.killWorkers();
    const handle = rig.handle('both', 'k0');
    await handle.signal(decideSignal, { attempt: 1, decision: 'resend', by: 'first', reason: 'asked to' });
    await handle.signal(cancelSignal, { by: 'second', reason: 'asked to' });
    await newWorker();
    expect(await rig.result('both', 'k0')).toMatchObject({ state: 'cancelled', decision: { by: 'second' } });
    expect((await auditOf('both', 2)).map(({ by }) => by)).toEqual(['first', 'second']);
    expect(rig.fake.arrivals.filter(({ bot }) => bot === 'both')).toHaveLength(1);
  });
});

describe('a decision on many', () => {
  it('U12: 40 unknowns at once are listed with age and evidence, and decided with counts, though the worker is killed meanwhile', async () => {
    const reviews = await doubtful('outage', 40);
    for (const { review } of reviews) {
      expect(review).toMatchObject({ kind: 'unknown', evidence: expect.stringMatching(/no answer/) });
      expect(Date.parse(review?.since ?? '')).toBeGreaterThan(Date.now() - 120_000);
    }
    const [other] = reviews;
    await replies.decide(other!, { attempt: 1, decision: 'sent', ...who, by: 'ben' });
    const bulk = await replies.decideAll(reviews, { decision: 'not_sent', ...who, ratePerSecond: 8 });
    const isHalf = async (): Promise<boolean> => ((await bulk?.view())?.done ?? 0) >= 8;
    await waitUntil(isHalf, { withinMs: 30_000, what: () => 'the first eight' });
    await newWorker();
    expect(await bulk?.result()).toMatchObject({
      state: 'completed',
      total: 40,
      done: 39,
      skipped: 1,
      failed: 0,
      notDone: [{ reply: other?.id, kind: 'skipped', why: expect.stringMatching(/sent now/) }],
    });
    for (const { key } of reviews.slice(1)) {
      const { state, decision } = await rig.result('outage', key);
      expect(state).toBe('not_sent');
      expect(decision).toMatchObject({ door: 'bulk', bulk: bulk?.ids[0], ...who });
    }
    const lines = await auditOf('outage', 31);
    // What the killed worker had logged and not yet recorded is logged again, with the instant of the second time.
    const said = new Set(lines.map((line) => JSON.stringify({ ...line, at: null })));
    expect(said.size).toBe(new Set(lines.map(({ reply }) => reply)).size);
    expect(
      lines.filter(({ door, bulk: id }) => door === 'bulk' && id === bulk?.ids[0]).length,
    ).toBeGreaterThan(30);
  }, 120_000);

  it('ends by a cancellation of Temporal with its counts, as a value; the rest stays under review', async () => {
    const reviews = await doubtful('slow', 8);
    const bulk = await replies.decideAll({ bot: 'slow' }, { decision: 'not_sent', ...who, ratePerSecond: 1 });
    await waitUntil(async () => ((await bulk?.view())?.done ?? 0) >= 1, {
      withinMs: 30_000,
      what: () => 'the first one',
    });
    await bulk?.cancel();
    const end = (await bulk?.result()) as BulkDecisionView;
    expect(end).toMatchObject({ state: 'cancelled', total: 8, skipped: 0, failed: 0 });
    expect(end.done).toBeLessThan(8);
    const left = await Promise.all(reviews.map(({ key }) => rig.record('slow', key)));
    expect(left.filter(({ state }) => state === 'review')).toHaveLength(8 - end.done);
  });

  it('goes on in a new run after 200 replies, and names a hundred of those that were not decided', async () => {
    const input: BulkDecisionInput = {
      replies: Array.from({ length: 230 }, (_, i) => ({ bot: 'slow', key: `none-${i}`, attempt: 1 })),
      decision: 'sent',
      ...who,
      ratePerSecond: 100,
    };
    const started = await rig.client.workflow.start('bulkDecisionWorkflow', {
      workflowId: 'bulk-decision:long',
      taskQueue: 'replylane',
      args: [input],
    });
    const end = (await started.result()) as BulkDecisionView;
    expect(end).toMatchObject({ state: 'completed', total: 230, done: 0, skipped: 230, failed: 0 });
    expect(end.notDone).toHaveLength(100);
    const { runId } = await rig.client.workflow.getHandle('bulk-decision:long').describe();
    expect(runId).not.toBe(started.firstExecutionRunId);
  });
});

describe('a review that nobody decides', () => {
  it('is decided by the policy of its bot, on the record as such', async () => {
    await rig.start(textReply('policy', 'opener', 90));
    await rig.result('policy', 'opener');
    rig.fake.script('policy', { chat: 1 }, step.resetAfterBody({ store: true }));
    await rig.start(textReply('policy', 'k0', 1));
    const { state, decision } = await rig.result('policy', 'k0');
    expect(state).toBe('not_sent');
    expect(decision).toMatchObject({
      by: 'policy',
      door: 'policy',
      reason: 'nobody decided within 0.001 hours',
      seen: { kind: 'unknown' },
    });
    expect(await auditOf('policy', 1)).toMatchObject([
      { reply: 'policy/k0', door: 'policy', decision: 'not_sent' },
    ]);
  });

  it('though its only worker was lost before it could tell the policy', async () => {
    const worker = await newWorker(freezeAt('report', { match: 'k-lost' }));
    await rig.start(textReply('policy', 'k-lost', 2));
    await untilFrozen(worker);
    await newWorker();
    expect(await rig.result('policy', 'k-lost')).toMatchObject({
      state: 'not_sent',
      attempts: [{ outcome: 'unknown' }],
      decision: { door: 'policy' },
    });
  }, 90_000);
});

describe('U13: a closed reply that is started again by hand', () => {
  it.each(['plain', 'say"hi', `it's\\odd`])(
    'U13: goes to review, says why, and sends nothing: %s',
    async (key) => {
      const reply = textReply('again', key, key.length);
      const byHand = {
        workflowId: replyWorkflowId(reply),
        taskQueue: 'replylane',
        args: [reply],
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      } as const;
      await rig.client.workflow.start('replyWorkflow', byHand);
      expect(await rig.result('again', key)).toMatchObject({ state: 'sent' });
      const { runId } = await rig.handle('again', key).describe();
      const query = `ExecutionStatus = 'Completed' AND RunId = '${runId}'`;
      await waitUntil(async () => (await rig.client.workflow.count(query)).count === 1, {
        withinMs: 20_000,
        what: () => 'the first run to be listed as closed',
      });
      await rig.client.workflow.start('replyWorkflow', byHand);
      const record = await rig.until('again', key, ({ state }) => state === 'review');
      expect(record.review).toMatchObject({ kind: 'unknown', attempt: 0 });
      expect(record.review?.evidence).toMatch(
        new RegExp(`started again by hand: run ${runId} .*completed at 20`),
      );
      expect(rig.fake.arrivals.filter(({ text }) => text === key)).toHaveLength(1);
      await replies.decide({ bot: 'again', key }, { attempt: 0, decision: 'sent', ...who });
      expect(await rig.result('again', key)).toMatchObject({ state: 'sent', attempts: [] });
    },
  );
});
