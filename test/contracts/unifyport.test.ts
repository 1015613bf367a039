import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { chatBucket, textContent } from '../../client/text-content.ts';
import { unifyport } from '../../contracts/unifyport.ts';
import type { AnswerOutcome, ServiceError } from '../../domain/outcome.ts';
import { each } from './telegram-samples.ts';
import { hello, message, to } from './unifyport-samples.ts';

interface Row {
  readonly id: string;
  readonly httpStatus: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly expected: {
    readonly outcome: AnswerOutcome['kind'];
    readonly messageId?: string | number;
    readonly kind?: string;
    readonly isFlood?: boolean;
    readonly unreadable?: boolean;
    readonly error?: ServiceError | null;
  };
}

const rows: readonly Row[] = JSON.parse(
  readFileSync(new URL('../fixtures/unifyport-responses.json', import.meta.url), 'utf8'),
);

describe('each collected answer has its outcome', () => {
  test('the collection is whole', () => {
    expect(rows.length).toBe(88);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(88);
  });

  test.each(rows)('$id', ({ httpStatus, headers, body, expected }) => {
    const answer = { httpStatus, headers, body: body ?? '' };
    const outcome = unifyport.classify(hello, answer);
    expect(outcome.kind).toBe(expected.outcome);
    expect(unifyport.serviceError(hello, answer)).toEqual(expected.error ?? null);
    switch (outcome.kind) {
      case 'sent':
        expect(outcome.message).toEqual({ message_id: expected.messageId, date: null });
        break;
      case 'rejected':
        expect(outcome.rejection).toEqual({
          kind: expected.kind,
          code: httpStatus,
          description: expect.stringContaining(`${expected.error?.code}`),
        });
        break;
      case 'held':
        expect(outcome.isFlood ?? true).toBe(expected.isFlood);
        expect(outcome.isFinal).toBeUndefined();
        break;
      case 'unknown':
        expect(outcome.unreadable).toBe(expected.unreadable);
        expect(outcome.mayRepeat).toBeUndefined();
        break;
      case 'flood':
      case 'paused':
      case 'migrated':
        expect.unreachable();
    }
    if ('evidence' in outcome) {
      expect(outcome.evidence).toContain(`HTTP ${httpStatus}`);
      expect(outcome.evidence).not.toMatch(/<|\n/);
      expect(outcome.evidence).toContain(expected.error?.code ?? '');
      expect(outcome.evidence).toContain(expected.error?.requestId ?? '');
    }
  });
});

describe('the request', () => {
  const options = {
    apiRoot: unifyport.defaultApiRoot,
    token: 'dk_live_example',
    key: 'upd-1044-reply',
    account: 'acc_01',
    trace: 'support/upd-1044-reply/1',
  };

  test('goes to the messages under the root, with the key in its header and the account of the bot', () => {
    const content = message({ provider_data: { parse_mode: 'HTML' } });
    const { body, ...request } = unifyport.request(content, options);
    expect(request).toEqual({
      url: 'https://api.unifyport.ai/v1/messages',
      headers: {
        'x-api-key': 'dk_live_example',
        'content-type': 'application/json',
        'x-request-id': 'support/upd-1044-reply/1',
      },
    });
    expect(JSON.parse(body)).toEqual({ account_id: 'acc_01', ...content.params });
  });

  test.each(each(['https://port.example', 'https://port.example/', 'https://port.example///']))(
    'under the root without its last slashes: %s',
    (apiRoot) =>
      expect(unifyport.request(hello, { ...options, apiRoot }).url).toBe('https://port.example/v1/messages'),
  );

  test('never names another account, not even for content that was never checked', () => {
    const { body } = unifyport.request(message({ account_id: 'acc_other' }), options);
    expect(JSON.parse(body)).toMatchObject({ account_id: 'acc_01' });
  });

  test('carries the same content whatever the key and the attempt: there is no idempotency key', () => {
    const { body } = unifyport.request(hello, options);
    expect(unifyport.request(hello, { ...options, key: 'other', trace: 'other/2' }).body).toBe(body);
    expect(unifyport.protection).toBeNull();
  });
});

