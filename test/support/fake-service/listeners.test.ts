import { describe, expect, it } from 'vitest';
import { Agent, request } from 'node:https';
import { connect } from 'node:net';
import { startFullListener, startResettingListener } from './listeners.ts';

function handshake(apiRoot: string): Promise<NodeJS.ErrnoException> {
  return new Promise((resolve, reject) => {
    const attempt = request(apiRoot, { method: 'POST', agent: new Agent({ keepAlive: false }) });
    attempt.once('error', resolve);
    attempt.once('response', () => reject(new Error('answered')));
    attempt.end('{}');
  });
}

describe('a resetting listener', () => {
  it.each(['on_accept', 'in_handshake'] as const)('fails every TLS handshake, %s', async (when) => {
    const listener = await startResettingListener(when);
    expect(await handshake(listener.apiRoot)).toMatchObject({ code: 'ECONNRESET' });
    expect(listener.connections).toBe(1);
    await listener.stop();
  });
});

describe('a full listener', () => {
  it('neither accepts nor refuses a connection', async () => {
    const listener = await startFullListener();
    const socket = connect(Number(new URL(listener.apiRoot).port), '127.0.0.1');
    const events: string[] = [];
    socket.on('connect', () => events.push('connect')).on('error', () => events.push('error'));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(events).toEqual([]);
    socket.destroy();
    await listener.stop();
  });
});
