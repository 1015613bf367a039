import type { ServiceError } from '../../domain/outcome.ts';
import type { Content, ServiceAnswer } from '../contract.ts';
import { withoutEcho } from '../echo.ts';
import { objectIn, own, readBody, type Fields } from '../json-fields.ts';
import { shown } from './shown.ts';

const maxCodeLength = 64;
const maxMessageLength = 300;
const requestIdForm = /^[\x21-\x7e]{1,128}$/;

/** A failure in the form of the service. `error.details` may echo input, and is never read. */
export interface Envelope {
  /** Exactly as it came: what the table of outcomes is read by. */
  readonly code: string;
  /** The same for people, with the rest. */
  readonly error: ServiceError;
}

/** The failure that an answer tells, or null where it has none. Its code makes it one: the service always gives it. */
export function readEnvelope(content: Content, answer: ServiceAnswer): Envelope | null {
  const body = readBody(answer.body);
  if (body === null) return null;
  const error = objectIn(body, 'error');
  const code = own(error, 'code');
  if (typeof code !== 'string') return null;
  const shownCode = shown(content, code, maxCodeLength);
  if (shownCode === '') return null;
  const message = own(error, 'message');
  return {
    code,
    error: {
      code: shownCode,
      numericCode: wholeNumber(own(error, 'numeric_code')),
      message: (typeof message === 'string' && shown(content, message, maxMessageLength)) || '(no message)',
      requestId: requestIdOf(content, answer, body),
    },
  };
}

/** The service's name of the request: from its body, or else from the header, which says the same. */
export function requestIdOf(content: Content, answer: ServiceAnswer, body: Fields | null): string | null {
  const ids = [body === null ? undefined : own(body, 'request_id'), own(answer.headers, 'x-request-id')];
  return ids.find((id) => isRequestId(content, id)) ?? null;
}

function isRequestId(content: Content, id: unknown): id is string {
  return typeof id === 'string' && requestIdForm.test(id) && withoutEcho(content, id) === id;
}

function wholeNumber(value: unknown): number | null {
  if (!Number.isSafeInteger(value)) return null;
  return value === 0 ? 0 : (value as number);
}
