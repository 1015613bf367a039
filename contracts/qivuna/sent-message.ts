import type { SentMessage } from '../../domain/outcome.ts';
import type { Content } from '../contract.ts';
import { isCount, objectIn, own, type Fields } from '../json-fields.ts';
import { shown } from './shown.ts';

const textId = /^[\x21-\x7e]{1,64}$/;

/**
 * What is kept of a success. Assumption: the message's id stands in one of these places, as a whole number or as text,
 * and its date beside it in Unix seconds; a success is one without them too.
 */
export function sentMessage(content: Content, body: Fields): SentMessage {
  const message = objectIn(body, 'message');
  const places: readonly (readonly [place: Fields, idField: string])[] = [
    [objectIn(body, 'result'), 'message_id'],
    [body, 'message_id'],
    [objectIn(body, 'data'), 'message_id'],
    [message, 'id'],
  ];
  for (const [place, idField] of places) {
    const id = own(place, idField);
    if (!isMessageId(content, id)) continue;
    const date = own(place, 'date');
    return { message_id: id, date: isCount(date) ? date : null };
  }
  return { message_id: null, date: null };
}

function isMessageId(content: Content, value: unknown): value is number | string {
  if (typeof value !== 'string') return Number.isSafeInteger(value);
  return textId.test(value) && shown(content, value, value.length) === value;
}
