import { describe, expect, test } from 'vitest';
import { qivuna } from '../../contracts/qivuna.ts';
import type { AnswerOutcome } from '../../domain/outcome.ts';
import { answered, answerOf, failure, hello, message, token } from './qivuna-samples.ts';
import { each } from './telegram-samples.ts';

/** An outcome in one word, as the page's table has it. */
function decision(outcome: AnswerOutcome): string {
  switch (outcome.kind) {
    case 'rejected':
      return `rejected ${outcome.rejection.kind}`;
    case 'unknown':
      return outcome.mayRepeat === true ? 'the same key again' : 'unknown';
    case 'held':
      return outcome.isFinal === true && outcome.isFlood === false ? 'held for good' : 'held';
    case 'sent':
    case 'flood':
    case 'paused':
    case 'migrated':
      return outcome.kind;
  }
}

describe('the table of the page', () => {
  const rated = failure('rate_limited', { retry_after: 5 });
  test.each([
    [200, { result: { message_id: 5 } }, 'sent'],
    [299, {}, 'sent'],
    [200, { name: 'internal' }, 'the same key again'],
    [200, { name: 'rate_limited', retry_after: 5 }, 'the same key again'],
    [200, { ok: true, name: 'platform_paused', result: { message_id: 5 } }, 'the same key again'],
    [200, { code: 'idempotency_in_progress' }, 'the same key again'],
    [200, { error_code: 'odd', message_id: 5 }, 'the same key again'],
    [200, { error_code: 400, message_id: 5 }, 'the same key again'],
    [202, { name: 'odd_failure', message: 'something went wrong' }, 'the same key again'],
    [200, { name: 'parcels', message_id: 5 }, 'sent'],
    [200, { ok: true, name: 'parcels', result: true }, 'sent'],
    [200, { ok: true, name: 'a chat of many words' }, 'sent'],
    [200, { name: 'a chat of many words' }, 'sent'],
    [200, { error_code: null, code: null, name: null }, 'sent'],
    [300, {}, 'the same key again'],
    [199, { result: { message_id: 5 } }, 'the same key again'],
    [200, '{"result":{"mess', 'the same key again'],
    [200, '<html></html>', 'the same key again'],
    [500, failure('internal'), 'the same key again'],
    [500, failure('Internal'), 'unknown'],
    [501, failure('internal'), 'unknown'],
    [502, failure('bad_gateway'), 'unknown'],
    [503, failure('internal'), 'unknown'],
    [599, failure('odd'), 'unknown'],
    [600, failure('odd'), 'the same key again'],
    [429, rated, 'flood'],
    [428, rated, 'rejected other'],
    [503, rated, 'unknown'],
    [200, rated, 'the same key again'],
    [429, failure('rate_limited'), 'held'],
    [429, failure('platform_paused', { retry_after: 5 }), 'held'],
    [429, '<html></html>', 'held'],
    [429, '', 'held'],
    [409, failure('idempotency_in_progress'), 'the same key again'],
    [409, failure('idempotency_mismatch'), 'held for good'],
    [400, failure('idempotency_in_progress'), 'rejected other'],
    [400, failure('idempotency_mismatch'), 'rejected other'],
    [409, failure('conflict'), 'rejected other'],
    [503, failure('platform_paused'), 'paused'],
    [502, failure('platform_paused'), 'unknown'],
    [400, failure('platform_paused'), 'rejected other'],
    [400, failure('bad_request'), 'rejected request'],
    [401, failure('bad_request'), 'rejected auth'],
    [403, failure('unauthorized'), 'rejected permission'],
    [404, failure('bad_request'), 'rejected other'],
    [413, failure('bad_request'), 'rejected other'],
    [499, failure('odd'), 'rejected other'],
    [399, failure('bad_request'), 'the same key again'],
    [401, '<html></html>', 'the same key again'],
    [404, '', 'the same key again'],
    [503, 'upstream connect error', 'the same key again'],
    [100, '', 'the same key again'],
    [Number.NaN, failure('odd'), 'the same key again'],
  ])('%d %j: %s', (httpStatus, body, expected) =>
    expect(decision(answered(httpStatus, body))).toBe(expected),
  );

  test('an answer of the service is told from one that is not', () => {
    expect(answered(500, failure('internal'))).toMatchObject({ unreadable: false });
    expect(answered(502, failure('odd'))).toMatchObject({ unreadable: false });
    expect(answered(409, failure('idempotency_in_progress'))).toMatchObject({ unreadable: false });
    expect(answered(502, '<html></html>')).toMatchObject({ unreadable: true });
    expect(answered(200, '')).toMatchObject({ unreadable: true });
  });

  test('what is not to be repeated does not say that it may', () =>
    expect(answered(502, failure('odd'))).not.toHaveProperty('mayRepeat'));
});

