import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nearestName } from '../../config/nearest-name.ts';
import { readJson } from '../../config/json-text.ts';

describe('JSON that is not valid is told by line, column and cause', () => {
  test.each([
    ['', 1, 1, 'the file ends too early'],
    ['{\n  "a": 1,\n}', 3, 1, 'a comma before } is one too many'],
    ['[1,\n]', 2, 1, 'a comma before ] is one too many'],
    ['{"a": 1\n "b": 2}', 2, 2, 'a comma or } must follow'],
    ['{"a" 1}', 1, 6, 'a : must follow'],
    ["{'a': 1}", 1, 2, '"double quotes"'],
    ['{"a": \'x\'}', 1, 7, '"double quotes"'],
    ['{"a": 1 // why\n}', 1, 9, 'no comments'],
    ['// why\n{}', 1, 1, 'no comments'],
    ['{"a": "x\ny"}', 1, 7, 'not closed on its line'],
    ['{"a": undefined}', 1, 7, 'a value must stand here'],
    ['{} {}', 1, 4, 'nothing may follow'],
    ['['.repeat(100), 1, 52, 'nested deeper'],
  ])('%j', (text, line, column, problem) =>
    expect(readJson(text)).toEqual({
      kind: 'syntax',
      line,
      column,
      problem: expect.stringContaining(problem),
    }),
  );
});

test('a field given twice is told with its path', () => {
  expect(readJson('{"a":[{"b":1,"b":2}],"a":3}')).toMatchObject({ duplicates: [['a', 0, 'b'], ['a']] });
  expect(readJson('{"a":{"b":1},"c":{"b":1}}')).toMatchObject({ duplicates: [] });
});

test('exactly what the engine takes as JSON is taken, with the same value', () => {
  const text = fc.tuple(
    fc.json({ maxDepth: 4, stringUnit: 'binary' }),
    fc.nat(60),
    fc.nat(2),
    fc.constantFrom('', ' ', '"', ',', '{', ']', '\\', '0', '-', 'e', '\u0007', '\u0085'),
  );
  fc.assert(
    fc.property(text, ([json, at, removed, added]) => {
      const damaged = json.slice(0, at) + added + json.slice(at + removed);
      const reading = readJson(damaged);
      let expected: unknown;
      try {
        expected = JSON.parse(damaged);
      } catch {
        expect(reading.kind).toBe('syntax');
        return;
      }
      expect(reading).toMatchObject({ kind: 'value' });
      if (reading.kind === 'value') expect(reading.value).toEqual(expected);
    }),
    { numRuns: 5000 },
  );
});

test.each([
  ['chats', 'chat'],
  ['tokenfile', 'tokenFile'],
  ['token_file', 'tokenFile'],
  ['TokenENV', 'tokenEnv'],
  ['colour', null],
  ['', null],
])('a misspelt name is near the one that was meant: %s, %s', (name, meant) =>
  expect(nearestName(name, ['chat', 'group', 'tokenFile', 'tokenEnv', 'apiRoot'])).toBe(meant),
);
