import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { qivuna } from '../../contracts/qivuna.ts';
import type { AnswerOutcome } from '../../domain/outcome.ts';
import { hello, message, options, token } from './qivuna-samples.ts';
import { each } from './telegram-samples.ts';

interface Row {
  readonly id: string;
  readonly httpStatus: number;
  readonly headers: Readonly<Record<string, string>> | null;
  readonly body: string | null;
  readonly expected: {
    readonly outcome: AnswerOutcome['kind'];
    readonly messageId?: number | string | null;
    readonly date?: number | null;
    readonly retryAfterSeconds?: number;
    readonly kind?: readonly string[];
    readonly unreadable?: boolean;
    readonly mayRepeat?: boolean;
    readonly isFlood?: boolean;
    readonly isFinal?: boolean;
    /** Of the service's own account of the failure; without it there is none. */
    readonly code?: string;
    readonly requestId?: string;
  };
}

const rows: readonly Row[] = JSON.parse(
  readFileSync(new URL('../fixtures/qivuna-responses.json', import.meta.url), 'utf8'),
);

describe('each collected answer has its outcome', () => {
  test('the collection is whole', () => expect(rows.length).toBe(68));

  test.each(rows)('$id', ({ httpStatus, headers, body, expected }) => {
    const answer = { httpStatus, headers: headers ?? {}, body: body ?? '' };
    const outcome = qivuna.classify(hello, answer);
    expect(outcome.kind).toBe(expected.outcome);
    switch (outcome.kind) {
      case 'sent':
        expect(outcome.message).toEqual({ message_id: expected.messageId, date: expected.date });
        break;
      case 'flood':
        expect(outcome.retryAfterSeconds).toBe(expected.retryAfterSeconds);
        break;
      case 'rejected':
        expect(expected.kind).toContain(outcome.rejection.kind);
        expect(outcome.rejection.code).toBeNull();
        expect(outcome.rejection.description).toContain(`HTTP ${httpStatus} ${expected.code}: `);
        break;
      case 'unknown':
        expect(outcome.unreadable).toBe(expected.unreadable);
        expect(outcome.mayRepeat ?? false).toBe(expected.mayRepeat);
        break;
      case 'held':
        expect(outcome.isFlood).toBe(expected.isFlood);
        expect(outcome.isFinal).toBe(expected.isFinal);
        break;
      case 'paused':
        expect(httpStatus).toBe(503);
        break;
      case 'migrated':
        throw new Error('chats of this service do not move');
    }
    if ('evidence' in outcome) {
      expect(outcome.evidence).toContain(`HTTP ${httpStatus}`);
      expect(outcome.evidence.length).toBeLessThanOrEqual(200);
      expect(outcome.evidence).not.toMatch(/<|\n/);
    }
  });

  test.each(rows.filter(({ expected }) => expected.code !== undefined))(
    '$id: the account of the service',
    ({ httpStatus, headers, body, expected }) =>
      expect(
        qivuna.serviceError(hello, { httpStatus, headers: headers ?? {}, body: body ?? '' }),
      ).toMatchObject({
        code: expected.code,
        numericCode: null,
        requestId: expected.requestId ?? null,
      }),
  );
});

