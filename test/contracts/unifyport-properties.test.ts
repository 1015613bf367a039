import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { unifyport } from '../../contracts/unifyport.ts';
import type { Content, ServiceAnswer } from '../../contracts/contract.ts';
import { runs } from '../support/runs.ts';
import { hello, message, to } from './unifyport-samples.ts';

interface RealAnswer {
  readonly httpStatus: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

const realAnswers: readonly ServiceAnswer[] = JSON.parse(
  readFileSync(new URL('../fixtures/unifyport-responses.json', import.meta.url), 'utf8'),
).map(({ httpStatus, headers, body }: RealAnswer) => ({ httpStatus, headers, body: body ?? '' }));

/** How many damaged answers are tried: `FUZZ_RUNS=1000000 npx vitest run test/contracts/unifyport-properties.test.ts`. */
const damagedRuns = runs(Number(process.env['FUZZ_RUNS'] ?? 20_000));

const httpStatus = fc.oneof(
  fc.constantFrom(200, 201, 302, 400, 401, 403, 409, 429, 500, 501, 502),
  fc.integer({ min: 100, max: 599 }),
  fc.integer(),
);
const headers = fc.dictionary(
  fc.constantFrom('content-type', 'retry-after', 'x-request-id', 'x'),
  fc.string(),
);
const answers = (body: fc.Arbitrary<string>): fc.Arbitrary<ServiceAnswer> =>
  fc.record({ httpStatus, headers, body });

/** The body as an object, read once more by itself; empty where it is none. Without a prototype, as its fields are. */
function fieldsOf(value: unknown): any {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.assign(Object.create(null), value)
    : {};
}

function parsed(body: string): any {
  try {
    return fieldsOf(JSON.parse(body.replace(/^\uFEFF/, '')));
  } catch {
    return {};
  }
}

const isProof = (id: any): boolean =>
  typeof id === 'string'
    ? id.trim() !== '' && id.length <= 512 && !/[\p{Cc}\p{Cs}]/u.test(id)
    : Number.isSafeInteger(id) && id > 0;

const requestCodes = ['invalid_request', 'unsupported_message_type', 'invalid_reply_token'];
const destinationCodes = ['invalid_conversation_type', 'unsupported_conversation_type'];
const authCodes = ['missing_api_key', 'invalid_api_key'];

/** The table of the service's contract, row by row; `named` where the answer is a failure in the service's form. */
function byTheTable(status: number, code: any, named: boolean): string {
  if (status === 429) return 'held';
  if (!named) return 'unknown unreadable';
  if (status === 400 && requestCodes.includes(code)) return 'rejected request';
  if (status === 400 && destinationCodes.includes(code)) return 'rejected destination';
  if (status === 401 && authCodes.includes(code)) return 'rejected auth';
  if (status === 409 && code === 'account_binding_not_found') return 'held no flood';
  if (status === 501 && code === 'unsupported_by_provider') return 'rejected request';
  return status >= 400 && status <= 499 ? 'rejected other' : 'unknown';
}

/** The outcome is that of the table, and says no more than the answer does. */
function expectTheTable(content: Content, answer: ServiceAnswer): void {
  const { httpStatus: status, body } = answer;
  const outcome = unifyport.classify(content, answer);
  const error = unifyport.serviceError(content, answer);
  const { data, error: failure } = parsed(body);
  const { code, details } = fieldsOf(failure);
  const id = fieldsOf(data).message_id;
  const named = typeof code === 'string' && error !== null;
  expect(error === null || typeof code === 'string').toBe(true);
  if (typeof code === 'string' && /[\x21-\x7e]/.test(code)) expect(named).toBe(true);
  const expected =
    status === 200 ? (isProof(id) ? 'sent' : 'unknown unreadable') : byTheTable(status, code, named);
  switch (outcome.kind) {
    case 'sent':
      expect(expected).toBe('sent');
      expect(outcome.message).toEqual({ message_id: id, date: null });
      break;
    case 'rejected':
      expect(`rejected ${outcome.rejection.kind}`).toBe(expected);
      expect(outcome.rejection.code).toBe(status);
      expect(outcome.rejection.description.length).toBeLessThanOrEqual(300);
      break;
    case 'held':
      expect(outcome.isFlood === false ? 'held no flood' : 'held').toBe(expected);
      expect(outcome.isFinal).toBeUndefined();
      break;
    case 'unknown':
      expect(outcome.unreadable ? 'unknown unreadable' : 'unknown').toBe(expected);
      expect(outcome.mayRepeat).toBeUndefined();
      break;
    case 'flood':
    case 'paused':
    case 'migrated':
      expect.unreachable(`this service never gives ${outcome.kind}`);
  }
  if ('evidence' in outcome) {
    expect(outcome.evidence).toContain(`HTTP ${status}`);
    expect(outcome.evidence.length).toBeLessThanOrEqual(300);
  }
  if (error !== null) {
    expect(error.code).not.toBe('');
    expect(error.code.length).toBeLessThanOrEqual(64);
    expect(error.message.length).toBeLessThanOrEqual(300);
    expect(error.requestId ?? 'x').toMatch(/^[\x21-\x7e]{1,128}$/);
    expect(error.numericCode === null || Number.isSafeInteger(error.numericCode)).toBe(true);
  }
  expect(`${outcome.kind === 'sent' ? '' : JSON.stringify(outcome)}${JSON.stringify(error)}`).not.toMatch(
    /[\p{Cc}\p{Cf}\p{Cs}]/u,
  );
  // What an answer echoes there must not even be looked at.
  if (details !== undefined) {
    const without = { ...JSON.parse(body.replace(/^\uFEFF/, '')) };
    without.error = { ...without.error, details: undefined };
    const same = { ...answer, body: JSON.stringify(without) };
    expect(unifyport.serviceError(content, same)).toEqual(error);
  }
}

const contents: readonly Content[] = [
  hello,
  message({ reply_to: { reply_token: 'tok_1' } }),
  { method: 'sendMessage', params: { chat_id: 42, text: 'hi' } },
  { method: 'sendMessage', params: {} },
];
const holds = (answer: fc.Arbitrary<ServiceAnswer>) =>
  fc.property(fc.constantFrom(...contents), answer, expectTheTable);

const odd = fc.oneof(
  fc.constantFrom<unknown>(null, '35', -3, 2.5, 0, -0, 5, 1e12, 2 ** 53, 1e300, '', ' ', true, [], {}),
  fc.jsonValue(),
);

test("any text is classified as the contract's table says", () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.uint8Array().map((bytes) => String.fromCharCode(...bytes)),
  );
  fc.assert(holds(answers(text)), { numRuns: runs(3000) });
});

