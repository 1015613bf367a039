import { describe, expect, test } from 'vitest';
import type { ReplyHandle, ReplyRequest } from '../../client/index.ts';
import {
  type DurableReplies,
  type MessageContext,
  durableReplies,
} from '../../examples/grammy/durable-reply.ts';

const sent: { readonly request: ReplyRequest; readonly key: string }[] = [];
const replies = {
  async send(request: ReplyRequest, { key }: { readonly key: string }): Promise<ReplyHandle> {
    sent.push({ request, key });
    return { key, deduplicated: false } as ReplyHandle;
  },
};

/** One update through the middleware and a handler behind it. */
async function through(
  context: MessageContext,
  handler: (ctx: DurableReplies) => Promise<unknown>,
): Promise<void> {
  const ctx = context as MessageContext & DurableReplies;
  await durableReplies(replies, 'support')(ctx, async () => void (await handler(ctx)));
}

describe('ctx.durableReply', () => {
  test('hands a reply to the update’s chat over, named after the update and counted in it', async () => {
    sent.length = 0;
    const update = { update: { update_id: 1044 }, chatId: 7 };
    for (let delivery = 0; delivery < 2; delivery++)
      await through(update, async (ctx) => {
        await ctx.durableReply('one');
        await ctx.durableReply('two', { class: 'bulk' });
      });
    const keys = ['upd-1044-reply', 'upd-1044-reply-2'];
    expect(sent.map(({ key }) => key)).toEqual([...keys, ...keys]);
    expect(sent[1]?.request).toEqual({ bot: 'support', chat: 7, text: 'two', class: 'bulk' });
  });

  test('says so where the update has no chat', async () => {
    const lost = through({ update: { update_id: 1 } }, (ctx) => ctx.durableReply('x'));
    await expect(lost).rejects.toThrow(/no chat/);
  });
});