describe('the name of an error', () => {
  test.each(
    each([
      { error: 'rate_limited' },
      { error: { code: 'rate_limited' } },
      { error: { name: 'rate_limited' } },
      { error: { type: 'rate_limited' } },
      { code: 'rate_limited' },
      { error_code: 'rate_limited' },
      { name: 'rate_limited' },
      { error: { type: 'client_error', code: 'rate_limited' } },
      { error: { code: 'E429', type: 'rate_limited' } },
      { error: 'error', code: 'rate_limited' },
      { error: { message: 'Too many', code: 429 }, name: 'rate_limited' },
    ]),
  )('is found in %j', (body) =>
    expect(answered(429, { ...body, retry_after: 5 })).toEqual({ kind: 'flood', retryAfterSeconds: 5 }),
  );

  test.each(
    each<unknown>([
      {},
      { error: '' },
      { error: 'Bad Request' },
      { error: 'bad_request ' },
      { error: ' bad_request' },
      { error: '4bad' },
      { error: 'a'.repeat(65) },
      { error: 400 },
      { error: null },
      { error: ['bad_request'] },
      { error: { code: 400 } },
      { error: { message: 'bad_request' } },
      { errors: ['bad_request'] },
      { error: { code: 'bad_request' }, name: 'internal' },
      { error: 'bad_request', code: 'rate_limited' },
      '{"__proto__":{"error":"bad_request"}}',
      '{"error":{"__proto__":{"code":"bad_request"}}}',
      ' \uFEFF{"error":"bad_request"}',
      '[{"error":"bad_request"}]',
      '"bad_request"',
      'null',
      '['.repeat(100_000),
    ]),
  )('is not found in %j', (body) => {
    expect(answered(400, body)).toMatchObject({ kind: 'unknown', unreadable: true, mayRepeat: true });
    expect(qivuna.serviceError(hello, answerOf(400, body))).toBeNull();
  });

  test('of 64 letters, digits and marks is one; of several not documented the first counts', () => {
    const nameOf = (body: unknown) => qivuna.serviceError(hello, answerOf(400, body))?.code;
    for (const name of ['a', 'Z9_.-', 'a'.repeat(64)]) expect(nameOf({ error: name })).toBe(name);
    expect(nameOf({ error: { type: 'c', name: 'b', code: 'a' }, code: 'd' })).toBe('a');
    expect(nameOf({ error: { type: 'c', name: 'b' }, code: 'd' })).toBe('b');
    expect(nameOf({ name: 'f', error_code: 'e', code: 'd' })).toBe('d');
    expect(nameOf({ name: 'f', error_code: 'e' })).toBe('e');
    expect(nameOf({ error: { code: 'bad_request' }, name: 'bad_request' })).toBe('bad_request');
    for (const name of ['bad_request', 'idempotency_in_progress', 'idempotency_mismatch', 'internal'])
      expect(nameOf({ error: { type: name, code: 'a category' }, code: 'category' })).toBe(name);
  });
});

