import { describe, expect, test } from 'vitest';
import type { AnswerOutcome } from '../../domain/outcome.ts';
import { answered, each, refusal } from './telegram-samples.ts';

const kindOf = (outcome: AnswerOutcome) =>
  outcome.kind === 'rejected' ? `rejected ${outcome.rejection.kind}` : outcome.kind;

describe('F9: a 429 without a delay in its place as a whole number is held', () => {
  const values: readonly unknown[] = [
    '35',
    2.5,
    -3,
    null,
    true,
    [35],
    { seconds: 35 },
    1e300,
    2 ** 53,
    '',
    -1,
  ];
  test.each(each(values))('retry_after %j', (retry_after) => {
    expect(answered(429, refusal(429, 'Too Many Requests: retry after 35', { retry_after })).kind).toBe(
      'held',
    );
  });

  const parameters: readonly unknown[] = [
    undefined,
    null,
    {},
    [],
    [35],
    35,
    'retry_after',
    { retryAfter: 35 },
  ];
  test.each(each(parameters))('parameters %j', (parameters) => {
    expect(answered(429, refusal(429, 'Too Many Requests: retry after 35', parameters)).kind).toBe('held');
  });

  test.each([
    '',
    ' ',
    '<html>429</html>',
    'error code: 1015',
    '{"ok":fal',
    '[]',
    'null',
    '429',
    '{"message":"slow down"}',
    '{"ok":false}',
  ])('HTTP 429 with the body %j', (body) => expect(answered(429, body).kind).toBe('held'));

  test('a delay beside its place, or in a body of another form, is not taken', () => {
    expect(answered(429, { ok: false, error_code: 429, retry_after: 5 }).kind).toBe('held');
    expect(answered(429, { error_code: 429, parameters: { retry_after: 5 } }).kind).toBe('held');
    expect(answered(200, refusal('429', 'x', { retry_after: 5 })).kind).toBe('held');
    expect(
      answered(429, '{"__proto__":{"ok":false,"error_code":429,"parameters":{"retry_after":5}}}').kind,
    ).toBe('held');
    expect(
      answered(429, '{"ok":false,"error_code":429,"parameters":{"__proto__":{"retry_after":5}}}').kind,
    ).toBe('held');
  });
});

describe('a delay given as a whole number is a flood', () => {
  test.each([0, 1, 35, 42055, 1_209_600, 4_294_967_296, 1e12])('F10: %d s, never clamped', (seconds) => {
    const outcome = answered(429, refusal(429, 'Too Many Requests', { retry_after: seconds }));
    expect(outcome).toEqual({ kind: 'flood', retryAfterSeconds: seconds });
  });

  test('a deadline that is no exact instant is held', () => {
    expect(answered(429, refusal(429, 'x', { retry_after: 4_503_599_627_370 })).kind).toBe('flood');
    expect(answered(429, refusal(429, 'x', { retry_after: 4_503_599_627_371 })).kind).toBe('held');
  });

  test.each([401, 403, 500, 400])('F11: "retry after %d" is a flood like any other', (seconds) => {
    const outcome = answered(
      429,
      refusal(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds }),
    );
    expect(outcome).toEqual({ kind: 'flood', retryAfterSeconds: seconds });
  });

  test.each([200, 400, 403, 500, 502])('the body decides, not HTTP %d', (httpStatus) => {
    expect(answered(httpStatus, refusal(429, 'x', { retry_after: 5 })).kind).toBe('flood');
    expect(kindOf(answered(httpStatus, refusal(403, 'Forbidden: bot was blocked by the user')))).toBe(
      'rejected permission',
    );
  });

  test('of a field given twice the later counts, and minus zero is zero', () => {
    expect(
      answered(429, '{"ok":false,"error_code":429,"parameters":{"retry_after":5,"retry_after":3600}}'),
    ).toEqual({
      kind: 'flood',
      retryAfterSeconds: 3600,
    });
    expect(answered(429, '{"ok":false,"error_code":429,"parameters":{"retry_after":-0}}')).toEqual({
      kind: 'flood',
      retryAfterSeconds: 0,
    });
  });
});

describe('the destination changed where the field says so, whatever the words', () => {
  test.each([
    [400, -1003000000123, 'migrated'],
    [403, -1997852516351, 'migrated'],
    [499, 4503599627370495, 'migrated'],
    [400, 2 ** 52, 'migrated'],
    [400, 2 ** 52 + 1, 'rejected destination'],
    [400, -(2 ** 52), 'migrated'],
    [400, -(2 ** 52) - 1, 'rejected destination'],
    [400, '-1003000000123', 'rejected destination'],
    [400, 1.5, 'rejected destination'],
    [400, null, 'rejected destination'],
    [400, 2 ** 60, 'rejected destination'],
    [400, 0, 'rejected destination'],
    [429, -1003000000123, 'held'],
    [500, -1003000000123, 'unknown'],
  ])('error_code %d, migrate_to_chat_id %j: %s', (code, id, expected) => {
    const outcome = answered(code, refusal(code, 'words of tomorrow', { migrate_to_chat_id: id }));
    expect(kindOf(outcome)).toBe(expected);
    if (outcome.kind === 'migrated') expect(outcome.chat).toBe(String(id));
  });
});

test("a field that says where to is found where it is the service's own only", () => {
  const body = (parameters: string) =>
    `{"ok":false,"error_code":400,"description":"x","parameters":${parameters}}`;
  for (const parameters of ['{"__proto__":{"migrate_to_chat_id":-5}}', '[-5]', 'null', '-5', '{}'])
    expect(kindOf(answered(400, body(parameters)))).toBe('rejected other');
});
