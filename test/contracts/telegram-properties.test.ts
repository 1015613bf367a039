import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { telegram } from '../../contracts/telegram.ts';
import type { ServiceAnswer } from '../../contracts/contract.ts';
import type { AnswerOutcome } from '../../domain/outcome.ts';
import { hello, message } from './telegram-samples.ts';

const bodies: readonly string[] = JSON.parse(
  readFileSync(new URL('../fixtures/telegram-responses.json', import.meta.url), 'utf8'),
).map(({ body }: { body: string | null }) => body ?? '');

const httpStatus = fc.oneof(fc.constantFrom(200, 302, 400, 401, 403, 404, 429, 500, 502), fc.integer());
const headers = fc.dictionary(fc.constantFrom('content-type', 'retry-after', 'x'), fc.string());
const answers = (body: fc.Arbitrary<string>): fc.Arbitrary<ServiceAnswer> =>
  fc.record({ httpStatus, headers, body });

/** Reads the body once more, by itself, and checks that the outcome claims no more than it says. */
function expectNoMoreThanTheBodySays({ body }: ServiceAnswer, outcome: AnswerOutcome): void {
  let parsed: any = null;
  try {
    parsed = JSON.parse(body.replace(/^\uFEFF/, ''));
  } catch {
    expect(['held', 'unknown']).toContain(outcome.kind);
  }
  switch (outcome.kind) {
    case 'sent':
      expect(parsed.ok).toBe(true);
      expect(Number.isSafeInteger(parsed.result.message_id)).toBe(true);
      expect(outcome.message.message_id).toBe(parsed.result.message_id);
      break;
    case 'flood':
      expect(parsed.ok).toBe(false);
      expect(parsed.error_code).toBe(429);
      expect(Number.isSafeInteger(parsed.parameters.retry_after)).toBe(true);
      expect(outcome.retryAfterSeconds).toBeGreaterThanOrEqual(0);
      expect(Number.isSafeInteger(Date.now() + outcome.retryAfterSeconds * 1000)).toBe(true);
      break;
    case 'migrated':
      expect(outcome.chat).toBe(String(parsed.parameters.migrate_to_chat_id));
      break;
    case 'rejected':
      expect(parsed.ok).toBe(false);
      expect(parsed.error_code).toBeGreaterThanOrEqual(400);
      expect(parsed.error_code).toBeLessThan(500);
      expect(outcome.rejection.description.length).toBeLessThanOrEqual(300);
      break;
    case 'held':
    case 'unknown':
      expect(outcome.evidence.length).toBeLessThanOrEqual(200);
  }
}

const holds = (body: fc.Arbitrary<string>) =>
  fc.property(answers(body), (answer) =>
    expectNoMoreThanTheBodySays(answer, telegram.classify(hello, answer)),
  );

test('any text is classified, and nothing is claimed that it does not say', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.uint8Array().map((bytes) => String.fromCharCode(...bytes)),
  );
  fc.assert(holds(text), { numRuns: 3000 });
});

test('any JSON is classified, and nothing is claimed that it does not say', () => {
  fc.assert(holds(fc.json({ maxDepth: 4 })), { numRuns: 3000 });
});

test('JSON made of the fields of the service is classified, and nothing is claimed that it does not say', () => {
  const odd = fc.oneof(
    fc.constantFrom<unknown>(null, '35', -3, 2.5, 0, -0, 5, 1e12, 2 ** 53, 1e300, '', true, [], {}),
    fc.jsonValue(),
  );
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
  fc.assert(holds(body.map((value) => JSON.stringify(value))), { numRuns: 7000 });
});

test('real answers that were damaged on the way are classified, and nothing is claimed that they do not say', () => {
  const damaged = fc
    .tuple(
      fc.constantFrom(...bodies),
      fc.nat(400),
      fc.nat(20),
      fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom('{', '}', '"', ',', '9', '-', '.', 'null')),
    )
    .map(([body, at, removed, added]) => body.slice(0, at) + added + body.slice(at + removed));
  fc.assert(holds(damaged), { numRuns: 7000 });
});

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
    { numRuns: 3000 },
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
