import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Authenticate } from '../../client/index.ts';
import { sameSecret } from '../../client/intake/secret.ts';
import { UsageError } from '../exit-code.ts';

export const reviewersVariable = 'REPLYLANE_REVIEWERS';

/** Name and password of each person who may open the review page; or why there are none. `why` repeats no password. */
export type ReviewersReading =
  | { readonly kind: 'reviewers'; readonly passwords: ReadonlyMap<string, string> }
  | { readonly kind: 'unusable'; readonly why: string };

/** Reads anew whenever it is asked: who is taken out of the file is out at the next request. */
export type ReadReviewers = () => ReviewersReading;

const maxFileBytes = 64 * 1024;
const shortestPassword = 16;

/**
 * Who may open the review page: a file, or a variable, with `name:password` for each, parted by space or lines. Throws a
 * `UsageError` where there is nobody: the page is never served without.
 */
export function reviewersOf(env: NodeJS.ProcessEnv, file: string | undefined): ReadReviewers {
  const text = env[reviewersVariable];
  if (file === undefined && !text) {
    throw new UsageError(
      `the review page needs to know who may open it: give --reviewers-file, or set ${reviewersVariable}, with name:password for each`,
    );
  }
  const read: ReadReviewers =
    file === undefined ? () => readReviewers(text ?? '') : () => readReviewersFile(resolve(file));
  const reading = read();
  if (reading.kind === 'unusable')
    throw new UsageError(`${file === undefined ? reviewersVariable : '--reviewers-file'}: ${reading.why}`);
  return read;
}

/** Reads entries; one bad entry makes them all unusable. */
export function readReviewers(text: string): ReviewersReading {
  const passwords = new Map<string, string>();
  const entries = text.split(/\s+/).filter((entry) => entry !== '');
  for (const [index, entry] of entries.entries()) {
    const where = `entry ${index + 1}`;
    const unusable = (why: string): ReviewersReading => ({ kind: 'unusable', why: `${where} ${why}` });
    const [, name, password] = /^([A-Za-z0-9._@-]{1,100}):([\x21-\x7e]{1,200})$/.exec(entry) ?? [];
    if (name === undefined || password === undefined)
      return unusable('is not name:password (names of letters, digits and ._@-, both in ASCII)');
    if (password.length < shortestPassword)
      return unusable(`(${name}): the password must have at least ${shortestPassword} characters`);
    if (passwords.has(name)) return unusable(`(${name}): that name stands there before`);
    passwords.set(name, password);
  }
  if (passwords.size === 0)
    return { kind: 'unusable', why: 'has no entry: give name:password for each person' };
  return { kind: 'reviewers', passwords };
}

/** HTTP Basic authentication: what every browser can, and what a form cannot make up. */
export function basicAuthentication(read: ReadReviewers, onUnusable: (why: string) => void): Authenticate {
  return ({ headers }) => {
    const reading = read();
    if (reading.kind === 'unusable') {
      onUnusable(reading.why);
      return plain(503, 'Who may open this page cannot be read at present.');
    }
    const given = credentials(headers.get('authorization'));
    // As much work for a name that is not there.
    const expected = reading.passwords.get(given?.name ?? '') ?? '';
    if (given && sameSecret(given.password, expected)) return { by: given.name };
    return plain(401, 'Log in with your name and password.', {
      'www-authenticate': 'Basic realm="replylane review", charset="UTF-8"',
    });
  };
}

function credentials(header: string | null): { readonly name: string; readonly password: string } | null {
  const [, encoded = ''] = /^Basic +([A-Za-z0-9+/=]{1,600}) *$/i.exec(header ?? '') ?? [];
  const [, name, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  return name === undefined || password === undefined ? null : { name, password };
}

function plain(status: number, words: string, headers: Record<string, string> = {}): Response {
  return new Response(`${words}\n`, {
    status,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
  });
}

function readReviewersFile(path: string): ReviewersReading {
  try {
    const { size } = statSync(path);
    if (size > maxFileBytes) return { kind: 'unusable', why: `${path} has more than ${maxFileBytes} bytes` };
    const reading = readReviewers(readFileSync(path, 'utf8'));
    return reading.kind === 'unusable' ? { ...reading, why: `${path}: ${reading.why}` } : reading;
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    return { kind: 'unusable', why: `${path} cannot be read (${code})` };
  }
}
