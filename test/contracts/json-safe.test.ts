import { createContext, runInContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { isPlainObject, jsonProblems } from '../../contracts/json-safe.ts';
import { each } from './telegram-samples.ts';

const nested = (levels: number, innermost: unknown): unknown => {
  let value = innermost;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
};
const named = (levels: number, innermost: unknown): unknown => {
  let value = innermost;
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
};
const problemsOf = (value: unknown) => jsonProblems(value, 'x').map(({ problem }) => problem);

describe('what JSON keeps as it is', () => {
  test.each(
    each<unknown>([
      null,
      true,
      false,
      '',
      'é😀',
      0,
      -0.5,
      1e300 / 1e290,
      Number.MAX_SAFE_INTEGER,
      [],
      {},
      [null, [{}]],
      { a: { b: [1, 'c', null] } },
      Object.create(null),
      nested(64, 1),
      named(64, 1),
    ]),
  )('%j: no problem', (value) => expect(problemsOf(value)).toEqual([]));

  test.each([
    ['undefined', undefined, /is undefined/],
    ['not a number', NaN, /is NaN/],
    ['infinity', -Infinity, /is -Infinity/],
    ['an inexact whole number', 2 ** 53, /too large to be exact/],
    ['a bigint', 1n, /is a bigint, which JSON does not have: give a number/],
    ['a symbol', Symbol('s'), /is a symbol/],
    ['a function', () => 1, /is a function/],
    ['an instance', new Map(), /object of a class/],
    ['half of a pair', '\ud83d', /half of a surrogate pair/],
    ['a level too many', nested(65, 1), /deeper than 64 levels/],
    ['a level of names too many', named(65, 1), /deeper than 64 levels/],
  ])('%s: a problem', (_, value, words) => {
    const problems = problemsOf(value);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(words);
  });
});

describe('problems', () => {
  test('stand at the path of their field, in order, and those beside them are found', () => {
    expect(jsonProblems({ a: [1, NaN], b: { c: undefined }, '\ud800': 1, d: 1n }, 'params')).toMatchObject([
      { field: 'params.a[1]' },
      { field: 'params.b.c' },
      { field: 'params', problem: expect.stringContaining('field name') },
      { field: 'params.d' },
    ]);
  });

  test('are at most twenty', () => {
    const list = Array.from({ length: 50 }, () => NaN);
    const byName = Object.fromEntries(list.map((value, i) => [`f${i}`, value]));
    const names = Object.fromEntries(list.map((_, i) => [`${i}\ud800`, 1]));
    for (const value of [list, byName, names, [list, list], { list, byName }])
      expect(problemsOf(value)).toHaveLength(20);
  });

  test('a hundred thousand values are looked at, and the next is one too many', () => {
    const values = (count: number) => Array.from({ length: count }, () => 0);
    expect(problemsOf(values(99_999))).toEqual([]);
    expect(problemsOf(values(100_000))).toEqual([expect.stringContaining('comes after 100000 other values')]);
    expect(problemsOf([values(100_000), NaN, values(5)])).toHaveLength(1);
  });
});

test('an object literal is told from anything else, in every realm', () => {
  const realm = createContext({});
  for (const value of [{}, { a: 1 }, Object.create(null), runInContext('({})', realm)])
    expect(isPlainObject(value)).toBe(true);
  for (const value of [null, undefined, 'a', 1, [], new Date(0), new Map(), new (class A {})(), () => 1])
    expect(isPlainObject(value)).toBe(false);
  expect(isPlainObject(runInContext('[]', realm))).toBe(false);
  expect(isPlainObject(runInContext('new Date(0)', realm))).toBe(false);
});
