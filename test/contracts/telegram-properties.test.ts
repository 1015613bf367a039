import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { telegram } from '../../contracts/telegram.ts';
import type { Content, ServiceAnswer } from '../../contracts/contract.ts';
import { runs } from '../support/runs.ts';
import { hello, message } from './telegram-samples.ts';

interface RealAnswer {
  readonly httpStatus: number;
  readonly headers: Readonly<Record<string, string>> | null;
  readonly body: string | null;
}

const realAnswers: readonly ServiceAnswer[] = JSON.parse(
  readFileSync(new URL('../fixtures/telegram-responses.json', import.meta.url), 'utf8'),
).map(({ httpStatus, headers, body }: RealAnswer) => ({
  httpStatus,
  headers: headers ?? {},
  body: body ?? '',
}));

/** How many damaged answers are tried: `FUZZ_RUNS=1000000 npx vitest run test/contracts/telegram-properties.test.ts`. */
const damagedRuns = runs(Number(process.env['FUZZ_RUNS'] ?? 20_000));

const httpStatus = fc.oneof(fc.constantFrom(200, 302, 400, 401, 403, 404, 429, 500, 502), fc.integer());
const headers = fc.dictionary(fc.constantFrom('content-type', 'retry-after', 'x'), fc.string());
const answers = (body: fc.Arbitrary<string>): fc.Arbitrary<ServiceAnswer> =>
  fc.record({ httpStatus, headers, body });

/** A method for each kind of proof that the service gives. */
const contents: readonly Content[] = [
  hello,
  { method: 'sendMediaGroup', params: { chat_id: 42, media: [{}, {}] } },
  { method: 'setMessageReaction', params: { chat_id: 42, message_id: 7 } },
];

const isCount = (value: any): boolean => Number.isSafeInteger(value) && value >= 0;
const isMessage = (value: any): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.hasOwn(value, 'message_id') &&
  isCount(value.message_id);

function isProof(method: string, result: any): boolean {
  if (method === 'sendMessage') return isMessage(result);
  if (method === 'sendMediaGroup')
    return Array.isArray(result) && result.length > 0 && result.every(isMessage);
  return result !== undefined && result !== null && result !== false;
}

/** The body as the service's object, read once more by itself; empty where it is none. */
function fieldsOf(body: string): any {
  try {
    const parsed = JSON.parse(body.replace(/^\uFEFF/, ''));
    // Without a prototype: `__proto__` in a body is a field like any other, and gives no other fields.
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? Object.assign(Object.create(null), parsed)
      : {};
  } catch {
    return {};
  }
}

/** The table of the service's contract, row by row. */
function kindByTheTable({ method }: Content, { httpStatus: status, body }: ServiceAnswer): string {
  const { ok, error_code: code, result, parameters } = fieldsOf(body);
  const given = (field: string): any =>
    typeof parameters === 'object' && parameters !== null && Object.hasOwn(parameters, field)
      ? parameters[field]
      : undefined;
  if (ok === true) return isProof(method, result) ? 'sent' : 'unknown';
  if (code === 429 || code === '429') {
    const deadlineMs = 2 ** 52 + given('retry_after') * 1000;
    const isDelay = isCount(given('retry_after')) && Number.isSafeInteger(deadlineMs);
    return ok === false && code === 429 && isDelay ? 'flood' : 'held';
  }
  if (ok === false && Number.isInteger(code) && code >= 400 && code <= 499) {
    const chat = given('migrate_to_chat_id');
    return Number.isSafeInteger(chat) && chat !== 0 && Math.abs(chat) <= 2 ** 52 ? 'migrated' : 'rejected';
  }
  return status === 429 && !(ok === false && typeof code === 'number') ? 'held' : 'unknown';
}

/** The outcome is that of the table, and says no more than the body does. */
function expectTheTable(content: Content, answer: ServiceAnswer): void {
  const outcome = telegram.classify(content, answer);
  const fields = fieldsOf(answer.body);
  expect(outcome.kind).toBe(kindByTheTable(content, answer));
  switch (outcome.kind) {
    case 'sent': {
      const first = Array.isArray(fields.result) ? fields.result[0] : fields.result;
      expect(outcome.message.message_id).toBe(isMessage(first) ? first.message_id : null);
      break;
    }
    case 'flood':
      expect(outcome.retryAfterSeconds).toBe(fields.parameters.retry_after + 0);
      break;
    case 'migrated':
      expect(outcome.chat).toBe(String(fields.parameters.migrate_to_chat_id));
      break;
    case 'rejected':
      expect(outcome.rejection.code).toBe(fields.error_code);
      expect(outcome.rejection.description.length).toBeLessThanOrEqual(300);
      break;
    case 'paused':
      throw new Error('the service knows no pause of its own');
    case 'held':
    case 'unknown':
      expect(outcome.evidence).toContain(`HTTP ${answer.httpStatus}`);
      expect(outcome.evidence.length).toBeLessThanOrEqual(200);
  }
}

const holds = (answer: fc.Arbitrary<ServiceAnswer>) =>
  fc.property(fc.constantFrom(...contents), answer, expectTheTable);

const odd = fc.oneof(
  fc.constantFrom<unknown>(null, '35', -3, 2.5, 0, -0, 5, 1e12, 2 ** 53, 1e300, '', true, [], {}),
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
  const body = fc.record(
    {
      ok: fc.oneof(fc.boolean(), odd),
      error_code: fc.oneof(fc.constantFrom<unknown>(400, 401, 403, 404, 409, 421, 429, '429', 500), odd),
      description: fc.oneof(
        fc.constantFrom('Bad Request: chat not found', 'Forbidden', 'Too Many Requests: retry after 5'),
        odd,
      ),
      parameters: fc.oneof(
        fc.record({ retry_after: odd, migrate_to_chat_id: odd }, { requiredKeys: [] }),
        odd,
      ),
      result: fc.oneof(fc.record({ message_id: odd, date: odd }, { requiredKeys: [] }), odd),
    },
    { requiredKeys: [] },
  );
  fc.assert(holds(answers(body.map((value) => JSON.stringify(value)))), { numRuns: runs(7000) });
});

const splices = fc.array(
  fc.record({
    at: fc.nat(400),
    removed: fc.nat(20),
    added: fc.oneof(
      fc.string({ maxLength: 6 }),
      fc.constantFrom(
        '',
        '{',
        '}',
        '[',
        ']',
        '"',
        ':',
        ',',
        '9',
        '-',
        '.',
        'e',
        'null',
        'true',
        'false',
        '429',
      ),
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

/** Still JSON, but one field, at any depth, is gone or another. */
const altered = fc
  .tuple(
    fc.constantFrom(...realAnswers.filter(({ body }) => body.startsWith('{"'))),
    fc.nat(40),
    fc.option(odd),
  )
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

test('any parameters are checked without a failure, and accepted ones survive JSON unchanged', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.string(),
        fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true }),
      ),
      (params) => {
        const content = message(params);
        if (telegram.check(content).length === 0)
          expect(JSON.parse(JSON.stringify(content))).toEqual(content);
      },
    ),
    { numRuns: runs(3000) },
  );
});

test('R7: every id of at most 52 bits keeps its exact digits as a bucket, as a number and as text', () => {
  const id = fc.maxSafeInteger().map((value) => Math.trunc(value / 2) || 1);
  fc.assert(
    fc.property(id, (chatId) => {
      for (const chat_id of [chatId, String(chatId)]) {
        expect(telegram.check(message({ chat_id }))).toEqual([]);
        expect(telegram.destination(message({ chat_id })).chat).toBe(BigInt(chatId).toString());
      }
    }),
  );
});
