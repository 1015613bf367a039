import { botNameProblem, keyProblem, parseReplyName } from '../domain/ids.ts';
import { ReplyInputError } from './errors.ts';

/** Names one reply. */
export interface ReplyName {
  readonly bot: string;
  readonly key: string;
}

/** Reads `<bot>/<key>`, or checks its two parts. Throws a `ReplyInputError`. */
export function readReplyName(name: string | ReplyName): ReplyName {
  if (typeof name === 'string') {
    const parsed = parseReplyName(name);
    if (parsed) return parsed;
    const problem = `"${name}" is not the name of a reply: give <bot>/<key>, for example support/upd-1044-reply`;
    throw new ReplyInputError('No such name', [{ field: 'reply', problem }]);
  }
  const problems = [
    { field: 'bot', problem: botNameProblem(name.bot) },
    { field: 'key', problem: keyProblem(name.key) },
  ].flatMap(({ field, problem }) => (problem === undefined ? [] : [{ field, problem }]));
  if (problems.length > 0) throw new ReplyInputError('No such name', problems);
  return { bot: name.bot, key: name.key };
}
