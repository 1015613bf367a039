import { botNameProblem, keyProblem } from './ids.ts';
import type { ReplyClass } from './lane/messages.ts';

/** One reply, as an app hands it over: the argument of `replyWorkflow`. JSON-safe, and permanent in histories. */
export interface ReplyInput {
  readonly bot: string;
  /** Names the business intention; unique per bot (invariant 1). */
  readonly key: string;
  readonly content: { readonly method: string; readonly params: Readonly<Record<string, unknown>> };
  /** Key of the reply in the same chat after which this one goes. */
  readonly after?: string;
  /** ISO 8601 with zone: not sent at or after this instant. */
  readonly expiresAt?: string;
  readonly class?: ReplyClass;
  /** Under review instead of sent, if it was delayed by more than this. */
  readonly reviewIfDelayedOverMs?: number;
}

/** A problem of one field; `problem` says what was wrong and what to do. */
export interface InputProblem {
  readonly field: string;
  readonly problem: string;
}

const fields = ['bot', 'key', 'content', 'after', 'expiresAt', 'class', 'reviewIfDelayedOverMs'];
const isoPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/**
 * All problems of a reply's shape, whatever the value; empty where it is a `ReplyInput`. The content's own rules are the
 * contract's to check. The same in the client, the command line and the workflow.
 */
export function replyInputProblems(input: unknown): InputProblem[] {
  if (!isObject(input)) return [{ field: 'reply', problem: 'must be an object { bot, key, content, … }' }];
  const problems: InputProblem[] = [];
  const note = (field: string, problem: string | undefined): void => {
    if (problem !== undefined) problems.push({ field, problem });
  };
  note('bot', botNameProblem(input['bot']));
  note('key', keyProblem(input['key']));
  note('content', contentProblem(input['content']));
  if (input['after'] !== undefined) note('after', keyProblem(input['after']));
  if (input['after'] !== undefined && input['after'] === input['key'])
    note('after', 'must name another reply than itself');
  if (input['expiresAt'] !== undefined) note('expiresAt', instantProblem(input['expiresAt']));
  if (input['class'] !== undefined && input['class'] !== 'reply' && input['class'] !== 'bulk') {
    note('class', 'must be "reply" or "bulk"');
  }
  const delay = input['reviewIfDelayedOverMs'];
  if (delay !== undefined && !(Number.isSafeInteger(delay) && (delay as number) > 0)) {
    note('reviewIfDelayedOverMs', 'must be a positive whole number of milliseconds');
  }
  for (const field of Object.keys(input)) {
    if (!fields.includes(field)) note(field, `is not a field of a reply: use ${fields.join(', ')}`);
  }
  return problems;
}

/** What is wrong with an instant in text form, or undefined. */
export function instantProblem(value: unknown): string | undefined {
  if (typeof value === 'string' && isoPattern.test(value) && isInCalendar(value)) return undefined;
  return 'must be an instant with its zone in ISO 8601, for example "2026-12-01T10:00:00Z"';
}

/** `Date.parse` takes a 30th of February for the 2nd of March: later than anybody meant. */
function isInCalendar(instant: string): boolean {
  const day = instant.slice(0, 10);
  const midnightMs = Date.parse(`${day}T00:00:00Z`);
  return (
    Number.isFinite(Date.parse(instant)) &&
    Number.isFinite(midnightMs) &&
    new Date(midnightMs).toISOString().startsWith(day)
  );
}

function contentProblem(content: unknown): string | undefined {
  if (!isObject(content)) return 'must be an object { method, params }';
  if (typeof content['method'] !== 'string') return 'method must be a text, for example "sendMessage"';
  if (!isObject(content['params'])) return 'params must be an object';
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
