import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { listen } from '../../cli/serve/listen.ts';

describe('a server', () => {
  test('answers what it has taken before it stops, and closes idle connections', async () => {
    let answer = (): void => {};
    const slow = new Promise<void>((resolve) => (answer = resolve));
    let taken = (): void => {};
    const isTaken = new Promise<void>((resolve) => (taken = resolve));
    const other = await listen({
      fetch: async () => {
        taken();
        await slow;
        return new Response('done');
      },
      host: '127.0.0.1',
      port: 0,
    });
    const idle = connect(Number(new URL(other.url).port), '127.0.0.1');
    idle.on('error', () => {});
    const asked = fetch(other.url);
    await isTaken;
    const stopped = other.stop();
    answer();
    expect(await (await asked).text()).toBe('done');
    const answeredMs = performance.now();
    await stopped;
    expect(performance.now() - answeredMs).toBeLessThan(3000);
    await expect(fetch(other.url)).rejects.toThrow();
    idle.destroy();
  });

  test('says what to do where its port is taken', async () => {
    const first = await listen({ fetch: () => new Response(), host: '127.0.0.1', port: 0 });
    const port = Number(new URL(first.url).port);
    const again = listen({ fetch: () => new Response(), host: '127.0.0.1', port });
    await expect(again).rejects.toThrow(/EADDRINUSE.*--port/);
    await first.stop();
  });
});
