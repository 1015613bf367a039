import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TcpProxy, startTcpProxy } from './tcp-proxy.ts';
import { waitUntil } from './wait-until.ts';

/** Answers each piece `x` with `<x>`; remembers what it read. */
let service: Server;
let accepted: Socket[];
let read: string;
let proxy: TcpProxy;
let sent: string;
const clients: Client[] = [];

beforeEach(async () => {
  accepted = [];
  read = '';
  sent = '';
  service = createServer((socket) => {
    accepted.push(socket);
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      read += bytes.toString();
      socket.write(`<${bytes.toString()}>`);
    });
  });
  await new Promise<void>((resolve) => void service.listen(0, '127.0.0.1', resolve));
  const toPort = (service.address() as AddressInfo).port;
  proxy = await startTcpProxy({ toPort, onSent: (piece) => (sent += piece.toString()) });
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.socket.destroy();
  await proxy.close();
  for (const socket of accepted) socket.destroy();
  await new Promise<void>((resolve) => void service.close(() => resolve()));
});

class Client {
  readonly socket: Socket;
  heard = '';
  end: 'open' | 'closed' | 'reset' = 'open';

  constructor() {
    this.socket = connect(proxy.port, '127.0.0.1');
    this.socket.on('data', (bytes) => (this.heard += bytes.toString()));
    this.socket.on('error', (error) => {
      if ((error as NodeJS.ErrnoException).code === 'ECONNRESET') this.end = 'reset';
    });
    this.socket.on('close', () => {
      if (this.end === 'open') this.end = 'closed';
    });
    clients.push(this);
  }

  async says(text: string): Promise<void> {
    const before = sent.length;
    this.socket.write(text);
    await until(() => sent.length === before + text.length);
  }
}

const until = (condition: () => boolean): Promise<void> =>
  waitUntil(condition, {
    withinMs: 5000,
    what: () => `sent ${sent}, read ${read}, clients ${clients.map(({ heard, end }) => `${heard} ${end}`)}`,
  });
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function talking(): Promise<Client> {
  const client = new Client();
  await client.says('a');
  await until(() => client.heard === '<a>');
  return client;
}

describe('a proxy that passes', () => {
  it('passes both ways, and both ends', async () => {
    const client = await talking();
    accepted[0]?.end('bye');
    await until(() => client.end === 'closed');
    expect(client.heard).toBe('<a>bye');
    await until(() => proxy.connections === 0);
  });

  it('tells the service that the client left', async () => {
    const client = await talking();
    client.socket.destroy();
    await until(() => accepted[0]?.destroyed === true && proxy.connections === 0);
  });

  it('closes the client where the service cannot be reached', async () => {
    await new Promise<void>((resolve) => void service.close(() => resolve()));
    const client = new Client();
    await until(() => client.end === 'reset');
  });

  it('resets all on demand, and takes new connections', async () => {
    const client = await talking();
    proxy.resetAll();
    await until(() => client.end === 'reset');
    await talking();
  });
});

describe('a proxy that resets', () => {
  it('resets open connections at once and new ones as they come, until it passes again', async () => {
    const open = await talking();
    proxy.set({ kind: 'reset' });
    const late = new Client();
    await until(() => open.end === 'reset' && late.end === 'reset');
    expect(read).toBe('a');
    proxy.set({ kind: 'pass' });
    await talking();
  });
});

