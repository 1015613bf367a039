import type { Content, Destination } from '../contract.ts';
import { readChatId } from './chat-id.ts';
import { batchField } from './method.ts';

// Parameters that name the target of a method without a chat, so that unrelated calls are not paced as one chat.
const targetFields = [
  'callback_query_id',
  'inline_query_id',
  'shipping_query_id',
  'pre_checkout_query_id',
  'web_app_query_id',
  'inline_message_id',
];
// The most messages that the service takes in one call; the service refuses more, whatever they weigh.
const maxWeight = 100;
const shortId = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Where content goes. A method without `chat_id` goes to the chat of its `user_id` (a person's private chat has the
 * person's id), else to a bucket of its own: `method:<name>`, with `:<id>` where a query or inline message is named.
 * Public names and negative ids may be groups, so they get a group's limits.
 */
export function destinationOf(content: Content): Destination {
  const weight = weightOf(content);
  const chat = chatOf(content);
  if (chat === null) return { chat: methodBucket(content), chatKind: 'chat', weight };
  return { chat, chatKind: /^[-@]/.test(chat) ? 'group' : 'chat', weight };
}

/** The same content for another chat; a number wherever the digits are exact as one. */
export function readdressed(content: Content, chat: string): Content {
  if (!Object.hasOwn(content.params, 'chat_id')) return content;
  const id = Number(chat);
  const chatId = Number.isSafeInteger(id) && String(id) === chat ? id : chat;
  return { ...content, params: { ...content.params, chat_id: chatId } };
}

function chatOf(content: Content): string | null {
  for (const field of ['chat_id', 'user_id']) {
    if (!Object.hasOwn(content.params, field)) continue;
    const reading = readChatId(content.params[field]);
    if (reading.kind === 'chat') return reading.chat;
  }
  return null;
}

function methodBucket(content: Content): string {
  const bucket = `method:${content.method.toLowerCase()}`;
  for (const field of targetFields) {
    const id = Object.hasOwn(content.params, field) ? content.params[field] : undefined;
    if (typeof id === 'string' && shortId.test(id)) return `${bucket}:${id}`;
  }
  return bucket;
}

function weightOf(content: Content): number {
  const field = batchField(content.method);
  if (field === null) return 1;
  const items = Object.hasOwn(content.params, field) ? content.params[field] : undefined;
  return Array.isArray(items) ? Math.min(Math.max(1, items.length), maxWeight) : 1;
}