describe('a 429 has a delay only as a whole number of seconds', () => {
  const usable = each([0, 1, 35, 42_055, 1_209_600, 4_503_599_627_370]);
  test.each(usable)('%d', (retry_after) => {
    const flood = { kind: 'flood', retryAfterSeconds: retry_after };
    expect(answered(429, { error: 'rate_limited', retry_after })).toEqual(flood);
    expect(answered(429, failure('rate_limited', { retry_after }))).toEqual(flood);
    expect(answered(429, { error: 'rate_limited', parameters: { retry_after } })).toEqual(flood);
  });

  const unusable: readonly unknown[] = [
    '35',
    2.5,
    -1,
    null,
    true,
    [35],
    {},
    1e300,
    2 ** 53,
    4_503_599_627_371,
  ];
  test.each(each(unusable))('not %j', (retry_after) => {
    expect(answered(429, { error: 'rate_limited', retry_after }).kind).toBe('held');
    expect(answered(429, failure('rate_limited', { retry_after })).kind).toBe('held');
    expect(answered(429, { error: 'rate_limited', parameters: { retry_after } }).kind).toBe('held');
  });

  test('given in several places it must be the same in all', () => {
    const given = (inError: unknown, onTop: unknown, inParameters: unknown) =>
      answered(429, {
        error: { code: 'rate_limited', retry_after: inError },
        retry_after: onTop,
        parameters: { retry_after: inParameters },
      }).kind;
    expect(given(5, 5, 5)).toBe('flood');
    for (const places of [
      [6, 5, 5],
      [5, 6, 5],
      [5, 5, 6],
      [5, 5, '5'],
      [5, null, 5],
    ] as const)
      expect(given(places[0], places[1], places[2])).toBe('held');
  });

  test.each(
    each([
      { error: 'rate_limited', retryAfter: 5 },
      { error: 'rate_limited', data: { retry_after: 5 } },
      { error: 'rate_limited', parameters: [5] },
      { error: { code: 'rate_limited', parameters: { retry_after: 5 } } },
      { error: 'rate_limited', message: 'retry after 5' },
    ]),
  )('not from another place: %j', (body) => expect(answered(429, body).kind).toBe('held'));

  test('not an inherited one, and minus zero is zero', () => {
    expect(answered(429, '{"error":"rate_limited","__proto__":{"retry_after":5}}').kind).toBe('held');
    const none = answered(429, '{"error":"rate_limited","retry_after":-0}');
    expect(none.kind === 'flood' && Object.is(none.retryAfterSeconds, 0)).toBe(true);
  });
});

