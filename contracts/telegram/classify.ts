import { assertNever } from '../../domain/outcome.ts';
import type { AnswerOutcome, SentMessage } from '../../domain/outcome.ts';
import { bodyWord } from '../body-word.ts';
import type { Content, ServiceAnswer } from '../contract.ts';
import { withoutEcho } from '../echo.ts';
import { type Fields, isCount, isObject, own, readBody } from '../json-fields.ts';
import { printable } from '../text.ts';
import { isChatId } from './chat-id.ts';
import { batchField, resultKind } from './method.ts';
import { rejectionKind } from './rejection-kind.ts';

const maxEvidenceLength = 200;
const maxDescriptionLength = 300;
// The instant a delay is added to: any clock's milliseconds stay below this for 140,000 years.
const maxReceivedAtMs = 2 ** 52;

/**
 * What an answer means. The body decides; the HTTP status counts only where no body of the service can be read, and
 * then only to tell a 429. Total: never throws. Nothing in the outcome repeats the token or the text of the message.
 */
export function classifyAnswer(content: Content, answer: ServiceAnswer): AnswerOutcome {
  const body = readBody(answer.body);
  if (body === null) return withoutBody(answer);
  const code = own(body, 'error_code');
  const ok = own(body, 'ok');
  if (ok === true) return succeeded(content, answer, own(body, 'result'));
  if (code === 429 || code === '429') return flooded(content, answer, body, ok === false && code === 429);
  if (ok !== false || typeof code !== 'number') return withoutBody(answer);
  if (Number.isInteger(code) && code >= 400 && code <= 499) return refused(content, body, code);
  return {
    kind: 'unknown',
    unreadable: false,
    evidence: evidence(`${heading(answer)}, error_code ${code}: ${description(content, body)}`),
  };
}

function succeeded(content: Content, answer: ServiceAnswer, result: unknown): AnswerOutcome {
  const message = sentMessage(content.method, result);
  if (message !== null) return { kind: 'sent', message };
  return {
    kind: 'unknown',
    unreadable: true,
    evidence: evidence(`${heading(answer)}, ok, but without the result of the method (${typeWord(result)})`),
  };
}

/** The proof in a success, or null where there is none. Of several messages sent at once, the first. */
function sentMessage(method: string, result: unknown): SentMessage | null {
  const kind = resultKind(method);
  switch (kind) {
    case 'message':
      return readMessage(result);
    case 'messages': {
      if (!Array.isArray(result)) return null;
      const messages = result.map(readMessage);
      return messages.includes(null) ? null : (messages[0] ?? null);
    }
    case 'anything':
      if (result === undefined || result === null || result === false) return null;
      return readMessage(result) ?? { message_id: null, date: null };
    default:
      return assertNever(kind);
  }
}

/** Id 0 is the service's own: it put the message off, to send it by itself. */
function readMessage(result: unknown): SentMessage | null {
  if (!isObject(result)) return null;
  const id = own(result, 'message_id');
  if (!isCount(id)) return null;
  const date = own(result, 'date');
  return { message_id: id, date: isCount(date) ? date : null };
}

/** Upholds invariant 2's source: a delay is what the service gave as a number in its place, or there is none. */
function flooded(content: Content, answer: ServiceAnswer, body: Fields, wellFormed: boolean): AnswerOutcome {
  const parameters = own(body, 'parameters');
  const seconds = isObject(parameters) ? own(parameters, 'retry_after') : undefined;
  if (wellFormed && isCount(seconds) && Number.isSafeInteger(seconds * 1000 + maxReceivedAtMs))
    return { kind: 'flood', retryAfterSeconds: seconds === 0 ? 0 : seconds };
  const why = wellFormed ? `no usable retry_after (${typeWord(seconds)})` : 'not in the form of the service';
  return {
    kind: 'held',
    evidence: evidence(`${heading(answer)}, error_code 429, ${why}: ${description(content, body)}`),
  };
}

function refused(content: Content, body: Fields, code: number): AnswerOutcome {
  const parameters = own(body, 'parameters');
  const raw = own(body, 'description');
  const words = typeof raw === 'string' ? raw : '';
  const isMigration = isObject(parameters) && Object.hasOwn(parameters, 'migrate_to_chat_id');
  const chatId = isMigration ? own(parameters, 'migrate_to_chat_id') : undefined;
  if (isChatId(chatId)) return { kind: 'migrated', chat: String(chatId) };
  if (isUnchanged(content, code, words)) {
    const id = own(content.params, 'message_id');
    return { kind: 'sent', message: { message_id: isCount(id) ? id : null, date: null } };
  }
  if (isPartly(content, code, words)) {
    const seen = evidence(`HTTP ${code}, one of several messages failed: ${description(content, body)}`);
    return { kind: 'unknown', unreadable: false, evidence: seen };
  }
  const kind = isMigration ? 'destination' : rejectionKind(code, words);
  return { kind: 'rejected', rejection: { kind, code, description: description(content, body) } };
}

/** An edit that would change nothing: the message is as it was wanted. */
function isUnchanged({ method }: Content, code: number, words: string): boolean {
  return code === 400 && /^edit/i.test(method) && /^(bad request: )?message is not modified\b/i.test(words);
}

/** One of several messages was refused: of the others nothing is said, and they may stand in the chat. */
function isPartly({ method }: Content, code: number, words: string): boolean {
  return code === 400 && batchField(method) !== null && /\bfailed to send message #\d+/i.test(words);
}

/** No body in the form of the service: a proxy, a cut connection, or something else altogether. */
function withoutBody(answer: ServiceAnswer): AnswerOutcome {
  const seen = evidence(`${heading(answer)}, ${bodyWord(answer)}`);
  if (answer.httpStatus === 429) return { kind: 'held', evidence: seen };
  return { kind: 'unknown', unreadable: true, evidence: seen };
}

function description(content: Content, body: Fields): string {
  const words = own(body, 'description');
  if (typeof words !== 'string') return '(no description)';
  return printable(withoutEcho(content, words), maxDescriptionLength) || '(no description)';
}

function evidence(words: string): string {
  return printable(words, maxEvidenceLength);
}

function heading(answer: ServiceAnswer): string {
  return `HTTP ${answer.httpStatus}`;
}

function typeWord(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' ? `number ${value}` : typeof value;
}
