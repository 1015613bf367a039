import { describe, expect, test } from 'vitest';
import { unifyport } from '../../contracts/unifyport.ts';
import type { Content } from '../../contracts/contract.ts';
import type { RejectionKind } from '../../domain/outcome.ts';
import { answered, failure, hello, saying } from './unifyport-samples.ts';

describe('a documented refusal', () => {
  test.each<[number, string, RejectionKind]>([
    [400, 'invalid_request', 'request'],
    [400, 'unsupported_message_type', 'request'],
    [400, 'invalid_reply_token', 'request'],
    [400, 'invalid_conversation_type', 'destination'],
    [400, 'unsupported_conversation_type', 'destination'],
    [401, 'missing_api_key', 'auth'],
    [401, 'invalid_api_key', 'auth'],
    [501, 'unsupported_by_provider', 'request'],
  ])('%d %s is a fault of %s', (httpStatus, code, kind) => {
    expect(answered(httpStatus, failure(code, 'words', 7))).toEqual({
      kind: 'rejected',
      rejection: { kind, code: httpStatus, description: `${code} (7): words` },
    });
    // The code alone decides nothing.
    const elsewhere = httpStatus === 400 ? 403 : 400;
    expect(answered(elsewhere, failure(code))).toMatchObject({
      rejection: { kind: 'other', code: elsewhere },
    });
    expect(answered(500, failure(code)).kind).toBe('unknown');
    expect(answered(httpStatus, '').kind).toBe('unknown');
  });

  test.each([400, 401, 403, 404, 409, 418, 499])('of %d by another code is of another kind', (httpStatus) =>
    expect(answered(httpStatus, failure('code_of_tomorrow', 'words'))).toEqual({
      kind: 'rejected',
      rejection: { kind: 'other', code: httpStatus, description: 'code_of_tomorrow: words' },
    }),
  );
});

test('an account that is not bound is held, and not as a flood', () =>
  expect(answered(409, failure('account_binding_not_found', 'bind it', 40901))).toEqual({
    kind: 'held',
    isFlood: false,
    evidence: 'HTTP 409, account_binding_not_found (40901), request req_01: bind it',
  }));

describe('a 429 is held as a flood without a delay', () => {
  test.each<[string, unknown]>([
    ['an envelope', failure('rate_limited', 'slow down')],
    ['parameters.retry_after', { ...(failure('x') as object), parameters: { retry_after: 5 } }],
    ['parameters in the error', { error: { code: 'x', parameters: { retry_after: 5 }, retry_after: 5 } }],
    ['a page', '<html></html>'],
    ['nothing', ''],
    ['a success', { data: { message_id: 'm' } }],
  ])('%s', (_, body) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const outcome = unifyport.classify(hello, {
      httpStatus: 429,
      headers: { 'retry-after': '5' },
      body: text,
    });
    expect(outcome).toEqual({ kind: 'held', evidence: expect.stringMatching(/^HTTP 429, /) });
  });
});

describe('no proof either way is unknown, and never to be repeated', () => {
  test.each([500, 502, 503, 504, 599, 300, 302, 199, 201, 202, 299])(
    'an error of the service with HTTP %d is its own answer',
    (httpStatus) =>
      expect(answered(httpStatus, failure('send_message_failed', 'words', 50001))).toEqual({
        kind: 'unknown',
        unreadable: false,
        evidence: `HTTP ${httpStatus}, send_message_failed (50001), request req_01: words`,
      }),
  );

  test.each([201, 202, 206, 302, 400, 401, 404, 409, 500, 501, 502])(
    'a success is none with HTTP %d',
    (httpStatus) =>
      expect(answered(httpStatus, { data: { message_id: 'm' } })).toEqual({
        kind: 'unknown',
        unreadable: true,
        evidence: `HTTP ${httpStatus}, no content type, 27 bytes`,
      }),
  );

  test('nor is anything nested too deep to be read', () =>
    expect(answered(200, '['.repeat(100_000))).toMatchObject({ kind: 'unknown', unreadable: true }));
});