describe('the message that was sent', () => {
  const sent = (body: unknown) => {
    const outcome = answered(200, body);
    return outcome.kind === 'sent' ? outcome.message : outcome.kind;
  };

  test.each([
    [{ result: { message_id: 5, date: 7 } }, 5, 7],
    [{ message_id: 5, date: 7 }, 5, 7],
    [{ data: { message_id: 5, date: 7 } }, 5, 7],
    [{ message: { id: 5, date: 7 } }, 5, 7],
    [{ result: { message_id: 1 }, message_id: 2, data: { message_id: 3 }, message: { id: 4 } }, 1, null],
    [{ message_id: 2, data: { message_id: 3 }, message: { id: 4 } }, 2, null],
    [{ data: { message_id: 3 }, message: { id: 4 } }, 3, null],
    [{ result: { message_id: null }, message_id: 'm-1' }, 'm-1', null],
    [{ result: { message_id: 'a'.repeat(64), date: '7' } }, 'a'.repeat(64), null],
    [{ result: { message_id: -5, date: -1 } }, -5, null],
    [{ result: { message_id: 'a'.repeat(65) } }, null, null],
    [{ result: { message_id: '' } }, null, null],
    [{ result: { message_id: 'a b' } }, null, null],
    [{ result: { message_id: 1.5 } }, null, null],
    [{ result: { message_id: true } }, null, null],
    [{ result: { id: 5 }, id: 5, message: 'sent', data: [{ message_id: 5 }] }, null, null],
    [{ message: { message_id: 5 } }, null, null],
    [{ result: null, date: 7 }, null, null],
  ])('%j', (body, message_id, date) => expect(sent(body)).toEqual({ message_id, date }));

  test.each(
    each<unknown>([
      { ok: false },
      { ok: false, result: { message_id: 5 } },
      { error: 'internal' },
      { error: {} },
      { error: '' },
      { error: true, message_id: 5 },
      { error: 0 },
      { code: 'bad_request' },
      { name: 'internal', message_id: 5 },
      { ok: true, name: 'idempotency_mismatch' },
      { name: 'odd' },
    ]),
  )('is none where the success denies itself: %j', (body) =>
    expect(answered(200, body)).toEqual({
      kind: 'unknown',
      unreadable: true,
      evidence: 'HTTP 200, a success that says that it is none',
      mayRepeat: true,
    }),
  );

  test.each(
    each<unknown>([
      { ok: true, error: null },
      { error: false },
      { ok: null },
      { ok: 0 },
      { ok: true, code: 'odd' },
      { code: 7 },
      '{"__proto__":{"ok":false,"error":"internal"}}',
    ]),
  )('is one where it does not: %j', (body) => {
    expect(answered(200, body).kind).toBe('sent');
    expect(qivuna.serviceError(hello, answerOf(200, body))).toBeNull();
  });
});

describe('what a 404 was about', () => {
  const kindOf = (code: string, message?: string) => decision(answered(404, failure(code, { message })));

  test.each([
    ['chat_not_found', undefined],
    ['user.not_found', undefined],
    ['ChatNotFound', undefined],
    ['CHAT_ID_NOT_FOUND', undefined],
    ['chatIdNotFound', undefined],
    ['unknown_error', 'Chat not found'],
    ['not_found', 'The user was not found.'],
    ['not_found', 'recipient is unknown'],
    ['not_found', 'Chat -1003000000123 not found'],
    ['not_found', 'chat id 5 is not found'],
  ])('a chat or a person: %s, %s', (code, words) => expect(kindOf(code, words)).toBe('rejected destination'));

  test.each([
    ['not_found', undefined],
    ['method_not_found', 'No such method'],
    ['not_found', 'message to the chat was too old, not found'],
    ['not_found', 'superuser not found'],
    ['not_found', 'chat not founded'],
  ])('something else: %s, %s', (code, words) => expect(kindOf(code, words)).toBe('rejected other'));

  test('other statuses are judged without their words', () => {
    expect(decision(answered(400, failure('chat_not_found')))).toBe('rejected other');
    expect(decision(answered(400, failure('bad_request', { message: 'chat not found' })))).toBe(
      'rejected request',
    );
  });
});

