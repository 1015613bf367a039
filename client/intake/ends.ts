/** How a delivery ended. */
export type DeliveryEnd =
  /** Durably started. */
  | 'accepted'
  /** Was started before: by an earlier delivery of the same update. */
  | 'duplicate'
  /** Nothing is to be said, or it is of a type that starts nothing. */
  | 'ignored'
  /** Authentic, but for another account of the same secret: its own bot answers it, where there is one. */
  | 'other_account'
  /** Authentic, but no update: another delivery of the same bytes cannot be better. */
  | 'malformed'
  /** The update's key was used for other content: another delivery cannot mend that. */
  | 'conflict'
  /** The reply that the app made of it was refused before anything was started. */
  | 'invalid'
  | 'unauthorized'
  | 'wrong_method'
  | 'unread'
  | 'too_large'
  /** A mistake of the app's own code. */
  | 'failed'
  /** Perhaps not started: the service has to deliver it again. */
  | 'unavailable';

interface EndAnswer {
  readonly status: number;
  /** Told to whoever called; null where all is well. */
  readonly words: string | null;
}

/**
 * What is acknowledged (2xx) is not delivered again; 5xx and 408 are. So what another delivery cannot mend is
 * acknowledged and counted, and our own trouble never is.
 */
const answers: Readonly<Record<DeliveryEnd, EndAnswer>> = {
  accepted: { status: 200, words: null },
  duplicate: { status: 200, words: null },
  ignored: { status: 200, words: null },
  other_account: { status: 200, words: null },
  malformed: { status: 200, words: 'this is no update: it was dropped' },
  conflict: { status: 200, words: 'the key of this update was used for another reply: it was dropped' },
  invalid: { status: 200, words: 'the reply to this update was refused: it was dropped' },
  unauthorized: {
    status: 401,
    words: 'the secret or the signature of this webhook is missing or not the right one',
  },
  wrong_method: { status: 405, words: 'send it by POST' },
  unread: { status: 408, words: 'the body did not come to its end: deliver it again' },
  too_large: { status: 413, words: 'the body is too large for an update' },
  failed: { status: 500, words: 'the app failed on this update: deliver it again' },
  unavailable: { status: 503, words: 'nothing could be started: deliver it again' },
};

/** The answer to a delivery: never with anything of what it said, nor of a secret (invariant 8). */
export function answerTo(end: DeliveryEnd): Response {
  const { status, words } = answers[end];
  const body = words === null ? { result: end } : { result: end, problem: words };
  return Response.json(body, { status, headers: end === 'wrong_method' ? { allow: 'POST' } : {} });
}