test("any JSON is classified as the contract's table says", () => {
  fc.assert(holds(answers(fc.json({ maxDepth: 4 }))), { numRuns: runs(3000) });
});

test("JSON made of the fields of the service is classified as the contract's table says", () => {
  const code = fc.constantFrom<unknown>(
    ...requestCodes,
    ...destinationCodes,
    ...authCodes,
    'account_binding_not_found',
    'send_message_failed',
    'unsupported_by_provider',
    'provider_adapter_not_found',
  );
  const error = fc.record(
    {
      code: fc.oneof({ arbitrary: code, weight: 4 }, { arbitrary: odd, weight: 1 }),
      numeric_code: odd,
      message: fc.oneof(fc.string({ unit: 'binary' }), odd),
      details: odd,
    },
    { requiredKeys: [] },
  );
  const body = fc.record(
    {
      request_id: fc.oneof(fc.constantFrom('req_01'), odd),
      error: fc.oneof({ arbitrary: error, weight: 4 }, { arbitrary: odd, weight: 1 }),
      data: fc.oneof(fc.record({ message_id: odd, status: odd }, { requiredKeys: [] }), odd),
      parameters: fc.oneof(fc.record({ retry_after: odd }), odd),
    },
    { requiredKeys: [] },
  );
  fc.assert(holds(answers(body.map((value) => JSON.stringify(value)))), { numRuns: runs(7000) });
});

