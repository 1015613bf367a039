import { withoutEcho } from '../../contracts/echo.ts';
import type { Contract } from '../../contracts/index.ts';
import { printable } from '../../contracts/text.ts';

/** Pigeon, a service that does not exist: `POST /post`, and an answer `{ "took": "<id>" }` or `{ "refused": "<why>" }`. */
export const pigeon: Contract = {
  name: 'pigeon',
  defaultApiRoot: 'https://pigeon.example',
  // It has no idempotency keys: a send whose answer is lost waits for a person.
  protection: null,
  text: {
    content: (to, text) => ({ method: 'post', params: { loft: to, note: text } }),
    fieldName: (field) => ({ 'params.loft': 'chat', 'params.note': 'text' })[field] ?? field,
  },
  tokenProblem: (token) => (/^ring-[0-9]+$/.test(token) ? null : 'it is no ring, such as "ring-1234"'),
  accountProblem: (account) => (account === null ? null : 'is not for pigeons: leave it out'),

  check({ method, params: { loft, note } }) {
    const problems = [];
    if (method !== 'post') problems.push({ field: 'method', problem: 'must be "post"' });
    if (typeof loft !== 'string' || !/^[a-z]{1,32}$/.test(loft))
      problems.push({ field: 'params.loft', problem: 'must be the name of a loft, of 1 to 32 of a-z' });
    if (typeof note !== 'string' || note === '')
      problems.push({ field: 'params.note', problem: 'must be the text of the note' });
    return problems;
  },
  destination: ({ params }) => ({ chat: String(params['loft']), chatKind: 'chat', weight: 1 }),
  readdress: (content, chat) => ({ ...content, params: { ...content.params, loft: chat } }),
  request: ({ params }, { apiRoot, token }) => ({
    url: `${apiRoot}/post`,
    headers: { 'content-type': 'application/json', 'x-ring': token },
    body: JSON.stringify(params),
  }),

  classify(content, { httpStatus, body }) {
    const unknown = { kind: 'unknown', unreadable: true, evidence: `HTTP ${httpStatus}` } as const;
    try {
      const answer: unknown = JSON.parse(body);
      if (typeof answer !== 'object' || answer === null) return unknown;
      const { took, refused, waitSeconds } = answer as Record<string, unknown>;
      if (httpStatus === 200 && typeof took === 'string')
        return { kind: 'sent', message: { message_id: took, date: null } };
      // Only a whole number in its place is a delay: nothing is guessed from words.
      if (httpStatus === 429 && Number.isSafeInteger(waitSeconds) && Number(waitSeconds) >= 0)
        return { kind: 'flood', retryAfterSeconds: Number(waitSeconds) };
      if (httpStatus === 429) return { kind: 'held', evidence: 'HTTP 429 without waitSeconds' };
      if (httpStatus === 400 && typeof refused === 'string') {
        // The service may quote the note, which must not stand in what is shown of an error.
        const description = printable(withoutEcho(content, refused), 300);
        return { kind: 'rejected', rejection: { kind: 'request', code: 400, description } };
      }
      return unknown;
    } catch {
      return unknown;
    }
  },
  serviceError: () => null,
};
