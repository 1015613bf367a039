import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Transport, createTransport } from '../../activities/transport.ts';
import { type FakeTelegram, startFakeTelegram, step } from '../support/fake-service/index.ts';

const token = '1:transport';
const timeouts = { httpTimeoutMs: 10_000, connectTimeoutMs: 8_000 };

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

function transport(): Transport {
  const made = createTransport();
  closing.push(() => made.close());
  return made;
}

async function fakeService(): Promise<FakeTelegram> {
  const fake = await startFakeTelegram({ bots: { [token]: { name: 'bot' } } });
  closing.push(() => fake.stop());
  return fake;
}

function requestTo(apiRoot: string, text: string) {
  return {
    url: `${apiRoot}/bot${token}/sendMessage`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ chat_id: 7, text }),
  };
}

/** Accepts no connection for a while, then all, and answers what it has read whole; it tells what it read and which connections ended. */
const lateListener = `
  const { parentPort, workerData } = require('node:worker_threads');
  const listener = require('node:net').createServer((socket) => {
    socket.on('error', () => {});
    socket.on('close', () => parentPort.postMessage({ ended: 1 }));
    let read = '';
    socket.on('data', (chunk) => {
      parentPort.postMessage({ bytes: chunk.length });
      read += chunk;
      // An answer before the body has come would reset the connection under it.
      const [head, body] = read.split('\\r\\n\\r\\n');
      const length = Number(/content-length: (\\d+)/i.exec(head)?.[1]);
      if (body === undefined || body.length < length) return;
      socket.end('HTTP/1.1 200 OK\\r\\ncontent-length: 2\\r\\nconnection: close\\r\\n\\r\\n{}');
    });
  });
  listener.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage({ port: listener.address().port });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, workerData);
  });`;

interface LateMessage {
  readonly port?: number;
  readonly bytes?: number;
  readonly ended?: number;
}

/** A service whose queue of connections is full: one that is made now becomes ready seconds later. */
async function lateService(): Promise<{
  readonly apiRoot: string;
  readonly bytes: () => number;
  readonly ended: () => number;
}> {
  const thread = new Worker(lateListener, { eval: true, workerData: 2500 });
  const fillers: Socket[] = [];
  closing.push(async () => {
    for (const filler of fillers) filler.destroy();
    await thread.terminate();
  });
  let bytes = 0;
  let ended = 0;
  const port = await new Promise<number>((resolve) => {
    thread.on('message', (message: LateMessage) => {
      if (message.port !== undefined) resolve(message.port);
      bytes += message.bytes ?? 0;
      ended += message.ended ?? 0;
    });
  });
  for (let isFull = false; !isFull;) {
    const filler = connect(port, '127.0.0.1').on('error', () => {});
    fillers.push(filler);
    const connected = new Promise<boolean>((resolve) => void filler.once('connect', () => resolve(true)));
    isFull = !(await Promise.race([connected, sleep(100, false)]));
  }
  return { apiRoot: `http://127.0.0.1:${port}`, bytes: () => bytes, ended: () => ended };
}

describe('a request that must not leave any more', () => {
  it('L14: what went stale while its connection was made leaves no byte', async () => {
    const service = await lateService();
    const askedAtMs = performance.now();
    const mayStart = (): string | undefined =>
      performance.now() - askedAtMs > 500 ? 'it is stale' : undefined;
    const sender = transport();
    const result = await sender.send(requestTo(service.apiRoot, 'stale'), { ...timeouts, mayStart });
    expect(result).toEqual({ kind: 'withheld', why: 'it is stale' });
    expect(performance.now() - askedAtMs).toBeGreaterThan(500);
    await sender.close();
    // The service tells of a connection's end after all that it read from it.
    await vi.waitFor(() => expect(service.ended()).toBe(1), { timeout: 10_000 });
    expect(service.bytes()).toBe(0);
  });

  it('L14: the same connection carries what is still valid, when it is ready', async () => {
    const service = await lateService();
    const askedAtMs = performance.now();
    const result = await transport().send(requestTo(service.apiRoot, 'valid'), {
      ...timeouts,
      mayStart: () => undefined,
    });
    expect(result).toMatchObject({ kind: 'answered', complete: true });
    expect(performance.now() - askedAtMs).toBeGreaterThan(500);
    // The service's thread tells what it read on its own way, which may be slower than its answer.
    await vi.waitFor(() => expect(service.bytes()).toBeGreaterThan(0), { timeout: 10_000 });
  });

  it('L14: beside connections that are busy, each is asked about at the moment it leaves', async () => {
    const fake = await fakeService();
    fake.script('bot', { times: 4 }, step.hold(800));
    const sender = transport();
    const busy = ['a', 'b', 'c', 'd'].map((text) =>
      sender.send(requestTo(fake.apiRoot, text), { ...timeouts, mayStart: () => undefined }),
    );
    await fake.waitFor(() => fake.outstanding('bot') === 4);
    let isValid = true;
    const asked: number[] = [];
    const more = Array.from({ length: 6 }, (_, i) =>
      sender.send(requestTo(fake.apiRoot, `more-${i}`), {
        ...timeouts,
        mayStart: () => {
          asked.push(performance.now());
          // The second half finds that a flood has come meanwhile.
          if (asked.length > 3) isValid = false;
          return isValid ? undefined : 'the service asked for a pause';
        },
      }),
    );
    const results = await Promise.all(more);
    expect(asked).toHaveLength(6);
    expect(results.filter(({ kind }) => kind === 'answered')).toHaveLength(3);
    expect(results.filter(({ kind }) => kind === 'withheld')).toHaveLength(3);
    await Promise.all(busy);
    expect(fake.arrivals.filter(({ text }) => text?.startsWith('more'))).toHaveLength(3);
    // A connection that was made for a request which then stayed has carried nothing.
    for (const { requests, bytesRead } of fake.connections) if (requests === 0) expect(bytesRead).toBe(0);
  });
});
