import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ReplyClient,
  ReplyConflictError,
  type ReplyHandle,
  ReplyInputError,
  type ReplyRequest,
} from '../../client/index.ts';
import { replyWorkflowId } from '../../domain/ids.ts';
import { step } from '../support/fake-service/index.ts';
import { Rig, textReply } from '../support/rig/rig.ts';

let rig: Rig;
let replies: ReplyClient;
beforeAll(async () => {
  rig = await Rig.start({ bots: { support: {}, shy: {} } });
  replies = new ReplyClient(rig.client, { contracts: { support: 'telegram', shy: 'telegram' } });
});
afterAll(() => rig.close());

const texts = (): readonly (string | null)[] => rig.fake.stored().map(({ text }) => text);
const problemsOf = async (request: unknown, key = 'bad'): Promise<Record<string, string>> => {
  const error = await replies.send(request as ReplyRequest, { key }).catch((thrown: unknown) => thrown);
  if (!(error instanceof ReplyInputError)) throw error;
  for (const { problem } of error.problems) expect(error.message).toContain(problem);
  return Object.fromEntries(error.problems.map(({ field, problem }) => [field, problem]));
};

describe('one intention is one reply', () => {
  test('a send is handed over at once, and its result is its record', async () => {
    const handle = await replies.send({ bot: 'support', chat: 1, text: 'hello' }, { key: 'first' });
    expect(handle).toMatchObject({ id: 'support/first', state: 'waiting', deduplicated: false });
    const record = await handle.result({ timeoutMs: 20_000 });
    expect(record).toMatchObject({ id: 'support/first', state: 'sent', attempts: [{ outcome: 'sent' }] });
    expect(await handle.status()).toEqual(record);
    expect(await replies.status('support/first')).toEqual(record);
  });

  test('the same key and content again gives the same reply, while it waits and after it was sent', async () => {
    const request = { bot: 'support', chat: 2, text: 'once' } as const;
    const sends = await Promise.all(Array.from({ length: 8 }, () => replies.send(request, { key: 'once' })));
    expect(sends.filter(({ deduplicated }) => !deduplicated)).toHaveLength(1);
    await sends[0]?.result();
    expect(await replies.send(request, { key: 'once' })).toMatchObject({ deduplicated: true, state: 'sent' });
    expect(texts().filter((text) => text === 'once')).toHaveLength(1);
  });

  test('two clients that send the same at once make one reply', async () => {
    const other = new ReplyClient(rig.client);
    const request = { bot: 'support', chat: 3, text: 'race' } as const;
    const sends = await Promise.all([replies, other].map((client) => client.send(request, { key: 'race' })));
    expect(sends.filter(({ deduplicated }) => !deduplicated)).toHaveLength(1);
  });

  test('T6: the same key with another text is an error, and the first reply is untouched', async () => {
    await replies.lane('support').pause({ by: 'test', reason: 'so that the first waits' });
    const first = await replies.send({ bot: 'support', chat: 4, text: 'the first' }, { key: 't6' });
    const second = replies.send({ bot: 'support', chat: 4, text: 'the second' }, { key: 't6' });
    await expect(second).rejects.toThrow(ReplyConflictError);
    await expect(second).rejects.toThrow(/support\/t6.*new intention needs a new key/);
    await replies.lane('support').resume({ by: 'test', reason: 'done' });
    expect(await first.result()).toMatchObject({ state: 'sent' });
    await expect(replies.send({ bot: 'support', chat: 5, text: 'the first' }, { key: 't6' })).rejects.toThrow(
      ReplyConflictError,
    );
    expect(texts()).toContain('the first');
    expect(texts()).not.toContain('the second');
  });

  test('the expiry, the class and the predecessor are no part of what is compared', async () => {
    const request = { bot: 'support', chat: 6, text: 'later' } as const;
    await replies.send(request, { key: 'later' });
    const again = {
      ...request,
      expiresAt: new Date(Date.now() + 60_000),
      class: 'bulk',
      after: 'x',
    } as const;
    expect(await replies.send(again, { key: 'later' })).toMatchObject({ deduplicated: true });
  });

  test('every spelling of a chat is the same content', async () => {
    await replies.send({ bot: 'support', chat: '77', text: 'spelled' }, { key: 'spelled' });
    const number = replies.send({ bot: 'support', chat: 77, text: 'spelled' }, { key: 'spelled' });
    expect((await number).deduplicated).toBe(true);
    await replies.send({ bot: 'support', chat: '@Channel', text: 'named' }, { key: 'named' });
    const lower = replies.send({ bot: 'support', chat: '@channel', text: 'named' }, { key: 'named' });
    expect((await lower).deduplicated).toBe(true);
  });

  test('a reply that was started without a memo is compared by its input', async () => {
    const { bot, key, ...rest } = textReply('support', 'bare', 8, { text: 'bare' });
    await rig.client.workflow.start('replyWorkflow', {
      workflowId: replyWorkflowId({ bot, key }),
      taskQueue: 'replylane',
      args: [{ bot, key, ...rest }],
    });
    const same = await replies.send({ bot, content: rest.content }, { key });
    expect(same.deduplicated).toBe(true);
    await expect(replies.send({ bot, chat: 8, text: 'other' }, { key })).rejects.toThrow(ReplyConflictError);
  });

  test('a key of any form works, the same way everywhere', async () => {
    const key = `schlüssel ${'x'.repeat(300)}`;
    const handle = await replies.send({ bot: 'support', chat: 9, text: 'odd key' }, { key });
    expect(handle.workflowId).toMatch(/^reply:support:sha256-[0-9a-f]{64}$/);
    await handle.result();
    expect(await replies.status({ bot: 'support', key })).toMatchObject({
      id: `support/${key}`,
      state: 'sent',
    });
  });
});

