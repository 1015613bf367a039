import type { Content, ContentProblem } from '../contract.ts';
import { isPlainObject, jsonProblems } from '../json-safe.ts';
import { printable } from '../text.ts';
import { own, type Fields } from '../json-fields.ts';
import { recipientProblems } from './recipient.ts';

const knownParams: ReadonlySet<string> = new Set(['to', 'message', 'provider_data', 'reply_to']);
const maxUnknownParams = 20;

/** Problems of content that the service would refuse. Never throws, whatever it is given. */
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
  const { method, params } = content;
  const problems: ContentProblem[] =
    method === 'sendMessage'
      ? []
      : [{ field: 'method', problem: 'must be "sendMessage": this contract sends text messages only' }];
  if (!isPlainObject(params)) {
    problems.push({ field: 'params', problem: 'must be an object with to and message' });
    return problems;
  }
  const unsafe = jsonProblems(params, 'params');
  const complained = new Set(unsafe.map(({ field }) => field));
  const found = [
    ...unknownParams(params),
    ...recipientProblems(own(params, 'to')),
    ...messageProblems(own(params, 'message')),
    ...providerDataProblems(own(params, 'provider_data')),
    ...replyToProblems(own(params, 'reply_to')),
  ];
  // One problem a field is enough, and the JSON one is the cause.
  problems.push(...unsafe, ...found.filter(({ field }) => !complained.has(field)));
  return problems;
}

/** None passes: what the service makes of a parameter that this contract does not know, nobody has judged. */
function unknownParams(params: Fields): readonly ContentProblem[] {
  return Object.keys(params)
    .filter((name) => !knownParams.has(name))
    .slice(0, maxUnknownParams)
    .map((name) => ({
      field: `params.${printable(name, 64)}`,
      problem:
        name === 'account_id'
          ? "is the bot's own, from its configuration: leave it out"
          : `is not known here: give ${[...knownParams].join(', ')} only`,
    }));
}

function messageProblems(message: unknown): readonly ContentProblem[] {
  if (message === undefined)
    return [{ field: 'params.message', problem: 'is missing: give { type: "text", text }' }];
  if (!isPlainObject(message))
    return [{ field: 'params.message', problem: 'must be an object { type: "text", text }' }];
  const text = textProblem(own(message, 'text'));
  return [
    ...(own(message, 'type') === 'text'
      ? []
      : [{ field: 'params.message.type', problem: 'must be "text": other messages are not sent here' }]),
    ...(text === null ? [] : [{ field: 'params.message.text', problem: text }]),
  ];
}

/**
 * Assumption: no provider takes a text without a visible character. How long a text may be is published neither by the
 * service nor for all of its providers, so only they can tell.
 */
function textProblem(text: unknown): string | null {
  if (text === undefined) return 'is missing: give the text of the message';
  if (typeof text !== 'string') return 'must be a string';
  return text.trim() === '' ? 'is empty, or has only spaces: give at least one visible character' : null;
}

/** Free-form at the service; the one field that is published must have its type. */
function providerDataProblems(data: unknown): readonly ContentProblem[] {
  if (data === undefined) return [];
  if (!isPlainObject(data)) return [{ field: 'params.provider_data', problem: 'must be an object' }];
  const mode = own(data, 'parse_mode');
  return mode === undefined || typeof mode === 'string'
    ? []
    : [{ field: 'params.provider_data.parse_mode', problem: 'must be a string' }];
}

function replyToProblems(replyTo: unknown): readonly ContentProblem[] {
  if (replyTo === undefined) return [];
  if (!isPlainObject(replyTo))
    return [{ field: 'params.reply_to', problem: 'must be an object { reply_token }' }];
  const token = own(replyTo, 'reply_token');
  return typeof token === 'string' && token !== ''
    ? []
    : [
        {
          field: 'params.reply_to.reply_token',
          problem: 'must be the reply_token of the message that is answered, a string',
        },
      ];
}
