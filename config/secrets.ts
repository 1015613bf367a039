import { tokenProblem } from '../contracts/index.ts';
import type { BotConfig } from './bot-config.ts';
import type { Environment } from './load.ts';
import { readSecret } from './secret-place.ts';

/** A bot's token, or why there is none; `why` never repeats it (invariant 8). */
export type TokenReading =
  { readonly kind: 'token'; readonly token: string } | { readonly kind: 'missing'; readonly why: string };

/** The part of a bot's settings that a token is found by. */
export type TokenOwner = Pick<BotConfig, 'contract' | 'token'>;

const rereadAfterMs = 5000;

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
        return readToken(owner, this.#env);
      case 'file': {
        const nowMs = this.#monotonicMs();
        const key = `${contract} ${token.path}`;
        const known = this.#files.get(key);
        if (known !== undefined && nowMs - known.readAtMs < rereadAfterMs) return known.reading;
        const reading = readToken(owner, this.#env);
        this.#files.set(key, { reading, readAtMs: nowMs });
        return reading;
      }
    }
  }
}

function readToken({ contract, token: source }: TokenOwner, env: Environment): TokenReading {
  const reading = readSecret(source, env, 'token');
  if (reading.kind === 'missing') return reading;
  const problem = tokenProblem(contract, reading.secret);
  if (problem === null) return { kind: 'token', token: reading.secret };
  const place = source.kind === 'env' ? `the environment variable ${source.variable}` : source.path;
  return { kind: 'missing', why: `the token in ${place} cannot be used: ${problem}` };
}