describe('a black hole', () => {
  it('swallows requests, and never delivers them afterwards', async () => {
    const client = await talking();
    proxy.set({ kind: 'blackhole' });
    await client.says('b');
    proxy.set({ kind: 'pass' });
    await client.says('c');
    await pause(50);
    expect(read).toBe('a');
    expect(client).toMatchObject({ heard: '<a>', end: 'open' });
    client.socket.destroy();
    await until(() => proxy.connections === 0);
  });

  it('swallows answers and ends, which are told once it is over', async () => {
    const client = await talking();
    proxy.set({ kind: 'blackhole' });
    accepted[0]?.end('lost');
    await pause(50);
    expect(client).toMatchObject({ heard: '<a>', end: 'open' });
    proxy.set({ kind: 'pass' });
    await until(() => client.end === 'closed');
    expect(client.heard).toBe('<a>');
  });

  it('takes new connections, which stay mute', async () => {
    proxy.set({ kind: 'blackhole' });
    const client = new Client();
    await client.says('b');
    proxy.set({ kind: 'pass' });
    await pause(50);
    expect(read).toBe('');
  });

  it('leaves connections as they are on which nothing was sent', async () => {
    const client = await talking();
    proxy.set({ kind: 'blackhole' });
    proxy.set({ kind: 'pass' });
    await client.says('b');
    await until(() => client.heard === '<a><b>');
  });
});

describe('a service that takes no connections', () => {
  it('resets the client, and what that had written by then is seen all the same', async () => {
    await new Promise<void>((resolve) => void service.close(() => resolve()));
    const client = new Client();
    await new Promise((resolve) => void client.socket.once('connect', resolve));
    await pause(5);
    client.socket.write('abc');
    await until(() => client.end === 'reset');
    expect(sent).toBe('abc');
  });
});

describe('a stall', () => {
  it('delivers afterwards, late and in order', async () => {
    const client = await talking();
    proxy.set({ kind: 'stall' });
    await client.says('b');
    await client.says('c');
    await pause(50);
    expect(read).toBe('a');
    proxy.set({ kind: 'pass' });
    await until(() => read === 'abc' && client.heard.startsWith('<a><b'));
  });

  it('delivers even what a client sent before it left', async () => {
    const client = await talking();
    proxy.set({ kind: 'stall' });
    await client.says('b');
    client.socket.destroy();
    await pause(20);
    proxy.set({ kind: 'pass' });
    await until(() => read === 'ab' && proxy.connections === 0);
  });
});

describe('half a request', () => {
  it('is all that the service reads; then the connection is mute', async () => {
    const client = await talking();
    proxy.set({ kind: 'half', of: 'request', bytes: 3, after: 'mute' });
    await client.says('12345');
    await until(() => read === 'a123');
    proxy.set({ kind: 'pass' });
    await client.says('6');
    await pause(50);
    expect(read).toBe('a123');
    expect(client.end).toBe('open');
  });

  it('may be followed by a reset of both sides', async () => {
    const client = await talking();
    proxy.set({ kind: 'half', of: 'request', bytes: 3, after: 'reset' });
    await client.says('12345');
    await until(() => read === 'a123' && client.end === 'reset' && accepted[0]?.destroyed === true);
  });
});

describe('half an answer', () => {
  it('is all that the client hears of a request that was read whole', async () => {
    const client = await talking();
    proxy.set({ kind: 'half', of: 'answer', bytes: 2, after: 'reset' });
    await client.says('12345');
    await until(() => client.end === 'reset');
    expect([read, client.heard]).toEqual(['a12345', '<a><1']);
  });
});

describe('a slow proxy', () => {
  it('delivers each piece so much later, in order', async () => {
    const client = await talking();
    proxy.set({ kind: 'slow', latencyMs: 60 });
    const beganMs = performance.now();
    await client.says('b');
    proxy.set({ kind: 'pass' });
    await client.says('c');
    await until(() => client.heard.includes('c'));
    expect(performance.now() - beganMs).toBeGreaterThanOrEqual(60);
    expect(read).toBe('abc');
  });

  it('does not deliver what its client gave up before it was due', async () => {
    const client = await talking();
    proxy.set({ kind: 'slow', latencyMs: 60 });
    await client.says('b');
    client.socket.destroy();
    await until(() => proxy.connections === 0);
    await pause(80);
    expect(read).toBe('a');
  });
});

describe('busy', () => {
  it('counts connections whose client has not been answered since it sent something', async () => {
    const client = await talking();
    expect(proxy.busy).toBe(0);
    proxy.set({ kind: 'blackhole' });
    await client.says('b');
    expect(proxy.busy).toBe(1);
    client.socket.destroy();
    await until(() => proxy.busy === 0);
  });
});
