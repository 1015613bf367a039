import { telegram } from '../../contracts/telegram.ts';
import type { Content } from '../../contracts/contract.ts';
import type { AnswerOutcome } from '../../domain/outcome.ts';

export const hello: Content = {
  method: 'sendMessage',
  params: { chat_id: 42, text: 'Your parcel is here.' },
};

/** Content of `sendMessage` with some parameters changed. */
export function message(params: Record<string, unknown>): Content {
  return { method: 'sendMessage', params: { ...hello.params, ...params } };
}

/** What the contract makes of an answer; a body that is not text is written as JSON. */
export function answered(httpStatus: number, body: unknown, content: Content = hello): AnswerOutcome {
  return telegram.classify(content, {
    httpStatus,
    headers: {},
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** Rows for `test.each` of one value each; a bare array would be spread over the arguments. */
export function each<T>(values: readonly T[]): [T][] {
  return values.map((value) => [value]);
}

/** A failure in the form of the service. */
export function refusal(error_code: unknown, description?: unknown, parameters?: unknown): unknown {
  return { ok: false, error_code, description, parameters };
}
