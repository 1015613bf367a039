import { unifyport } from '../../contracts/unifyport.ts';
import type { Content } from '../../contracts/contract.ts';
import type { AnswerOutcome } from '../../domain/outcome.ts';

export const hello: Content = {
  method: 'sendMessage',
  params: {
    to: { id: '4915100000000', type: 'user' },
    message: { type: 'text', text: 'Your parcel is here.' },
  },
};

/** The same content with some parameters changed; `undefined` leaves one out. */
export function message(params: Record<string, unknown>): Content {
  const all = Object.entries({ ...hello.params, ...params });
  return {
    method: 'sendMessage',
    params: Object.fromEntries(all.filter(([, value]) => value !== undefined)),
  };
}

export function to(id: unknown, type: unknown = 'user'): Content {
  return message({ to: { id, type } });
}

export function saying(text: unknown): Content {
  return message({ message: { type: 'text', text } });
}

/** What the contract makes of an answer; a body that is not text is written as JSON. */
export function answered(httpStatus: number, body: unknown, content: Content = hello): AnswerOutcome {
  return unifyport.classify(content, {
    httpStatus,
    headers: {},
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** A failure in the form of the service. */
export function failure(code: unknown, words?: unknown, numeric_code?: unknown): unknown {
  return { request_id: 'req_01', error: { code, numeric_code, message: words } };
}
