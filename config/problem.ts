import { printable } from '../contracts/text.ts';

/** One thing wrong with the configuration; `problem` says what was wrong and what to do, and repeats no secret. */
export interface ConfigProblem {
  /** Path of the field, such as `bots.support.limits.chat[0].perMs`; empty for the file as a whole. */
  readonly field: string;
  readonly problem: string;
}

/** All that is wrong with a configuration file, in one message. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly path: string;
  readonly problems: readonly ConfigProblem[];

  constructor(path: string, problems: readonly ConfigProblem[]) {
    const lines = problems.map(({ field, problem }) => `  ${field === '' ? '' : `${field}: `}${problem}`);
    const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
    super([`${path} has ${count}:`, ...lines].join('\n'));
    this.path = path;
    this.problems = problems;
  }
}

/** A path of names and indices as text. */
export function fieldPath(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`;
      const name = String(part);
      const shown = /^[A-Za-z0-9_$-]+$/.test(name)
        ? printable(name, 60)
        : JSON.stringify(printable(name, 60));
      return index === 0 ? shown : `.${shown}`;
    })
    .join('');
}
