import type { Content, ContentProblem, Destination } from '../contract.ts';
import { isPlainObject } from '../json-safe.ts';
import { countCodePoints } from '../text.ts';
import { objectIn, own } from '../json-fields.ts';

// Assumption: no provider has longer ids; the service publishes no limit.
const maxIdCodePoints = 256;
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;
const recipientTypes: ReadonlySet<unknown> = new Set(['user', 'group', 'channel']);

/** The recipient that a text names: `group:<id>`, `channel:<id>`, `user:<id>`, or an id alone, which is a user's. */
export function recipientOf(to: unknown): unknown {
  const [, type, id] = (typeof to === 'string' && /^(user|group|channel):([^]*)$/.exec(to)) || [];
  return type === undefined ? { id: to, type: 'user' } : { id, type };
}

/** Problems of `to` that the service, or a provider behind it, would refuse. */
export function recipientProblems(to: unknown): readonly ContentProblem[] {
  if (to === undefined)
    return [{ field: 'params.to', problem: 'is missing: give { id, type } of the recipient' }];
  if (!isPlainObject(to)) return [{ field: 'params.to', problem: 'must be an object { id, type }' }];
  const id = idProblem(own(to, 'id'));
  return [
    ...(id === null ? [] : [{ field: 'params.to.id', problem: id }]),
    ...(recipientTypes.has(own(to, 'type'))
      ? []
      : [{ field: 'params.to.type', problem: 'must be "user", "group" or "channel"' }]),
  ];
}

/** Ids are of providers of every kind, so nothing of an id is changed, and only what is none is refused. */
function idProblem(id: unknown): string | null {
  if (id === undefined) return 'is missing: give the id of the recipient, as the provider gave it';
  // As a number it would have lost its leading zeros, and maybe its last digits.
  if (typeof id === 'number') return 'is a number: give it as a string';
  if (typeof id !== 'string') return 'must be a string';
  if (id === '') return 'is empty: give the id of the recipient, as the provider gave it';
  if (unprintable.test(id)) return 'has a control character or another invisible one: copy the id again';
  // Such an id is a slip of copying, and another bucket for the same chat.
  if (id.trim() !== id) return 'begins or ends with a space: copy the id again';
  const count = countCodePoints(id);
  if (count > maxIdCodePoints) return `has ${count} characters, but may have at most ${maxIdCodePoints}`;
  return null;
}

/** Where content goes. Content that was never checked, such as another service's, has a bucket of its own. */
export function destinationOf(content: Content): Destination {
  const to = objectIn(content.params, 'to');
  if (recipientProblems(to).length > 0) return { chat: 'no_recipient', chatKind: 'group', weight: 1 };
  const type = String(own(to, 'type'));
  return {
    chat: `${type}:${String(own(to, 'id'))}`,
    chatKind: type === 'user' ? 'chat' : 'group',
    weight: 1,
  };
}
