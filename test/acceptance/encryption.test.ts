import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ReplyClient, connectTemporal, payloadCodec, payloadKeyFrom } from '../../client/index.ts';
import { replyWorkflowId } from '../../domain/ids.ts';
import type { ReplyRecord } from '../../domain/record.ts';
import { type CliEnd, documents, runCli } from '../cli/run-cli.ts';
import { step } from '../support/fake-service/index.ts';
import { leaksIn } from '../support/leaks.ts';
import { Rig, textReply } from '../support/rig/rig.ts';
import { waitUntil } from '../support/wait-until.ts';

const text = 'The code of your safe is 4711-XYZ';
const newKey = (): string => randomBytes(32).toString('base64');
const values = { KEY_ONE: newKey(), KEY_TWO: newKey() };
const one = { one: { keyEnv: 'KEY_ONE' } };
const two = { two: { keyEnv: 'KEY_TWO' } };
const who = ['--by', 'ops', '--reason', 'seen in the chat'];
const doubtful = 731_000_001;

let rig: Rig;
let replies: ReplyClient;

beforeAll(async () => {
  rig = await Rig.start({
    bots: { support: { settings: { httpTimeoutMs: 1000 } } },
    workers: 0,
    workerEnv: values,
  });
  const keys = new Map(
    [
      ['one', values.KEY_ONE],
      ['two', values.KEY_TWO],
    ].map(([id = '', key = '']) => [id, payloadKeyFrom(key) ?? Buffer.alloc(0)]),
  );
  const codec = payloadCodec({ writeKey: 'two', keys });
  replies = new ReplyClient(await connectTemporal({ env: rig.env(), codec }));
  await rig.addWorker();
});
afterAll(() => rig?.close());

const cli = (...args: string[]): Promise<CliEnd> =>
  runCli(['--json', ...args], { env: { ...rig.env(), ...values } });
const send = (key: string, chat: number, words: string = text): Promise<CliEnd> =>
  cli('send', '--bot', 'support', '--chat', String(chat), '--text', words, '--key', key, '--wait');
const record = (end: CliEnd) => documents(end).at(-1);

async function until(key: string, state: ReplyRecord['state']): Promise<ReplyRecord> {
  let last: ReplyRecord | undefined;
  await waitUntil(async () => (last = await replies.status(`support/${key}`)).state === state, {
    withinMs: 60_000,
    what: () => `${key} to be ${state}: ${JSON.stringify(last)}`,
  });
  return last as ReplyRecord;
}

/** A reply that nobody can know of. */
async function doubt(key: string): Promise<void> {
  rig.fake.script('support', { chat: doubtful, times: 1 }, step.silence({ store: true }));
  await send(key, doubtful);
  await until(key, 'review');
}

/** All that Temporal has of a workflow, its payloads as they are. */
async function stored(workflowId: string): Promise<string> {
  const { workflow, workflowService } = rig.client;
  const described = await workflowService.describeWorkflowExecution({
    namespace: 'default',
    execution: { workflowId },
  });
  return JSON.stringify([described, await workflow.getHandle(workflowId).fetchHistory()]);
}
const storedReply = (key: string): Promise<string> => stored(replyWorkflowId({ bot: 'support', key }));
const keyIdsIn = (history: string) =>
  new Set([...history.matchAll(/"encryption-key-id":"([^"]*)"/g)].map(([, id]) => id));
const inBase64 = (word: string): string => Buffer.from(word).toString('base64');

describe('encryption that is turned on', () => {
  it('before it: the text stands in the history, so that the search can find it', async () => {
    await doubt('before');
    expect(leaksIn(new Map([['history', await storedReply('before')]]), { text })).toEqual([
      'text in history',
    ]);
  });

  it('goes on with what was written before', async () => {
    await rig.encrypt({ writeKey: 'one', keys: one });
    await rig.restartWorkers();
    const decide = ['review', 'decide', 'support/before', '--attempt', '1', '--decision', 'sent', ...who];
    expect(await cli(...decide)).toMatchObject({ code: 0 });
    await until('before', 'sent');
  });

  it('sends, and knows a key that comes again', async () => {
    expect(record(await send('sent', 731_000_002))).toMatchObject({ state: 'sent' });
    expect(rig.fake.stored('support').filter((message) => message.chat === '731000002')).toHaveLength(1);
    expect(await send('sent', 731_000_002)).toMatchObject({ code: 0 });
    expect(await send('sent', 731_000_002, 'another text')).toMatchObject({ code: 4 });
    expect(rig.fake.stored('support').filter((message) => message.chat === '731000002')).toHaveLength(1);
  });

  it('a review is listed, shown with its content, and decided', async () => {
    await doubt('doubt');
    expect(documents(await cli('review', 'list'))).toMatchObject([{ key: 'doubt' }]);
    const shown = await cli('review', 'show', 'support/doubt', '--show-content');
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining(text) });
    const decide = ['review', 'decide', 'support/doubt', '--attempt', '1', '--decision', 'resend', ...who];
    expect(await cli(...decide)).toMatchObject({ code: 0 });
    expect(await until('doubt', 'sent')).toMatchObject({ decision: { reason: 'seen in the chat' } });
  });

  it('many are decided at once', async () => {
    await doubt('bulk-1');
    await doubt('bulk-2');
    const all = ['review', 'decide', '--all', '--yes', '--decision', 'not_sent', ...who];
    expect(await cli(...all)).toMatchObject({ code: 0 });
    for (const key of ['bulk-1', 'bulk-2']) await until(key, 'not_sent');
  });

  it('the lane is shown, paused and resumed, and a waiting reply is cancelled', async () => {
    expect(await cli('lane', 'pause', 'support', ...who)).toMatchObject({ code: 0 });
    await cli('send', '--bot', 'support', '--chat', '7', '--text', text, '--key', 'waits');
    expect(record(await cli('lane', 'show', 'support'))).toMatchObject({ bot: 'support' });
    expect(record(await cli('watch', 'support', '--once'))).toMatchObject({ kind: 'lane', bot: 'support' });
    expect(await cli('cancel', 'support/waits', ...who)).toMatchObject({ code: 0 });
    await until('waits', 'cancelled');
    expect(await cli('lane', 'resume', 'support', ...who)).toMatchObject({ code: 0 });
  });

  it('nothing that was handed over, answered or decided stands in the store in plain text', async () => {
    const ids = ['sent', 'doubt', 'bulk-1', 'bulk-2', 'waits'].map((key) =>
      replyWorkflowId({ bot: 'support', key }),
    );
    const places = new Map<string, string>();
    for (const id of ids) places.set(id, await stored(id));
    expect(leaksIn(places, { text, reason: 'seen in the chat', destination: 'chat_id' })).toEqual([]);
    for (const found of places.values()) expect(found).toContain(inBase64('binary/encrypted'));
  });

  it('with no worker up, what was saved is read', async () => {
    await doubt('open');
    await rig.killWorkers();
    expect(record(await cli('status', 'support/open'))).toMatchObject({ state: 'review' });
    const shown = await cli('review', 'show', 'support/open', '--show-content');
    expect(shown.stdout).toContain(text);
  });
});

