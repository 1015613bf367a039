import { expect, test } from 'vitest';
import { tokenProblem } from '../../contracts/index.ts';
import { each } from './telegram-samples.ts';

const token = '7000000001:AAexample_example-example_example12';

test.each(each([token, 'a', "a-b.c_d~!$&'()*+,;=:@Z9"]))('a token of Telegram: %s', (text) =>
  expect(tokenProblem('telegram', text)).toBe(null),
);

test.each([
  ['', /empty/],
  [' ', /a space, a line break/],
  [`${token}\n`, /a space, a line break/],
  [` ${token}`, /a space, a line break/],
  ['tökén', /a space, a line break/],
  [`${token}/`, /cannot stand in a URL/],
  [`/${token}`, /cannot stand in a URL/],
  ['a%3Ab', /cannot stand in a URL/],
  ['#', /cannot stand in a URL/],
])('none: %j', (text, words) => {
  const problem = tokenProblem('telegram', text);
  expect(problem).toMatch(words);
  // Not repeated, whatever is wrong with it.
  if (text.trim() !== '') expect(problem).not.toContain(text.trim().slice(0, 10) || '-');
});

test('of a service without rules only the characters are judged', () => {
  expect(tokenProblem('another', 'a/b#c')).toBe(null);
  expect(tokenProblem('another', 'a b')).toMatch(/a space/);
  expect(tokenProblem('another', '')).toMatch(/empty/);
});
