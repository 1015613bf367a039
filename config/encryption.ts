import {
  PayloadKeyError,
  type PayloadKeys,
  noPayloadKeys,
  payloadKeyFrom,
} from '../client/codec/payload-keys.ts';
import type { TokenSource } from './bot-config.ts';
import type { Environment } from './load.ts';
import { readSecret } from './secret-place.ts';

/** How payloads are encrypted: ids of keys, and where each key is; never a key itself (invariant 8). */
export interface EncryptionConfig {
  /** Id of the key that new payloads are written with; null: they are only read. */
  readonly writeKey: string | null;
  readonly keys: ReadonlyMap<string, TokenSource>;
}

/**
 * Reads the keys. Throws a `PayloadKeyError` that names each key that cannot be used and what to do; it repeats none. A
 * process that cannot read all that it should stops before it does half of it.
 */
export function readPayloadKeys(
  encryption: EncryptionConfig | undefined,
  env: Environment = process.env,
): PayloadKeys {
  if (!encryption) return noPayloadKeys;
  const keys = new Map<string, Uint8Array>();
  const problems: string[] = [];
  for (const [id, source] of encryption.keys) {
    const reading = readSecret(source, env, 'key');
    const key = reading.kind === 'secret' ? payloadKeyFrom(reading.secret) : undefined;
    if (key) keys.set(id, key);
    else problems.push(`  encryption.keys.${id}: ${reading.kind === 'missing' ? reading.why : keyWords}`);
  }
  if (problems.length > 0)
    throw new PayloadKeyError(['Keys of payloads cannot be used:', ...problems].join('\n'));
  return { writeKey: encryption.writeKey, keys };
}

const keyWords = 'is no key: it must be 32 bytes in base 64, as "openssl rand -base64 32" writes them';
