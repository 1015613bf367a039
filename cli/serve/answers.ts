import {
  ReplyConflictError,
  ReplyInputError,
  ReplyLostError,
  ReplyNotFoundError,
  TemporalUnreachableError,
} from '../../client/errors.ts';
import type { InputProblem } from '../../domain/reply-input.ts';

export const keyHeader = 'Idempotency-Key';

export interface Refusal {
  readonly status: 400 | 401 | 403 | 404 | 405 | 408 | 409 | 410 | 413 | 422 | 500 | 503;
  readonly problems: readonly InputProblem[];
}

/** Every refusal has the same shape: `{ "problems": [{ "field", "problem" }] }`. */
export function refused({ status, problems }: Refusal, headers: Record<string, string> = {}): Response {
  return Response.json({ problems }, { status, headers });
}

export function refusal(status: Refusal['status'], field: string, problem: string): Refusal {
  return { status, problems: [{ field, problem }] };
}

/** What an error of the client means to a caller over HTTP. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof ReplyInputError) return { status: 422, problems: error.problems };
  if (error instanceof ReplyConflictError) return refusal(409, keyHeader, error.message);
  if (error instanceof ReplyNotFoundError) return refusal(404, 'reply', error.message);
  if (error instanceof ReplyLostError) return refusal(410, 'reply', error.message);
  if (error instanceof TemporalUnreachableError) {
    // Where Temporal is, and why it does not answer, is the operator's to know.
    const words = `Temporal does not answer: repeat it later, with the same ${keyHeader}`;
    return refusal(503, 'reply', words);
  }
  return refusal(500, 'reply', `failed on the server: repeat it, with the same ${keyHeader}`);
}
