import { describe, expect, test } from 'vitest';
import { Pace, mapAsDone, mapInOrder } from '../../client/concurrency.ts';

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}

describe.each([
  ['mapInOrder', mapInOrder, [40, 1, 20]],
  ['mapAsDone', mapAsDone, [1, 20, 40]],
] as const)('%s', (_, map, expected) => {
  test('gives every result', async () => {
    expect(await all(map([40, 1, 20], 3, async (ms) => sleep(ms).then(() => ms)))).toEqual(expected);
  });

  test('never works on more than the limit, and takes no more from the source', async () => {
    let working = 0;
    let most = 0;
    let taken = 0;
    const source = (function* () {
      for (; taken < 20;) yield taken++;
    })();
    for await (const item of map(source, 4, async (at) => {
      most = Math.max(most, ++working);
      await sleep(2);
      working--;
      return at;
    })) {
      expect(taken - item).toBeLessThanOrEqual(20);
    }
    expect(most).toBe(4);
    expect(taken).toBe(20);
  });

  test('throws what the work throws, after the rest has ended', async () => {
    let ended = 0;
    const work = all(
      map([1, 2, 3], 3, async (at) => {
        await sleep(at === 1 ? 1 : 20);
        ended++;
        if (at === 1) throw new Error('one');
        return at;
      }),
    );
    await expect(work).rejects.toThrow('one');
    expect(ended).toBe(3);
  });
});

test('a pace lets no more pass than its rate', async () => {
  const pace = new Pace(100);
  const startedMs = performance.now();
  await Promise.all(Array.from({ length: 11 }, () => pace.turn()));
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(98);
});
