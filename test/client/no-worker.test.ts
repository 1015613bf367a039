import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Listed,
  NoWorkerError,
  ReplyClient,
  ReplyRefusedError,
  type SendReport,
  TemporalUnreachableError,
} from '../../client/index.ts';
import { step } from '../support/fake-service/index.ts';
import { Rig } from '../support/rig/rig.ts';

const who = { by: 'ann', reason: 'a test' };
const workerTimeoutMs = 1500;
let rig: Rig;
let replies: ReplyClient;
beforeAll(async () => {
  // The namespace does not know our attributes before a worker has come up.
  rig = await Rig.start({ bots: { support: {} }, workers: 0, server: { searchAttributes: {} } });
  replies = new ReplyClient(rig.client, {
    contracts: { support: 'telegram' },
    workerTimeoutMs,
    callTimeoutMs: 2000,
  });
});
afterAll(() => rig.close());

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}
const replyOf = (listed: Listed): unknown => (listed.kind === 'reply' ? listed.reply : listed);

// One story: each part goes on where the one before it ended.
describe.sequential('with no worker up', () => {
  test('a reply is taken, though the namespace does not know our attributes', async () => {
    const handle = await replies.send({ bot: 'support', chat: 1, text: 'early' }, { key: 'early' });
    expect(handle).toMatchObject({ state: 'waiting', deduplicated: false });
    const again = await replies.send({ bot: 'support', chat: 1, text: 'early' }, { key: 'early' });
    expect(again.deduplicated).toBe(true);
  });

  test('its status is what was saved, and says so', async () => {
    const read = await replies.read('support/early');
    expect(read).toMatchObject({
      source: 'store',
      reply: { id: 'support/early', state: 'waiting', attempts: [] },
    });
    const handle = await replies.send({ bot: 'support', chat: 1, text: 'early' }, { key: 'early' });
    expect(await handle.result({ timeoutMs: 500 })).toMatchObject({ state: 'waiting' });
  });

  test('a reply with an odd key keeps its name', async () => {
    await replies.send({ bot: 'support', chat: 2, text: 'odd' }, { key: 'odd key' });
    expect(await replies.status('support/odd key')).toMatchObject({ id: 'support/odd key', key: 'odd key' });
  });

  test('a list asks for a worker once, not for each reply', async () => {
    const startedMs = performance.now();
    await expect
      .poll(async () => (await all(replies.list({ state: 'waiting' }))).length, { timeout: 20_000 })
      .toBe(2);
    const lastMs = performance.now();
    expect((await all(replies.list({ bot: 'support' }))).map(replyOf)).toMatchObject([
      { key: 'odd key', state: 'waiting' },
      { key: 'early', state: 'waiting' },
    ]);
    expect(performance.now() - lastMs).toBeLessThan(2 * workerTimeoutMs);
    expect(performance.now() - startedMs).toBeLessThan(25_000);
  });

  test('a cancellation is saved, and answered as requested', async () => {
    expect(await replies.cancel('support/early', who)).toMatchObject({ kind: 'requested' });
  });

  test('a lane cannot be shown or paused, and that is said; it can be extended', async () => {
    await expect(replies.lane('support').show()).rejects.toThrow(NoWorkerError);
    await expect(replies.lane('support').pause(who)).rejects.toThrow(
      /replylane worker.*may still take effect/,
    );
    expect(await replies.lane('support').extend({ seconds: 1, ...who })).toEqual({ kind: 'requested' });
  });

  test('a worker carries out what was saved: nothing of a cancelled reply is sent', async () => {
    await rig.addWorker();
    await expect
      .poll(async () => (await replies.status('support/early')).state, { timeout: 30_000 })
      .toBe('cancelled');
    await replies.lane('support').resume(who);
    await expect
      .poll(async () => (await replies.status('support/odd key')).state, { timeout: 40_000 })
      .toBe('sent');
    expect(rig.fake.stored().map(({ text }) => text)).toEqual(['odd']);
  });

  test('a review is shown with its evidence after the worker is gone, and a decision is saved', async () => {
    rig.fake.script('support', { chat: 3 }, step.resetAfterBody({ store: true }));
    const handle = await replies.send({ bot: 'support', chat: 3, text: 'perhaps' }, { key: 'perhaps' });
    expect(await handle.result({ timeoutMs: 30_000 })).toMatchObject({ state: 'review' });
    await rig.workers[0]?.kill();
    const { reply, source } = await replies.read('support/perhaps');
    expect(source).toBe('store');
    expect(reply).toMatchObject({ state: 'review', review: { kind: 'unknown', attempt: 1 } });
    expect(reply.review?.evidence).not.toBe('');
    expect((await replies.reviews()).map(({ key }) => key)).toEqual(['perhaps']);
    const stale = replies.decide('support/perhaps', { attempt: 2, decision: 'sent', ...who });
    await expect(stale).rejects.toThrow(ReplyRefusedError);
    const decided = await replies.decide('support/perhaps', { attempt: 1, decision: 'not_sent', ...who });
    expect(decided).toMatchObject({ kind: 'requested', reply: { state: 'review' } });
    await rig.addWorker();
    await expect
      .poll(async () => (await replies.status('support/perhaps')).state, { timeout: 30_000 })
      .toBe('not_sent');
  });

  test('a resend that the workflow would pass over is refused, though nobody is there to say so', async () => {
    rig.fake.script('support', { chat: 4 }, step.resetAfterBody({ store: true }));
    const expiresAt = new Date(Date.now() + 20_000).toISOString();
    const request = { bot: 'support', chat: 4, text: 'late', expiresAt };
    const handle = await replies.send(request, { key: 'late' });
    expect(await handle.result({ timeoutMs: 15_000 })).toMatchObject({ state: 'review' });
    await rig.killWorkers();
    const resend = { attempt: 1, decision: 'resend', ...who } as const;
    await expect.poll(() => Date.now() > Date.parse(expiresAt), { timeout: 30_000 }).toBe(true);
    await expect(replies.decide('support/late', resend)).rejects.toThrow(/expired at .*allowExpired/);
    expect(await replies.decide('support/late', { ...resend, allowExpired: true })).toMatchObject({
      kind: 'requested',
    });
    await rig.addWorker();
    await expect
      .poll(async () => (await replies.status('support/late')).state, { timeout: 30_000 })
      .toBe('sent');
  });

  test('without Temporal, a send fails within its time-out, and many in bounded time with reasons', async () => {
    await rig.server.kill();
    const startedMs = performance.now();
    const send = replies.send({ bot: 'support', chat: 9, text: 'x' }, { key: 'unreachable' });
    await expect(send).rejects.toThrow(TemporalUnreachableError);
    expect(performance.now() - startedMs).toBeLessThan(4000);
    const requests = Array.from({ length: 30 }, (_, at) => ({
      bot: 'support',
      chat: at + 1,
      text: 'x',
      key: `u${at}`,
    }));
    const reports: SendReport[] = await all(replies.sendAll(requests, { retryPausesMs: [10, 20] }));
    expect(reports).toHaveLength(30);
    expect(reports.every(({ kind }) => kind === 'failed')).toBe(true);
    expect(performance.now() - startedMs).toBeLessThan(30_000);
    await expect(replies.status('support/early')).rejects.toThrow(TemporalUnreachableError);
    await expect(all(replies.list())).rejects.toThrow(TemporalUnreachableError);
    await expect(replies.lane('support').show()).rejects.toThrow(TemporalUnreachableError);
  });
});
