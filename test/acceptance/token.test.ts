import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decideReplyUpdate } from '../../workflows/protocol.ts';
import { duplicates } from '../support/fake-service/index.ts';
import { Rig, textReply } from '../support/rig/rig.ts';

const settings = { unreachedBackoffMinMs: 100, unreachedBackoffMaxMs: 200 };
const withoutTokens = { RIG_TOKEN_SPLIT: '', RIG_TOKEN_NOWHERE: '' };
let rig: Rig;

beforeAll(async () => {
  rig = await Rig.start({
    workers: 0,
    bots: { split: {}, twin: { settings: { tokenEnv: 'RIG_TOKEN_SPLIT' } }, nowhere: { settings } },
  });
  await rig.addWorker(withoutTokens);
});

afterAll(async () => {
  await rig.close();
  expect(rig.fake.problems).toEqual([]);
  expect(duplicates(rig.fake.stored())).toEqual([]);
});

describe('a worker without a bot’s token', () => {
  it('says so at its start, by the name of the variable', () => {
    expect(rig.workers[0]?.output()).toMatch(/warning: .*cannot send for the bot split: .*RIG_TOKEN_SPLIT/);
  });

  it('and which bots have one and the same', () => {
    expect(rig.workers[0]?.output()).toMatch(
      /warning: bots\.split and bots\.twin have one and the same token/,
    );
  });

  it('lets the reply wait a bounded time, then a person must look', async () => {
    for (const [chat, key] of ['no-token', 'as-little', 'nor-this'].entries())
      await rig.start(textReply('nowhere', key, chat + 1));
    const record = await rig.until('nowhere', 'no-token', ({ state }) => state === 'review', 55_000);
    expect(record).toMatchObject({ review: { kind: 'held', attempt: 0 }, attempts: [] });
    expect(record.review?.evidence).toMatch(/no token for the bot nowhere: .*RIG_TOKEN_NOWHERE/);
    expect(rig.fake.arrivals).toEqual([]);
    await rig.until('nowhere', 'nor-this', ({ waiting, state }) => waiting !== null || state === 'review');
    const told = rig.workers[0]?.output().match(/a reply waits: .*nowhere/g);
    expect(told, 'what is missing for all is told once, not for each').toHaveLength(1);
  });

  it('lets another worker that has it take the reply: sent by the first attempt', async () => {
    await rig.start(textReply('split', 'waits', 2));
    await rig.until('split', 'waits', ({ waiting }) => waiting?.why === 'backoff');
    await rig.addWorker();
    expect(await rig.result('split', 'waits')).toMatchObject({
      state: 'sent',
      attempts: [{ attempt: 1, outcome: 'sent' }],
    });
    expect(rig.fake.arrivals.filter(({ text }) => text === 'waits')).toHaveLength(1);
  });

  it('beside one that has it: all are sent, each once', async () => {
    const keys = Array.from({ length: 10 }, (_, i) => `mixed-${i}`);
    await Promise.all(keys.map((key, i) => rig.start(textReply('split', key, 10 + i))));
    for (const key of keys) expect(await rig.result('split', key)).toMatchObject({ state: 'sent' });
    for (const key of keys) expect(rig.fake.arrivals.filter(({ text }) => text === key)).toHaveLength(1);
  });

  it('a resend of what was held for it is sent by the other', async () => {
    await rig.handle('nowhere', 'no-token').executeUpdate(decideReplyUpdate, {
      args: [{ attempt: 0, decision: 'resend', by: 'ops', reason: 'the token is there now' }],
    });
    expect(await rig.result('nowhere', 'no-token')).toMatchObject({ state: 'sent' });
  });
});