describe('the request', () => {
  test('is as the page shows it', () => {
    expect(qivuna.request(hello, options)).toEqual({
      url: 'https://bots.qivuna.com/v1/sendMessage',
      headers: {
        authorization: `Bot ${token}`,
        'content-type': 'application/json',
        'idempotency-key': 'upd-1044-reply',
      },
      body: '{"chat_id":4503600212045337,"text":"Your parcel is here."}',
    });
  });

  test.each(each(['https://bots.example', 'https://bots.example/', 'https://bots.example///']))(
    'goes under the root without its last slashes: %s',
    (apiRoot) =>
      expect(qivuna.request(hello, { ...options, apiRoot }).url).toBe('https://bots.example/v1/sendMessage'),
  );

  test('goes to the method of the content', () =>
    expect(qivuna.request({ method: 'pinMessage', params: {} }, options)).toMatchObject({
      url: 'https://bots.qivuna.com/v1/pinMessage',
      body: '{}',
    }));

  test('has a text of digits as the text that it is', () =>
    expect(qivuna.request(message({ chat_id: 1, text: '123' }), options).body).toBe(
      '{"chat_id":1,"text":"123"}',
    ));

  test.each([
    ['9007199254740993', '9007199254740993'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['9999999999999999999', '9999999999999999999'],
    ['42', '42'],
    [42, '42'],
    [-42, '-42'],
    [0, '0'],
    [-0, '0'],
  ])('has the id %j as the number %s, digit by digit', (chat_id, digits) =>
    expect(qivuna.request(message({ chat_id, text: 'a' }), options).body).toBe(
      `{"chat_id":${digits},"text":"a"}`,
    ),
  );

  test('keeps all other parameters, in their order, as JSON', () => {
    const params = {
      text: 'é "quoted"\n😀',
      chat_id: '9007199254740993',
      nested: { chat_id: '9007199254740993', list: [1, null, true] },
      __proto__: null,
      'a "name"': 1.5,
    };
    const { body } = qivuna.request(message(params), options);
    expect(body).toBe(
      '{"chat_id":9007199254740993,"text":"é \\"quoted\\"\\n😀","nested":{"chat_id":"9007199254740993","list":[1,null,true]},"a \\"name\\"":1.5}',
    );
  });

  test('leaves an id that is none as it is: it was refused before', () =>
    expect(qivuna.request(message({ chat_id: 'x' }), options).body).toContain('"chat_id":"x"'));

  test('is the same, byte for byte, every time: its key demands it', () =>
    expect(qivuna.request(message({}), options)).toEqual(qivuna.request(message({}), options)));
});

describe('the destination', () => {
  test.each([
    [42, '42', 'chat'],
    ['42', '42', 'chat'],
    [-42, '-42', 'group'],
    ['-42', '-42', 'group'],
    [0, '0', 'chat'],
    [-0, '0', 'chat'],
    [2 ** 52, '4503599627370496', 'chat'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991', 'chat'],
    ['9007199254740993', '9007199254740993', 'chat'],
    ['-9999999999999999999', '-9999999999999999999', 'group'],
  ])('%s is the bucket %s, a %s', (chatId, chat, chatKind) => {
    expect(qivuna.check(message({ chat_id: chatId }))).toEqual([]);
    expect(qivuna.destination(message({ chat_id: chatId }))).toEqual({ chat, chatKind, weight: 1 });
  });

  test('of a method without a chat is a bucket of its own', () => {
    const destination = { chat: 'method:setname', chatKind: 'chat', weight: 1 };
    expect(qivuna.destination({ method: 'setName', params: {} })).toEqual(destination);
    expect(qivuna.destination({ method: 'setName', params: Object.create({ chat_id: 5 }) })).toEqual(
      destination,
    );
  });
});

describe('the same content for another chat', () => {
  test.each([
    ['7', 7],
    ['-7', -7],
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', '9007199254740993'],
    ['07', '07'],
    ['1e3', '1e3'],
    ['', ''],
    ['1.5', '1.5'],
  ])('%j becomes %j, with nothing else changed', (chat, chat_id) =>
    expect(qivuna.readdress(message({ more: 1 }), chat)).toEqual(message({ chat_id, more: 1 })),
  );

  test('leaves content without a chat as it is', () => {
    const content = { method: 'setName', params: { name: 'x' } };
    expect(qivuna.readdress(content, '7')).toBe(content);
  });
});

describe('a text to a chat', () => {
  test('is a sendMessage, in which what was left out stays left out', () => {
    expect(qivuna.text.content('42', 'hi')).toEqual({
      method: 'sendMessage',
      params: { chat_id: '42', text: 'hi' },
    });
    expect(qivuna.text.content(undefined, 'hi').params).toEqual({ text: 'hi' });
    expect(qivuna.text.content(42, undefined).params).toEqual({ chat_id: 42 });
  });

  test("names its fields as the app does, and leaves others' names", () =>
    expect(
      ['params.chat_id', 'params.text', 'params.x', 'method', 'constructor'].map((field) =>
        qivuna.text.fieldName(field),
      ),
    ).toEqual(['chat', 'text', 'params.x', 'method', 'constructor']));
});

describe('a token', () => {
  test.each(each(['7:s', token, 'a:b:c', '!:~', '7:/#%?']))('%s', (text) =>
    expect(qivuna.tokenProblem(text)).toBeNull(),
  );

  test.each(
    each([
      '',
      ':',
      '7:',
      ':s3cret',
      '7000000001',
      '7 :secret',
      '7:sec ret',
      '7:sécret',
      `${token}\n`,
      'é:s',
      ' 7:secret',
    ]),
  )('none: %j', (text) => {
    const problem = qivuna.tokenProblem(text);
    expect(problem).toMatch(/id:secret/);
    if (text.length > 3) expect(problem).not.toContain(text.trim());
  });

  test('names the bot by itself: there is no account', () => {
    expect(qivuna.accountProblem(null)).toBeNull();
    expect(qivuna.accountProblem('acc_1')).toMatch(/leave it out/);
  });
});

test('the protection has a margin off what the service keeps: an hour and 1,000 keys', () => {
  expect(qivuna.name).toBe('qivuna');
  expect(qivuna.protection).toEqual({ windowMs: 3_300_000, otherKeys: 900 });
});
