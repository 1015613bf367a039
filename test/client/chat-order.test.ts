import { describe, expect, test } from 'vitest';
import { ChatOrder } from '../../client/chat-order.ts';

function orderAt(): { order: ChatOrder; advance: (ms: number) => void } {
  let nowMs = 0;
  return {
    order: new ChatOrder({ longestWaitMs: 50, monotonicMs: () => nowMs }),
    advance: (ms) => (nowMs += ms),
  };
}
const start = (order: ChatOrder, chat: string, key: string): Promise<string | undefined> =>
  order.next(chat, async (after) => ({ value: after, openKey: key }));

describe('the order of a chat', () => {
  test('a predecessor of a minute ago is through, and waiting for it would only delay', async () => {
    const { order, advance } = orderAt();
    await start(order, 'a', 'one');
    advance(59_999);
    expect(await start(order, 'a', 'two')).toBe('one');
    advance(60_000);
    expect(await start(order, 'a', 'three')).toBeUndefined();
  });

  test('starts of one chat go one at a time in the order of the calls, those of another at once', async () => {
    const { order } = orderAt();
    const seen: string[] = [];
    const slow = (chat: string, key: string, ms: number): Promise<void> =>
      order.next(chat, async () => {
        await new Promise((resolve) => setTimeout(resolve, ms));
        seen.push(key);
        return { value: undefined, openKey: key };
      });
    await Promise.all([slow('a', 'a1', 30), slow('a', 'a2', 1), slow('b', 'b1', 1)]);
    expect(seen).toEqual(['b1', 'a1', 'a2']);
  });

  test('a start that failed or ended leaves the predecessor as it was', async () => {
    const { order } = orderAt();
    await start(order, 'a', 'one');
    await expect(order.next('a', async () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await order.next('a', async () => ({ value: 'ended' }));
    expect(await start(order, 'a', 'two')).toBe('one');
  });

  test('a start that hangs holds the next up for a bounded time', async () => {
    const { order } = orderAt();
    const startedMs = performance.now();
    void order.next('a', () => new Promise<never>(() => {}));
    await start(order, 'a', 'two');
    expect(performance.now() - startedMs).toBeLessThan(1000);
  });

  test('a bounded number of chats is remembered, the latest', async () => {
    const { order } = orderAt();
    for (let chat = 0; chat <= 10_000; chat++) await start(order, `c${chat}`, 'one');
    expect(await start(order, 'c0', 'two')).toBeUndefined();
    expect(await start(order, 'c10000', 'two')).toBe('one');
  });
});
