import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ReplyClient } from '../../client/index.ts';
import { replyWorkflowId } from '../../domain/ids.ts';
import type { ReplyRecord } from '../../domain/record.ts';
import { type FakeQivuna, startFakeQivuna } from '../support/fake-service/fake-qivuna.ts';
import type { QivunaArrival } from '../support/fake-service/qivuna-log.ts';
import { duplicates, step } from '../support/fake-service/index.ts';
import * as qivuna from '../support/fake-service/qivuna-steps.ts';
import { Rig, textReply } from '../support/rig/rig.ts';

const bots = ['lost', 'kill', 'busy', 'clash', 'pause', 'keys', 'done'];
let fake: FakeQivuna;
let rig: Rig;

beforeAll(async () => {
  fake = await startFakeQivuna({
    bots: Object.fromEntries(bots.map((name) => [Rig.tokenOf(name), { name }])),
  });
  const settings = { contract: 'qivuna', apiRoot: fake.apiRoot, httpTimeoutMs: 1500, connectTimeoutMs: 1000 };
  rig = await Rig.start({ bots: Object.fromEntries(bots.map((name) => [name, { settings }])) });
});

afterAll(async () => {
  expect(fake.problems).toEqual([]);
  expect(duplicates(fake.stored())).toEqual([]);
  await rig.close();
  await fake.stop();
});

const arrivalsOf = (bot: string): readonly QivunaArrival[] =>
  fake.arrivals.filter((arrival) => arrival.bot === bot);
const outcomesOf = ({ attempts }: ReplyRecord) => attempts.map(({ outcome }) => outcome);

describe('K1: a lost answer is brought back by the same key, by itself', () => {
  it.each([
    ['the connection is reset after the request was read', 1, step.resetAfterBody({ store: true })],
    ['there is no answer within the time-out', 2, step.silence({ store: true })],
    ['the answer is cut off', 3, step.cutBody(8)],
    ['the service says 500 internal, though it has stored the message', 4, qivuna.internal({ store: true })],
  ])('%s', async (_, chat, lost) => {
    const key = `upd-${chat}-reply`;
    fake.script('lost', lost, { chat });
    await rig.start(textReply('lost', key, chat));
    const record = await rig.result('lost', key);
    expect(record).toMatchObject({ state: 'sent', review: null });
    expect(outcomesOf(record)).toEqual(['unknown', 'sent']);
    const arrivals = arrivalsOf('lost').filter((arrival) => arrival.chat === String(chat));
    expect(arrivals.map(({ idempotencyKey }) => idempotencyKey)).toEqual([key, key]);
    expect(arrivals.at(-1)?.verdict).toBe('replayed');
    expect(fake.stored('lost').filter((message) => message.chat === String(chat))).toHaveLength(1);
  });

  it('its worker is killed while the answer is on its way: the next worker repeats it', async () => {
    fake.script('kill', step.hold(4000));
    await rig.start(textReply('kill', 'upd-9-reply', 9));
    await fake.waitFor(() => arrivalsOf('kill').some(({ received }) => received === 'whole'));
    await rig.restartWorkers();
    const record = await rig.result('kill', 'upd-9-reply');
    expect(record.state).toBe('sent');
    expect(outcomesOf(record).slice(-1)).toEqual(['sent']);
    expect(outcomesOf(record)[0]).toBe('unknown');
    expect(fake.stored('kill')).toHaveLength(1);
    expect(new Set(arrivalsOf('kill').map(({ idempotencyKey }) => idempotencyKey))).toEqual(
      new Set(['upd-9-reply']),
    );
  }, 90_000);
});