describe('a change of keys', () => {
  it('both read what the old one wrote; new is written with the new one', async () => {
    await rig.encrypt({ writeKey: 'two', keys: { ...one, ...two } });
    await rig.addWorker();
    expect(record(await cli('status', 'support/sent'))).toMatchObject({ state: 'sent' });
    const decide = ['review', 'decide', 'support/open', '--attempt', '1', '--decision', 'resend', ...who];
    expect(await cli(...decide)).toMatchObject({ code: 0 });
    await until('open', 'sent');
    expect(record(await send('new', 731_000_003))).toMatchObject({ state: 'sent' });
    const history = await storedReply('new');
    expect(keyIdsIn(history)).toEqual(new Set([inBase64('two')]));
    expect(leaksIn(new Map([['history', history]]), { text })).toEqual([]);
  });

  it('where the old key is missing, the command line names it', async () => {
    await rig.encrypt({ writeKey: 'two', keys: two });
    const asked = await cli('status', 'support/sent');
    expect(asked).toMatchObject({ code: 2, stdout: '' });
    expect(asked.stderr).toMatch(/encrypted with the key "one".*here: "two".*encryption\.keys/);
    await rig.encrypt({ writeKey: 'one', keys: one });
    const unset = await runCli(['status', 'support/new'], { env: rig.env() });
    expect(unset.code).toBe(2);
    expect(unset.stderr).toMatch(/encryption\.keys\.one: .*KEY_ONE is not set/);
  });

  it('a worker without it says so and loses nothing: with the key, the reply goes on', async () => {
    await rig.encrypt({ writeKey: 'one', keys: { ...one, ...two } });
    await rig.restartWorkers();
    await doubt('kept');
    await rig.killWorkers();
    await rig.encrypt({ writeKey: 'two', keys: two });
    const lame = await rig.addWorker({ REPLYLANE_LOG: 'json' });
    const decision = { attempt: 1, decision: 'resend', by: 'ops', reason: 'again' };
    await rig.handle('support', 'kept').signal('decide', decision);
    await waitUntil(() => /encrypted with the key \\"one\\", which is not here/.test(lame.output()), {
      withinMs: 60_000,
      what: () => `the worker to name the key: ${lame.output()}`,
    });
    expect(lame.output()).not.toContain(text);
    await rig.killWorkers();
    await rig.encrypt({ writeKey: 'two', keys: { ...one, ...two } });
    await rig.addWorker();
    await until('kept', 'sent');
    expect(leaksIn(new Map([['history', await storedReply('kept')]]), { text })).toEqual([]);
  });
});

it('a start without encryption, as one by hand or from another language, is sent all the same', async () => {
  await rig.start(textReply('support', 'bare', 731_000_009));
  await until('bare', 'sent');
});
