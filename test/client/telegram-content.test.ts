import { expect, test } from 'vitest';
import { telegramContent } from '../../client/telegram-content.ts';
import { telegram } from '../../contracts/telegram.ts';

test('methods beyond text are typed, and taken by the contract', () => {
  const contents = [
    telegramContent('sendMessage', { chat_id: 1, text: 'hi' }),
    telegramContent('sendPhoto', { chat_id: '@channel', photo: 'https://example.com/a.png', caption: 'a' }),
    telegramContent('sendDocument', { chat_id: 1, document: 'file-id' }),
    telegramContent('editMessageText', { chat_id: 1, message_id: 5, text: 'new' }),
    telegramContent('answerCallbackQuery', { callback_query_id: '77' }),
    telegramContent('sendChatAction', { chat_id: 1, action: 'typing' }),
    telegramContent('sendMediaGroup', {
      chat_id: 1,
      media: [
        { type: 'photo', media: 'a' },
        { type: 'photo', media: 'b' },
      ],
    }),
  ];
  for (const content of contents) expect(telegram.check(content)).toEqual([]);
  expect(contents.map((content) => telegram.destination(content).weight)).toEqual([1, 1, 1, 1, 1, 1, 2]);
});

test('what the Bot API does not take does not compile', () => {
  // @ts-expect-error a message has a text
  telegramContent('sendMessage', { chat_id: 1 });
  // @ts-expect-error there is no such action
  telegramContent('sendChatAction', { chat_id: 1, action: 'sleeping' });
  // @ts-expect-error reading changes nothing
  telegramContent('getMe', {});
  // @ts-expect-error no such method
  expect(telegram.check(telegramContent('sendNothing!', {}))).not.toEqual([]);
});