describe('what the service says of a key', () => {
  it('K3: the first request still runs, twice, then its stored answer: sent, one message', async () => {
    // Longer than the time-out: the first attempt gives up, and the next ones meet it still running.
    fake.script('busy', step.hold(6000));
    await rig.start(textReply('busy', 'k3', 5));
    const record = await rig.result('busy', 'k3');
    expect(record.state).toBe('sent');
    const statuses = arrivalsOf('busy').map(({ httpStatus }) => httpStatus);
    expect(statuses.filter((status) => status === 409).length).toBeGreaterThanOrEqual(2);
    expect(statuses.at(-1)).toBe(200);
    expect(fake.stored('busy')).toHaveLength(1);
  });

  it('K4: it was used for another request: held, and resend is refused', async () => {
    fake.script('clash', qivuna.keyMismatch());
    await rig.start(textReply('clash', 'k4', 6));
    const record = await rig.until('clash', 'k4', ({ state }) => state === 'review');
    expect(record.review).toMatchObject({ kind: 'held', attempt: 1, isFinal: true });
    expect(record.review?.evidence).toMatch(/idempotency_mismatch/);
    const replies = new ReplyClient(rig.client);
    const decide = (decision: 'resend' | 'not_sent') =>
      replies.decide('clash/k4', { attempt: 1, decision, by: 'ann', reason: 'test' });
    await expect(decide('resend')).rejects.toThrow(/resend: it cannot be sent again under this key/);
    // The lane is not closed by it: another reply goes at once.
    await rig.start(textReply('clash', 'other', 7));
    expect((await rig.result('clash', 'other')).state).toBe('sent');
    await decide('not_sent');
    expect((await rig.result('clash', 'k4')).state).toBe('not_sent');
    expect(arrivalsOf('clash')).toHaveLength(2);
  });

  it('K6: a key that it would refuse is hashed, the same way every time', async () => {
    const keys = ['k'.repeat(65), 'with space', 'é'];
    for (const [i, key] of keys.entries()) {
      fake.script('keys', step.resetAfterBody({ store: true }), { chat: 20 + i });
      await rig.start(textReply('keys', key, 20 + i));
    }
    for (const key of keys) expect((await rig.result('keys', key)).state).toBe('sent');
    for (const [i] of keys.entries()) {
      const sent = arrivalsOf('keys').filter(({ chat }) => chat === String(20 + i));
      const used = new Set(sent.map(({ idempotencyKey }) => idempotencyKey));
      expect(sent).toHaveLength(2);
      expect(used.size).toBe(1);
      expect([...used][0]).toMatch(/^[\x21-\x7e]{1,64}$/);
    }
    expect(fake.stored('keys')).toHaveLength(3);
  });
});

it('K5: platform_paused closes the lane for a minute under its own reason, and the reply keeps its key', async () => {
  fake.script('pause', qivuna.platformPaused());
  await rig.start(textReply('pause', 'k5', 8));
  const waits = await rig.until(
    'pause',
    'k5',
    ({ waiting, attempts }) => attempts.length === 1 && waiting !== null,
  );
  expect(outcomesOf(waits)).toEqual(['paused']);
  const lane = await rig.lane('pause');
  expect(lane.reason).toBe('service_paused');
  const leftMs = Date.parse(lane.notBefore ?? '') - Date.now();
  expect(leftMs).toBeGreaterThan(50_000);
  expect(leftMs).toBeLessThan(61_000);
  await rig.client.workflow.getHandle(replyWorkflowId({ bot: 'pause', key: 'k5' })).signal('cancel', {
    by: 'test',
    reason: 'the rest is played with skipped time',
  });
  expect((await rig.result('pause', 'k5')).state).toBe('cancelled');
});

it('in doubt a cancellation is answered with the truth: nobody knows', async () => {
  fake.script('done', [step.silence({ store: false }), step.silence({ store: false })]);
  await rig.start(textReply('done', 'doubt', 3));
  await rig.until(
    'done',
    'doubt',
    ({ waiting, attempts }) => attempts.length === 1 && waiting?.why === 'backoff',
  );
  const answer = await new ReplyClient(rig.client).cancel('done/doubt', {
    by: 'ann',
    reason: 'late',
  });
  expect(answer.kind).toBe('too_late');
  expect(answer.reply).toMatchObject({ state: 'review', review: { kind: 'unknown' } });
  expect(arrivalsOf('done').length).toBeLessThanOrEqual(2);
});
