import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { idempotencyKey } from '../../contracts/qivuna/idempotency-key.ts';
import { qivuna } from '../../contracts/qivuna.ts';
import { runs } from '../support/runs.ts';
import { hello, options } from './qivuna-samples.ts';
import { each } from './telegram-samples.ts';

const accepted = /^[\x21-\x7e]{1,64}$/;

describe('a key that the service takes stands for itself', () => {
  test.each(each(['a', '!', '~', 'upd-1044-reply', 'a'.repeat(64)]))('%s', (key) =>
    expect(idempotencyKey(key)).toBe(key),
  );
});

describe('K6: another key is hashed before the call, the same way every time', () => {
  test.each([
    ['65 characters', 'a'.repeat(65)],
    ['a space', 'upd 1044'],
    ['a letter beyond ASCII', 'é'],
    ['a line end', 'upd-1044\n'],
    ['a control character', 'upd\u007f'],
    ['an emoji', '😀'],
    ['nothing', ''],
    ['2,000 characters', 'k'.repeat(2000)],
  ])('%s', (_, key) => {
    const hash = createHash('sha256').update(key, 'utf8').digest('hex').slice(0, 56);
    expect(idempotencyKey(key)).toBe(`sha256-${hash}`);
    expect(idempotencyKey(key)).toMatch(accepted);
    expect(qivuna.request(hello, { ...options, key }).headers['idempotency-key']).toBe(idempotencyKey(key));
  });

  test('it never changes: a repetition after a release must find the answer of the first', () =>
    expect(idempotencyKey('é')).toBe('sha256-4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e'));

  test('any key gives one that the service takes, and the same once more', () =>
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'grapheme', maxLength: 100 }), fc.string()), (key) => {
        expect(idempotencyKey(key)).toMatch(accepted);
        expect(idempotencyKey(key)).toBe(idempotencyKey(key));
        expect(idempotencyKey(idempotencyKey(key))).toBe(idempotencyKey(key));
      }),
      { numRuns: runs(2000) },
    ));
});
