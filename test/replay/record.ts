import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { bulkDecisionWorkflowId, cooldownWorkflowId, replyWorkflowId } from '../../domain/ids.ts';
import { packageRoot } from '../../tools/temporal/package-root.ts';
import {
  bulkDecisionWorkflowType,
  cancelReplyUpdate,
  claimUpdate,
  controlUpdate,
  decideReplyUpdate,
  decideSignal,
  extendCooldownSignal,
  lateProofSignal,
  replyWorkflowType,
  taskQueue,
} from '../../workflows/protocol.ts';
import { defaultLanePolicy } from '../../domain/lane/policy.ts';
import { step } from '../support/fake-service/index.ts';
import { freezeAt, untilFrozen } from '../support/rig/freeze-at.ts';
import { Rig, textReply } from '../support/rig/rig.ts';

/**
 * Records one history of each course that a reply, a lane and a bulk decision take, on a real server, into
 * `test/fixtures/histories/`. To be run when a new course is added: a history that is there already stays as it is, and must
 * replay for ever.
 */
const folder = join(packageRoot(), 'test', 'fixtures', 'histories');
const bot = 'support';
const settings = { httpTimeoutMs: 1000, limits: 'none' };
const reviewPolicy = { afterHours: 0.0005, decision: 'not_sent' };
const rig = await Rig.start({
  bots: { support: { settings }, policy: { settings: { ...settings, reviewPolicy } } },
});
try {
  await mkdir(folder, { recursive: true });
  await sentAtOnce();
  await floodThenSent();
  await migrated();
  await rejected();
  await unknownThenResent();
  await cancelledWhileWaiting();
  await expired();
  await cancelledByTemporal();
  await lostThenSent();
  await lostThenDecided();
  await toldThenLost();
  await decidedByPolicy();
  await provenLate();
  await provenBeforeResend();
  await decidedOnProof();
  await waitedForItsTicket();
  await startedAgain();
  await decidedInBulk();
  await laneThroughTurnover();
} finally {
  await rig.close();
}

async function sentAtOnce(): Promise<void> {
  await rig.start(textReply(bot, 'sent-at-once', 1));
  await save('sent-at-once');
}

async function floodThenSent(): Promise<void> {
  rig.fake.script(bot, { chat: 2, times: 1 }, step.flood(1));
  await rig.start(textReply(bot, 'flood-then-sent', 2));
  await save('flood-then-sent');
}

async function migrated(): Promise<void> {
  rig.fake.script(bot, { chat: -3, times: 1 }, step.migrate('-1003'));
  await rig.start(textReply(bot, 'migrated', -3));
  await save('migrated');
}

async function rejected(): Promise<void> {
  rig.fake.script(bot, { chat: 4, times: 1 }, step.forbidden());
  await rig.start(textReply(bot, 'rejected', 4));
  await save('rejected');
}

async function unknownThenResent(): Promise<void> {
  rig.fake.script(bot, { chat: 5, times: 1 }, step.silence({ store: false }));
  await rig.start(textReply(bot, 'unknown-then-resent', 5));
  await rig.until(bot, 'unknown-then-resent', ({ state }) => state === 'review');
  await rig.handle(bot, 'unknown-then-resent').executeUpdate(decideReplyUpdate, {
    args: [{ attempt: 1, decision: 'resend', by: 'ana', reason: 'it is not in the chat' }],
  });
  await save('unknown-then-resent');
}

async function cancelledWhileWaiting(): Promise<void> {
  rig.fake.script(bot, { chat: 6, times: 1 }, step.flood(8));
  await rig.start(textReply(bot, 'cancelled-while-waiting', 6));
  await rig.until(bot, 'cancelled-while-waiting', ({ waiting }) => waiting?.why === 'cooldown');
  await rig.handle(bot, 'cancelled-while-waiting').executeUpdate(cancelReplyUpdate, {
    args: [{ by: 'ana', reason: 'a person has answered' }],
  });
  await save('cancelled-while-waiting');
}

/** Within the cooldown that the reply before has met. */
async function expired(): Promise<void> {
  const expiresAt = new Date(Date.now() + 2000).toISOString();
  await rig.start(textReply(bot, 'expired', 7, { expiresAt }));
  await save('expired');
}