describe('accepted is what has the id of its message', () => {
  test.each([['m'], [' m'], ['é😀'], ['m'.repeat(512)], [1], [Number.MAX_SAFE_INTEGER]])('%j', (id) =>
    expect(answered(200, { data: { message_id: id } })).toEqual({
      kind: 'sent',
      message: { message_id: id, date: null },
    }),
  );

  test.each([
    [undefined, 'missing'],
    [null, 'null'],
    ['', 'string'],
    [' \n', 'string'],
    ['\ud800', 'string'],
    ['a\u0000', 'string'],
    ['m'.repeat(513), 'string'],
    [0, 'number'],
    [-1, 'number'],
    [1.5, 'number'],
    [1e300, 'number'],
    [true, 'boolean'],
    [['m'], 'array'],
    [{}, 'object'],
  ])('%j is none', (id, word) => {
    const outcome = answered(200, { data: { message_id: id } });
    expect(outcome).toMatchObject({ kind: 'unknown', unreadable: true });
    expect(outcome).toMatchObject({
      evidence: expect.stringMatching(`^HTTP 200, no usable data.message_id \\(${word}\\), `),
    });
  });
});

describe('what the evidence says', () => {
  const evidenceOf = (httpStatus: number, body: unknown, headers: Record<string, string> = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const outcome = unifyport.classify(hello, { httpStatus, headers, body: text });
    return 'evidence' in outcome ? outcome.evidence : outcome;
  };

  test('status, code, number, request and words, as far as they are there', () => {
    expect(evidenceOf(500, { error: { code: 'x' } })).toBe('HTTP 500, x: (no message)');
    expect(evidenceOf(500, { error: { code: 'x', numeric_code: 0 } })).toBe('HTTP 500, x (0): (no message)');
    expect(evidenceOf(500, { error: { code: 'x' } }, { 'x-request-id': 'req_h' })).toBe(
      'HTTP 500, x, request req_h: (no message)',
    );
    expect(evidenceOf(200, failure('x', 'words'))).toBe(
      'HTTP 200, no usable data.message_id (missing), x, request req_01: words',
    );
  });

  test('of an answer that is not of the service: what it looks like', () => {
    expect(evidenceOf(502, '')).toBe('HTTP 502, empty body');
    expect(evidenceOf(502, 'x', { 'content-type': ';' })).toBe('HTTP 502, no content type, 1 bytes');
    expect(evidenceOf(502, '<p>é</p>', { 'content-type': 'text/html; x', 'x-request-id': 'req_h' })).toBe(
      'HTTP 502, text/html, 9 bytes, request req_h',
    );
    expect(evidenceOf(200, { request_id: 'req_01' })).toBe(
      'HTTP 200, no usable data.message_id (missing), no content type, 23 bytes, request req_01',
    );
  });

  test('the words are cut before anything else is', () => {
    const long = {
      request_id: 'r'.repeat(128),
      error: { code: 'c'.repeat(64), numeric_code: 2 ** 53 - 1, message: 'w'.repeat(400) },
    };
    const words = evidenceOf(500, long);
    expect(words).toHaveLength(300);
    expect(words).toContain(`${'c'.repeat(64)} (9007199254740991), request ${'r'.repeat(128)}: www`);
  });
});

describe("the service's own account of a failure", () => {
  const errorOf = (body: unknown, headers: Record<string, string> = {}, content: Content = hello) =>
    unifyport.serviceError(content, { httpStatus: 500, headers, body: JSON.stringify(body) });

  test('keeps code, number, words and request', () =>
    expect(errorOf(failure('send_message_failed', 'words', 50001))).toEqual({
      code: 'send_message_failed',
      numericCode: 50001,
      message: 'words',
      requestId: 'req_01',
    }));

  test('is none where no code is given', () => {
    for (const body of [{}, [], { error: 'x' }, { error: {} }, failure(7), failure(''), failure('\u0007')])
      expect(errorOf(body)).toBeNull();
    expect(errorOf({ data: { message_id: 'm' } })).toBeNull();
  });

  test.each([
    ['r', { 'x-request-id': 'h' }, 'r'],
    [undefined, { 'x-request-id': 'h' }, 'h'],
    ['', { 'x-request-id': 'h' }, 'h'],
    ['a b', { 'x-request-id': 'h' }, 'h'],
    ['r'.repeat(129), {}, null],
    [7, { 'x-request-id': '' }, null],
    [null, {}, null],
  ])('names the request by %j, else by %j: %j', (request_id, headers: Record<string, string>, requestId) =>
    expect(errorOf({ request_id, error: { code: 'x' } }, headers)).toMatchObject({ requestId }),
  );

  test.each([[null], ['7'], [1.5], [2 ** 53], [true], [[]], [{}]])('a numeric code is none: %j', (code) =>
    expect(errorOf(failure('x', 'words', code))).toMatchObject({ numericCode: null }),
  );

  test('is printable, and no longer than fits', () => {
    const error = errorOf(failure(`c\n${'d'.repeat(99)}`, `\u0007\u202E a\n\n${'w '.repeat(500)}`));
    expect(error?.code).toHaveLength(64);
    expect(error?.message).toHaveLength(300);
    expect(JSON.stringify(error)).not.toMatch(/[\p{Cc}\u202E]|\\u|\\n/u);
  });

  test('never reads the details', () =>
    expect(
      JSON.stringify(errorOf({ error: { code: 'x', message: 'y', details: { text: 'a secret of mine' } } })),
    ).not.toContain('secret'));
});

