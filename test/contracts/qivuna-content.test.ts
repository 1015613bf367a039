import { describe, expect, test } from 'vitest';
import { qivuna } from '../../contracts/qivuna.ts';
import type { Content } from '../../contracts/contract.ts';
import { hello, message } from './qivuna-samples.ts';
import { each } from './telegram-samples.ts';

const fields = (content: unknown) => qivuna.check(content as Content).map(({ field }) => field);
const problems = (content: Content) => qivuna.check(content).map(({ problem }) => problem);

describe('chat ids', () => {
  test.each(
    each([
      0,
      -0,
      1,
      -1,
      2 ** 52,
      Number.MAX_SAFE_INTEGER,
      -Number.MAX_SAFE_INTEGER,
      '0',
      '1',
      '12',
      '-12',
      '4503600212045337',
      '9007199254740993',
      '9999999999999999999',
      '-9999999999999999999',
    ]),
  )('%j: accepted', (chat_id) => expect(qivuna.check(message({ chat_id }))).toEqual([]));

  test.each(
    each<unknown>([
      1.5,
      NaN,
      Infinity,
      2 ** 53,
      -(2 ** 60),
      '',
      '-',
      '-0',
      '007',
      '00',
      ' 7',
      '7 ',
      '7\n',
      '+7',
      '1e3',
      '0x10',
      '1.5',
      '@channel',
      'a12',
      '12a',
      '10000000000000000000',
      '-10000000000000000000',
      null,
      true,
      [1],
      {},
      12n,
    ]),
  )('%s: refused', (chat_id) => expect(fields(message({ chat_id }))).toEqual(['params.chat_id']));

  test('the problem says what was wrong and what to do', () => {
    expect(problems({ method: 'sendMessage', params: { text: 'a' } })).toEqual([
      'is missing: give the id of the chat',
    ]);
    expect(problems(message({ chat_id: '@channel' }))).toEqual([expect.stringMatching(/1 to 19 digits/)]);
    expect(problems(message({ chat_id: 1.5 }))).toEqual([
      expect.stringMatching(/a whole number that is exact/),
    ]);
    expect(problems(message({ chat_id: 2 ** 53 }))).toEqual([expect.stringMatching(/a string of digits/)]);
    expect(problems(message({ chat_id: true }))).toEqual([expect.stringMatching(/or a string of digits/)]);
  });

  test('other methods: checked where there is one', () => {
    expect(fields({ method: 'pinMessage', params: { chat_id: 'x' } })).toEqual(['params.chat_id']);
    expect(fields({ method: 'pinMessage', params: { chat_id: undefined } })).toEqual(['params.chat_id']);
    expect(fields({ method: 'pinMessage', params: { chat_id: '9007199254740993', text: '' } })).toEqual([]);
    expect(fields({ method: 'setName', params: { name: 'x' } })).toEqual([]);
  });
});

describe('text', () => {
  test.each(each(['a', ' a ', '😀', '\n.\n', 'a'.repeat(100_000)]))('accepted: %#', (text) =>
    expect(qivuna.check(message({ text }))).toEqual([]),
  );

  test.each(each<unknown>(['', ' ', ' \n\t\u00a0', '\u0001\u001f', undefined, null, 7, ['a'], 'hi \ud83d']))(
    'refused: %j',
    (text) => expect(fields(message({ text }))).toEqual(['params.text']),
  );

  test('the problem says what was wrong and what to do', () => {
    expect(problems({ method: 'sendMessage', params: { chat_id: 1 } })).toEqual([
      'is missing: give the text of the message',
    ]);
    expect(problems(message({ text: null }))).toEqual(['must be a string']);
    expect(problems(message({ text: ' ' }))).toEqual([expect.stringMatching(/at least one visible/)]);
  });
});

describe('methods', () => {
  test.each(
    each(['sendMessage', 'SendMessage', 'editMessage', 'setWebhook', 'forgetChat', 'deleteWebhooks']),
  )('%s: accepted', (method) => expect(qivuna.check({ ...hello, method })).toEqual([]));

  test.each(
    each([
      '',
      'send message',
      'sendMessage/',
      '../getMe',
      'a'.repeat(65),
      '1sendMessage',
      'sendMessage1',
      'getMe',
      'GETUPDATES',
      'deleteWebhook',
      'DELETEWEBHOOK',
      7,
      null,
    ]),
  )('%j: refused', (method) => expect(fields({ ...hello, method })).toEqual(['method']));

  test('one whose key the service ignores is told so', () => {
    for (const method of ['getMe', 'deleteWebhook'])
      expect(problems({ ...hello, method })).toEqual([expect.stringMatching(/key Qivuna ignores/)]);
    expect(problems({ ...hello, method: '' })).toEqual([expect.stringMatching(/1 to 64 letters/)]);
  });

  test('another spelling of sendMessage meets the same checks', () =>
    expect(fields({ method: 'SENDMESSAGE', params: {} })).toEqual(['params.chat_id', 'params.text']));
});

describe('what JSON does not keep cannot be sent', () => {
  test.each([
    ['undefined', { x: undefined }, 'params.x'],
    ['a bigint', { x: { y: 1n } }, 'params.x.y'],
    ['a date', { x: new Date(0) }, 'params.x'],
    ['an inexact number', { x: 2 ** 60 }, 'params.x'],
    ['half of a pair', { x: '\ude00' }, 'params.x'],
  ])('%s', (_, params, field) => {
    expect(fields(message(params))).toEqual([field]);
    expect(fields({ method: 'setName', params })).toEqual([field]);
  });

  test('every problem is told at once', () =>
    expect(fields({ method: 'get', params: { chat_id: 'x', text: '', x: 1n } })).toEqual([
      'method',
      'params.x',
      'params.chat_id',
    ]));

  const throwing = new Proxy(
    {},
    {
      getPrototypeOf: () => {
        throw new Error('no');
      },
    },
  );
  test.each([
    ['null', null, 'content'],
    ['undefined', undefined, 'content'],
    ['a number', 7, 'content'],
    ['a list', [], 'content'],
    ['no params', { method: 'sendMessage' }, 'params'],
    ['params as a list', { method: 'sendMessage', params: [] }, 'params'],
    ['a proxy that throws', throwing, 'content'],
  ])('content of another shape is a problem, not a failure: %s', (_, content, field) =>
    expect(fields(content)).toEqual([field]),
  );
});