async function cancelledByTemporal(): Promise<void> {
  const lane = rig.client.workflow.getHandle(cooldownWorkflowId(bot));
  await lane.signal(extendCooldownSignal, { seconds: 3600, by: 'ana', reason: 'recording' });
  await rig.start(textReply(bot, 'cancelled-by-temporal', 9));
  await rig.until(bot, 'cancelled-by-temporal', ({ waiting }) => waiting?.why === 'cooldown');
  await rig.handle(bot, 'cancelled-by-temporal').cancel();
  await save('cancelled-by-temporal');
  await lane.executeUpdate(controlUpdate, {
    args: [{ action: 'override', by: 'ana', reason: 'recorded' }],
  });
}

/** Its worker is killed before its claim: taken back at the lane, and sent by the next run. */
async function lostThenSent(): Promise<void> {
  await rig.killWorkers();
  const worker = await rig.addWorker(freezeAt('claim', { match: 'lost-then-sent' }));
  await rig.start(textReply(bot, 'lost-then-sent', 10));
  await untilFrozen(worker);
  await rig.killWorkers();
  await rig.addWorker();
  await save('lost-then-sent');
}

/** Its worker is killed with the answer in hand. */
async function lostThenDecided(): Promise<void> {
  await decidedAfterLoss('report', 'lost-then-decided', 11, 'it is in the chat');
}

async function toldThenLost(): Promise<void> {
  await decidedAfterLoss('reported', 'told-then-lost', 21, 'the lane was told');
}

/** The worker is lost at such a step of its attempt, and a person says that it was sent. */
async function decidedAfterLoss(
  at: 'report' | 'reported',
  key: string,
  chat: number,
  reason: string,
): Promise<void> {
  await rig.killWorkers();
  const worker = await rig.addWorker(freezeAt(at, { match: key }));
  await rig.start(textReply(bot, key, chat));
  await untilFrozen(worker);
  await rig.killWorkers();
  await rig.addWorker();
  await rig.until(bot, key, ({ state }) => state === 'review');
  await rig.handle(bot, key).executeUpdate(decideReplyUpdate, {
    args: [{ attempt: 1, decision: 'sent', by: 'ana', reason }],
  });
  await save(key);
}

async function decidedByPolicy(): Promise<void> {
  rig.fake.script('policy', { chat: 12, times: 1 }, step.silence({ store: false }));
  await rig.start(textReply('policy', 'decided-by-policy', 12));
  await save('decided-by-policy', 'policy');
}

async function provenLate(): Promise<void> {
  await reviewed('proven-late', 13);
  await rig.handle(bot, 'proven-late').signal(lateProofSignal, { attempt: 1, outcome: 'sent', messageId: 7 });
  await rig.until(bot, 'proven-late', ({ lateProof }) => lateProof !== null);
  await rig.handle(bot, 'proven-late').executeUpdate(decideReplyUpdate, {
    args: [{ attempt: 1, decision: 'sent', messageId: 7, by: 'ana', reason: 'it was proven' }],
  });
  await save('proven-late');
}

async function provenBeforeResend(): Promise<void> {
  const key = 'proven-before-resend';
  const lane = rig.client.workflow.getHandle(cooldownWorkflowId(bot));
  const who = { by: 'ana', reason: 'for the record' };
  await reviewed(key, 22);
  await lane.executeUpdate(controlUpdate, { args: [{ action: 'pause', ...who }] });
  await rig.handle(bot, key).executeUpdate(decideReplyUpdate, {
    args: [{ attempt: 1, decision: 'resend', ...who }],
  });
  await rig.until(bot, key, ({ waiting }) => waiting?.why === 'lane_paused');
  await rig.handle(bot, key).signal(lateProofSignal, { attempt: 1, outcome: 'sent', messageId: 7 });
  await rig.until(bot, key, ({ state }) => state === 'review');
  await lane.executeUpdate(controlUpdate, { args: [{ action: 'resume', ...who }] });
  await rig.handle(bot, key).signal(decideSignal, { attempt: 1, decision: 'sent', ...who });
  await save(key);
}

/** A Signal to resend what was proven to be sent is passed over. */
async function decidedOnProof(): Promise<void> {
  const key = 'decided-on-proof';
  await reviewed(key, 23);
  const reply = rig.handle(bot, key);
  await reply.signal(lateProofSignal, { attempt: 1, outcome: 'sent', messageId: 7 });
  await reply.signal(decideSignal, { attempt: 1, decision: 'resend', by: 'ana', reason: 'not seen' });
  await reply.signal(decideSignal, { attempt: 1, decision: 'sent', by: 'ana', reason: 'seen now' });
  await save(key);
}

