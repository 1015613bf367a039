import { describe, expect, test } from 'vitest';
import { echoes } from '../../cli/serve/echo.ts';
import { draftReply } from '../../client/reply-draft.ts';
import { contractNames } from '../../contracts/index.ts';

const echo = (contract: string, update: unknown) => echoes[contract]?.(update, 'support');
const message = { text: 'hello', chat: { id: 42 }, from: { is_bot: false } };
const event = (rest: object = {}, conversation: object = { id: '4711', type: 'group' }) => ({
  type: 'message.received',
  data: { conversation, message: { type: 'text', text: 'hello', direction: 'inbound', ...rest } },
});

describe('the sample responder', () => {
  test('is there for every contract', () =>
    expect(Object.keys(echoes).sort()).toEqual(expect.arrayContaining([...contractNames].sort())));

  test.each([
    ['telegram', { message }, 42],
    ['qivuna', { message: { ...message, chat: { id: '9007199254740993' } } }, '9007199254740993'],
    ['unifyport', event(), 'group:4711'],
  ])(
    'of %s says a text back where it came from, in a form that the contract takes',
    (contract, update, chat) => {
      const request = { bot: 'support', chat, text: 'hello' };
      expect(echo(contract, update)).toEqual(request);
      if (contractNames.includes(contract))
        expect(draftReply(request, 'upd-1-reply', { support: contract })).toMatchObject({ kind: 'reply' });
    },
  );

  test.each([
    ['telegram', { edited_message: message }],
    ['telegram', { message: { ...message, from: { is_bot: true } } }],
    ['telegram', { message: { ...message, text: ' ' } }],
    ['telegram', { message: { chat: { id: 42 }, photo: [] } }],
    ['telegram', { message: 'hello' }],
    ['unifyport', event({ direction: 'outbound' })],
    ['unifyport', event({ type: 'location' })],
    ['unifyport', event({}, {})],
    ['unifyport', { data: null }],
  ])('of %s has nothing to say to %j', (contract, update) => expect(echo(contract, update)).toBeNull());
});
