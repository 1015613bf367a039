/**
 * Scripted answers in Qivuna's form. The steps of `steps.ts` that have no form of their own (`hold`, `cutBody`, `trickle`,
 * `silence`, `resetAtHead`, `resetAfterBody`, `flood`, `htmlPage`, `answer`) are for a fake Qivuna as well.
 */
import { failureBody } from './qivuna-answers.ts';
import { answer, type AnswerStep } from './steps.ts';

/** Any failure. As with `answer`, any field may be changed: `{ ...internal({ store: true }), holdMs: 50 }`. */
export function failure(
  status: number,
  code: string,
  message: string,
  more: Readonly<Record<string, unknown>> = {},
): AnswerStep {
  return answer({ status, body: failureBody(code, message, more) });
}

/** A single 429 with any delay at all, no penalty behind it. The delay goes out as it is, sense or nonsense. */
export function rateLimited(retryAfter: unknown): AnswerStep {
  return failure(429, 'rate_limited', 'Too many requests', { retry_after: retryAfter });
}

export function platformPaused(): AnswerStep {
  return failure(503, 'platform_paused', 'The platform is paused');
}

/** `store`: the message was taken, and its key is known, all the same. */
export function internal(options: { readonly store: boolean }): AnswerStep {
  return { ...failure(500, 'internal', 'Something went wrong'), store: options.store };
}

/** Any other 5xx with a name. */
export function serverError(options: { readonly status?: number; readonly store: boolean }): AnswerStep {
  const status = options.status ?? 502;
  return { ...failure(status, 'upstream_failed', 'The provider did not answer'), store: options.store };
}

export function keyInProgress(): AnswerStep {
  return failure(409, 'idempotency_in_progress', 'The first request is still running');
}

export function keyMismatch(): AnswerStep {
  return failure(409, 'idempotency_mismatch', 'The key was used for another request');
}

export function badRequest(parameter = 'text'): AnswerStep {
  return failure(400, 'bad_request', 'is not acceptable', { parameter });
}

export function unauthorized(): AnswerStep {
  return failure(401, 'unauthorized', 'No bot has this token');
}

export function forbidden(): AnswerStep {
  return failure(403, 'forbidden', 'The bot was blocked by the user');
}

export function chatNotFound(): AnswerStep {
  return failure(404, 'chat_not_found', 'Chat not found');
}
