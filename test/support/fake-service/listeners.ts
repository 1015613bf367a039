import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

export interface ResettingListener {
  /** An `https` root: the handshake with it always fails. */
  readonly apiRoot: string;
  readonly connections: number;
  stop(): Promise<void>;
}

/**
 * A TCP listener that resets each connection: `on_accept` at once, `in_handshake` after the first bytes of the sender's
 * TLS hello. Either way no byte of an HTTP request can have been sent.
 */
export async function startResettingListener(
  when: 'on_accept' | 'in_handshake' = 'in_handshake',
): Promise<ResettingListener> {
  let connections = 0;
  const listener = createServer((socket) => {
    connections += 1;
    socket.on('error', () => {});
    if (when === 'on_accept') socket.resetAndDestroy();
    else socket.once('data', () => socket.resetAndDestroy());
  });
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(0, '127.0.0.1', resolve);
  });
  return {
    apiRoot: `https://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    get connections() {
      return connections;
    },
    stop: () => new Promise((resolve) => void listener.close(() => resolve())),
  };
}

export interface FullListener {
  readonly apiRoot: string;
  stop(): Promise<void>;
}

/** Listens, and never comes round to accepting: its thread sleeps. */
const SLEEPING_LISTENER = `
  const { parentPort } = require('node:worker_threads');
  const listener = require('node:net').createServer();
  listener.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(listener.address().port);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;

/** A port where connecting neither succeeds nor fails, because its queue is full: for connect time-outs. Linux only. */
export async function startFullListener(): Promise<FullListener> {
  const worker = new Worker(SLEEPING_LISTENER, { eval: true });
  const port = await new Promise<number>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  const fillers: Socket[] = [];
  const stop = async (): Promise<void> => {
    for (const filler of fillers) filler.destroy();
    await worker.terminate();
  };
  for (let isFull = false; !isFull;) {
    const filler = connect(port, '127.0.0.1').on('error', () => {});
    fillers.push(filler);
    const connected = new Promise<boolean>((resolve) => void filler.once('connect', () => resolve(true)));
    isFull = !(await Promise.race([connected, pause(250, false)]));
    if (fillers.length > 8) {
      await stop();
      throw new Error(
        'this system accepts connections beyond the backlog; a connect time-out cannot be made here',
      );
    }
  }
  return { apiRoot: `http://127.0.0.1:${port}`, stop };
}
