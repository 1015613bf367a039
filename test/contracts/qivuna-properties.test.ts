import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { qivuna } from '../../contracts/qivuna.ts';
import type { Content, ServiceAnswer } from '../../contracts/contract.ts';
import { runs } from '../support/runs.ts';
import { hello, message, options } from './qivuna-samples.ts';

interface Row {
  readonly httpStatus: number;
  readonly headers: Readonly<Record<string, string>> | null;
  readonly body: string | null;
}

const collected: readonly ServiceAnswer[] = JSON.parse(
  readFileSync(new URL('../fixtures/qivuna-responses.json', import.meta.url), 'utf8'),
).map(({ httpStatus, headers, body }: Row) => ({ httpStatus, headers: headers ?? {}, body: body ?? '' }));

/** How many damaged answers are tried: `FUZZ_RUNS=1000000 npx vitest run test/contracts/qivuna-properties.test.ts`. */
const damagedRuns = runs(Number(process.env['FUZZ_RUNS'] ?? 20_000));

const httpStatus = fc.oneof(
  fc.constantFrom(200, 201, 302, 400, 401, 403, 404, 409, 429, 500, 502, 503),
  fc.integer({ min: 100, max: 599 }),
  fc.integer(),
);
const headers = fc.dictionary(fc.constantFrom('content-type', 'retry-after', 'x-request-id'), fc.string());
const answers = (body: fc.Arbitrary<string>): fc.Arbitrary<ServiceAnswer> =>
  fc.record({ httpStatus, headers, body });

const documented = [
  'bad_request',
  'idempotency_in_progress',
  'idempotency_mismatch',
  'internal',
  'platform_paused',
  'rate_limited',
];

/** The body as an object, read once more by itself; null where it is none. */
function fieldsOf(body: string): any {
  try {
    const parsed = JSON.parse(body.replace(/^\uFEFF/, ''));
    // Without a prototype: `__proto__` in a body is a field like any other, and gives no other fields.
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? Object.assign(Object.create(null), parsed)
      : null;
  } catch {
    return null;
  }
}

/** Each `retry_after` of the body, at whatever depth. */
function delaysIn(value: any): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    ...(name === 'retry_after' ? [member] : []),
    ...delaysIn(member),
  ]);
}

/** Each text of the body, at whatever depth: where an error's name may stand. */
function textsIn(value: any): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** What the page promises of any answer, told by the status and by what stands anywhere in the body. */
function expectTheRules(content: Content, answer: ServiceAnswer): void {
  const outcome = qivuna.classify(content, answer);
  const error = qivuna.serviceError(content, answer);
  const { httpStatus: status, body } = answer;
  const fields = fieldsOf(body);
  const texts = textsIn(fields);
  const isSuccess = status >= 200 && status <= 299;
  switch (outcome.kind) {
    case 'sent':
      expect(isSuccess).toBe(true);
      expect(fields).not.toBeNull();
      expect(fields.ok).not.toBe(false);
      for (const field of ['error', 'error_code']) expect([undefined, null, false]).toContain(fields[field]);
      // By itself, a word in the place of an error's name is one.
      for (const field of ['code', 'name']) {
        expect(documented).not.toContain(fields[field]);
        if (/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/.test(typeof fields[field] === 'string' ? fields[field] : ''))
          expect(fields.ok === true || outcome.message.message_id !== null).toBe(true);
      }
      expect(error).toBeNull();
      break;
    case 'flood':
      expect(status).toBe(429);
      expect(Number.isSafeInteger(outcome.retryAfterSeconds)).toBe(true);
      expect(outcome.retryAfterSeconds).toBeGreaterThanOrEqual(0);
      expect(delaysIn(fields).map((delay) => (delay === 0 ? 0 : delay))).toContain(outcome.retryAfterSeconds);
      expect(texts).toContain('rate_limited');
      break;
    case 'paused':
      expect(status).toBe(503);
      expect(texts).toContain('platform_paused');
      break;
    case 'held':
      if (outcome.isFinal === true) {
        expect(status).toBe(409);
        expect(outcome.isFlood).toBe(false);
        expect(texts).toContain('idempotency_mismatch');
      } else {
        expect(status).toBe(429);
        expect(outcome.isFlood).toBeUndefined();
      }
      break;
    case 'rejected':
      expect(status >= 400 && status <= 499 && status !== 429).toBe(true);
      expect(outcome.rejection.kind === 'auth').toBe(status === 401);
      expect(outcome.rejection.description.length).toBeLessThanOrEqual(300);
      expect(error).not.toBeNull();
      break;
    case 'unknown':
      expect(status).not.toBe(429);
      // Only a failure that the service names is not to be repeated with its key.
      if (outcome.mayRepeat !== true) {
        expect(status >= 500 && status <= 599).toBe(true);
        expect(error).not.toBeNull();
        expect(status === 500 && error?.code === 'internal').toBe(false);
      }
      if (outcome.unreadable) expect(outcome.mayRepeat).toBe(true);
      break;
    case 'migrated':
      expect.unreachable('the service has no such answer');
  }
  if ('evidence' in outcome) {
    expect(outcome.evidence).toContain(`HTTP ${status}`);
    expect(outcome.evidence.length).toBeLessThanOrEqual(200);
  }
  // The other way round: a whole success that denies nothing is sent, whatever else it says.
  const denials = [fields?.error, fields?.error_code, fields?.code, fields?.name];
  if (isSuccess && fields !== null && fields.ok !== false && denials.every((denial) => denial === undefined))
    expect(outcome.kind).toBe('sent');
}

