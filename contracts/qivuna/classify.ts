import type { AnswerOutcome, RejectionKind, ServiceError } from '../../domain/outcome.ts';
import { bodyWord } from '../body-word.ts';
import type { Content, ServiceAnswer } from '../contract.ts';
import { printable } from '../text.ts';
import { own, readBody, type Fields } from '../json-fields.ts';
import { hasDocumentedName, readError, retryAfterSecondsIn, type NamedError } from './error-body.ts';
import { sentMessage } from './sent-message.ts';
import { shown } from './shown.ts';

const maxEvidenceLength = 200;
const maxDescriptionLength = 300;
const requestIdForm = /^[\x21-\x7e]{1,128}$/;

/**
 * What an answer means, by the table of the service's page: the status first, then the error's name. Total: never throws.
 * Nothing in the outcome repeats the token or the text of the message. Every request carried its idempotency key, so what
 * is uncertain may be repeated, save where the service itself spoke of a failure that its page does not explain.
 */
export function classifyAnswer(content: Content, answer: ServiceAnswer): AnswerOutcome {
  const { httpStatus } = answer;
  const body = readBody(answer.body);
  if (isWithin(httpStatus, 200, 299)) return succeeded(content, answer, body);
  const error = body === null ? null : readError(content, body);
  if (httpStatus === 429) return flooded(content, answer, body, error);
  if (error !== null && isWithin(httpStatus, 400, 499)) return refused(httpStatus, error);
  if (error !== null && isWithin(httpStatus, 500, 599)) return failed(httpStatus, error);
  return notOfTheService(answer, bodyWord(answer));
}

/**
 * The service's own account of a failure; null where it names none. Assumption: the answer's `x-request-id` is what its
 * support asks for.
 */
export function serviceErrorOf(content: Content, answer: ServiceAnswer): ServiceError | null {
  const body = readBody(answer.body);
  const error = body === null ? null : readError(content, body);
  if (error === null || classifyAnswer(content, answer).kind === 'sent') return null;
  const id = own(answer.headers, 'x-request-id');
  const isShort = typeof id === 'string' && requestIdForm.test(id);
  return {
    code: error.name,
    numericCode: null,
    message: error.description,
    requestId: isShort && shown(content, id, id.length) === id ? id : null,
  };
}

/** A 2xx is a success by its status, a replayed one too; its body only has to have come whole, and not to deny it. */
function succeeded(content: Content, answer: ServiceAnswer, body: Fields | null): AnswerOutcome {
  if (body === null) return notOfTheService(answer, bodyWord(answer));
  if (denies(content, body)) return notOfTheService(answer, 'a success that says that it is none');
  return { kind: 'sent', message: sentMessage(content, body) };
}

/**
 * Assumption: a success neither says `ok: false` nor gives an `error` or an `error_code`, and an error that the page names
 * stands in none. Any other word in the place of an error's name may be a field of the message; it counts where nothing
 * else speaks of a success.
 */
function denies(content: Content, body: Fields): boolean {
  if (own(body, 'ok') === false || hasError(body, 'error') || hasError(body, 'error_code')) return true;
  if (hasDocumentedName(body)) return true;
  return readError(content, body) !== null && !affirms(content, body);
}

function hasError(body: Fields, field: string): boolean {
  const error = own(body, field);
  return error !== undefined && error !== null && error !== false;
}

function affirms(content: Content, body: Fields): boolean {
  return own(body, 'ok') === true || sentMessage(content, body).message_id !== null;
}

function flooded(
  content: Content,
  answer: ServiceAnswer,
  body: Fields | null,
  error: NamedError | null,
): AnswerOutcome {
  if (body === null || error === null)
    return {
      kind: 'held',
      evidence: evidence(`${heading(answer.httpStatus)}, ${bodyWord(answer)}`),
    };
  const retryAfterSeconds = error.name === 'rate_limited' ? retryAfterSecondsIn(body) : null;
  if (retryAfterSeconds !== null) return { kind: 'flood', retryAfterSeconds };
  const { name, description } = error;
  const seen = `${heading(answer.httpStatus)} ${name}, no usable retry_after: ${description}`;
  return { kind: 'held', evidence: evidence(seen) };
}

function refused(httpStatus: number, error: NamedError): AnswerOutcome {
  const seen = evidence(accountOf(httpStatus, error));
  if (httpStatus === 409 && error.name === 'idempotency_in_progress')
    return {
      kind: 'unknown',
      unreadable: false,
      evidence: evidence(`an earlier request with this key is still running: ${seen}`),
      mayRepeat: true,
    };
  if (httpStatus === 409 && error.name === 'idempotency_mismatch')
    return {
      kind: 'held',
      evidence: evidence(`this key was used for another request: ${seen}`),
      isFlood: false,
      isFinal: true,
    };
  // The service has no numbers of its own.
  const code = null;
  const description = printable(accountOf(httpStatus, error), maxDescriptionLength);
  return { kind: 'rejected', rejection: { kind: rejectionKind(httpStatus, error), code, description } };
}

// Assumption: a chat or a person that is not there is told by a 404 in these words, with or without its id.
const noDestination =
  /(?<![a-z])(?:chat|user|recipient|destination)(?:[ _.-]?id)?[ _.-]?(?:-?[0-9]{1,19}[ _.-])?(?:(?:was|is)[ _.-])?(?:not[ _.-]?found|unknown)(?![a-z])/i;

function rejectionKind(httpStatus: number, { name, description }: NamedError): RejectionKind {
  switch (httpStatus) {
    case 400:
      return name === 'bad_request' ? 'request' : 'other';
    case 401:
      return 'auth';
    case 403:
      return 'permission';
    case 404:
      return noDestination.test(name) || noDestination.test(description) ? 'destination' : 'other';
    default:
      return 'other';
  }
}

function failed(httpStatus: number, error: NamedError): AnswerOutcome {
  const seen = evidence(accountOf(httpStatus, error));
  if (httpStatus === 503 && error.name === 'platform_paused') return { kind: 'paused', evidence: seen };
  const unknown = { kind: 'unknown', unreadable: false, evidence: seen } as const;
  return httpStatus === 500 && error.name === 'internal' ? { ...unknown, mayRepeat: true } : unknown;
}

/** A proxy, a cut connection, or something else altogether: the key keeps a repetition safe. */
function notOfTheService(answer: ServiceAnswer, why: string): AnswerOutcome {
  return {
    kind: 'unknown',
    unreadable: true,
    evidence: evidence(`${heading(answer.httpStatus)}, ${why}`),
    mayRepeat: true,
  };
}

function accountOf(httpStatus: number, { name, description }: NamedError): string {
  return `${heading(httpStatus)} ${name}: ${description}`;
}

function evidence(words: string): string {
  return printable(words, maxEvidenceLength);
}

function heading(httpStatus: number): string {
  return `HTTP ${httpStatus}`;
}

function isWithin(httpStatus: number, least: number, most: number): boolean {
  return httpStatus >= least && httpStatus <= most;
}
