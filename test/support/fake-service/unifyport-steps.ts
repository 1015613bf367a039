/**
 * Scripted answers of UnifyPort, beside those of `steps.ts` that are of no service (`hold`, `silence`, `resetAtHead`,
 * `resetAfterBody`, `cutBody`, `htmlPage`, `answer`). To a body that is an object the fake adds its `request_id`.
 */
import { answer, type AnswerStep } from './steps.ts';

export interface FailureOptions {
  readonly numericCode?: number;
  readonly message?: string;
  readonly details?: unknown;
  /** The message is taken all the same. */
  readonly store?: boolean;
}

/** Any failure in the form of the service. */
export function failure(status: number, code: string, options: FailureOptions = {}): AnswerStep {
  const { store = false, ...words } = options;
  return answer({ status, body: failureBody(code, words), store });
}

export function invalidRequest(message = 'the request is not valid'): AnswerStep {
  return failure(400, 'invalid_request', { numericCode: 40001, message });
}

export function unsupportedConversation(): AnswerStep {
  return failure(400, 'unsupported_conversation_type', { numericCode: 40005, message: 'not supported' });
}

export function invalidApiKey(): AnswerStep {
  return failure(401, 'invalid_api_key', { numericCode: 40102, message: 'the API key is not valid' });
}

export function accountNotBound(): AnswerStep {
  return failure(409, 'account_binding_not_found', {
    numericCode: 40901,
    message: 'the account is not bound',
  });
}

/** Nobody can tell from it whether the write reached the provider: `store` says whether it did. */
export function sendFailed(options: { readonly store: boolean }): AnswerStep {
  return failure(500, 'send_message_failed', { numericCode: 50001, message: 'sending failed', ...options });
}

export function unsupportedByProvider(): AnswerStep {
  return failure(501, 'unsupported_by_provider', { numericCode: 50101, message: 'not supported' });
}

export function adapterNotFound(options: { readonly store: boolean }): AnswerStep {
  return failure(502, 'provider_adapter_not_found', {
    numericCode: 50201,
    message: 'no adapter',
    ...options,
  });
}

/** Undocumented. With a delay where no delay counts, in the body's `parameters` and in the header. */
export function tooManyRequests(retryAfterSeconds?: number): AnswerStep {
  const body = failureBody('rate_limited', { message: 'too many requests' });
  if (retryAfterSeconds === undefined) return answer({ status: 429, body });
  return answer({
    status: 429,
    headers: { 'retry-after': String(retryAfterSeconds) },
    body: { ...body, parameters: { retry_after: retryAfterSeconds } },
  });
}

/** Accepted, in the answer's form, but without the id of a message. */
export function acceptedWithoutId(options: { readonly store: boolean }): AnswerStep {
  return answer({ status: 200, body: { data: { status: 'accepted' } }, store: options.store });
}

export function failureBody(code: string, options: Omit<FailureOptions, 'store'> = {}): object {
  const { numericCode, message, details } = options;
  return {
    error: {
      code,
      ...(numericCode === undefined ? {} : { numeric_code: numericCode }),
      ...(message === undefined ? {} : { message }),
      ...(details === undefined ? {} : { details }),
    },
  };
}
