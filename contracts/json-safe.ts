import type { ContentProblem } from './contract.ts';
import { hasLoneSurrogate } from './text.ts';

const maxDepth = 64;
const maxProblems = 20;
const maxValues = 100_000;

/**
 * Problems that keep a value from passing through JSON, a history and UTF-8 unchanged, each with the path of its field.
 * Cyclic values end at the depth limit. Throws only what a getter or a proxy of the caller throws.
 */
export function jsonProblems(value: unknown, path: string): readonly ContentProblem[] {
  const visit: Visit = { problems: [], values: 0 };
  visitValue(value, path, 0, visit);
  return visit.problems;
}

interface Visit {
  readonly problems: ContentProblem[];
  values: number;
}

function visitValue(value: unknown, path: string, depth: number, visit: Visit): void {
  const { problems } = visit;
  visit.values += 1;
  if (visit.values > maxValues) {
    problems.push({
      field: path,
      problem: `comes after ${maxValues} other values, which is too many: send less at once`,
    });
    return;
  }
  const problem = scalarProblem(value);
  if (problem !== null) {
    problems.push({ field: path, problem });
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth >= maxDepth) {
    problems.push({
      field: path,
      problem: `nested deeper than ${maxDepth} levels, or it contains itself: flatten it`,
    });
    return;
  }
  if (Array.isArray(value)) {
    // By index, so that holes are seen: JSON would turn them into null.
    for (let index = 0; index < value.length && !isFull(visit); index += 1)
      visitValue(value[index], `${path}[${index}]`, depth + 1, visit);
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    if (isFull(visit)) return;
    if (hasLoneSurrogate(key))
      problems.push({ field: path, problem: 'has a field name that is not valid Unicode: rename it' });
    else visitValue(member, `${path}.${key}`, depth + 1, visit);
  }
}

function isFull(visit: Visit): boolean {
  return visit.problems.length >= maxProblems || visit.values > maxValues;
}

function scalarProblem(value: unknown): string | null {
  switch (typeof value) {
    case 'boolean':
      return null;
    case 'string':
      return hasLoneSurrogate(value)
        ? 'has half of a surrogate pair, which UTF-8 cannot carry: cut text between whole characters'
        : null;
    case 'number':
      if (!Number.isFinite(value)) return `is ${value}, which JSON does not have: leave the field out`;
      if (Number.isInteger(value) && !Number.isSafeInteger(value))
        return 'is a whole number too large to be exact: give it as a string of digits';
      return null;
    case 'object':
      return value === null || Array.isArray(value) || isPlainObject(value)
        ? null
        : 'is an object of a class, which JSON does not keep: give a plain object, array, string or number';
    case 'undefined':
      return 'is undefined, which JSON does not have: leave the field out';
    case 'bigint':
      return 'is a bigint, which JSON does not have: give a number, or a string of digits';
    case 'function':
    case 'symbol':
      return `is a ${typeof value}, which JSON does not have: leave the field out`;
  }
}

/** Whether the value is an object literal, from this realm or (in Temporal's sandbox) from another one. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
