import { describe, expect, test } from 'vitest';
import type { RejectionKind } from '../../domain/outcome.ts';
import { answered, each } from './telegram-samples.ts';

type Cases = readonly (readonly [code: number, description: string])[];

const refused: Readonly<Record<RejectionKind, Cases>> = {
  permission: [
    [403, 'Forbidden: bot was blocked by the user'],
    [403, "Forbidden: bot can't initiate conversation with a user"],
    [403, 'Forbidden: bot was kicked from the supergroup chat'],
    [403, 'Forbidden: words of tomorrow'],
    [403, ''],
    [400, 'Bad Request: not enough rights to send photos to the chat'],
    [400, 'Bad Request: not enough rights to pin a message'],
    [400, 'Bad Request: have no write access to the chat'],
    [400, 'Bad Request: CHAT_SEND_PLAIN_FORBIDDEN'],
    [400, 'Bad Request: VOICE_MESSAGES_FORBIDDEN'],
    [400, 'Bad Request: USER_BANNED_IN_CHANNEL'],
    [400, 'Bad Request: ALLOW_PAYMENT_REQUIRED'],
    [400, 'bad request: chat_write_forbidden'],
    [400, 'Bad Request: CHAT_ADMIN_REQUIRED'],
    [400, 'Bad Request: user is not a member of the chat'],
    [404, 'Not Found: bot was kicked'],
  ],
  destination: [
    [400, 'Bad Request: chat not found'],
    [400, 'BAD REQUEST: CHAT NOT FOUND'],
    [400, 'Bad Request: message thread not found'],
    [400, 'Bad Request: invalid message thread identifier specified'],
    [400, 'Bad Request: TOPIC_DELETED'],
    [400, 'Bad Request: CHANNEL_INVALID'],
    [400, 'Bad Request: CHAT_ID_INVALID'],
    [400, 'Bad Request: USERNAME_NOT_OCCUPIED'],
    [400, 'Bad Request: chat_id is empty'],
    [400, 'Bad Request: group chat was deactivated'],
    [400, 'Bad Request: user is deactivated'],
    [400, 'Bad Request: business connection not found'],
    [400, 'Bad Request: invalid user id invalid'],
    [400, 'Bad Request: peer id invalid'],
    [400, 'Bad Request: PEER_ID_INVALID'],
    [400, '  Chat not found '],
    [404, 'Not Found: chat not found'],
  ],
  request: [
    [400, 'Bad Request: message to be replied not found'],
    [400, 'Bad Request: message to edit not found'],
    [400, 'Bad Request: REPLY_MESSAGE_ID_INVALID'],
    [400, 'Bad Request: BUTTON_DATA_INVALID'],
    [400, 'Bad Request: BUTTON_USER_INVALID'],
    [400, 'Bad Request: wrong HTTP URL specified'],
    [400, 'Bad Request: ENTITY_BOUNDS_INVALID'],
    [400, 'Bad Request: words of tomorrow'],
    [400, 'Bad Request'],
    [413, 'Request Entity Too Large'],
    [413, 'chat not found'],
    [414, 'URI Too Long'],
    [400, "can't parse entities in a chat not found"],
    [400, 'Bad Request: message not found'],
    [400, 'Bad Request: message id not found'],
    [404, 'Not Found: method not found'],
    [404, 'Not Found: message to edit not found'],
  ],
  auth: [
    [401, 'Unauthorized'],
    [401, 'words of tomorrow'],
    [404, 'Not Found'],
    [404, 'not found'],
    [404, ' Not Found '],
    [404, ''],
    [401, 'chat not found'],
    [421, 'Misdirected Request: unallowed token specified'],
    [400, 'Bad Request: Logged out'],
    [400, 'Logged out'],
  ],
  other: [
    [409, 'Conflict: terminated by other getUpdates request'],
    [404, 'Not Found: words of tomorrow'],
    [400, ''],
    [405, 'Method Not Allowed'],
    [418, "I'm a teapot"],
    [400, 'words of tomorrow'],
    [400, 'A Bad Request: words of tomorrow'],
    [400, 'Bad luck'],
    [420, 'FLOOD_WAIT_5'],
  ],
};

describe.each(Object.entries(refused))('%s', (kind, cases) => {
  test.each(cases)('%d "%s"', (code, description) => {
    const shown = description.trim() === '' ? '(no description)' : description.trim();
    expect(answered(code, { ok: false, error_code: code, description })).toEqual({
      kind: 'rejected',
      rejection: { kind, code, description: shown },
    });
  });
});

// R5: the text of the message stands in the parser's words, so it must not decide.
test.each(['forbidden', 'chat not found', 'blocked', 'Logged out', 'CHAT_ID_INVALID', 'rights'])(
  'R5: a parsing error that quotes "%s" is a fault of the request',
  (quoted) => {
    const description = `Bad Request: can't parse entities: Unsupported start tag "${quoted}" at byte offset 0`;
    expect(answered(400, { ok: false, error_code: 400, description })).toMatchObject({
      rejection: { kind: 'request' },
    });
  },
);

test.each(each<unknown>([undefined, null, 7, {}, ['Bad Request: chat not found']]))(
  'a description of another type is none: %j',
  (description) =>
    expect(answered(400, { ok: false, error_code: 400, description })).toMatchObject({
      rejection: { kind: 'other', description: '(no description)' },
    }),
);

test('words that only stand somewhere in a sentence do not stand at its beginning', () => {
  for (const description of [
    "Bad Request: words of tomorrow, can't parse the chat not found",
    'Bad Request: chat not found, logged out',
  ])
    expect(answered(400, { ok: false, error_code: 400, description })).toMatchObject({
      rejection: { kind: 'destination' },
    });
});

test('a code that its words would tell apart is judged without them where there are none', () => {
  for (const description of [undefined, 7])
    expect(answered(404, { ok: false, error_code: 404, description })).toMatchObject({
      rejection: { kind: 'auth' },
    });
});
