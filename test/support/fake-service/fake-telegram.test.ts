import { afterEach, describe, expect, it } from 'vitest';
import {
  startFakeTelegram,
  step,
  type BotRules,
  type FakeTelegram,
  type FakeTelegramOptions,
} from './index.ts';

const TOKEN = '11:fake-a';
const OTHER_TOKEN = '22:fake-b';
let fake: FakeTelegram;

async function start(
  rules: Partial<BotRules> = {},
  options: Partial<FakeTelegramOptions> = {},
): Promise<FakeTelegram> {
  const bots = { [TOKEN]: { name: 'support', ...rules }, [OTHER_TOKEN]: { name: 'other' } };
  fake = await startFakeTelegram({ bots, ...options });
  return fake;
}

afterEach(async () => {
  await fake.stop();
  expect(fake.problems).toEqual([]);
});

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly body: { ok: boolean; result: any; parameters?: any; description?: string };
}

async function call(method: string, rawBody: string, token = TOKEN, timeoutMs = 3_000): Promise<Answer> {
  const response = await fetch(`${fake.apiRoot}/bot${token}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: rawBody,
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  return { status: response.status, text, body: text.startsWith('{') ? JSON.parse(text) : null };
}

function send(chat: string | number, text = 'hi', token = TOKEN, timeoutMs = 3_000): Promise<Answer> {
  return call('sendMessage', JSON.stringify({ chat_id: chat, text }), token, timeoutMs);
}

describe('an accepted call', () => {
  it('is answered with a Message and stored once', async () => {
    await start();
    const { status, body } = await send(123, 'hi');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ok: true,
      result: { message_id: 501, from: { is_bot: true }, chat: { id: 123, type: 'private' }, text: 'hi' },
    });
    expect(body.result.date).toBeGreaterThan(1e9);
    expect(fake.stored('support')).toMatchObject([{ n: 1, chat: '123', text: 'hi', messageId: 501 }]);
    expect(fake.stored(OTHER_TOKEN)).toEqual([]);
  });
});
