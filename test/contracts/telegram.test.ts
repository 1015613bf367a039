import { describe, expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { contractNames, contractOf } from '../../contracts/index.ts';
import { telegram } from '../../contracts/telegram.ts';
import type { AnswerOutcome } from '../../domain/outcome.ts';
import { hello, message } from './telegram-samples.ts';

interface Row {
  readonly id: string;
  readonly httpStatus: number;
  readonly headers: Readonly<Record<string, string>> | null;
  readonly body: string | null;
  readonly expected: {
    readonly outcome: AnswerOutcome['kind'];
    readonly messageId?: number;
    readonly retryAfterSeconds?: number;
    readonly kind?: readonly string[];
    readonly chatId?: number;
  };
}

const rows: readonly Row[] = JSON.parse(
  readFileSync(new URL('../fixtures/telegram-responses.json', import.meta.url), 'utf8'),
);

describe('each collected answer has its outcome', () => {
  test('the collection is whole', () => expect(rows.length).toBe(99));

  test.each(rows)('$id', ({ httpStatus, headers, body, expected }) => {
    const outcome = telegram.classify(hello, { httpStatus, headers: headers ?? {}, body: body ?? '' });
    expect(outcome.kind).toBe(expected.outcome);
    switch (outcome.kind) {
      case 'sent':
        expect(outcome.message.message_id).toBe(expected.messageId);
        break;
      case 'flood':
        expect(outcome.retryAfterSeconds).toBe(expected.retryAfterSeconds);
        break;
      case 'rejected':
        expect(expected.kind).toContain(outcome.rejection.kind);
        expect(outcome.rejection.code).toBe(httpStatus);
        break;
      case 'migrated':
        expect(outcome.chat).toBe(String(expected.chatId));
        break;
      case 'paused':
        throw new Error('the service knows no pause of its own');
      case 'held':
      case 'unknown':
        expect(outcome.evidence).toContain(`HTTP ${httpStatus}`);
        expect(outcome.evidence.length).toBeLessThanOrEqual(200);
        expect(outcome.evidence).not.toMatch(/<|\n/);
    }
  });
});

describe('the request', () => {
  const token = '7000000001:AAexample_example-example_example12';
  const apiRoot = telegram.defaultApiRoot;
  const options = { apiRoot, token, key: 'upd-1-reply', account: null, trace: 'support/upd-1-reply/1' };

  test('goes to the method under the root and the token, as JSON', () => {
    expect(
      telegram.request(message({ chat_id: 4503599627370495 }), {
        ...options,
        apiRoot: 'https://bots.example/x/',
      }),
    ).toEqual({
      url: `https://bots.example/x/bot${token}/sendMessage`,
      headers: { 'content-type': 'application/json' },
      body: '{"chat_id":4503599627370495,"text":"Your parcel is here."}',
    });
  });

  test.each(['https://bots.example', 'https://bots.example/', 'https://bots.example///'])(
    'under the root without its last slashes: %s',
    (apiRoot) =>
      expect(telegram.request(hello, { ...options, apiRoot, token }).url).toBe(
        `https://bots.example/bot${token}/sendMessage`,
      ),
  );

  test('stays at its path, whatever the token', () => {
    const { url } = telegram.request(hello, { ...options, token: '1:a/../../x?y#z w' });
    expect(new URL(url).pathname).toBe('/bot1:a%2F..%2F..%2Fx%3Fy%23z%20w/sendMessage');
    expect(new URL(url).host).toBe('api.telegram.org');
  });
});

describe('the destination', () => {
  test.each([
    [42, '42', 'chat'],
    ['42', '42', 'chat'],
    [-1003000000123, '-1003000000123', 'group'],
    ['-1003000000123', '-1003000000123', 'group'],
    ['@News_Channel', '@news_channel', 'group'],
    ['@NEWS_channel', '@news_channel', 'group'],
    [2 ** 32 + 1, '4294967297', 'chat'],
    [2 ** 52, '4503599627370496', 'chat'],
    [-(2 ** 52), '-4503599627370496', 'group'],
    ['4503599627370495', '4503599627370495', 'chat'],
  ])('R7: %s is the bucket %s, a %s', (chatId, chat, chatKind) => {
    expect(telegram.check(message({ chat_id: chatId }))).toEqual([]);
    expect(telegram.destination(message({ chat_id: chatId }))).toEqual({ chat, chatKind, weight: 1 });
  });

  test('a call that sends several messages takes a slot for each', () => {
    const weight = (method: string, params: Record<string, unknown>) =>
      telegram.destination({ method, params: { chat_id: 1, ...params } }).weight;
    expect(weight('sendMediaGroup', { media: [{}, {}, {}] })).toBe(3);
    expect(weight('forwardMessages', { message_ids: [1, 2] })).toBe(2);
    expect(weight('copyMessages', { message_ids: [] })).toBe(1);
    expect(weight('sendMediaGroup', { media: '[]' })).toBe(1);
    expect(weight('forwardMessages', { message_ids: Array.from({ length: 500 }, () => 1) })).toBe(100);
    expect(weight('sendPhoto', { media: [1, 2] })).toBe(1);
  });

  test.each([
    ['sendGift', { user_id: 42 }, '42'],
    [
      'answerCallbackQuery',
      { callback_query_id: '4382bfdwdsb323b2d9' },
      'method:answercallbackquery:4382bfdwdsb323b2d9',
    ],
    ['answerCallbackQuery', { callback_query_id: 'not an id' }, 'method:answercallbackquery'],
    ['setMyName', { name: 'x' }, 'method:setmyname'],
  ])('%s without a chat: its own bucket', (method, params, chat) => {
    expect(telegram.destination({ method, params })).toEqual({ chat, chatKind: 'chat', weight: 1 });
  });
});

describe('the same content for another chat', () => {
  test('changes the chat only, and keeps exact digits', () => {
    expect(telegram.readdress(message({ chat_id: -5, reply_markup: {} }), '-1003000000123')).toEqual(
      message({ chat_id: -1003000000123, reply_markup: {} }),
    );
    expect(telegram.readdress(message({ chat_id: '-5' }), '9007199254740993')).toEqual(
      message({ chat_id: '9007199254740993' }),
    );
    expect(telegram.readdress(message({ chat_id: -5 }), '@news')).toEqual(message({ chat_id: '@news' }));
  });

  test('a number only where its digits say the same', () => {
    for (const [chat, chat_id] of [
      ['7', 7],
      ['07', '07'],
      ['', ''],
      ['1e3', '1e3'],
      ['1.5', '1.5'],
      ['NaN', 'NaN'],
    ])
      expect(telegram.readdress(message({}), String(chat)).params['chat_id']).toBe(chat_id);
  });

  test('leaves content without a chat as it is', () => {
    const content = { method: 'setMyName', params: { name: 'x' } };
    expect(telegram.readdress(content, '7')).toBe(content);
  });
});

test('the text form is a sendMessage, and its problems are told by the names that people gave', () => {
  const { text } = telegram;
  expect(text.content(7, 'hi')).toEqual({ method: 'sendMessage', params: { chat_id: 7, text: 'hi' } });
  expect(text.content('@news', undefined)).toStrictEqual({
    method: 'sendMessage',
    params: { chat_id: '@news' },
  });
  expect(text.content(undefined, 'hi')).toStrictEqual({ method: 'sendMessage', params: { text: 'hi' } });
  expect(['params.chat_id', 'params.text', 'method'].map((field) => text.fieldName(field))).toEqual([
    'chat',
    'text',
    'method',
  ]);
});

test('an error of the service stands in the outcome, and nowhere else', () =>
  expect(telegram.serviceError(hello, { httpStatus: 400, headers: {}, body: '{"ok":false}' })).toBeNull());

test('a contract is found by its own name only', () => {
  expect(contractNames).toContain('telegram');
  for (const name of contractNames) expect(contractOf(name)?.name).toBe(name);
  for (const name of ['', 'Telegram', 'constructor', '__proto__']) expect(contractOf(name)).toBeUndefined();
});
