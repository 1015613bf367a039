import { describe, expect, test } from 'vitest';
import { unifyport } from '../../contracts/unifyport.ts';
import type { Content } from '../../contracts/contract.ts';
import { each } from './telegram-samples.ts';
import { hello, message, saying, to } from './unifyport-samples.ts';

const problems = (content: unknown) => unifyport.check(content as Content);
const fields = (content: unknown) => problems(content).map(({ field }) => field);

describe('content that may be sent', () => {
  test.each([
    ['a text to a user', hello],
    ['to a group', to('120363@g.us', 'group')],
    ['to a channel', to('@News', 'channel')],
    ['an id of 256 characters', to('😀'.repeat(256))],
    ['an id with a space in it', to('a b')],
    ['a text of any length', saying('a'.repeat(100_000))],
    ['a text between spaces', saying('  a\n')],
    ['a parse mode', message({ provider_data: { parse_mode: 'HTML' } })],
    ['other data of the provider', message({ provider_data: { silent: true, x: [1] } })],
    ['an answer to a message', message({ reply_to: { reply_token: 'tok_1' } })],
  ])('%s', (_, content) => expect(problems(content)).toEqual([]));
});

describe('the method', () => {
  test.each(each<unknown>([undefined, null, '', 'sendPhoto', 'sendmessage', 7]))('%j is none', (method) =>
    expect(fields({ ...hello, method })).toEqual(['method']),
  );
});

describe('the recipient', () => {
  test.each([
    [undefined, ['params.to']],
    [null, ['params.to']],
    ['user:42', ['params.to']],
    [['42'], ['params.to']],
    [{}, ['params.to.id', 'params.to.type']],
    [{ id: '42' }, ['params.to.type']],
    [{ id: '42', type: 'User' }, ['params.to.type']],
    [{ id: '42', type: null }, ['params.to.type']],
    [{ type: 'user' }, ['params.to.id']],
  ])('%j is none', (recipient, found) => expect(fields(message({ to: recipient }))).toEqual(found));

  test.each([
    [42, /is a number: give it as a string/],
    [4503599627370495, /is a number: give it as a string/],
    [2 ** 53, /too large to be exact: give it as a string/],
    [null, /must be a string/],
    [true, /must be a string/],
    ['', /is empty/],
    [' ', /begins or ends with a space/],
    [' 42', /begins or ends with a space/],
    ['42 ', /begins or ends with a space/],
    ['4\n2', /control character/],
    ['4\u00002', /control character/],
    ['42\u007f', /control character/],
    ['4\u200b2', /control character/],
    ['\u202e42', /control character/],
    ['4\u20282', /control character/],
    ['a'.repeat(257), /has 257 characters, but may have at most 256/],
    ['\ud800', /half of a surrogate pair/],
  ])('the id %j is none', (id, words) =>
    expect(problems(to(id))).toEqual([{ field: 'params.to.id', problem: expect.stringMatching(words) }]),
  );

  test('its own fields count only', () => {
    const inherited = Object.create({ id: '42', type: 'user' }) as object;
    expect(fields(message({ to: inherited }))).toContain('params.to');
  });
});

describe('the message', () => {
  test.each([
    [undefined, ['params.message']],
    ['hi', ['params.message']],
    [null, ['params.message']],
    [{}, ['params.message.type', 'params.message.text']],
    [{ type: 'image', text: 'hi' }, ['params.message.type']],
    [{ text: 'hi' }, ['params.message.type']],
    [{ type: 'text' }, ['params.message.text']],
  ])('%j is none', (value, found) => expect(fields(message({ message: value }))).toEqual(found));

  test.each([
    ['', /is empty/],
    [' \n', /is empty/],
    [7, /must be a string/],
    [null, /must be a string/],
    ['a\udc00', /half of a surrogate pair/],
  ])('the text %j is none', (text, words) =>
    expect(problems(saying(text))).toEqual([
      { field: 'params.message.text', problem: expect.stringMatching(words) },
    ]),
  );
});

