import { describe, expect, test } from 'vitest';
import { telegram } from '../../contracts/telegram.ts';
import { answered, each } from './telegram-samples.ts';

const onSuccess = (method: string, result: unknown) =>
  answered(200, { ok: true, result }, { method, params: { chat_id: 1 } }).kind;

describe('the proof of a method is what the service documents as its result', () => {
  test.each(
    each([
      'sendMessage',
      'sendPhoto',
      'sendAudio',
      'sendDocument',
      'sendVideo',
      'sendAnimation',
      'sendVoice',
      'sendVideoNote',
      'sendPaidMedia',
      'sendLocation',
      'sendVenue',
      'sendContact',
      'sendPoll',
      'sendDice',
      'sendSticker',
      'sendInvoice',
      'sendGame',
      'sendChecklist',
      'forwardMessage',
      'copyMessage',
    ]),
  )('%s: a message', (method) => {
    expect(onSuccess(method, { message_id: 5 })).toBe('sent');
    for (const result of [true, [{ message_id: 5 }], {}, 'ok'])
      expect(onSuccess(method, result)).toBe('unknown');
  });

  test.each(each(['sendMediaGroup', 'forwardMessages', 'copyMessages']))('%s: messages', (method) => {
    expect(onSuccess(method, [{ message_id: 5 }])).toBe('sent');
    for (const result of [true, { message_id: 5 }, [], [{}]])
      expect(onSuccess(method, result)).toBe('unknown');
  });

  test.each(each(['sendChatAction', 'editMessageText', 'aMethodOfTomorrow']))(
    '%s: anything but no',
    (method) => {
      for (const result of [true, 'link', {}, []]) expect(onSuccess(method, result)).toBe('sent');
      for (const result of [false, null, undefined]) expect(onSuccess(method, result)).toBe('unknown');
      expect(answered(200, { ok: true, result: { message_id: 9, date: 3 } }, { method, params: {} })).toEqual(
        {
          kind: 'sent',
          message: { message_id: 9, date: 3 },
        },
      );
    },
  );
});

describe('where a call without a chat goes', () => {
  const chatOf = (params: Record<string, unknown>, method = 'answerWhatever') =>
    telegram.destination({ method, params }).chat;

  test.each(
    each([
      'callback_query_id',
      'inline_query_id',
      'shipping_query_id',
      'pre_checkout_query_id',
      'web_app_query_id',
      'inline_message_id',
    ]),
  )('%s names its own bucket', (field) => {
    expect(chatOf({ [field]: 'AZaz09_-' })).toBe('method:answerwhatever:AZaz09_-');
    expect(chatOf({ [field]: 'a'.repeat(64) })).toBe(`method:answerwhatever:${'a'.repeat(64)}`);
    for (const id of ['', 'a'.repeat(65), 'a/b', '/a', 'a/', 7, null])
      expect(chatOf({ [field]: id })).toBe('method:answerwhatever');
    expect(chatOf(Object.create({ [field]: 'inherited' }))).toBe('method:answerwhatever');
  });

  test('a chat counts before a user, and a user where the chat cannot be read', () => {
    expect(chatOf({ chat_id: 5, user_id: 6 })).toBe('5');
    expect(chatOf({ user_id: 6 })).toBe('6');
    expect(chatOf({ chat_id: 'x y', user_id: 6 })).toBe('6');
    expect(chatOf(Object.create({ chat_id: 5 }))).toBe('method:answerwhatever');
  });

  test('only a name, or an id below zero, may be a group', () => {
    const kindOf = (params: Record<string, unknown>) =>
      telegram.destination({ method: 'sendPhoto', params }).chatKind;
    expect([7, '7', -7, '-7', '@name'].map((chat_id) => kindOf({ chat_id }))).toEqual([
      'chat',
      'chat',
      'group',
      'group',
      'group',
    ]);
    expect(kindOf({})).toBe('chat');
  });

  test('a batch is told by its method, and counted in its own field', () => {
    const weightOf = (method: string, params: Record<string, unknown>) =>
      telegram.destination({ method, params }).weight;
    expect(weightOf('sendMediaGroup', { media: [1, 2], message_ids: [1, 2, 3] })).toBe(2);
    for (const method of ['forwardMessages', 'copyMessages', 'COPYMESSAGES'])
      expect(weightOf(method, { media: [1, 2], message_ids: [1, 2, 3] })).toBe(3);
    expect(weightOf('sendMediaGroup', Object.create({ media: [1, 2] }))).toBe(1);
    expect(weightOf('sendMediaGroup', { media: Array.from({ length: 100 }) })).toBe(100);
    expect(weightOf('sendMediaGroup', { media: 'a text' })).toBe(1);
  });
});

describe('an edit that would change nothing has come about', () => {
  const description =
    'Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message';
  const edit = (method: string, code = 400, words = description) =>
    answered(
      code,
      { ok: false, error_code: code, description: words },
      { method, params: { chat_id: 1, message_id: 9 } },
    );

  test.each(each(['editMessageText', 'editMessageReplyMarkup', 'EDITMESSAGECAPTION']))(
    '%s is sent',
    (method) => expect(edit(method)).toEqual({ kind: 'sent', message: { message_id: 9, date: null } }),
  );

  test('also where the sentence stands alone', () =>
    expect(edit('editMessageText', 400, 'Message is not modified').kind).toBe('sent'));

  test('other methods, codes and sentences are refused as ever', () => {
    expect(edit('sendMessage').kind).toBe('rejected');
    expect(edit('creditStars').kind).toBe('rejected');
    expect(edit('editMessageText', 403).kind).toBe('rejected');
    expect(edit('editMessageText', 400, "Bad Request: can't parse: message is not modified").kind).toBe(
      'rejected',
    );
  });

  test('an inline message has no id of its own', () =>
    expect(
      answered(
        400,
        { ok: false, error_code: 400, description },
        {
          method: 'editMessageText',
          params: { inline_message_id: 'x' },
        },
      ),
    ).toEqual({ kind: 'sent', message: { message_id: null, date: null } }));
});

describe('one of several messages that failed says nothing of the others', () => {
  const description = 'Bad Request: failed to send message #2 with the error message "WEBPAGE_MEDIA_EMPTY"';
  const refusal = (method: string, words = description, code = 400) =>
    answered(code, { ok: false, error_code: code, description: words }, { method, params: { chat_id: 1 } });

  test('sendMediaGroup: unknown', () =>
    expect(refusal('sendMediaGroup')).toMatchObject({
      kind: 'unknown',
      unreadable: false,
      evidence: expect.stringMatching(/^HTTP 400, one of several messages failed: .*WEBPAGE_MEDIA_EMPTY/),
    }));

  test('under another code it is a refusal of all', () =>
    expect(refusal('sendMediaGroup', description, 403).kind).toBe('rejected'));

  test('a group that was refused as a whole is rejected', () =>
    expect(refusal('sendMediaGroup', 'Bad Request: chat not found').kind).toBe('rejected'));

  test('so is one message', () => expect(refusal('sendPhoto').kind).toBe('rejected'));
});
