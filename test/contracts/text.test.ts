import { describe, expect, test } from 'vitest';
import { countCodePoints, countUtf8Bytes, hasLoneSurrogate, printable } from '../../contracts/text.ts';

describe('text is measured as services measure it', () => {
  test.each([
    ['', 0, 0],
    ['a', 1, 1],
    ['\u007f', 1, 1],
    ['\u0080', 1, 2],
    ['\u07ff', 1, 2],
    ['\u0800', 1, 3],
    ['\uffff', 1, 3],
    ['\u{10000}', 1, 4],
    ['aé€😀', 4, 10],
    ['\ud83d', 1, 3],
  ])('%j: %i code points, %i bytes', (text, codePoints, bytes) => {
    expect(countCodePoints(text)).toBe(codePoints);
    expect(countUtf8Bytes(text)).toBe(bytes);
    expect(countUtf8Bytes(text)).toBe(Buffer.byteLength(text));
  });

  test.each([
    ['\ud7ff', false],
    ['\ud800', true],
    ['a\udbff', true],
    ['\udc00a', true],
    ['\udfff', true],
    ['\ue000', false],
    ['😀', false],
    ['', false],
  ])('half of a pair in %j: %s', (text, isHalf) => expect(hasLoneSurrogate(text)).toBe(isHalf));
});

describe('foreign text that is shown', () => {
  test.each([
    ['a \t\r\n b', 'a b'],
    ['  a  ', 'a'],
    ['a\u0007\u202e\u200b\ud800\ue000b', 'ab'],
    ['é€😀-_.,:;!', 'é€😀-_.,:;!'],
  ])('is one printable line: %j', (text, shown) => expect(printable(text, 100)).toBe(shown));

  const secret = 'AAexample_example-example_example12';
  test.each([
    [`bot7000000001:${secret}/sendMessage`, 'bot[token]/sendMessage'],
    [`7:${secret}`, '[token]'],
    [`7000000001%3A${secret} and 7000000002%3a${secret}`, '[token] and [token]'],
    [`1:${secret}:${secret}`, '[token]'],
    [`1:${'a'.repeat(30)}`, '[token]'],
    [`1:${'a'.repeat(29)}`, `1:${'a'.repeat(29)}`],
    ['at 10:30:00', 'at 10:30:00'],
    [`x:${secret}`, `x:${secret}`],
  ])('has no token: %s', (text, shown) => expect(printable(text, 200)).toBe(shown));

  test('is cut with a mark, and never within a pair', () => {
    expect(printable('abcdef', 6)).toBe('abcdef');
    expect(printable('abcdefg', 6)).toBe('abcde…');
    expect(printable('abcd😀g', 6)).toBe('abcd…');
    expect(printable('abc😀fg', 6)).toBe('abc😀…');
    expect(printable('abcde😀', 6)).toBe('abcde…');
  });
});
