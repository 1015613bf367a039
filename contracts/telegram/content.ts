import type { Content, ContentProblem } from '../contract.ts';
import { isPlainObject, jsonProblems } from '../json-safe.ts';
import { countCodePoints, countUtf8Bytes } from '../text.ts';
import { readChatId } from './chat-id.ts';
import { isMethodName, isReadOnly, isSendMessage } from './method.ts';

const maxTextCodePoints = 4096;
const maxTextBytes = 32_768;

/** Problems of content that Telegram would refuse. Never throws, whatever it is given. */
export function contentProblems(content: Content): readonly ContentProblem[] {
  try {
    return problemsOf(content);
  } catch {
    // A getter or a proxy of the caller. What it threw is not repeated: it may carry the text.
    return [{ field: 'content', problem: 'cannot be read: give plain JSON values' }];
  }
}

function problemsOf(content: Content): readonly ContentProblem[] {
  if (!isPlainObject(content))
    return [{ field: 'content', problem: 'must be an object with method and params' }];
  const problems: ContentProblem[] = [...methodProblems(content.method)];
  if (!isPlainObject(content.params)) {
    problems.push({ field: 'params', problem: 'must be an object with the parameters of the method' });
    return problems;
  }
  const unsafe = jsonProblems(content.params, 'params');
  problems.push(...unsafe);
  const complained = new Set(unsafe.map(({ field }) => field));
  const { params } = content;
  const isMessage = isMethodName(content.method) && isSendMessage(content.method);
  const found = isMessage
    ? messageProblems(params)
    : Object.hasOwn(params, 'chat_id')
      ? chatProblems(params)
      : [];
  // One problem a field is enough, and the JSON one is the cause.
  problems.push(...found.filter(({ field }) => !complained.has(field)));
  return problems;
}

function methodProblems(method: unknown): readonly ContentProblem[] {
  if (!isMethodName(method))
    return [
      {
        field: 'method',
        problem: 'must be the name of a Bot API method, 1 to 64 letters, such as sendMessage',
      },
    ];
  if (isReadOnly(method))
    return [
      {
        field: 'method',
        problem: 'only reads: content takes methods that change something, such as sendMessage',
      },
    ];
  return [];
}

function messageProblems(params: Readonly<Record<string, unknown>>): readonly ContentProblem[] {
  return [...chatProblems(params), ...textProblems(params), ...typeProblems(params)];
}

function chatProblems(params: Readonly<Record<string, unknown>>): readonly ContentProblem[] {
  const reading = readChatId(own(params, 'chat_id'));
  return reading.kind === 'problem' ? [{ field: 'params.chat_id', problem: reading.problem }] : [];
}

function textProblems(params: Readonly<Record<string, unknown>>): readonly ContentProblem[] {
  const text = own(params, 'text');
  const problem = (words: string): readonly ContentProblem[] => [{ field: 'params.text', problem: words }];
  if (text === undefined) return problem('is missing: give the text of the message');
  if (typeof text !== 'string') return problem('must be a string');
  const trimmed = trimAsService(text);
  if (trimmed === '') return problem('is empty, or has only spaces: give at least one visible character');
  const bytes = countUtf8Bytes(text);
  if (bytes > maxTextBytes)
    return problem(`has ${bytes} bytes; the service takes at most ${maxTextBytes}: shorten or split it`);
  // A parse mode takes its marks out of the text before the service counts, so only the service can tell.
  if (isParsed(params)) return [];
  const codePoints = countCodePoints(trimmed);
  return codePoints > maxTextCodePoints
    ? problem(
        `has ${codePoints} characters; the service takes at most ${maxTextCodePoints}: shorten or split it`,
      )
    : [];
}

function isParsed(params: Readonly<Record<string, unknown>>): boolean {
  const mode = own(params, 'parse_mode');
  return typeof mode === 'string' && mode !== '' && mode.toLowerCase() !== 'none';
}

// Control characters but for the later ones, U+007F to U+009F, which the service takes for letters.
const blank = /(?![\x7F-\x9F])[\s\p{Cc}]/u;
// Carriage returns, separators of lines, marks that turn the direction, and three marks drawn over or under a letter.
const takenOut = /[\r\u2028-\u202E]|\u030A|\u0333|\u033F/gu;

/** Leaves out at least what the service leaves out before it counts; where in doubt, the service decides. */
function trimAsService(text: string): string {
  const rest = text.replace(takenOut, '');
  // Loops, since a pattern with `+$` takes quadratic time on long runs of spaces.
  let start = 0;
  let end = rest.length;
  while (start < end && blank.test(rest.charAt(start))) start += 1;
  while (end > start && blank.test(rest.charAt(end - 1))) end -= 1;
  return rest.slice(start, end);
}

type ParameterType = 'string' | 'boolean' | 'integer' | 'object' | 'array';

const parameterTypes: Readonly<Record<string, ParameterType>> = {
  business_connection_id: 'string',
  message_thread_id: 'integer',
  direct_messages_topic_id: 'integer',
  ephemeral_message_parameters: 'object',
  parse_mode: 'string',
  entities: 'array',
  link_preview_options: 'object',
  disable_notification: 'boolean',
  protect_content: 'boolean',
  allow_paid_broadcast: 'boolean',
  message_effect_id: 'string',
  suggested_post_parameters: 'object',
  reply_parameters: 'object',
  reply_markup: 'object',
};

/** Known parameters must have their type. Unknown ones pass: they may be newer than this file. */
function typeProblems(params: Readonly<Record<string, unknown>>): readonly ContentProblem[] {
  return Object.entries(parameterTypes).flatMap(([field, type]) =>
    !Object.hasOwn(params, field) || hasType(params[field], type)
      ? []
      : [{ field: `params.${field}`, problem: `must be ${typeWords[type]}` }],
  );
}

const typeWords: Readonly<Record<ParameterType, string>> = {
  string: 'a string',
  boolean: 'true or false',
  integer: 'a whole number',
  object: 'an object',
  array: 'an array of objects',
};

function hasType(value: unknown, type: ParameterType): boolean {
  switch (type) {
    case 'string':
    case 'boolean':
      return typeof value === type;
    case 'integer':
      return Number.isSafeInteger(value);
    case 'object':
      return isPlainObject(fromJsonText(value));
    case 'array': {
      const items = fromJsonText(value);
      return Array.isArray(items) && items.every(isPlainObject);
    }
  }
}

/** The service also takes objects and arrays as JSON text, and several libraries send them so. */
function fromJsonText(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

function own(params: Readonly<Record<string, unknown>>, field: string): unknown {
  return Object.hasOwn(params, field) ? params[field] : undefined;
}
