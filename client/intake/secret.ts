import { createHash, timingSafeEqual } from 'node:crypto';
import { ReplyInputError } from '../errors.ts';

/** A secret, or what gives the one that holds now (undefined: there is none at present), asked for every delivery. */
export type Secret = string | (() => string | undefined);

/** Whether a secret is the expected one, in a time that tells nothing about either. Nothing is the same as an empty one. */
export function sameSecret(given: string | null, expected: string): boolean {
  // Digests, since the comparison needs equal lengths and the secret's length is nobody's business.
  const same = timingSafeEqual(digest(given ?? ''), digest(expected));
  return same && given !== null && expected !== '';
}

/** Throws a `ReplyInputError` for a secret that would let everybody in. */
export function requireSecret(secret: Secret, field: string): void {
  if (typeof secret === 'function' || (typeof secret === 'string' && secret !== '')) return;
  const problem = 'must be the secret that the service was given, or a function that gives it: it is empty';
  throw new ReplyInputError('The webhook cannot be taken', [{ field, problem }]);
}

/** The secret that holds now; undefined where there is none. */
export function currentSecret(secret: Secret): string | undefined {
  const current = typeof secret === 'function' ? secret() : secret;
  return current === '' ? undefined : current;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
