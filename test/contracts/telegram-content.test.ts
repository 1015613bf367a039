import { describe, expect, test } from 'vitest';
import { telegram } from '../../contracts/telegram.ts';
import type { Content } from '../../contracts/contract.ts';
import { each, hello, message } from './telegram-samples.ts';

const fields = (content: unknown) => telegram.check(content as Content).map(({ field }) => field);

describe('R6: text', () => {
  test.each([
    ['4,096 letters', 'a'.repeat(4096)],
    ['4,096 emoji', '😀'.repeat(4096)],
    ['4,096 letters between spaces', `  \n${'a'.repeat(4096)}\n\n `],
    ['one letter', 'a'],
    ['4,096 letters and line ends of Windows', `${'a\r\n'.repeat(2048)}`],
    ['4,096 letters between control characters', `\u0001${'a'.repeat(4096)}\u0001`],
    ['one letter between spaces', ' a '],
  ])('%s: accepted', (_, text) => expect(telegram.check(message({ text }))).toEqual([]));

  test.each([
    ['5,000 characters', 'a'.repeat(5000)],
    ['4,097 emoji', '😀'.repeat(4097)],
    ['nothing', ''],
    ['only spaces', ' \n\t\u00A0'],
    ['half of an emoji', 'hi \uD83D'],
    ['missing', undefined],
    ['a number', 7],
    ['null', null],
    ['32,769 bytes of few characters', '😀'.repeat(8193)],
    ['more spaces within than it may have characters', `a${' '.repeat(4095)}b`],
    ['only line ends of Windows', '\r\n\r'],
  ])('%s: refused', (_, text) => expect(fields(message({ text }))).toEqual(['params.text']));

  test('the problem says what was wrong and what to do', () => {
    expect(telegram.check(message({ text: 'a'.repeat(5000) }))).toEqual([
      {
        field: 'params.text',
        problem: 'has 5000 characters; the service takes at most 4096: shorten or split it',
      },
    ]);
  });

  test('with a parse mode only the bound before parsing holds', () => {
    expect(telegram.check(message({ text: `<b>${'a'.repeat(4096)}</b>`, parse_mode: 'HTML' }))).toEqual([]);
    expect(telegram.check(message({ text: 'é'.repeat(16_384), parse_mode: 'HTML' }))).toEqual([]);
    expect(fields(message({ text: 'é'.repeat(16_385), parse_mode: 'HTML' }))).toEqual(['params.text']);
    expect(fields(message({ text: ' ', parse_mode: 'HTML' }))).toEqual(['params.text']);
    for (const parse_mode of ['', 'none', 'None'])
      expect(fields(message({ text: 'a'.repeat(5000), parse_mode }))).toEqual(['params.text']);
    expect(fields(message({ text: 'a'.repeat(5000), parse_mode: 7 }))).toEqual([
      'params.text',
      'params.parse_mode',
    ]);
  });

  test('entities take nothing out of the text', () =>
    expect(fields(message({ text: 'a'.repeat(4097), entities: [] }))).toEqual(['params.text']));

  test('long runs of spaces are measured at once', () => {
    const startedMs = performance.now();
    telegram.check(message({ text: `a${' '.repeat(1_000_000)}b` }));
    expect(performance.now() - startedMs).toBeLessThan(2000);
  });
});

describe('R7: chat ids', () => {
  test.each([
    1,
    -1,
    2 ** 32 + 1,
    2 ** 52,
    -(2 ** 52),
    '1',
    '-1003000000123',
    '@channel',
    '@Chan_nel_1',
    '@auto',
    '@a1234567890123456789012345678901',
    '12',
    '4503599627370496',
  ])('%j: accepted', (chat_id) => expect(telegram.check(message({ chat_id }))).toEqual([]));

  test.each(
    each<unknown>([
      0,
      1.5,
      2 ** 52 + 1,
      '',
      '0',
      '-0',
      '007',
      ' 7',
      '7 ',
      '+7',
      '1e3',
      '0x10',
      '9007199254740993',
      'channel',
      '@abc',
      'a@channel',
      '@channel!',
      '4503599627370497',
      '12345678901234567',
      'a12',
      '12a',
      '1a2',
      -(2 ** 52) - 1,
      NaN,
      Infinity,
      '@',
      '@_abc',
      '@1channel',
      '@ch annel',
      `@${'a'.repeat(33)}`,
      null,
      true,
      [1],
      {},
    ]),
  )('%j: refused', (chat_id) => expect(fields(message({ chat_id }))).toEqual(['params.chat_id']));

  test('other methods: checked where there is one', () => {
    expect(fields({ method: 'sendPhoto', params: { chat_id: 'x', photo: 'p' } })).toEqual(['params.chat_id']);
    expect(fields({ method: 'answerCallbackQuery', params: { callback_query_id: '1' } })).toEqual([]);
  });
});

test('problems say what was wrong: too many bytes, a chat that is missing or of another type', () => {
  const problems = (params: Record<string, unknown>) =>
    telegram.check(message(params)).map(({ problem }) => problem);
  expect(problems({ text: '😀'.repeat(8193) })).toEqual([expect.stringMatching(/^has 32772 bytes/)]);
  expect(telegram.check({ method: 'sendMessage', params: { text: 'a' } })).toMatchObject([
    { field: 'params.chat_id', problem: expect.stringMatching(/is missing/) },
  ]);
  expect(problems({ chat_id: true })).toEqual([expect.stringMatching(/must be a number/)]);
  expect(problems({ chat_id: 0 })).toEqual([expect.stringMatching(/whole number other than 0/)]);
  expect(problems({ chat_id: '07' })).toEqual([expect.stringMatching(/must be digits/)]);
  expect(telegram.check({ method: 'getMe', params: {} })).toMatchObject([
    { field: 'method', problem: expect.stringMatching(/only reads/) },
  ]);
});

describe('methods', () => {
  test.each(['sendMessage', 'SendMessage', 'editMessageText', 'sendPhoto', 'aMethodOfTomorrow'])(
    '%s: accepted',
    (method) => expect(telegram.check({ ...hello, method })).toEqual([]),
  );

  test.each([
    '',
    'send message',
    'sendMessage/',
    '../getMe',
    'a'.repeat(65),
    '1sendMessage',
    'sendMessage1',
    'getMe',
    'getme',
    'GETUPDATES',
    7,
    null,
  ])('%j: refused', (method) => expect(fields({ ...hello, method })).toEqual(['method']));

  test('another spelling of a method meets the same checks', () =>
    expect(fields({ method: 'SENDMESSAGE', params: { chat_id: 1, text: '' } })).toEqual(['params.text']));
});
