import { afterEach, expect } from 'vitest';
import { callApi, type ApiAnswer } from '../api-call.ts';
import type { BotRules } from './bot-directory.ts';
import { startFakeTelegram, type FakeTelegram, type FakeTelegramOptions } from './fake-telegram.ts';

export const TOKEN = '11:fake-a';
export const OTHER_TOKEN = '22:fake-b';

export interface FakeInUse {
  /** The fake that was started last. */
  readonly fake: FakeTelegram;
  /** Starts one with the bots `support` (`TOKEN`, with the rules) and `other`. */
  start(rules?: Partial<BotRules>, options?: Partial<FakeTelegramOptions>): Promise<void>;
  call(method: string, body: string, token?: string, timeoutMs?: number): Promise<ApiAnswer>;
  send(chat: string | number, text?: string, token?: string, timeoutMs?: number): Promise<ApiAnswer>;
}

/** For a test file on the fake itself: stops the fake after each test, which fails if the fake had a problem. */
export function useFake(): FakeInUse {
  let fake: FakeTelegram | null = null;
  afterEach(async () => {
    await fake?.stop();
    expect(fake?.problems ?? []).toEqual([]);
    fake = null;
  });
  const started = (): FakeTelegram => {
    if (fake === null) throw new Error('call start() first');
    return fake;
  };
  const call: FakeInUse['call'] = (method, body, token = TOKEN, timeoutMs = 3_000) =>
    callApi({ apiRoot: started().apiRoot, token, method, body, timeoutMs });
  return {
    get fake() {
      return started();
    },
    async start(rules = {}, options = {}) {
      const bots = { [TOKEN]: { name: 'support', ...rules }, [OTHER_TOKEN]: { name: 'other' } };
      fake = await startFakeTelegram({ bots, ...options });
    },
    call,
    send: (chat, text = 'hi', token = TOKEN, timeoutMs = 3_000) =>
      call('sendMessage', JSON.stringify({ chat_id: chat, text }), token, timeoutMs),
  };
}
