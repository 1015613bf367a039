import type { AnswerOutcome, RejectionKind, ServiceError } from '../../domain/outcome.ts';
import { bodyWord } from '../body-word.ts';
import type { Content, ServiceAnswer } from '../contract.ts';
import { printable } from '../text.ts';
import { readEnvelope, requestIdOf, type Envelope } from './envelope.ts';
import { objectIn, own, readBody } from '../json-fields.ts';

const maxEvidenceLength = 300;
const maxDescriptionLength = 300;
// Assumption: as long as ids get. What is longer, or cannot be shown, is no id that a person could look up.
const maxMessageIdLength = 512;
const unprintable = /[\p{Cc}\p{Cs}]/u;

/** Refusals that are documented, by HTTP status and code: nothing was sent. */
const refusals: ReadonlyMap<string, RejectionKind> = new Map([
  ['400 invalid_request', 'request'],
  ['400 unsupported_message_type', 'request'],
  ['400 invalid_reply_token', 'request'],
  ['400 invalid_conversation_type', 'destination'],
  ['400 unsupported_conversation_type', 'destination'],
  ['401 missing_api_key', 'auth'],
  ['401 invalid_api_key', 'auth'],
  // The vendor says that a provider which lacks the function has done nothing.
  ['501 unsupported_by_provider', 'request'],
]);

/**
 * What an answer means: by its HTTP status, and by the code of the service's error. Total: never throws. No answer of
 * this service gives a delay, and none lets a send be repeated. Nothing in the outcome repeats a key or the text.
 */
export function classifyAnswer(content: Content, answer: ServiceAnswer): AnswerOutcome {
  const { httpStatus } = answer;
  if (httpStatus === 200) return accepted(content, answer);
  const envelope = readEnvelope(content, answer);
  const seen = evidence(content, answer, envelope);
  // Not documented for this service, so nothing in it can be taken for a delay (invariant 2's source).
  if (httpStatus === 429) return { kind: 'held', evidence: seen };
  if (envelope === null) return { kind: 'unknown', unreadable: true, evidence: seen };
  // The account is not bound: probably nothing was sent, and a person has to bind it. The lane is not slowed: no 409 of this
  // service tells of a rate or of requests at the same time, and a pause would not bind the account.
  if (httpStatus === 409 && envelope.code === 'account_binding_not_found')
    return { kind: 'held', evidence: seen, isFlood: false };
  const kind = rejectionKind(httpStatus, envelope.code);
  if (kind === null) return { kind: 'unknown', unreadable: false, evidence: seen };
  const { error } = envelope;
  const description = printable(`${codeWords(error)}: ${error.message}`, maxDescriptionLength);
  return { kind: 'rejected', rejection: { kind, code: httpStatus, description } };
}

/** The service's own account of a failure; null where the answer tells none in its form. */
export function serviceErrorOf(content: Content, answer: ServiceAnswer): ServiceError | null {
  return readEnvelope(content, answer)?.error ?? null;
}

/** Accepted by the service, which is not delivered. The id of the message is the proof. */
function accepted(content: Content, answer: ServiceAnswer): AnswerOutcome {
  const body = readBody(answer.body);
  const id = body === null ? undefined : own(objectIn(body, 'data'), 'message_id');
  if (isMessageId(id)) return { kind: 'sent', message: { message_id: id, date: null } };
  const missing = `no usable data.message_id (${typeWord(id)})`;
  const seen = evidence(content, answer, readEnvelope(content, answer), missing);
  return { kind: 'unknown', unreadable: true, evidence: seen };
}

function isMessageId(id: unknown): id is string | number {
  // A number that was never set is 0, as a text that was never set is empty.
  if (typeof id !== 'string') return Number.isSafeInteger(id) && (id as number) > 0;
  return id.trim() !== '' && id.length <= maxMessageIdLength && !unprintable.test(id);
}

function rejectionKind(httpStatus: number, code: string): RejectionKind | null {
  const isRefusal = httpStatus >= 400 && httpStatus <= 499;
  return refusals.get(`${httpStatus} ${code}`) ?? (isRefusal ? 'other' : null);
}

/** The message of the error stands last, since it is what may be cut off. */
function evidence(
  content: Content,
  answer: ServiceAnswer,
  envelope: Envelope | null,
  note: string | null = null,
): string {
  const id = requestIdOf(content, answer, readBody(answer.body));
  const parts = [
    `HTTP ${answer.httpStatus}`,
    ...(note === null ? [] : [note]),
    envelope === null ? bodyWord(answer) : codeWords(envelope.error),
    ...(id === null ? [] : [`request ${id}`]),
  ].join(', ');
  return printable(envelope === null ? parts : `${parts}: ${envelope.error.message}`, maxEvidenceLength);
}

function codeWords({ code, numericCode }: ServiceError): string {
  return numericCode === null ? code : `${code} (${numericCode})`;
}

function typeWord(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