const splices = fc.array(
  fc.record({
    at: fc.nat(200),
    removed: fc.nat(20),
    added: fc.oneof(
      fc.string({ maxLength: 6 }),
      fc.constantFrom('', '{', '}', '[', ']', '"', ':', ',', '9', '-', '.', 'e', 'null', 'true', '429'),
    ),
  }),
  { minLength: 1, maxLength: 3 },
);

/** Bytes lost, doubled and changed on the way. */
const torn = fc.tuple(fc.constantFrom(...realAnswers), splices).map(([answer, damages]) => ({
  ...answer,
  body: damages.reduce(
    (body, { at, removed, added }) => body.slice(0, at) + added + body.slice(at + removed),
    answer.body,
  ),
}));

const isJson = ({ body }: ServiceAnswer): boolean => body.startsWith('{"') && body.endsWith('}');

/** Still JSON, but one field, at any depth, is gone or another. */
const altered = fc
  .tuple(fc.constantFrom(...realAnswers.filter(isJson)), fc.nat(10), fc.option(odd))
  .map(([answer, at, value]) => {
    let fieldsLeft = at;
    const body = JSON.parse(answer.body, (name, old) =>
      name !== '' && fieldsLeft-- === 0 ? (value ?? undefined) : old,
    );
    return { ...answer, body: JSON.stringify(body) };
  });

/** The head of another answer on the body of this one. */
const underAnotherStatus = fc
  .tuple(fc.oneof(torn, altered), httpStatus)
  .map(([answer, status]) => ({ ...answer, httpStatus: status }));

test("real answers that were damaged on the way are classified as the contract's table says", () => {
  fc.assert(holds(fc.oneof(torn, altered, underAnotherStatus)), { numRuns: damagedRuns });
}, 1_800_000);

test('a delay is never read, wherever one stands', () => {
  const seconds = fc.constantFrom<unknown>(0, 1, 5, 35, '35', 1209600);
  fc.assert(
    fc.property(
      httpStatus,
      seconds,
      fc.option(fc.constantFrom('rate_limited', 'x')),
      (status, delay, code) => {
        const bare = code === null ? {} : { error: { code } };
        const body = {
          retry_after: delay,
          parameters: { retry_after: delay },
          ...(code === null
            ? {}
            : { error: { code, retry_after: delay, parameters: { retry_after: delay } } }),
        };
        const headersOf = { 'retry-after': String(delay) };
        const told = unifyport.classify(hello, {
          httpStatus: status,
          headers: headersOf,
          body: JSON.stringify(body),
        });
        const untold = unifyport.classify(hello, {
          httpStatus: status,
          headers: {},
          body: JSON.stringify(bare),
        });
        const { evidence: _told, ...rest } = { evidence: '', ...told };
        const { evidence: _untold, ...bareRest } = { evidence: '', ...untold };
        expect(rest).toEqual(bareRest);
      },
    ),
    { numRuns: runs(500) },
  );
});

/** JSON has one zero only. */
function hasNegativeZero(value: unknown): boolean {
  let found = false;
  JSON.stringify(value, (_, member: unknown) => {
    found ||= Object.is(member, -0);
    return member;
  });
  return found;
}

test('any parameters are checked without a failure, and accepted ones survive JSON unchanged', () => {
  const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true });
  const params = fc.record(
    { to: anything, message: anything, provider_data: anything, reply_to: anything, x: anything },
    { requiredKeys: [] },
  );
  const provider = fc.dictionary(fc.string(), anything);
  fc.assert(
    fc.property(
      fc.oneof(
        params,
        provider.map((provider_data) => ({ provider_data })),
      ),
      (given) => {
        const content = message(given);
        if (unifyport.check(content).length > 0) return;
        fc.pre(!hasNegativeZero(content));
        expect(JSON.parse(JSON.stringify(content))).toEqual(content);
      },
    ),
    { numRuns: runs(3000) },
  );
});

test('every accepted id is its own bucket, in each spelling of the text form', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.constantFrom('user', 'group', 'channel'),
      (id, type) => {
        fc.pre(unifyport.check(to(id, type)).length === 0);
        expect(unifyport.destination(to(id, type)).chat).toBe(`${type}:${id}`);
        expect(unifyport.text.content(`${type}:${id}`, 'hi').params['to']).toEqual({ id, type });
      },
    ),
  );
});
