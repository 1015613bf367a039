import type { TokenSource } from './bot-config.ts';
import type { Config, Environment } from './load.ts';
import { ConfigError, type ConfigProblem, fieldPath } from './problem.ts';
import { TokenReader } from './secrets.ts';

/** Where the keys are that payloads are encrypted with: one to write with, all to read with. */
export interface EncryptionConfig {
  readonly keyId: string;
  readonly keys: ReadonlyMap<string, TokenSource>;
}

const keyBytes = 32;

/**
 * Reads the keys of the configuration; none to write with where it has no encryption. Throws a `ConfigError` that names
 * each key that cannot be used, and repeats none (invariant 8).
 */
export function readPayloadKeys(
  config: Pick<Config, 'path' | 'encryption'> | undefined,
  env: Environment = process.env,
): { readonly writeWith: string | null; readonly keys: ReadonlyMap<string, Uint8Array> } {
  if (!config?.encryption) return { writeWith: null, keys: new Map() };
  const reader = new TokenReader({ env });
  const problems: ConfigProblem[] = [];
  const keys = new Map<string, Uint8Array>();
  for (const [id, source] of config.encryption.keys) {
    const problem = (text: string): void =>
      void problems.push({ field: fieldPath(['encryption', 'keys', id]), problem: text });
    const reading = reader.read({ contract: '', token: source });
    if (reading.kind === 'missing') {
      problem(reading.why.replace('put the token into it', 'put the key into it'));
      continue;
    }
    const key = Buffer.from(reading.token, 'base64');
    // Node skips what is not base 64: a key that was cut or mistyped must not become another one.
    if (key.length === keyBytes && key.toString('base64') === reading.token) keys.set(id, key);
    else problem(`must be ${keyBytes} bytes in base 64: make one with "openssl rand -base64 ${keyBytes}"`);
  }
  if (problems.length > 0) throw new ConfigError(config.path, problems);
  return { writeWith: config.encryption.keyId, keys };
}