const holds = (answer: fc.Arbitrary<ServiceAnswer>) =>
  fc.property(fc.constantFrom(hello, { method: 'pinMessage', params: {} }), answer, expectTheRules);

const odd = fc.oneof(
  fc.constantFrom<unknown>(null, '35', -3, 2.5, 0, -0, 5, 1e12, 2 ** 53, 1e300, '', true, [], {}),
  fc.jsonValue(),
);
const name = fc.oneof(fc.constantFrom<unknown>(...documented, 'odd'), odd);

test('any text is classified by the rules', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.uint8Array().map((bytes) => String.fromCharCode(...bytes)),
  );
  fc.assert(holds(answers(text)), { numRuns: runs(3000) });
});

test('any JSON is classified by the rules', () => {
  fc.assert(holds(answers(fc.json({ maxDepth: 4 }))), { numRuns: runs(3000) });
});

test('JSON made of the plausible fields is classified by the rules', () => {
  const some = { requiredKeys: [] };
  const error = fc.record(
    { code: name, name, type: name, message: odd, parameter: odd, retry_after: odd },
    some,
  );
  const body = fc.record(
    {
      ok: fc.oneof(fc.boolean(), odd),
      error: fc.oneof(name, error),
      code: name,
      error_code: name,
      name,
      message: odd,
      retry_after: odd,
      parameters: fc.oneof(fc.record({ retry_after: odd, parameter: odd }, some), odd),
      result: fc.oneof(fc.record({ message_id: odd, date: odd }, some), odd),
      message_id: odd,
    },
    some,
  );
  fc.assert(holds(answers(body.map((value) => JSON.stringify(value)))), { numRuns: runs(7000) });
});

const splices = fc.array(
  fc.record({
    at: fc.nat(200),
    removed: fc.nat(20),
    added: fc.oneof(
      fc.string({ maxLength: 6 }),
      fc.constantFrom('', '{', '}', '[', ']', '"', ':', ',', '9', '-', '.', 'e', 'null', 'true', 'false'),
    ),
  }),
  { minLength: 1, maxLength: 3 },
);

/** Bytes lost, doubled and changed on the way. */
const torn = fc.tuple(fc.constantFrom(...collected), splices).map(([answer, damages]) => ({
  ...answer,
  body: damages.reduce(
    (body, { at, removed, added }) => body.slice(0, at) + added + body.slice(at + removed),
    answer.body,
  ),
}));

/** Still JSON, but one field, at any depth, is gone or another. */
const altered = fc
  .tuple(
    fc.constantFrom(...collected.filter(({ body }) => body.startsWith('{"') && fieldsOf(body) !== null)),
    fc.nat(12),
    fc.option(fc.oneof(odd, name)),
  )
  .map(([answer, at, value]) => {
    let fieldsLeft = at;
    const body = JSON.parse(answer.body, (field, old) =>
      field !== '' && fieldsLeft-- === 0 ? (value ?? undefined) : old,
    );
    return { ...answer, body: JSON.stringify(body) };
  });

/** The head of another answer on the body of this one. */
const underAnotherStatus = fc
  .tuple(fc.oneof(torn, altered, fc.constantFrom(...collected)), httpStatus)
  .map(([answer, status]) => ({ ...answer, httpStatus: status }));

test('collected answers that were damaged on the way are classified by the rules', () => {
  fc.assert(holds(fc.oneof(torn, altered, underAnotherStatus)), { numRuns: damagedRuns });
}, 1_800_000);

test('any parameters are checked without a failure, and accepted ones are written as they are', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.string(),
        fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true }),
      ),
      (params) => {
        const content = message(params);
        if (qivuna.check(content).length > 0) return;
        expect(JSON.parse(qivuna.request(content, options).body)).toEqual(
          JSON.parse(JSON.stringify(content.params)),
        );
      },
    ),
    { numRuns: runs(3000) },
  );
});

test('every id of at most 19 digits keeps its exact digits, as a bucket and in the body', () => {
  const id = fc.bigInt({ min: -(10n ** 19n) + 1n, max: 10n ** 19n - 1n });
  fc.assert(
    fc.property(fc.oneof(id, fc.maxSafeInteger().map(BigInt)), (value) => {
      const digits = value.toString();
      const spellings = Number.isSafeInteger(Number(digits)) ? [digits, Number(digits)] : [digits];
      for (const chat_id of spellings) {
        expect(qivuna.check(message({ chat_id }))).toEqual([]);
        expect(qivuna.destination(message({ chat_id })).chat).toBe(digits);
        expect(qivuna.request(message({ chat_id }), options).body).toMatch(
          new RegExp(`^\\{"chat_id":${digits},`),
        );
      }
    }),
    { numRuns: runs(1000) },
  );
});
