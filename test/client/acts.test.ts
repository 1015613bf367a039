import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type CancelResult,
  type Listed,
  ReplyClient,
  type ReplyHandle,
  ReplyInputError,
  ReplyLostError,
  ReplyNotFoundError,
  ReplyRefusedError,
} from '../../client/index.ts';
import { step } from '../support/fake-service/index.ts';
import { Rig } from '../support/rig/rig.ts';
import { waitUntil } from '../support/wait-until.ts';

const who = { by: 'ann', reason: 'a test' };
let rig: Rig;
let replies: ReplyClient;
beforeAll(async () => {
  rig = await Rig.start({ bots: { support: {}, doubt: {}, paused: {}, lists: {}, other: {} } });
  replies = new ReplyClient(rig.client);
  const known = new ReplyClient(rig.client, { contracts: { paused: 'telegram', lists: 'telegram' } });
  await known.lane('paused').pause(who);
});
afterAll(() => rig.close());

const send = (bot: string, key: string, chat = 1): Promise<ReplyHandle> =>
  replies.send({ bot, chat, text: key }, { key });

/** A reply under review: the service took the message, and the answer was lost. */
async function doubtful(key: string, chat: number, bot = 'doubt'): Promise<ReplyHandle> {
  rig.fake.script(bot, { chat }, step.resetAfterBody({ store: true }));
  const handle = await send(bot, key, chat);
  expect(await handle.result({ timeoutMs: 20_000 })).toMatchObject({ state: 'review' });
  return handle;
}

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}

describe('a cancellation is answered with the truth', () => {
  test('a waiting reply is cancelled, and asked again it still is', async () => {
    const handle = await send('paused', 'waiting');
    expect(await handle.cancel(who)).toMatchObject({
      kind: 'cancelled',
      reply: { state: 'cancelled', decision: { decision: 'cancel', by: 'ann', reason: 'a test' } },
    });
    expect(await replies.cancel('paused/waiting', who)).toMatchObject({ kind: 'cancelled' });
    expect(await handle.result()).toMatchObject({ state: 'cancelled' });
  });

  test('a reply that was sent says so', async () => {
    const handle = await send('support', 'sent');
    await handle.result();
    expect(await handle.cancel(who)).toMatchObject({ kind: 'too_late', reply: { state: 'sent' } });
  });

  test('a reply in flight is waited for', async () => {
    rig.fake.script('support', { chat: 5 }, step.hold(1500));
    const handle = await send('support', 'in-flight', 5);
    await rig.fake.waitFor(() => rig.fake.arrivals.some(({ text }) => text === 'in-flight'));
    expect(await handle.cancel(who)).toMatchObject({ kind: 'too_late', reply: { state: 'sent' } });
  });

  test('a reply under review stays there', async () => {
    const handle = await doubtful('reviewed', 6);
    expect(await handle.cancel(who)).toMatchObject({ kind: 'too_late', reply: { state: 'review' } });
    expect(await handle.status()).toMatchObject({ state: 'review' });
  });

  test('one that nobody knows is not found, and one without who and why is refused', async () => {
    await expect(replies.cancel('support/nothing', who)).rejects.toThrow(ReplyNotFoundError);
    await expect(replies.cancel('support/sent', { by: '', reason: '' })).rejects.toThrow(ReplyInputError);
    await expect(replies.cancel('no-slash', who)).rejects.toThrow(/<bot>\/<key>/);
  });

  test('all open replies of a chat go at once, and no other', async () => {
    const mine = await Promise.all(['c1', 'c2', 'c3'].map((key) => send('paused', key, 70)));
    const others = await Promise.all([send('paused', 'c4', 71), send('paused', 'c5', -70)]);
    const results: CancelResult[] = await all(replies.cancelChat('paused', '70', who));
    expect(results.map(({ reply }) => reply.key).sort()).toEqual(['c1', 'c2', 'c3']);
    expect(results.every(({ kind }) => kind === 'cancelled')).toBe(true);
    for (const handle of mine) expect(await handle.status()).toMatchObject({ state: 'cancelled' });
    for (const handle of others) {
      expect(await handle.status()).toMatchObject({ state: 'waiting' });
      await handle.cancel(who);
    }
  });

  test('a chat that is none is refused', () => {
    expect(() => replies.cancelChat('paused', 'not a chat', who)).toThrow(ReplyInputError);
  });
});

