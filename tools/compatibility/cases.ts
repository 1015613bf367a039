import type { Content } from '../../contracts/contract.ts';
import type { Case } from './foreign-server.ts';

/** What every foreign server is sent. Each of these is taken exactly once, as it was given. */

export const firstKey = 'first';
export const strangerKey = 'stranger';

const chat = 1001;

export const commonCases: readonly Case[] = [
  sent(firstKey, 'a plain text', { chat_id: chat, text: 'Your parcel is on its way.' }),
  sent('second', 'a second text to the same chat', { chat_id: chat, text: 'It comes between 9 and 10.' }),
  sent('third', 'a third one, by which these come in their order', {
    chat_id: chat,
    text: 'Please be at home.',
  }),
  sent('unicode', 'six scripts, joined emoji, a flag, quotes, lines, `<b>` without a parse mode', {
    chat_id: 1002,
    text: 'Grüße, Привет, 你好, שלום, नमस्ते, สวัสดี 👩‍👩‍👧‍👦 🇦🇶 1️⃣\n"quoted"\t<b> & \\ \u00A0end',
  }),
  sent('longest', '4,096 emoji (16,384 bytes)', { chat_id: 1003, text: '😀'.repeat(4096) }),
  sent('formatted', 'HTML, a keyboard, to a group', {
    chat_id: -1003000000123,
    text: '<b>Ready</b> &amp; waiting',
    parse_mode: 'HTML',
    reply_markup: { inline_keyboard: [[{ text: '👍 Yes', callback_data: 'yes' }]] },
  }),
  sent('named', 'a text to a public `@name`', { chat_id: '@replylane_channel', text: 'Hello, channel.' }),
  {
    ...sent(strangerKey, 'a text with a token that nobody has given out', {
      chat_id: 1004,
      text: 'Who am I?',
    }),
    isStranger: true,
  },
];

export const photo = {
  chat_id: 1005,
  photo: 'https://example.org/parcel.png',
  caption: 'Your parcel 📦',
} as const;

function sent(key: string, what: string, params: Content['params']): Case {
  return { key, what, content: { method: 'sendMessage', params }, expected: { state: 'sent' } };
}
