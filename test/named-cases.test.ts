import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../tools/temporal/package-root.ts';

/** Cases from the field and rules of the lane that a test's title must name, before its colon. */
const wanted = [
  ...range('F', 1, 15),
  ...range('U', 1, 14),
  ...range('R', 1, 7),
  ...range('T', 1, 10),
  ...range('K', 1, 6),
  ...range('L', 1, 20),
];

describe('every case and rule has a test that names it', () => {
  const named = new Set(titles().flatMap((title) => namesIn(title)));

  it.each(wanted)('%s', (name) => {
    expect(named).toContain(name);
  });
});

describe('a title names', () => {
  it('what stands before its first colon', () => {
    expect(namesIn('F2, L3: a shorter delay after F9')).toEqual(['F2', 'L3']);
  });
  it('nothing without a colon', () => {
    expect(namesIn('a text about F2')).toEqual([]);
  });
});

function namesIn(title: string): string[] {
  const [before, after] = title.split(/:(.*)/s);
  return after === undefined
    ? []
    : [...(before ?? '').matchAll(/\b[FURTLK]\d{1,2}\b/g)].map(([name]) => name);
}

function titles(): string[] {
  const root = join(packageRoot(), 'test');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.test.ts') && !name.endsWith('named-cases.test.ts'),
  );
  const title = /\b(?:it|test|describe)(?:\.[a-z]+(?:\([^)]*\))?)*\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs;
  return files.flatMap((name) =>
    [...readFileSync(join(root, name), 'utf8').matchAll(title)].map((match) => match[2] ?? ''),
  );
}

function range(letter: string, first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => `${letter}${first + index}`);
}