describe('a decision', () => {
  test('ends a review, and is kept with who and why', async () => {
    const handle = await doubtful('decided', 10);
    const result = await replies.decide(handle, { attempt: 1, decision: 'sent', messageId: 7, ...who });
    expect(result).toMatchObject({ kind: 'decided', reply: { state: 'sent', message: { message_id: 7 } } });
    expect(await handle.result()).toMatchObject({ state: 'sent', decision: { decision: 'sent', ...who } });
  });

  test('about another attempt is refused with the state now, and so is one that comes after the end', async () => {
    const handle = await doubtful('stale', 11);
    const stale = replies.decide(handle, { attempt: 2, decision: 'sent', ...who });
    await expect(stale).rejects.toThrow(ReplyRefusedError);
    await expect(stale).rejects.toMatchObject({ reply: { state: 'review', review: { attempt: 1 } } });
    await replies.decide(handle, { attempt: 1, decision: 'not_sent', ...who });
    const late = replies.decide(handle, { attempt: 1, decision: 'resend', ...who });
    await expect(late).rejects.toThrow(/not_sent now/);
    await expect(late).rejects.toMatchObject({ reply: { state: 'not_sent' } });
  });

  test('to resend sends it as a new attempt', async () => {
    const handle = await doubtful('again', 12);
    await replies.decide(handle, { attempt: 1, decision: 'resend', ...who });
    expect(await handle.result({ timeoutMs: 20_000 })).toMatchObject({
      state: 'sent',
      attempts: [{ outcome: 'unknown' }, { outcome: 'sent' }],
    });
    expect(rig.fake.stored('doubt').filter(({ text }) => text === 'again')).toHaveLength(2);
  });

  test('of the wrong shape is refused before it is sent', async () => {
    const bad = replies.decide('doubt/reviewed', { attempt: 1, decision: 'resend', messageId: 1, ...who });
    await expect(bad).rejects.toThrow(/messageId/);
  });
});

describe('the list', () => {
  const keys = (listed: readonly Listed[]): string[] =>
    listed.flatMap((item) => (item.kind === 'reply' ? [item.reply.key] : ['lost'])).sort();
  const listedAs = async (
    state: 'waiting' | 'sent' | 'review' | 'cancelled',
    wanted: string[],
  ): Promise<void> =>
    waitUntil(async () => keys(await all(replies.list({ bot: 'lists', state }))).join() === wanted.join(), {
      withinMs: 10_000,
      what: () => `${state}: ${wanted.join()}`,
    });

  test('finds replies by bot and state, the ones that were started bare too', async () => {
    await Promise.all(
      [send('lists', 'l1', 1), send('lists', 'l2', 2)].map(async (sent) => (await sent).result()),
    );
    await doubtful('l3', 3, 'lists');
    await new ReplyClient(rig.client, { contracts: { lists: 'telegram' } }).lane('lists').pause(who);
    const bare = {
      bot: 'lists',
      key: 'l4',
      content: { method: 'sendMessage', params: { chat_id: 4, text: 'l4' } },
    };
    await rig.start(bare);
    await send('other', 'o1', 1);
    await listedAs('sent', ['l1', 'l2']);
    await listedAs('review', ['l3']);
    await listedAs('waiting', ['l4']);
    await listedAs('cancelled', []);
    const everything = await all(replies.list({ bot: 'lists' }));
    expect(keys(everything)).toEqual(['l1', 'l2', 'l3', 'l4']);
    expect(await all(replies.list({ bot: 'lists', limit: 2 }))).toHaveLength(2);
    for (const item of everything) {
      if (item.kind === 'reply') expect(item.reply).toEqual(await replies.status(item.reply.id));
    }
  });

  test('reviews come oldest first', async () => {
    await doubtful('r1', 21, 'other');
    await doubtful('r2', 22, 'other');
    let found: readonly string[] = [];
    await waitUntil(
      async () => (found = (await replies.reviews({ bot: 'other' })).map(({ key }) => key)).length === 2,
      { withinMs: 10_000, what: () => `two reviews, found ${found.join()}` },
    );
    expect(found).toEqual(['r1', 'r2']);
  });

  test('a bad filter is refused', async () => {
    await expect(all(replies.list({ bot: "x' OR '1'='1" }))).rejects.toThrow(ReplyInputError);
    await expect(all(replies.list({ state: 'asleep' as 'sent' }))).rejects.toThrow(/asleep/);
  });
});

describe('a reply whose workflow was ended by hand', () => {
  test('is told as lost, with the reason, wherever it is met', async () => {
    const handle = await send('paused', 'killed', 30);
    await rig.handle('paused', 'killed').terminate('an operator’s mistake');
    const lost = replies.status('paused/killed');
    await expect(lost).rejects.toThrow(ReplyLostError);
    await expect(lost).rejects.toThrow(/terminated: an operator’s mistake/);
    await expect(handle.result()).rejects.toThrow(ReplyLostError);
    await expect(send('paused', 'killed', 30)).rejects.toThrow(ReplyLostError);
    const listed = await all(replies.list({ bot: 'paused' }));
    expect(listed.filter(({ kind }) => kind === 'lost')).toHaveLength(1);
  });

  test('a start that was wrong says what was wrong with it', async () => {
    await rig.client.workflow.start('replyWorkflow', {
      workflowId: 'reply:support:wrong',
      taskQueue: 'replylane',
      args: [{ bot: 'support', key: 'right', content: { method: 'sendMessage', params: {} } }],
    });
    await rig
      .handle('support', 'wrong')
      .result()
      .catch(() => {});
    await expect(replies.status('support/wrong')).rejects.toThrow(/failed: .*Workflow Id/);
  });
});