describe('what is wrong is told before anything is started', () => {
  test('all problems at once, under the names that were given', async () => {
    const problems = await problemsOf(
      { bot: 'support', chat: 0, text: '', class: 'slow', expiresAt: 'soon' },
      '',
    );
    expect(Object.keys(problems).sort()).toEqual(['chat', 'class', 'expiresAt', 'key', 'text']);
  });

  test.each([
    ['a bot that is not configured', { bot: 'nobody', chat: 1, text: 'x' }, 'bot', /use one of support, shy/],
    ['content and text together', { bot: 'support', chat: 1, text: 'x', content: {} }, 'content', /either/],
    [
      'a field that is none',
      { bot: 'support', chat: 1, text: 'x', parse_mode: 'HTML' },
      'parse_mode',
      /not a field/,
    ],
    [
      'a text that is too long',
      { bot: 'support', chat: 1, text: 'x'.repeat(4097) },
      'text',
      /4097 characters/,
    ],
    ['a missing text', { bot: 'support', chat: 1 }, 'text', /missing/],
    [
      'an invalid date',
      { bot: 'support', chat: 1, text: 'x', expiresAt: new Date(NaN) },
      'expiresAt',
      /ISO 8601/,
    ],
    [
      'a method that only reads',
      { bot: 'support', content: { method: 'getMe', params: {} } },
      'content.method',
      /reads/,
    ],
    ['nothing at all', null, 'reply', /object/],
  ])('%s', async (_, request, field, words) => {
    expect((await problemsOf(request))[field]).toMatch(words);
  });

  test('the same check stands alone', () => {
    expect(replies.problems({ bot: 'support', chat: 1, text: 'x' }, { key: 'k' })).toEqual([]);
    expect(replies.problems({ bot: 'support', chat: 1, text: '' }, { key: 'k' })).toHaveLength(1);
  });
});

describe('the result', () => {
  test('of an outcome that nobody can know is a review, not an exception', async () => {
    rig.fake.script('shy', { chat: 20 }, step.resetAfterBody({ store: true }));
    const handle = await replies.send({ bot: 'shy', chat: 20, text: 'perhaps' }, { key: 'perhaps' });
    expect(await handle.result()).toMatchObject({ state: 'review', review: { kind: 'unknown', attempt: 1 } });
  });

  test('when the time is up is the record as it is then', async () => {
    await replies.lane('shy').pause({ by: 'test', reason: 'so that it waits' });
    const handle = await replies.send({ bot: 'shy', chat: 21, text: 'slow' }, { key: 'slow' });
    const startedMs = performance.now();
    expect(await handle.result({ timeoutMs: 1500 })).toMatchObject({ state: 'waiting' });
    expect(performance.now() - startedMs).toBeGreaterThan(1400);
    expect(performance.now() - startedMs).toBeLessThan(4000);
    await replies.lane('shy').resume({ by: 'test', reason: 'done' });
    expect(await handle.result({ timeoutMs: 20_000 })).toMatchObject({ state: 'sent' });
  });
});

describe('order among the sends of one process', () => {
  const afterOf = async (handle: ReplyHandle): Promise<string | undefined> =>
    (await replies.input(handle))?.after;
  const send = (
    client: ReplyClient,
    chat: number,
    key: string,
    rest: Partial<ReplyRequest> = {},
  ): Promise<ReplyHandle> =>
    client.send({ bot: 'support', chat, text: key, ...rest } as ReplyRequest, { key });

  test('each goes after the one before it in its chat, in the order of the calls', async () => {
    const keys = Array.from({ length: 6 }, (_, at) => `order-${at}`);
    const handles = await Promise.all(keys.map((key) => send(replies, 30, key)));
    expect(await Promise.all(handles.map(afterOf))).toEqual([undefined, ...keys.slice(0, -1)]);
    await Promise.all(handles.map((handle) => handle.result()));
    expect(texts().filter((text) => text?.startsWith('order-'))).toEqual(keys);
  });

  test('a predecessor that the app gave stays, and another chat has none', async () => {
    await send(replies, 31, 'given-1');
    expect(await afterOf(await send(replies, 31, 'given-2', { after: 'mine' }))).toBe('mine');
    expect(await afterOf(await send(replies, 32, 'elsewhere'))).toBeUndefined();
  });

  test('a reply that was refused is nobody’s predecessor', async () => {
    await send(replies, 33, 'kept-1');
    await expect(send(replies, 33, 'kept-1', { text: 'other' })).rejects.toThrow(ReplyConflictError);
    expect(await afterOf(await send(replies, 33, 'kept-2'))).toBe('kept-1');
  });

  test('it can be turned off', async () => {
    const unordered = new ReplyClient(rig.client, { keepOrder: false });
    await send(unordered, 34, 'loose-1');
    expect(await afterOf(await send(unordered, 34, 'loose-2'))).toBeUndefined();
  });
});