describe('nothing secret is repeated (invariant 8)', () => {
  const wordsOf = (words: string, content: Content): string => {
    const body = failure('x', words);
    const answer = { httpStatus: 500, headers: {}, body: JSON.stringify(body) };
    return unifyport.serviceError(content, answer)?.message ?? '';
  };

  test.each([
    ['one long text', 'x one long text y one long text z', 'x [text] y [text] z'],
    ['  one long text\n', 'x one long text y', 'x [text] y'],
    ['say "hello" now', 'text "say \\"hello\\" now" is wrong', 'text "[text]" is wrong'],
    ['two\n\nlines of it', 'x two lines of it y', 'x [text] y'],
    ['a text of many words, too long to be shown', 'x a text of many words, too l…', 'x [text]…'],
    ['a text of many words', 'a text of many w', '[text]'],
    ['sixteen letters, "more"', 'x sixteen letters, \\"mo…', 'x [text]…'],
    ['[a-z]+ (b|c)* $1 ^x', 'is [a-z]+ (b|c)* $1 ^x wrong?', 'is [text] wrong?'],
    ['many more many', 'many more many many more many', '[text] [text]'],
    ['a text of many words', 'a text of man', 'a text of man'],
    ['short', 'x short y', 'x short y'],
    ['a \n\n\n\n\n b', 'x a b y', 'x a b y'],
    [7, 'x 7 y', 'x 7 y'],
  ])('the text %j in %j', (text, words, clean) => expect(wordsOf(words, saying(text))).toBe(clean));

  test.each([
    ['dk_live_0a1b2c3d4e5f6g7h', '[key]'],
    ['7f1c9a3e-0000-4000-8000-1234567890ab', '[key]'],
    ['acc_01HZXAAAAAAAAAAAAAAAAAAAAA', 'acc_01HZXAAAAAAAAAAAAAAAAAAAAA'],
    ['req_01HZXAAAAAAAAAAAAAAAAAAAAA', 'req_01HZXAAAAAAAAAAAAAAAAAAAAA'],
    ['unsupported_conversation_type', 'unsupported_conversation_type'],
    ['7000000001:AAexample_example-example_example12', '[token]'],
  ])('what may be a key: %s', (word, shown) =>
    expect(wordsOf(`is "${word}" wrong?`, hello)).toBe(`is "${shown}" wrong?`),
  );

  test('wherever in the answer they stand', () => {
    const text = 'Your-parcel-is-here';
    const body = { request_id: text, error: { code: `bad_${text}`, message: `on ${text}` } };
    for (const httpStatus of [200, 400, 409, 429, 500]) {
      const answer = {
        httpStatus,
        headers: { 'x-request-id': text, 'content-type': `${text}/html` },
        body: JSON.stringify(body),
      };
      const seen = [unifyport.classify(saying(text), answer), unifyport.serviceError(saying(text), answer)];
      expect(JSON.stringify(seen)).not.toContain('parcel');
      expect(JSON.stringify(unifyport.classify(saying(text), { ...answer, body: '' }))).not.toContain(
        'parcel',
      );
      expect(JSON.stringify(unifyport.classify(saying(text), { ...answer, body: 'x' }))).not.toContain(
        'parcel',
      );
    }
  });
});
