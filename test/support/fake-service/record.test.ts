import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { callApi } from '../api-call.ts';
import { startFakeTelegram } from './fake-telegram.ts';
import { TOKEN, useFake } from './use-fake.ts';

const inUse = useFake();

async function rawConnection(): Promise<Socket> {
  const socket = connect(inUse.fake.port, '127.0.0.1').on('error', () => {});
  await new Promise((resolve) => void socket.once('connect', resolve));
  return socket;
}

describe('the record', () => {
  it('holds requests whose body never became whole', async () => {
    await inUse.start();
    const socket = await rawConnection();
    socket.write(`POST /bot${TOKEN}/sendMessage HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n`);
    await inUse.fake.waitFor(() => inUse.fake.arrivals[0]?.received === 'head');
    socket.write('{"chat_id":1,');
    await inUse.fake.waitFor(() => inUse.fake.arrivals[0]?.received === 'partial');
    expect(inUse.fake.outstanding('support')).toBe(1);
    socket.destroy();
    await inUse.fake.waitFor(() => inUse.fake.outstanding('support') === 0);
    expect(inUse.fake.arrivals).toMatchObject([
      { bot: 'support', received: 'partial', bodyBytes: 13, verdict: 'none', chat: null, httpStatus: null },
    ]);
  });

  it('shows a head that was never completed by the bytes read on its connection', async () => {
    await inUse.start();
    const socket = await rawConnection();
    socket.write('POST /bot');
    await inUse.fake.waitFor(({ connections }) => connections.length === 1);
    await pause(30);
    socket.destroy();
    await inUse.fake.waitFor(({ connections }) => connections[0]?.open === false);
    expect(inUse.fake.connections).toMatchObject([{ requests: 0, bytesRead: 9 }]);
    expect(inUse.fake.arrivals).toEqual([]);
  });

  it('keeps arrivals in the order of their heads under an asynchronous clock', async () => {
    let reading = 0;
    const nowMs = async (): Promise<number> => {
      reading += 1;
      const mine = reading;
      await pause(mine === 1 ? 40 : 1);
      return mine;
    };
    await inUse.start({}, { nowMs });
    await Promise.all([inUse.send(1), inUse.send(2), inUse.send(3)]);
    expect(inUse.fake.arrivals.map(({ n }) => n)).toEqual([1, 2, 3]);
    expect(inUse.fake.arrivals.map(({ atMs }) => atMs).toSorted((a, b) => a - b)).toEqual(
      inUse.fake.arrivals.map(({ atMs }) => atMs),
    );
  });

  it('is waited for by event, and a wait in vain says what was seen', async () => {
    await inUse.start();
    const seen = inUse.fake.waitFor(({ arrivals }) => arrivals.find(({ chat }) => chat === '2'));
    await inUse.send(1);
    await inUse.send(2);
    expect(await seen).toMatchObject({ n: 2, chat: '2' });
    await expect(
      inUse.fake.waitFor(() => inUse.fake.stored().length === 9, { timeoutMs: 20 }),
    ).rejects.toThrow(/20 ms; 2 arrivals, 2 stored.*#2 support 2 stored 200 whole/);
  });
});

describe('a clock that fails', () => {
  it('is a problem of the fake, and does not go unseen', async () => {
    const nowMs = (): Promise<number> => Promise.reject(new Error('clock is gone'));
    const failing = await startFakeTelegram({ bots: { [TOKEN]: { name: 'support' } }, nowMs });
    await callApi({ apiRoot: failing.apiRoot, token: TOKEN, method: 'getMe', body: '' });
    expect(failing.problems.map(String)).toContain('Error: clock is gone');
    await failing.stop();
  });
});