describe('other parameters', () => {
  test.each([
    [{ provider_data: 'HTML' }, 'params.provider_data'],
    [{ provider_data: null }, 'params.provider_data'],
    [{ provider_data: { parse_mode: 7 } }, 'params.provider_data.parse_mode'],
    [{ reply_to: 'tok_1' }, 'params.reply_to'],
    [{ reply_to: {} }, 'params.reply_to.reply_token'],
    [{ reply_to: { reply_token: '' } }, 'params.reply_to.reply_token'],
    [{ reply_to: { reply_token: 7 } }, 'params.reply_to.reply_token'],
  ])('%j', (params, field) => expect(fields(message(params))).toEqual([field]));

  test('the account is the one of the bot, and cannot be given with the content', () =>
    expect(problems(message({ account_id: 'acc_01' }))).toEqual([
      { field: 'params.account_id', problem: expect.stringMatching(/configuration: leave it out/) },
    ]));

  test('those that are not known are refused by name', () => {
    expect(fields(message({ chat_id: 1, mentions: [] }))).toEqual(['params.chat_id', 'params.mentions']);
    expect(fields({ ...hello, params: JSON.parse('{"__proto__":{"to":1}}') })).toContain('params.__proto__');
    expect(fields(message({ ['a\n'.repeat(99)]: 1 }))[0]).toHaveLength('params.'.length + 64);
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`x${i}`, 1]));
    expect(fields(message(many))).toHaveLength(20);
  });
});

describe('what JSON does not keep', () => {
  test.each([
    [{ provider_data: { x: undefined } }, 'params.provider_data.x'],
    [{ provider_data: { x: 1n } }, 'params.provider_data.x'],
    [{ provider_data: new Map() }, 'params.provider_data'],
    [{ provider_data: { at: new Date(0) } }, 'params.provider_data.at'],
    [{ unknown: NaN }, 'params.unknown'],
  ])('is a problem, told once: %#', (params, field) => expect(fields(message(params))).toEqual([field]));

  test('is a problem, not a failure', () => {
    const hostile = {
      get params(): never {
        throw new Error('Your parcel is here.');
      },
    };
    expect(problems(hostile)).toEqual([
      { field: 'content', problem: 'cannot be read: give plain JSON values' },
    ]);
    const cyclic: Record<string, unknown> = {};
    cyclic['x'] = cyclic;
    expect(problems(message({ provider_data: cyclic })).length).toBeGreaterThan(0);
  });

  test.each(each<unknown>([undefined, null, 7, 'x', [], () => {}]))('content that is none: %j', (content) =>
    expect(fields(content)).toEqual(['content']),
  );

  test.each(each<unknown>([undefined, null, 7, 'x', []]))('params that are none: %j', (params) =>
    expect(fields({ method: 'sendMessage', params })).toEqual(['params']),
  );
});

test("another service's content is none, and says what is missing", () =>
  expect(fields({ method: 'sendMessage', params: { chat_id: 42, text: 'hi' } })).toEqual([
    'params.chat_id',
    'params.text',
    'params.to',
    'params.message',
  ]));

test.each([
  [message({ to: undefined }), /^is missing: give \{ id, type \}/],
  [message({ to: { type: 'user' } }), /^is missing: give the id/],
  [message({ message: undefined }), /^is missing: give \{ type: "text", text \}/],
  [message({ message: { type: 'text' } }), /^is missing: give the text/],
  [message({ chat_id: '42' }), /^is not known here: give to, message, provider_data, reply_to only$/],
  [message({ account_id: 'acc_1' }), /^is the bot's own, from its configuration: leave it out$/],
])('what is wrong is told with what to do: %j', (content, words) =>
  expect(problems(content).map(({ problem }) => problem)).toEqual([expect.stringMatching(words)]),
);
