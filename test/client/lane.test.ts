import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LaneNotFoundError, ReplyClient, ReplyInputError } from '../../client/index.ts';
import { Rig } from '../support/rig/rig.ts';
import { waitUntil } from '../support/wait-until.ts';

const who = { by: 'ann', reason: 'a test' };
let rig: Rig;
let replies: ReplyClient;
beforeAll(async () => {
  rig = await Rig.start({ bots: { support: {}, closed: {} } });
  replies = new ReplyClient(rig.client, {
    contracts: { support: 'telegram', closed: 'telegram', later: 'telegram' },
  });
});
afterAll(() => rig.close());

describe('a lane', () => {
  test('that is paused sends nothing; resumed, its replies go at once', async () => {
    expect(await replies.lane('support').pause(who)).toMatchObject({ paused: who });
    const handles = await Promise.all(
      Array.from({ length: 5 }, (_, at) =>
        replies.send({ bot: 'support', chat: at + 1, text: 'hi' }, { key: `p${at}` }),
      ),
    );
    for (const { key } of handles) {
      await rig.until('support', key, ({ waiting }) => waiting?.why === 'lane_paused');
    }
    await listed('support', 5);
    const woken: number[] = [];
    const startedMs = performance.now();
    expect(
      await replies.lane('support').resume(who, { onWoken: (count) => woken.push(count) }),
    ).toMatchObject({
      paused: null,
    });
    expect(woken.at(-1)).toBe(5);
    for (const handle of handles)
      expect(await handle.result({ timeoutMs: 20_000 })).toMatchObject({ state: 'sent' });
    expect(performance.now() - startedMs).toBeLessThan(8000);
  });

  test('is kept closed by an extension, and opened by an override only', async () => {
    const extended = await replies.lane('closed').extend({ seconds: 3600, ...who });
    expect(extended).toMatchObject({ kind: 'extended', lane: { bot: 'closed' } });
    const shorter = await replies.lane('closed').extend({ seconds: 60, ...who });
    const { notBefore } = await replies.lane('closed').show();
    expect(shorter).toMatchObject({ lane: { notBefore } });
    expect(Date.parse(notBefore ?? '')).toBeGreaterThan(Date.now() + 3_500_000);
    const handle = await replies.send({ bot: 'closed', chat: 1, text: 'hi' }, { key: 'c1' });
    await rig.until('closed', 'c1', ({ waiting }) => waiting?.why === 'cooldown');
    await listed('closed', 1);
    expect(await replies.lane('closed').override(who)).toMatchObject({ notBefore: null });
    expect(await handle.result({ timeoutMs: 20_000 })).toMatchObject({ state: 'sent' });
    const { acts } = await replies.lane('closed').show();
    expect(acts.map(({ what }) => what)).toEqual(['extend 3600 s', 'extend 60 s', 'override']);
  });

  test('of a known bot is started by whoever asks first', async () => {
    expect(await replies.lane('later').exists()).toBe(false);
    expect(await replies.lane('later').show()).toMatchObject({ bot: 'later', notBefore: null });
    expect(await replies.lane('later').exists()).toBe(true);
  });

  test('of an unknown bot is not found, and is not made', async () => {
    for (const act of ['pause', 'resume', 'override'] as const) {
      await expect(replies.lane('nobody')[act](who)).rejects.toThrow(LaneNotFoundError);
    }
    await expect(replies.lane('nobody').show()).rejects.toThrow(/nobody/);
    await expect(replies.lane('nobody').extend({ seconds: 1, ...who })).rejects.toThrow(LaneNotFoundError);
    expect(await replies.lane('nobody').exists()).toBe(false);
    expect(() => replies.lane('No Bot')).toThrow(ReplyInputError);
  });

  test('takes no act without who and why, nor a time that is none', async () => {
    await expect(replies.lane('support').pause({ by: ' ', reason: 'x' })).rejects.toThrow(/by: /);
    await expect(replies.lane('support').override({ by: 'x', reason: '' })).rejects.toThrow(/reason: /);
    for (const seconds of [0, 1.5, -3, NaN, 1e15]) {
      await expect(replies.lane('support').extend({ seconds, ...who })).rejects.toThrow(ReplyInputError);
    }
  });
});

/** The store's list lags a little; a wake goes to what is listed. */
async function listed(bot: string, count: number): Promise<void> {
  let found = 0;
  await waitUntil(
    async () => {
      found = 0;
      for await (const _ of replies.list({ bot, state: 'waiting' })) found++;
      return found === count;
    },
    { withinMs: 10_000, what: () => `${count} waiting replies of ${bot}, found ${found}` },
  );
}
