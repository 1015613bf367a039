import { readFileSync, statSync } from 'node:fs';
import { tokenProblem } from '../contracts/index.ts';
import type { BotConfig } from './bot-config.ts';
import type { Environment } from './load.ts';

/** A bot's token, or why there is none; `why` never repeats it (invariant 8). */
export type TokenReading =
  { readonly kind: 'token'; readonly token: string } | { readonly kind: 'missing'; readonly why: string };

/** The part of a bot's settings that a token is found by. */
export type TokenOwner = Pick<BotConfig, 'contract' | 'token'>;

const rereadAfterMs = 5000;
const maxTokenFileBytes = 4096;

/**
 * Finds tokens, in this process's memory only. A file is read again after 5 s, so that a token that was put there, or
 * changed, is used without a restart.
 */
export class TokenReader {
  readonly #env: Environment;
  readonly #monotonicMs: () => number;
  readonly #files = new Map<string, { readonly reading: TokenReading; readonly readAtMs: number }>();

  constructor(options: { readonly env?: Environment; readonly monotonicMs?: () => number } = {}) {
    this.#env = options.env ?? process.env;
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now());
  }

  read(owner: TokenOwner): TokenReading {
    const { contract, token } = owner;
    switch (token.kind) {
      case 'env':
        return this.#fromVariable(contract, token.variable);
      case 'file': {
        const nowMs = this.#monotonicMs();
        const key = `${contract} ${token.path}`;
        const known = this.#files.get(key);
        if (known !== undefined && nowMs - known.readAtMs < rereadAfterMs) return known.reading;
        const reading = fromFile(contract, token.path);
        this.#files.set(key, { reading, readAtMs: nowMs });
        return reading;
      }
    }
  }

  #fromVariable(contract: string, variable: string): TokenReading {
    const text = this.#env[variable];
    if (text === undefined)
      return {
        kind: 'missing',
        why: `the environment variable ${variable} is not set: set it, and start again`,
      };
    return checked(contract, text, `the environment variable ${variable}`);
  }
}

function fromFile(contract: string, path: string): TokenReading {
  try {
    const status = statSync(path);
    if (!status.isFile())
      return { kind: 'missing', why: `${path} is not a file: put the token into a file there` };
    if (status.size > maxTokenFileBytes)
      return {
        kind: 'missing',
        why: `${path} is too large for a token (${status.size} bytes): put the token there, and nothing else`,
      };
    return checked(contract, readFileSync(path, 'utf8').replace(/^\uFEFF/, ''), path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    const why =
      code === 'ENOENT'
        ? 'does not exist: put the token into it'
        : `cannot be read (${code}): let this user read it`;
    return { kind: 'missing', why: `the token file ${path} ${why}` };
  }
}

function checked(contract: string, text: string, place: string): TokenReading {
  const token = text.replace(/[\r\n]+$/, '');
  const problem = tokenProblem(contract, token);
  return problem === null
    ? { kind: 'token', token }
    : { kind: 'missing', why: `the token in ${place} cannot be used: ${problem}` };
}
