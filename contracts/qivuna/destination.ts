import type { Content, Destination } from '../contract.ts';
import { own } from '../json-fields.ts';
import { readChatId } from './chat-id.ts';

/** Where content goes. A method without a chat goes to a bucket of its own, `method:<name>`. */
export function destinationOf(content: Content): Destination {
  const reading = readChatId(own(content.params, 'chat_id'));
  if (reading.kind === 'problem')
    return { chat: `method:${content.method.toLowerCase()}`, chatKind: 'chat', weight: 1 };
  // Assumption: ids below zero are groups, as with other services; the page does not say what an id tells.
  return { chat: reading.chat, chatKind: reading.chat.startsWith('-') ? 'group' : 'chat', weight: 1 };
}

/** The same content for another chat; a number wherever the digits are exact as one. */
export function readdressed(content: Content, chat: string): Content {
  if (!Object.hasOwn(content.params, 'chat_id')) return content;
  const id = Number(chat);
  const chatId = Number.isSafeInteger(id) && String(id) === chat ? id : chat;
  return { ...content, params: { ...content.params, chat_id: chatId } };
}
