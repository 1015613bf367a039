import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callApi } from '../api-call.ts';
import { startControl, type FakeControl } from './control.ts';
import { startFakeTelegram, step, type FakeTelegram } from './index.ts';

const TOKEN = '11:fake';
let fake: FakeTelegram;
let control: FakeControl;

beforeEach(async () => {
  fake = await startFakeTelegram({ bots: { [TOKEN]: { name: 'support' } } });
  control = await startControl(fake);
});

afterEach(async () => {
  await control.stop();
  await fake.stop();
});

async function act(
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await fetch(control.url + path, {
    method,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, body: await response.json() };
}

async function sendStatus(): Promise<number> {
  const { apiRoot } = fake;
  const body = '{"chat_id":1,"text":"hi"}';
  return (await callApi({ apiRoot, token: TOKEN, method: 'sendMessage', body })).status;
}

describe('the control endpoint', () => {
  it('plays scripts, starts floods, and shows what arrived', async () => {
    await act('POST', '/script', { bot: 'support', chat: 1, step: step.forbidden() });
    expect([await sendStatus(), await sendStatus()]).toEqual([403, 200]);
    await act('POST', '/flood', { bot: 'support', seconds: 60 });
    expect(await sendStatus()).toBe(429);
    const { body: arrivals } = await act('GET', '/arrivals');
    expect(arrivals).toMatchObject([{ verdict: 'refused' }, { verdict: 'stored' }, { verdict: 'flood' }]);
    expect(JSON.stringify(arrivals)).not.toContain(TOKEN);
    expect((await act('GET', '/stored')).body).toMatchObject([{ n: 2, text: 'hi' }]);
    expect((await act('GET', '/deadlines')).body).toMatchObject([{ retryAfterSeconds: 60 }]);
  });

  it('closes and opens the port of the service', async () => {
    await act('POST', '/refuse');
    await expect(sendStatus()).rejects.toThrow(/ECONNREFUSED/);
    await act('POST', '/accept');
    expect(await sendStatus()).toBe(200);
  });

  it.each([
    ['/script', { bot: 'support', step: { kind: 'explode' } }, /steps/],
    ['/script', { bot: 'nobody', step: step.hold(1) }, /no such bot; it has support/],
    ['/flood', { bot: 'support' }, /seconds/],
  ])('answers a wrong %s with 400 and the reason', async (path, body, problem) => {
    expect(await act('POST', path, body)).toMatchObject({
      status: 400,
      body: { problem: expect.stringMatching(problem) },
    });
  });

  it('answers an unknown path with 404 and the paths there are', async () => {
    expect(await act('GET', '/nowhere')).toMatchObject({
      status: 404,
      body: { problem: expect.stringContaining('GET /arrivals') },
    });
  });
});
