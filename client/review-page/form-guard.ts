import { createHmac, randomBytes } from 'node:crypto';
import { ReplyInputError } from '../errors.ts';
import { sameSecret } from '../intake/secret.ts';

/** What a form was made for: it counts for nothing and nobody else. */
export interface FormPurpose {
  readonly by: string;
  readonly reply: string;
  readonly attempt: number;
}

const shortestSecret = 32;

/** Tells forms that this page gave to this person from forms that another site made their browser send. */
export class FormGuard {
  readonly #secret: string | Buffer;

  /** Without a secret, forms count in this process only. Throws a `ReplyInputError` for one that could be guessed. */
  constructor(secret: string | undefined) {
    if (secret !== undefined && secret.length < shortestSecret) {
      const problem = `must have at least ${shortestSecret} characters, by chance: leave it out where one process serves the page`;
      throw new ReplyInputError('No review page', [{ field: 'formSecret', problem }]);
    }
    this.#secret = secret ?? randomBytes(32);
  }

  token({ by, reply, attempt }: FormPurpose): string {
    return createHmac('sha256', this.#secret)
      .update(JSON.stringify([by, reply, attempt]))
      .digest('base64url');
  }

  isFrom(token: string | null, purpose: FormPurpose): boolean {
    return sameSecret(token, this.token(purpose));
  }
}

/**
 * Whether the browser says that a page of this origin sent the request. Browsers tell `Sec-Fetch-Site` over HTTPS and on
 * loopback, whatever proxies make of the host; elsewhere the origin's host must be the one that was asked.
 */
export function isSameOrigin({ url, headers }: Request): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  const origin = headers.get('origin');
  if (origin === null || !URL.canParse(origin)) return false;
  return new URL(origin).host === new URL(url).host;
}
