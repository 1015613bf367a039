import type { z } from 'zod';
import { nearestName } from './nearest-name.ts';
import { fieldPath } from './problem.ts';
import type { ConfigProblem } from './problem.ts';
import { namesAt } from './schema.ts';

/** The schema's findings in our words. Of a wrong value only its type is told, or the number it is: never a text. */
export function schemaProblems(error: z.ZodError, file: unknown): readonly ConfigProblem[] {
  const problems = error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownName(issue.path, key));
    return [
      { field: fieldPath(issue.path), problem: `${issue.message}; ${wordOf(valueAt(file, issue.path))}` },
    ];
  });
  // Several checks of one field say the same words.
  return problems.filter(
    ({ field }, index) => problems.findIndex((other) => other.field === field) === index,
  );
}

const secretName = /^(bot_?)?(token|secret|key|password)$/i;

function unknownName(path: readonly PropertyKey[], key: string): ConfigProblem {
  const names = namesAt(path);
  const field = fieldPath([...path, key]);
  if (path.length === 2 && secretName.test(key))
    return {
      field,
      problem:
        'is not a setting: a token is named here, not given; use "tokenFile" or "tokenEnv", and change the token if this file was shared',
    };
  const nearest = nearestName(key, names);
  const advice =
    nearest === null
      ? `use ${names.filter((name) => name !== '$schema').join(', ')}`
      : `did you mean "${nearest}"?`;
  return { field, problem: `is not a setting: ${advice}` };
}

function valueAt(file: unknown, path: readonly PropertyKey[]): unknown {
  let value = file;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
}

function wordOf(value: unknown): string {
  if (value === undefined) return 'it is missing';
  if (value === null) return 'it is null';
  if (Array.isArray(value)) return `it is a list of ${value.length}`;
  if (typeof value === 'string') return value === '' ? 'it is an empty text' : 'it is another text';
  return typeof value === 'number' || typeof value === 'boolean' ? `it is ${value}` : 'it is an object';
}