describe('what a person is shown', () => {
  const described = (body: unknown) => {
    const outcome = answered(400, body);
    return outcome.kind === 'rejected' ? outcome.rejection.description : outcome.kind;
  };

  test.each([
    [failure('bad_request'), '(no description)'],
    [failure('bad_request', { message: 'a', description: 'b' }), 'a'],
    [failure('bad_request', { description: 'b' }), 'b'],
    [{ error: { code: 'bad_request', description: 'b' }, message: 'c' }, 'b'],
    [{ error: 'bad_request', message: 'c', description: 'd' }, 'c'],
    [{ error: 'bad_request', description: 'd' }, 'd'],
    [{ error: 'Bad Request: no', code: 'bad_request' }, 'Bad Request: no'],
    [{ error: 'error', code: 'bad_request' }, '(no description)'],
    [failure('bad_request', { message: 7, description: 'b' }), 'b'],
    [failure('bad_request', { message: '\u0007' }), '(no description)'],
    [failure('bad_request', { message: 'a', parameter: 'chat_id' }), 'a (parameter chat_id)'],
    [{ error: 'bad_request', parameter: 'text' }, '(no description) (parameter text)'],
    [{ error: 'bad_request', parameters: { parameter: 'text' } }, '(no description) (parameter text)'],
    [{ error: { code: 'bad_request', parameter: 'a' }, parameter: 'b' }, '(no description) (parameter a)'],
    [{ error: { code: 'bad_request', parameter: 7 }, parameter: 'b' }, '(no description) (parameter b)'],
    [failure('bad_request', { parameter: 'a'.repeat(64) }), `(no description) (parameter ${'a'.repeat(64)})`],
    [failure('bad_request', { parameter: 'a'.repeat(65) }), '(no description)'],
    [failure('bad_request', { parameter: 'é' }), '(no description)'],
    [failure('bad_request', { parameter: '' }), '(no description)'],
    [failure('bad_request', { parameter: '  ' }), '(no description)'],
  ])('%j', (body, words) => expect(described(body)).toBe(`HTTP 400 bad_request: ${words}`));

  test('evidence says what was seen', () => {
    const evidenceOf = (httpStatus: number, body: unknown, headers = {}) => {
      const outcome = qivuna.classify(hello, answerOf(httpStatus, body, headers));
      return 'evidence' in outcome ? outcome.evidence : outcome.kind;
    };
    expect(evidenceOf(500, failure('internal', { message: 'restart' }))).toBe('HTTP 500 internal: restart');
    expect(evidenceOf(503, failure('platform_paused'))).toBe('HTTP 503 platform_paused: (no description)');
    expect(evidenceOf(409, failure('idempotency_in_progress', { message: 'wait' }))).toBe(
      'an earlier request with this key is still running: HTTP 409 idempotency_in_progress: wait',
    );
    expect(evidenceOf(409, failure('idempotency_mismatch', { message: 'differs' }))).toBe(
      'this key was used for another request: HTTP 409 idempotency_mismatch: differs',
    );
    expect(evidenceOf(429, failure('rate_limited', { message: 'slow' }))).toBe(
      'HTTP 429 rate_limited, no usable retry_after: slow',
    );
    expect(evidenceOf(429, 'x', { 'content-type': 'text/plain; charset=utf-8' })).toBe(
      'HTTP 429, text/plain, 1 bytes',
    );
    expect(evidenceOf(502, '')).toBe('HTTP 502, empty body');
    expect(evidenceOf(502, 'é')).toBe('HTTP 502, no content type, 2 bytes');
    expect(evidenceOf(502, 'x', { 'content-type': ';' })).toBe('HTTP 502, no content type, 1 bytes');
  });

  test('the account of the service has its name, words and request', () => {
    const headers = { 'x-request-id': 'req-1' };
    const answer = answerOf(400, failure('bad_request', { message: 'a', parameter: 'text' }), headers);
    expect(qivuna.serviceError(hello, answer)).toEqual({
      code: 'bad_request',
      numericCode: null,
      message: 'a (parameter text)',
      requestId: 'req-1',
    });
    const withId = (id: string) =>
      qivuna.serviceError(hello, { ...answer, headers: { 'x-request-id': id } })?.requestId;
    for (const id of ['1', 'a'.repeat(128), '6e0f:1/x']) expect(withId(id)).toBe(id);
    for (const id of ['', ' a', 'a b', 'é', 'a'.repeat(129), token]) expect(withId(id)).toBeNull();
    expect(qivuna.serviceError(hello, { ...answer, headers: {} })?.requestId).toBeNull();
  });

  test('a success that denies itself is accounted for', () =>
    expect(qivuna.serviceError(hello, answerOf(200, failure('internal')))?.code).toBe('internal'));
});

