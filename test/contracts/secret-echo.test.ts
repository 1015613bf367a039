import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withoutSecret } from '../../contracts/secret-echo.ts';
import { runs } from '../support/runs.ts';

const plain = '7000000001:AAexample_example-example_example12';
const odd = '7:a"b<c>&d\\e/f g%[x]^$.*+?(y){z}|-w';

describe('a secret that a service repeats is left out', () => {
  test.each([
    ['as it is', plain, plain],
    ['with everything that means something to somebody', odd, odd],
    ['as in a URL', odd, encodeURIComponent(odd)],
    ['as JSON', odd, JSON.stringify(odd).slice(1, -1)],
    ['as HTML', odd, '7:a&quot;b&lt;c&gt;&amp;d\\e/f g%[x]^$.*+?(y){z}|-w'],
    ['of eight characters', '12345678', '12345678'],
  ])('%s', (_, secret, spelled) =>
    expect(withoutSecret(`no ${spelled}, not ${spelled}!`, secret)).toBe('no [token], not [token]!'),
  );

  test('each spelling of it in one body', () => {
    const body = `${odd} ${encodeURIComponent(odd)} ${JSON.stringify(odd)}`;
    expect(withoutSecret(body, odd)).toBe('[token] [token] "[token]"');
  });

  test('cut short after sixteen characters or more, and no more than that is taken out', () => {
    expect(withoutSecret(`bad: ${plain.slice(0, 16)}`, plain)).toBe('bad: [token]');
    expect(withoutSecret(`bad: ${plain.slice(0, 30)}… and more`, plain)).toBe('bad: [token]… and more');
    expect(withoutSecret(`${plain}${plain}`, plain)).toBe('[token][token]');
  });

  test('whole, where a spelling begins like another', () => {
    const secret = 'abcdefghijklmnopq"rst';
    expect(withoutSecret(`a ${JSON.stringify(secret)} b`, secret)).toBe('a "[token]" b');
    expect(withoutSecret(`a ${encodeURIComponent(secret)} b`, secret)).toBe('a [token] b');
  });
});

describe('what is no secret stands', () => {
  test.each([
    ['its first fifteen characters', plain, plain.slice(0, 15)],
    ['what only begins like it', plain, `x${plain.slice(1)}`],
    ['what its marks would match as a pattern', 'a.b*c+d?e(f)', 'aXbbcddef a.bbb'],
    ['one too short to be told from words', '1234567', 'all of 1234567'],
  ])('%s', (_, secret, body) => expect(withoutSecret(body, secret)).toBe(body));
});

test('whatever the secret and the words around it, it is not in what is left', () => {
  const secret = fc
    .string({ unit: 'binary', minLength: 8, maxLength: 60 })
    .filter((text) => !'[token]'.includes(text));
  fc.assert(
    fc.property(secret, fc.string({ maxLength: 20 }), fc.string({ maxLength: 20 }), (text, before, after) => {
      expect(withoutSecret(`${before}${text}${after}`, text)).not.toContain(text);
    }),
    { numRuns: runs(500) },
  );
});
