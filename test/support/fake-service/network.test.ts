import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { callApi } from '../api-call.ts';
import * as step from './steps.ts';
import { TOKEN, useFake } from './use-fake.ts';

const inUse = useFake();

async function rawConnection(): Promise<Socket> {
  const socket = connect(inUse.fake.port, '127.0.0.1').on('error', () => {});
  await new Promise((resolve) => void socket.once('connect', resolve));
  return socket;
}

describe('the network', () => {
  it('refuses connections and accepts them again on the same port, with its memory', async () => {
    await inUse.start();
    await inUse.send(1);
    inUse.fake.refuse();
    await inUse.fake.waitFor(({ connections }) => connections.every(({ open }) => !open));
    await expect(inUse.send(1)).rejects.toThrow(/ECONNREFUSED/);
    await inUse.fake.accept();
    expect((await inUse.send(1)).body.result?.message_id).toBe(502);
  });

  it('lets requests in progress finish while it refuses, or resets them', async () => {
    await inUse.start();
    inUse.fake.script(TOKEN, { times: 2 }, step.hold(50));
    const finishing = inUse.send(1);
    await inUse.fake.waitFor(() => inUse.fake.stored().length === 1);
    inUse.fake.refuse();
    expect((await finishing).status).toBe(200);
    await inUse.fake.accept();
    const broken = inUse.send(1);
    broken.catch(() => {});
    await inUse.fake.waitFor(() => inUse.fake.stored().length === 2);
    inUse.fake.refuse({ inProgress: 'reset' });
    await expect(broken).rejects.toThrow();
    await inUse.fake.waitFor(() => inUse.fake.outstanding(TOKEN) === 0);
    expect(inUse.fake.arrivals[1]).toMatchObject({ httpStatus: null, answeredAtMs: null });
  });

  it('as a black hole reads everything and answers nothing', async () => {
    await inUse.start();
    inUse.fake.blackhole();
    const sends = [1, 2, 3].map((chat) => inUse.send(chat, 'hi', TOKEN, 300));
    await Promise.allSettled(sends);
    await inUse.fake.waitFor(() => inUse.fake.outstanding(TOKEN) === 0);
    expect(inUse.fake.maxOutstanding(TOKEN)).toBe(3);
    expect(inUse.fake.arrivals.map(({ verdict, received }) => [verdict, received])).toEqual([
      ['none', 'whole'],
      ['none', 'whole'],
      ['none', 'whole'],
    ]);
    await inUse.fake.accept();
    expect((await inUse.send(1)).status).toBe(200);
    expect(inUse.fake.maxOutstanding(TOKEN)).toBe(3);
  });

  it('resets connections before a byte is read', async () => {
    await inUse.start();
    inUse.fake.resetConnections(1);
    await expect(inUse.send(1)).rejects.toThrow();
    expect(inUse.fake.arrivals).toEqual([]);
    expect(inUse.fake.connections).toMatchObject([{ requests: 0, bytesRead: 0, open: false }]);
    expect((await inUse.send(1)).status).toBe(200);
  });

  it('closes idle keep-alive sockets without having announced it', async () => {
    await inUse.start({}, { idleCloseMs: 60 });
    const socket = await rawConnection();
    const closed = new Promise((resolve) => void socket.once('close', resolve));
    let answer = '';
    socket.on('data', (chunk) => void (answer += String(chunk)));
    socket.write(`POST /bot${TOKEN}/getMe HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`);
    await closed;
    expect(answer).toMatch(/^HTTP\/1.1 200 OK/);
    expect(answer).not.toMatch(/^(keep-alive: |connection: close)/im);
  });

  it('does not count a socket as idle while a request is in progress', async () => {
    await inUse.start({}, { idleCloseMs: 60 });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const { apiRoot } = inUse.fake;
    const getMe = { apiRoot, token: TOKEN, method: 'getMe', body: '', agent };
    await callApi(getMe);
    inUse.fake.script(TOKEN, {}, step.hold(150));
    expect((await callApi(getMe)).status).toBe(200);
    expect(inUse.fake.connections).toMatchObject([{ requests: 2 }]);
  });

  it('frees its port when it stops, for another one', async () => {
    await inUse.start();
    const { port } = inUse.fake;
    await inUse.fake.stop();
    await inUse.start({}, { port });
    expect(inUse.fake.port).toBe(port);
    expect((await inUse.send(1)).status).toBe(200);
  });
});
