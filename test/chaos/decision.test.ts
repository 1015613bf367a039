import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ReplyClient, ReplyRefusedError } from '../../client/index.ts';
import { decideReplyUpdate } from '../../workflows/protocol.ts';
import { step } from '../support/fake-service/index.ts';
import { Rig, textReply } from '../support/rig/rig.ts';

let rig: Rig;
let replies: ReplyClient;

beforeAll(async () => {
  const settings = { httpTimeoutMs: 1000, connectTimeoutMs: 1000 };
  rig = await Rig.start({ bots: { doubt: { settings }, quick: { settings } } });
  replies = new ReplyClient(rig.client);
});
afterAll(() => rig.close());

describe('a decision', () => {
  it('whose answer was lost is not refused to the person who repeats it, and is to any other', async () => {
    rig.fake.script('doubt', {}, step.silence({ store: true }));
    const handle = await replies.send({ bot: 'doubt', chat: 1, text: 'hi' }, { key: 'k' });
    await handle.result();
    const decision = { attempt: 1, decision: 'not_sent', by: 'ana', reason: 'asked in the chat' } as const;
    const first = await replies.decide(handle, decision);
    expect(first).toMatchObject({ kind: 'decided', reply: { state: 'not_sent' } });
    expect(await replies.decide(handle, decision)).toMatchObject({ kind: 'decided', reply: { decision } });
    for (const other of [{ by: 'bob' }, { decision: 'sent' as const }, { reason: 'another' }]) {
      await expect(replies.decide(handle, { ...decision, ...other })).rejects.toThrow(ReplyRefusedError);
    }
  });

  it('made in the very moment in which the review begins ends the reply', async () => {
    await replies.lane('quick').pause({ by: 'ana', reason: 'a test' });
    const keys = Array.from({ length: 6 }, (_, i) => `k${i}`);
    await Promise.all(keys.map((key, i) => decideAtOnce(key, 100 + i)));
  });
});

/** A reply that goes to review first tells its lane that it needs its place no longer; the decision comes meanwhile. */
async function decideAtOnce(key: string, chat: number): Promise<void> {
  const handle = await rig.start(textReply('quick', key, chat, { reviewIfDelayedOverMs: 2000 }));
  await rig.until('quick', key, ({ waiting }) => waiting?.why === 'lane_paused');
  const decision = { attempt: 0, decision: 'not_sent', by: 'ana', reason: 'r' } as const;
  for (let isOver = false; !isOver;) {
    isOver = await handle.executeUpdate(decideReplyUpdate, { args: [decision] }).then(
      () => true,
      () => false,
    );
  }
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`${key} was decided, and has not ended`)), 10_000).unref();
  });
  expect(await Promise.race([handle.result(), late])).toMatchObject({ state: 'not_sent' });
}
