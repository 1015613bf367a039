import { qivuna } from '../../contracts/qivuna.ts';
import type { Content, RequestOptions, ServiceAnswer } from '../../contracts/contract.ts';
import type { AnswerOutcome } from '../../domain/outcome.ts';

export const hello: Content = {
  method: 'sendMessage',
  params: { chat_id: 4503600212045337, text: 'Your parcel is here.' },
};

export const token = '7000000001:qv-secret-example';

export const options: RequestOptions = {
  apiRoot: qivuna.defaultApiRoot,
  token,
  key: 'upd-1044-reply',
  account: null,
  trace: 'support/upd-1044-reply/1',
};

/** Content of `sendMessage` with some parameters changed. */
export function message(params: Record<string, unknown>): Content {
  return { method: 'sendMessage', params: { ...hello.params, ...params } };
}

/** An answer; a body that is not text is written as JSON. */
export function answerOf(
  httpStatus: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): ServiceAnswer {
  return { httpStatus, headers, body: typeof body === 'string' ? body : JSON.stringify(body) };
}

/** What the contract makes of an answer. */
export function answered(httpStatus: number, body: unknown, content: Content = hello): AnswerOutcome {
  return qivuna.classify(content, answerOf(httpStatus, body));
}

/** A failure, with its name in a plausible place. */
export function failure(code: unknown, more: Readonly<Record<string, unknown>> = {}): unknown {
  return { ok: false, error: { code, ...more } };
}
