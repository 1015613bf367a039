import { resolve } from 'node:path';
import type { TokenSource } from '../../config/bot-config.ts';
import { type TokenReading, TokenReader } from '../../config/secrets.ts';
import { UsageError } from '../exit-code.ts';

/** Reads secrets that are of no bot's contract: of their characters, only what every token must have is checked. */
export class SecretReader {
  readonly #tokens: TokenReader;

  constructor(env: NodeJS.ProcessEnv) {
    this.#tokens = new TokenReader({ env });
  }

  read(source: TokenSource): TokenReading {
    return this.#tokens.read({ contract: '', token: source });
  }

  /** Gives the secret as it is when it is asked for; undefined while there is none. */
  secretAt(source: TokenSource): () => string | undefined {
    return () => {
      const reading = this.read(source);
      return reading.kind === 'token' ? reading.token : undefined;
    };
  }
}

export const apiTokenVariable = 'REPLYLANE_API_TOKEN';

/** Where the token of the HTTP API is; undefined where none is given, which turns the API off. */
export function apiTokenSource(env: NodeJS.ProcessEnv, file: string | undefined): TokenSource | undefined {
  if (file !== undefined) return { kind: 'file', path: resolve(file) };
  return env[apiTokenVariable] ? { kind: 'env', variable: apiTokenVariable } : undefined;
}

/** Throws a `UsageError` for a token that was given, but cannot be used: nobody means to serve without it then. */
export function requireApiToken(secrets: SecretReader, source: TokenSource): void {
  const reading = secrets.read(source);
  if (reading.kind === 'missing')
    throw new UsageError(`${source.kind === 'file' ? '--api-token-file' : apiTokenVariable}: ${reading.why}`);
}
