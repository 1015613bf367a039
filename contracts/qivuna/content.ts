import type { Content, ContentProblem } from '../contract.ts';
import { isPlainObject, jsonProblems } from '../json-safe.ts';
import { own } from '../json-fields.ts';
import { readChatId } from './chat-id.ts';
import { ignoresKeys, isMethodName, isSendMessage } from './method.ts';

/** Problems of content that Qivuna would refuse. Never throws, whatever it is given. */
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
  const problems: ContentProblem[] = [...methodProblems(method)];
  if (!isPlainObject(params)) {
    problems.push({ field: 'params', problem: 'must be an object with the parameters of the method' });
    return problems;
  }
  const unsafe = jsonProblems(params, 'params');
  problems.push(...unsafe);
  const complained = new Set(unsafe.map(({ field }) => field));
  const found =
    isMethodName(method) && isSendMessage(method)
      ? [...chatProblems(params), ...textProblems(params)]
      : Object.hasOwn(params, 'chat_id')
        ? chatProblems(params)
        : [];
  // One problem a field is enough, and the JSON one is the cause.
  problems.push(...found.filter(({ field }) => !complained.has(field)));
  return problems;
}

function methodProblems(method: unknown): readonly ContentProblem[] {
  const problem = (words: string): readonly ContentProblem[] => [{ field: 'method', problem: words }];
  if (!isMethodName(method))
    return problem('must be the name of a method of Qivuna, 1 to 64 letters, such as sendMessage');
  if (ignoresKeys(method))
    return problem(
      'is one whose idempotency key Qivuna ignores: give a method that writes, such as sendMessage',
    );
  return [];
}

function chatProblems(params: Readonly<Record<string, unknown>>): readonly ContentProblem[] {
  const reading = readChatId(own(params, 'chat_id'));
  return reading.kind === 'problem' ? [{ field: 'params.chat_id', problem: reading.problem }] : [];
}

const visible = /[^\s\p{Cc}]/u;

// Assumption: no limit of length is documented, so the service decides; only a blank text is refused here.
function textProblems(params: Readonly<Record<string, unknown>>): readonly ContentProblem[] {
  const text = own(params, 'text');
  const problem = (words: string): readonly ContentProblem[] => [{ field: 'params.text', problem: words }];
  if (text === undefined) return problem('is missing: give the text of the message');
  if (typeof text !== 'string') return problem('must be a string');
  return visible.test(text)
    ? []
    : problem('is empty, or has only spaces: give at least one visible character');
}
