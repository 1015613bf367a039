import { describe, expect, test } from 'vitest';
import { telegram } from '../../contracts/telegram.ts';
import { answered, each, hello, refusal } from './telegram-samples.ts';

describe('no proof either way is unknown', () => {
  test.each([
    ['U4: cut off', 200, '{"ok":tr'],
    ['U4: a page', 200, '<html>welcome</html>'],
    ['empty', 200, ''],
    ['no object', 200, '[{"ok":true}]'],
    ['ok as text', 200, { ok: 'true', result: { message_id: 5 } }],
    ['ok as a number', 200, { ok: 1, result: { message_id: 5 } }],
    ['ok inherited', 200, '{"__proto__":{"ok":true,"result":{"message_id":5}}}'],
    ['no result', 200, { ok: true }],
    ['result true', 200, { ok: true, result: true }],
    ['result without id', 200, { ok: true, result: { date: 1764583200 } }],
    ['result as a list', 200, { ok: true, result: [{ message_id: 5 }] }],
    ['id as text', 200, { ok: true, result: { message_id: '5' } }],
    ['id not exact', 200, '{"ok":true,"result":{"message_id":9007199254740993}}'],
    ['U5: bad gateway', 502, refusal(502, 'Bad Gateway')],
    ['restart', 500, refusal(500, 'Internal Server Error: restart')],
    ['R3: a proxy page', 403, '<html><title>Attention Required!</title></html>'],
    ['other JSON', 403, { message: 'Forbidden' }],
    ['code missing', 403, { ok: false, description: 'Forbidden: bot was blocked by the user' }],
    ['code as text', 403, refusal('403', 'Forbidden: bot was blocked by the user')],
    ['code not whole', 400, refusal(400.5, 'x')],
    ['code out of range', 400, refusal(399, 'x')],
    ['code above the range', 400, refusal(500, 'x')],
    ['a byte-order mark that is not at the beginning', 200, ' \uFEFF{"ok":true,"result":{"message_id":5}}'],
    ['null', 200, 'null'],
    ['a number', 200, '7'],
    ['id below zero', 200, { ok: true, result: { message_id: -1 } }],
    ['id inherited', 200, '{"ok":true,"result":{"__proto__":{"message_id":5}}}'],
    ['ok null', 400, { ok: null, error_code: 400 }],
    ['redirect', 302, ''],
    ['deep', 200, '['.repeat(100_000)],
  ])('%s', (_, httpStatus, body) => expect(answered(httpStatus, body).kind).toBe('unknown'));

  test('an answer of the service is told from one that is not', () => {
    expect(answered(500, refusal(500, 'restart'))).toMatchObject({ unreadable: false });
    expect(answered(502, '<html></html>')).toMatchObject({ unreadable: true });
    expect(answered(200, { ok: true })).toMatchObject({ kind: 'unknown', unreadable: true });
  });
});

describe('sent needs what the method gives back', () => {
  const sent = (method: string, result: unknown) =>
    answered(200, { ok: true, result }, { method, params: { chat_id: 1 } });

  test('a message: its id and date, also behind a byte-order mark and with HTTP 500', () => {
    const outcome = { kind: 'sent', message: { message_id: 501, date: 1764583200 } };
    expect(answered(500, '\uFEFF{"ok":true,"result":{"message_id":501,"date":1764583200}}')).toEqual(outcome);
    for (const date of [null, '1764583200', -1, 1.5])
      expect(sent('sendPhoto', { message_id: 501, date })).toMatchObject({ message: { date: null } });
    expect(sent('SENDPHOTO', { message_id: 501 })).toEqual({
      kind: 'sent',
      message: { message_id: 501, date: null },
    });
  });

  test('id 0, by which the service puts a message off, is sent', () =>
    expect(sent('sendVideo', { message_id: 0 }).kind).toBe('sent'));

  test('several messages: every one, and the first stands for them', () => {
    expect(sent('sendMediaGroup', [{ message_id: 7 }, { message_id: 8 }])).toMatchObject({
      message: { message_id: 7 },
    });
    for (const result of [[], [{ message_id: 7 }, {}], { message_id: 7 }, true])
      expect(sent('sendMediaGroup', result).kind).toBe('unknown');
  });

  test.each(each<unknown>([true, 'https://t.me/x', { id: 'p' }, []]))('other methods: %j', (result) =>
    expect(sent('setMessageReaction', result)).toEqual({
      kind: 'sent',
      message: { message_id: null, date: null },
    }),
  );

  test.each(each([false, null, undefined]))('other methods: %j is no proof', (result) =>
    expect(sent('setMessageReaction', result).kind).toBe('unknown'),
  );
});