describe('the destination', () => {
  test.each([
    ['user', '0042', 'user:0042', 'chat'],
    ['group', '12036302@g.us', 'group:12036302@g.us', 'group'],
    ['channel', '@News', 'channel:@News', 'group'],
    ['user', 'user:7', 'user:user:7', 'chat'],
  ])('a %s %s is the bucket %s, a %s', (type, id, chat, chatKind) =>
    expect(unifyport.destination(to(id, type))).toEqual({ chat, chatKind, weight: 1 }),
  );

  test('keeps ids that differ in anything apart', () => {
    const ids = ['42', '042', 'Uab', 'uab', '@a', '@A', '4503599627370495', '45035996273704950'];
    const chats = ids.map((id) => unifyport.destination(to(id)).chat);
    expect(new Set(chats).size).toBe(ids.length);
  });

  test.each(each<unknown>([undefined, null, 'user:7', {}, { id: 7, type: 'user' }, { id: '7', type: 'x' }]))(
    'content that was never checked has a bucket of its own: %j',
    (recipient) =>
      expect(unifyport.destination(message({ to: recipient }))).toEqual({
        chat: 'no_recipient',
        chatKind: 'group',
        weight: 1,
      }),
  );

  test('nothing migrates: content is never changed for another chat', () => {
    expect(unifyport.readdress(hello, 'user:7')).toBe(hello);
  });
});

describe('the text form', () => {
  test.each([
    ['user:42', { id: '42', type: 'user' }],
    ['group:120@g.us', { id: '120@g.us', type: 'group' }],
    ['channel:@News', { id: '@News', type: 'channel' }],
    ['42', { id: '42', type: 'user' }],
    ['Group:42', { id: 'Group:42', type: 'user' }],
    ['room:42', { id: 'room:42', type: 'user' }],
    ['user:group:42', { id: 'group:42', type: 'user' }],
    ['supergroup:42', { id: 'supergroup:42', type: 'user' }],
    ['user:', { id: '', type: 'user' }],
    ['group:a\nb', { id: 'a\nb', type: 'group' }],
    [42, { id: 42, type: 'user' }],
    [null, { id: null, type: 'user' }],
  ])('%j goes to %j', (chat, recipient) =>
    expect(unifyport.text.content(chat, 'hi')).toEqual({
      method: 'sendMessage',
      params: { to: recipient, message: { type: 'text', text: 'hi' } },
    }),
  );

  test('leaves out what is not given', () => {
    expect(unifyport.text.content(undefined, undefined)).toEqual({
      method: 'sendMessage',
      params: { message: { type: 'text' } },
    });
  });

  test.each([
    [undefined, 'hi', ['chat']],
    ['42', undefined, ['text']],
    ['42', '', ['text']],
    [42, 'hi', ['chat']],
    [2 ** 60, 'hi', ['chat']],
    ['', 7, ['chat', 'text']],
    ['user:', 'hi', ['chat']],
  ])('a problem of (%j, %j) is told by the field that the caller knows: %j', (chat, text, fields) => {
    const problems = unifyport.check(unifyport.text.content(chat, text));
    expect(problems.map(({ field }) => unifyport.text.fieldName(field))).toEqual(fields);
  });

  test('other fields keep their names', () => {
    const fieldName = (field: string): string => unifyport.text.fieldName(field);
    expect(['params.to', 'params.to.id', 'params.to.type'].map(fieldName)).toEqual(['chat', 'chat', 'chat']);
    expect(['params.message', 'params.message.text'].map(fieldName)).toEqual(['text', 'text']);
    for (const field of ['method', 'params.provider_data', 'params.message.type', 'constructor', '__proto__'])
      expect(fieldName(field)).toBe(field);
  });

  test('every spelling of one chat gives the same content and the same bucket (invariant 1)', () => {
    expect(textContent(unifyport, '42', 'hi')).toEqual(textContent(unifyport, 'user:42', 'hi'));
    expect(chatBucket(unifyport, '42')).toBe('user:42');
    expect(chatBucket(unifyport, 'group:42')).toBe('group:42');
    expect(chatBucket(unifyport, 42)).toBeUndefined();
  });
});

describe('the account', () => {
  test.each(each(['acc_1', 'acc_01HZX-y_z', `acc_${'a'.repeat(120)}`]))('of a bot: %s', (account) =>
    expect(unifyport.accountProblem(account)).toBeNull(),
  );

  test('is asked for where none is configured', () =>
    expect(unifyport.accountProblem(null)).toBe(
      'has no accountId: add the id of the connected account, such as "acc_…"',
    ));

  test.each(each(['', 'acc_', 'ACC_1', 'acct_1', ' acc_1', 'acc_1\n', 'acc_é', `acc_${'a'.repeat(121)}`]))(
    'is none: %j',
    (account) => expect(unifyport.accountProblem(account)).toMatch(/such as "acc_…"/),
  );
});

test('any text that passes as a token may be a key', () => {
  for (const token of ['dk_live_example', 'a/b#c?d', '~']) expect(unifyport.tokenProblem(token)).toBeNull();
});
