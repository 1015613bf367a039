import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ReplyClient } from '../../client/index.ts';
import type { ReplyRecord } from '../../domain/record.ts';
import { duplicates, step, unsafeRepeats } from '../support/fake-service/index.ts';
import {
  type FakeUnifyport,
  startFakeUnifyport,
  unifyportStep,
} from '../support/fake-service/fake-unifyport.ts';
import { runCli } from '../cli/run-cli.ts';
import { Rig } from '../support/rig/rig.ts';

const bots = ['plain', 'doubt', 'unbound', 'crowd', 'refused'] as const;
let fake: FakeUnifyport;
let rig: Rig;
let replies: ReplyClient;

beforeAll(async () => {
  fake = await startFakeUnifyport({
    accounts: Object.fromEntries(bots.map((name) => [`acc_${name}`, { name, apiKey: Rig.tokenOf(name) }])),
  });
  const settingsOf = (name: string) => ({
    contract: 'unifyport',
    accountId: `acc_${name}`,
    apiRoot: fake.apiRoot,
    httpTimeoutMs: 1500,
    connectTimeoutMs: 1000,
    heldPauseMs: 3000,
  });
  rig = await Rig.start({
    bots: Object.fromEntries(bots.map((name) => [name, { settings: settingsOf(name) }])),
  });
  replies = new ReplyClient(rig.client, {
    contracts: Object.fromEntries(bots.map((name) => [name, 'unifyport'])),
  });
});

afterAll(async () => {
  expect(fake.problems).toEqual([]);
  expect(duplicates(fake.stored())).toEqual([]);
  expect(unsafeRepeats(fake.arrivals)).toEqual([]);
  await rig.close();
  await fake.stop();
});

const arrivalsOf = (bot: string) => fake.arrivals.filter((arrival) => arrival.bot === bot);
const send = (bot: string, key: string, chat = 'user:4711') =>
  replies.send({ bot, chat, text: key }, { key });
const inReview = (bot: string, key: string): Promise<ReplyRecord> =>
  rig.until(bot, key, ({ state }) => state === 'review');

it('a text goes to the connected account, its id is kept, and the id for tracing names the attempt', async () => {
  await send('plain', 'upd-1-reply', 'group:g-7');
  const record = await rig.result('plain', 'upd-1-reply');
  expect(record).toMatchObject({ state: 'sent', message: { date: null } });
  expect(record.message?.message_id).toBeTruthy();
  expect(arrivalsOf('plain')).toMatchObject([
    { account: 'acc_plain', chat: 'group:g-7', text: 'upd-1-reply', requestId: 'plain/upd-1-reply/1' },
  ]);
});

describe('what nobody can know waits for a person, and is never repeated', () => {
  it.each([
    [
      '500 send_message_failed',
      'u1',
      unifyportStep.sendFailed({ store: true }),
      /HTTP 500.*send_message_failed/,
    ],
    ['502 provider_adapter_not_found', 'u2', unifyportStep.adapterNotFound({ store: false }), /HTTP 502/],
    ['no answer', 'u3', step.silence({ store: true }), /no answer within 1500 ms/],
    ['a reset after the request was read', 'u4', step.resetAfterBody({ store: false }), /no answer/],
    ['200 without an id', 'u5', unifyportStep.acceptedWithoutId({ store: true }), /HTTP 200/],
  ])('%s', async (_, key, scripted, evidence) => {
    fake.script('doubt', scripted);
    await send('doubt', key, `user:${key}`);
    const record = await inReview('doubt', key);
    expect(record.review).toMatchObject({ kind: 'unknown', attempt: 1 });
    expect(record.review?.evidence).toMatch(evidence);
    expect(arrivalsOf('doubt').filter(({ chat }) => chat === `user:${key}`)).toHaveLength(1);
  });

  it('the service’s own account of it is kept with the attempt', async () => {
    const [attempt] = (await rig.record('doubt', 'u1')).attempts;
    expect(attempt?.error).toMatchObject({ code: 'send_message_failed' });
    expect(attempt?.error?.requestId).toBeTruthy();
    expect(attempt).toMatchObject({ outcome: 'unknown', httpStatus: 500, progress: 'answered' });
  });
});

it('an account that is not bound is held, and the lane goes on', async () => {
  fake.script('unbound', unifyportStep.accountNotBound());
  await send('unbound', 'k', 'user:1');
  expect((await inReview('unbound', 'k')).review).toMatchObject({ kind: 'held' });
  await send('unbound', 'next', 'user:2');
  expect((await rig.result('unbound', 'next')).state).toBe('sent');
  expect((await rig.lane('unbound')).floods).toBe(0);
});

it('a 429 is held and closes the lane for its own pause: a retry_after is not read', async () => {
  fake.script('crowd', unifyportStep.tooManyRequests(3600));
  await send('crowd', 'k', 'user:1');
  expect((await inReview('crowd', 'k')).review).toMatchObject({ kind: 'held' });
  await send('crowd', 'next', 'user:2');
  expect((await rig.result('crowd', 'next')).state).toBe('sent');
  const [first, second] = arrivalsOf('crowd');
  expect((second?.atMs ?? 0) - (first?.answeredAtMs ?? 0)).toBeGreaterThanOrEqual(3000);
  expect((second?.atMs ?? 0) - (first?.answeredAtMs ?? 0)).toBeLessThan(60_000);
});

it('a refusal names the service’s code and number', async () => {
  fake.script('refused', unifyportStep.invalidRequest());
  await send('refused', 'k');
  const record = await rig.result('refused', 'k');
  expect(record).toMatchObject({ state: 'rejected', rejection: { kind: 'request', code: 400 } });
  expect(record.rejection?.description).toMatch(/^invalid_request/);
  expect(record.attempts[0]?.error).toMatchObject({ code: 'invalid_request' });
});

it('an address that is none of the service’s is refused before anything is started', async () => {
  await expect(send('plain', 'bad', 'user:')).rejects.toThrow(/chat/);
  await expect(rig.handle('plain', 'bad').describe()).rejects.toThrow();
});

describe('the command line serves it by the bot’s contract', () => {
  const cli = (...args: string[]) => runCli(args, { env: rig.env(), cwd: rig.folder });

  it('send --to takes the service’s own address, and waits for its end', async () => {
    const sent = await cli(
      'send',
      '--bot',
      'plain',
      '--to',
      'channel:news',
      '--text',
      'hi',
      '--key',
      'c1',
      '--wait',
      '--json',
    );
    expect(sent.code).toBe(0);
    expect(JSON.parse(sent.stdout)).toMatchObject({ id: 'plain/c1', state: 'sent' });
    expect(arrivalsOf('plain').at(-1)).toMatchObject({ chat: 'channel:news', text: 'hi' });
    const bad = await cli('send', '--bot', 'plain', '--to', 'nobody@', '--text', '', '--key', 'c2');
    expect(bad.code).toBe(2);
    expect(bad.stderr).toMatch(/text: /);
  });

  it('review show tells a reviewer what the service said', async () => {
    fake.script('doubt', unifyportStep.sendFailed({ store: true }));
    await send('doubt', 'c3', 'user:c3');
    await inReview('doubt', 'c3');
    const shown = await cli('review', 'show', 'doubt/c3');
    expect(shown.code).toBe(0);
    expect(shown.stdout).toMatch(/HTTP 500/);
    expect(shown.stdout).toMatch(/the service: send_message_failed .*request req/);
    expect(shown.stdout).not.toMatch(/user:c3/);
  });
});
