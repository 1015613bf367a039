import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

const acceptedKey = /^[\x21-\x7e]{1,64}$/;
// With `sha256-` before them, no more than the service takes.
const hexDigits = 56;

/**
 * The idempotency key that stands for a reply's key: itself where the service takes it (1 to 64 printable ASCII
 * characters without spaces), else `sha256-` and the first 224 bits of the SHA-256 of its UTF-8 bytes in hex. The same
 * every time, since another key would be another intention.
 */
export function idempotencyKey(key: string): string {
  if (acceptedKey.test(key)) return key;
  return `sha256-${bytesToHex(sha256(utf8ToBytes(key))).slice(0, hexDigits)}`;
}