describe('nothing secret is repeated (invariant 8)', () => {
  const text = String(hello.params['text']);
  const words = `Bot ${token}, /v1/${token}/x, ${token.replace(':', '%3A')}: ${text} \u0007\u202e${'x'.repeat(2000)}`;

  test.each([
    [400, failure('bad_request', { message: words, parameter: token })],
    [400, { error: 'bad_request', description: words, parameter: text }],
    [400, { error: words, code: 'bad_request' }],
    [401, failure('unauthorized', { message: words })],
    [409, failure('idempotency_in_progress', { message: words })],
    [409, failure('idempotency_mismatch', { message: words })],
    [429, failure('rate_limited', { message: words })],
    [500, failure('internal', { message: words })],
    [502, failure('odd', { message: words })],
    [503, failure('platform_paused', { message: words })],
    [502, words],
    [200, words],
    [200, { result: { message_id: token } }],
  ])('neither token nor text, and no more than fits: %d %#', (httpStatus, body) => {
    const answer = answerOf(httpStatus, body, { 'content-type': `text/${token}`, 'x-request-id': token });
    const outcome = qivuna.classify(hello, answer);
    const said = JSON.stringify([outcome, qivuna.serviceError(hello, answer)]);
    expect(said).not.toContain('qv-secret');
    expect(said).not.toContain(text);
    expect(said).not.toMatch(/[\p{Cc}\u202e]/u);
    if (outcome.kind === 'rejected') expect(outcome.rejection.description.length).toBeLessThanOrEqual(300);
    if ('evidence' in outcome) expect(outcome.evidence.length).toBeLessThanOrEqual(200);
    expect(qivuna.serviceError(hello, answer)?.message.length ?? 0).toBeLessThanOrEqual(300);
  });

  const shownWith = (words: string, params: Record<string, unknown> = {}) =>
    qivuna.serviceError(message(params), answerOf(400, failure('bad_request', { message: words })))?.message;

  test.each([
    [{ text: 'one long text' }, 'x [text] y [text]'],
    [{ text: '  one long text\n' }, 'x [text] y [text]'],
    [{ caption: 'one long text' }, 'x [text] y [text]'],
    [{ text: 'one long t' }, 'x one long text y one long text'],
    [{ text: 7, caption: null }, 'x one long text y one long text'],
  ])('the text of the message, should the service repeat it: %j', (params, shown) =>
    expect(shownWith('x one long text y one long text', params)).toBe(shown),
  );

  test.each([
    ['Bot 7:short is unknown', '[token] is unknown'],
    ['bot 7%3Ashort is unknown', '[token] is unknown'],
    ['no bot 7000000001:abcdefgh here', 'no [token] here'],
    ['7000000001:abcdefgh', '[token]'],
    ['a7000000001:abcdefgh,', '[token]'],
    ['at 10:30:00', 'at 10:30:00'],
    ['robot a:b', 'robot a:b'],
    ['see https://qivuna.example/help', 'see https://qivuna.example/help'],
    [`see https://qivuna.example/bot${token}/x`, 'see https:[token]'],
    ['chat 4503600212045337', 'chat 4503600212045337'],
  ])('what may be a token: %s', (words, shown) => expect(shownWith(words)).toBe(shown));

  test('a name or an id that is the text itself is none', () => {
    const content = message({ text: 'password_1' });
    expect(qivuna.classify(content, answerOf(400, { error: 'password_1' })).kind).toBe('unknown');
    expect(qivuna.classify(content, answerOf(200, { message_id: 'password_1' }))).toMatchObject({
      message: { message_id: null },
    });
    const named = message({ text: 'bad_request' });
    expect(qivuna.serviceError(named, answerOf(400, failure('bad_request')))?.code).toBe('bad_request');
  });

  test('long words are searched at once', () => {
    const startedMs = performance.now();
    for (const words of ['a'.repeat(3_000_000), 'a:'.repeat(1_000_000), 'Bot '.repeat(1_000_000)])
      shownWith(words);
    expect(performance.now() - startedMs).toBeLessThan(5000);
  });
});
