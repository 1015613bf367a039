/** Reads JSON text and says where it goes wrong; the engine's own messages name no line, and quote what may be secret. */
export type JsonReading =
  /** `duplicates`: paths of fields given twice, of which JSON keeps the last in silence. */
  | {
      readonly kind: 'value';
      readonly value: unknown;
      readonly duplicates: readonly (readonly PropertyKey[])[];
    }
  /** `line` and `column` count from 1. */
  | { readonly kind: 'syntax'; readonly line: number; readonly column: number; readonly problem: string };

const maxDepth = 50;
const blank = /[ \t\n\r]*/y;
const stringToken = /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const numberToken = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const wordToken = /true|false|null/y;

class SyntaxProblem extends Error {
  readonly at: number;
  constructor(at: number, problem: string) {
    super(problem);
    this.at = at;
  }
}

/** Accepts what `JSON.parse` accepts, up to 50 levels deep. */
export function readJson(text: string): JsonReading {
  const duplicates: (readonly PropertyKey[])[] = [];
  try {
    scan(text, duplicates);
    return { kind: 'value', value: JSON.parse(text), duplicates };
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
    const before = text.slice(0, error.at).split('\n');
    return {
      kind: 'syntax',
      line: before.length,
      column: (before.at(-1) ?? '').length + 1,
      problem: error.message,
    };
  }
}

function scan(text: string, duplicates: (readonly PropertyKey[])[]): void {
  let at = 0;

  const fail = (problem: string): never => {
    if (text.charAt(at) === '/') throw new SyntaxProblem(at, 'JSON has no comments: take it out');
    throw new SyntaxProblem(at, at >= text.length ? `the file ends too early: ${problem}` : problem);
  };
  const token = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? null;
    at += found?.length ?? 0;
    return found;
  };
  const skip = (): string => {
    token(blank);
    return text.charAt(at);
  };

  const name = (): string => {
    const found = token(stringToken);
    if (found === null)
      return fail(
        text.charAt(at) === '}' ? 'a comma before } is one too many' : stringWords(text.charAt(at)),
      );
    return JSON.parse(found) as string;
  };

  const members = (path: readonly PropertyKey[]): void => {
    const names = new Set<string>();
    at += 1;
    if (skip() === '}') return void (at += 1);
    for (;;) {
      skip();
      const key = name();
      if (names.has(key)) duplicates.push([...path, key]);
      names.add(key);
      if (skip() !== ':') fail('a : must follow the name of a field');
      at += 1;
      value([...path, key]);
      const next = skip();
      if (next !== ',' && next !== '}') fail('a comma or } must follow');
      at += 1;
      if (next === '}') return;
    }
  };

  const items = (path: readonly PropertyKey[]): void => {
    at += 1;
    if (skip() === ']') return void (at += 1);
    for (let index = 0; ; index += 1) {
      if (skip() === ']') fail('a comma before ] is one too many');
      value([...path, index]);
      const next = skip();
      if (next !== ',' && next !== ']') fail('a comma or ] must follow');
      at += 1;
      if (next === ']') return;
    }
  };

  const value = (path: readonly PropertyKey[]): void => {
    if (path.length > maxDepth) fail(`nested deeper than ${maxDepth} levels`);
    const first = skip();
    if (first === '{') return members(path);
    if (first === '[') return items(path);
    if (token(stringToken) !== null || token(numberToken) !== null || token(wordToken) !== null) return;
    fail(first === '"' ? stringWords(first) : valueWords(first));
  };

  value([]);
  skip();
  if (at < text.length) fail('nothing may follow the end of the value');
}

function stringWords(first: string): string {
  return first === '"'
    ? 'this text is not closed on its line, or has a \\ that JSON does not have'
    : 'the name of a field in "double quotes" must stand here';
}

function valueWords(first: string): string {
  return first === "'"
    ? 'use "double quotes"'
    : 'a value must stand here ("text", number, true, false, null, [ or {)';
}