async function waitedForItsTicket(): Promise<void> {
  rig.fake.script(bot, { chat: 24, times: 1 }, step.flood(8));
  await rig.start(textReply(bot, 'met-the-flood', 24));
  await rig.fake.waitFor(({ arrivals }) => arrivals.some(({ text }) => text === 'met-the-flood'));
  await rig.start(textReply(bot, 'waited-for-its-ticket', 25));
  await save('waited-for-its-ticket');
}

async function startedAgain(): Promise<void> {
  const reply = textReply(bot, 'started-again', 14);
  const options = { workflowId: replyWorkflowId(reply), taskQueue, args: [reply] };
  await (await rig.client.workflow.start(replyWorkflowType, options)).result();
  await rig.client.workflow.start(replyWorkflowType, options);
  await rig.until(bot, 'started-again', ({ state }) => state === 'review');
  await rig.handle(bot, 'started-again').signal(decideSignal, {
    attempt: (await rig.record(bot, 'started-again')).review?.attempt ?? 0,
    decision: 'sent',
    by: 'ana',
    reason: 'the first has sent it',
  });
  await save('started-again');
}

async function decidedInBulk(): Promise<void> {
  await reviewed('decided-in-bulk', 15);
  const replies = [
    { bot, key: 'decided-in-bulk', attempt: 1 },
    { bot, key: 'not-there', attempt: 1 },
  ];
  const bulk = await rig.client.workflow.start(bulkDecisionWorkflowType, {
    workflowId: bulkDecisionWorkflowId('recorded'),
    taskQueue,
    args: [{ replies, decision: 'not_sent', by: 'ana', reason: 'an outage', ratePerSecond: 1 }],
  });
  await bulk.result();
  await write('bulk-decision', await bulk.fetchHistory());
  await save('decided-in-bulk');
}

async function reviewed(key: string, chat: number): Promise<void> {
  rig.fake.script(bot, { chat, times: 1 }, step.silence({ store: false }));
  await rig.start(textReply(bot, key, chat));
  await rig.until(bot, key, ({ state }) => state === 'review');
}

/** So many claims that the lane continues as new; both runs are kept. */
async function laneThroughTurnover(): Promise<void> {
  const lane = rig.client.workflow.getHandle(cooldownWorkflowId(bot));
  const { runId } = await lane.describe();
  for (let i = 0; i < 400; i += 20) {
    await Promise.all(
      Array.from({ length: 20 }, () =>
        lane.executeUpdate(claimUpdate, { args: [{ policy: defaultLanePolicy, asks: [] }] }),
      ),
    );
  }
  const first = rig.client.workflow.getHandle(cooldownWorkflowId(bot), runId);
  const events = (await first.fetchHistory()).events ?? [];
  if (!events.some((event) => event.workflowExecutionContinuedAsNewEventAttributes)) {
    throw new Error('the lane has not continued as new');
  }
  await write('lane-with-floods', { events });
  await rig.start(textReply(bot, 'after-turnover', 8));
  await rig.result(bot, 'after-turnover');
  await write('lane-after-turnover', await lane.fetchHistory());
  // Under the rules for crowds, of which the first two knew nothing.
  await write('lane-with-crowd-rules', { events });
  // And in runs that end sooner than those of the first three.
  await write('lane-with-short-runs', { events });
}

async function save(key: string, of: string = bot): Promise<void> {
  await rig.result(of, key);
  await write(key, await rig.handle(of, key).fetchHistory());
}

/** Written small, and without the name of the machine that it was recorded on. */
async function write(name: string, history: Parameters<typeof historyToJSON>[0]): Promise<void> {
  const text = JSON.stringify(JSON.parse(historyToJSON(history)), (field, value: unknown) =>
    field === 'identity' ? 'recorded' : value,
  );
  const path = join(folder, `${name}.json`);
  if (existsSync(path) || existsSync(`${path}.gz`)) return;
  if (text.length > 100_000) await writeFile(`${path}.gz`, gzipSync(text, { level: 9 }));
  else await writeFile(path, text);
  process.stderr.write(`recorded ${name}\n`);
}
