import type { ReplyRequest } from '../../client/index.ts';

/** Sample responders: each says what came back to the chat that it came from. The place for an app's own. */
export type Echo = (update: unknown, bot: string) => ReplyRequest | null;

/** By the name of the bot's contract. */
export const echoes: Readonly<Record<string, Echo>> = { telegram, qivuna, unifyport };

function telegram(update: unknown, bot: string): ReplyRequest | null {
  const message = field(update, 'message');
  // Two bots that echo each other would never stop.
  if (field(field(message, 'from'), 'is_bot') === true) return null;
  return textTo(bot, field(field(message, 'chat'), 'id'), field(message, 'text'));
}

// Assumption: an update of Qivuna has the form of one of Telegram's; none is documented.
function qivuna(update: unknown, bot: string): ReplyRequest | null {
  return telegram(update, bot);
}

/** `data.conversation` is where it was said; its `type` is one of `user`, `group` and `channel`, as in a request. */
function unifyport(event: unknown, bot: string): ReplyRequest | null {
  const data = field(event, 'data');
  const conversation = field(data, 'conversation');
  const message = field(data, 'message');
  const [id, type] = [field(conversation, 'id'), field(conversation, 'type')];
  // Other types have a text too: the place or the contact that they show.
  if (field(message, 'type') !== 'text') return null;
  // What the account itself has written from elsewhere, should it come as received.
  if (field(message, 'direction') === 'outbound') return null;
  if (typeof id !== 'string' || typeof type !== 'string') return null;
  return textTo(bot, `${type}:${id}`, field(message, 'text'));
}

function textTo(bot: string, chat: unknown, text: unknown): ReplyRequest | null {
  if (typeof text !== 'string' || text.trim() === '') return null;
  return typeof chat === 'string' || typeof chat === 'number' ? { bot, chat, text } : null;
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
