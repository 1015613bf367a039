import type { MiddlewareHandler } from 'hono';
import { sameSecret } from '../../client/intake/secret.ts';
import { refusal, refused } from './answers.ts';

/** Lets requests through that carry the token as it is now; `token` gives undefined while it cannot be read. */
export function bearerGuard(token: () => string | undefined): MiddlewareHandler {
  return async ({ req }, next) => {
    const expected = token();
    if (expected === undefined)
      return refused(refusal(503, 'Authorization', 'the token of this server cannot be read at present'));
    const [, given = null] = /^Bearer +(\S+) *$/i.exec(req.header('authorization') ?? '') ?? [];
    if (sameSecret(given, expected)) return next();
    const words = 'give the token of this server: "Authorization: Bearer <token>"';
    return refused(refusal(401, 'Authorization', words), { 'www-authenticate': 'Bearer' });
  };
}
