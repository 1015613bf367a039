import { setTimeout as sleep } from 'node:timers/promises';

type Source<T> = Iterable<T> | AsyncIterable<T>;

/**
 * Maps a source with at most `limit` calls at once, giving results in the order of the source. A failed call is thrown
 * where its result would stand. Takes no more of the source than it works on.
 */
export async function* mapInOrder<T, R>(
  source: Source<T>,
  limit: number,
  map: (item: T, index: number) => Promise<R>,
): AsyncGenerator<R, void, undefined> {
  const running: Promise<R>[] = [];
  let index = 0;
  try {
    for await (const item of source) {
      const result = map(item, index++);
      // Thrown when its turn comes, and not unheard if that never comes.
      result.catch(() => {});
      running.push(result);
      if (running.length >= limit) yield await (running.shift() as Promise<R>);
    }
    while (running.length > 0) yield await (running.shift() as Promise<R>);
  } finally {
    await Promise.allSettled(running);
  }
}

/** The same, but giving each result as soon as it is there. */
export async function* mapAsDone<T, R>(
  source: Source<T>,
  limit: number,
  map: (item: T, index: number) => Promise<R>,
): AsyncGenerator<R, void, undefined> {
  const running = new Map<number, Promise<{ readonly at: number; readonly result: R }>>();
  let index = 0;
  const begin = (item: T): void => {
    const at = index++;
    const work = map(item, at).then((result) => ({ at, result }));
    work.catch(() => {});
    running.set(at, work);
  };
  const next = async (): Promise<R> => {
    const { at, result } = await Promise.race(running.values());
    running.delete(at);
    return result;
  };
  try {
    for await (const item of source) {
      begin(item);
      if (running.size >= limit) yield await next();
    }
    while (running.size > 0) yield await next();
  } finally {
    await Promise.allSettled(running.values());
  }
}

/** Lets callers pass one by one, at most so many in a second. */
export class Pace {
  readonly #gapMs: number;
  #nextMs = 0;

  constructor(perSecond: number) {
    this.#gapMs = 1000 / perSecond;
  }

  async turn(): Promise<void> {
    const nowMs = performance.now();
    const atMs = Math.max(nowMs, this.#nextMs);
    this.#nextMs = atMs + this.#gapMs;
    if (atMs > nowMs) await sleep(atMs - nowMs);
  }
}