describe('nothing secret is repeated (invariant 8)', () => {
  const token = '7000000001:AAexample_example-example_example12';

  test.each([
    refusal(
      400,
      `Bad Request: /bot${token}/sendMessage ${hello.params['text']} \u0007\u202E${'x'.repeat(500)}`,
    ),
    refusal(429, `slow down /bot${token.replace(':', '%3A')}/ ${hello.params['text']} ${'x'.repeat(500)}`),
    refusal(500, `restart ${token}${token} ${hello.params['text']}\n`),
  ])('neither token nor text, and no more than fits: %#', (body) => {
    const outcome = answered(400, body);
    const words = JSON.stringify(outcome);
    expect(words).not.toContain('AAexample');
    expect(words).not.toContain(hello.params['text']);
    expect(words).not.toMatch(/[\p{Cc}\u202E]/u);
    if (outcome.kind === 'rejected') expect(outcome.rejection.description.length).toBeLessThanOrEqual(300);
    if ('evidence' in outcome) expect(outcome.evidence.length).toBeLessThanOrEqual(200);
  });

  const refusedWith = (description: string, params: Record<string, unknown>) =>
    answered(400, refusal(400, description), { method: 'sendPhoto', params: { chat_id: 1, ...params } });

  test.each([
    [{ text: 'one long text' }, 'x [text] y [text]'],
    [{ text: '  one long text\n' }, 'x [text] y [text]'],
    [{ caption: 'one long text' }, 'x [text] y [text]'],
    [{ text: 'one long t' }, 'x one long text y one long text'],
    [{ text: 7, caption: null }, 'x one long text y one long text'],
    [{ other: 'one long text' }, 'x [text] y [text]'],
    [{ other_id: 'one long text' }, 'x one long text y one long text'],
  ])('the text of the message, should the service repeat it: %j', (params, shown) =>
    expect(refusedWith('x one long text y one long text', params)).toMatchObject({
      rejection: { description: shown },
    }),
  );

  test('what the evidence says', () => {
    const evidenceOf = (httpStatus: number, body: unknown, headers: Record<string, string> = {}) =>
      telegram.classify(hello, {
        httpStatus,
        headers,
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
    expect(evidenceOf(500, refusal(500, 'restart'))).toMatchObject({
      evidence: 'HTTP 500, error_code 500: restart',
    });
    expect(evidenceOf(500, refusal(500, 7))).toMatchObject({
      evidence: 'HTTP 500, error_code 500: (no description)',
    });
    expect(evidenceOf(500, refusal(500, '\u0007'))).toMatchObject({
      evidence: 'HTTP 500, error_code 500: (no description)',
    });
    expect(evidenceOf(200, { ok: true })).toMatchObject({ evidence: expect.stringMatching(/\(missing\)$/) });
    expect(evidenceOf(200, { ok: true, result: null })).toMatchObject({
      evidence: expect.stringMatching(/\(null\)$/),
    });
    expect(evidenceOf(200, { ok: true, result: [] })).toMatchObject({
      evidence: expect.stringMatching(/\(array\)$/),
    });
    expect(evidenceOf(200, { ok: true, result: 7 })).toMatchObject({
      evidence: expect.stringMatching(/\(number 7\)$/),
    });
    expect(evidenceOf(200, { ok: true, result: {} })).toMatchObject({
      evidence: expect.stringMatching(/\(object\)$/),
    });
    expect(evidenceOf(429, refusal(429, 'slow', { retry_after: '5' }))).toEqual({
      kind: 'held',
      evidence: 'HTTP 429, error_code 429, no usable retry_after (string): slow',
    });
    expect(evidenceOf(200, refusal('429', 'slow'))).toEqual({
      kind: 'held',
      evidence: 'HTTP 200, error_code 429, not in the form of the service: slow',
    });
    expect(evidenceOf(502, '')).toMatchObject({ evidence: 'HTTP 502, empty body' });
    expect(evidenceOf(502, 'x')).toMatchObject({ evidence: 'HTTP 502, no content type, 1 bytes' });
    expect(evidenceOf(502, 'x', { 'content-type': ';' })).toMatchObject({
      evidence: 'HTTP 502, no content type, 1 bytes',
    });
    expect(evidenceOf(502, 'x', { 'content-type': 'text/plain; charset=utf-8' })).toMatchObject({
      evidence: 'HTTP 502, text/plain, 1 bytes',
    });
  });

  test('a page is described, not quoted', () => {
    const answer = {
      httpStatus: 502,
      headers: { 'content-type': `text/html; ${token}` },
      body: '<html>Bad é</html>',
    };
    expect(telegram.classify(hello, answer)).toEqual({
      kind: 'unknown',
      unreadable: true,
      evidence: 'HTTP 502, text/html, 19 bytes',
    });
  });
});
