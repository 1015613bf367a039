import { describe, expect, it } from 'vitest';
import { readResult } from '../../activities/attempt-reading.ts';
import type { Content, Contract } from '../../contracts/contract.ts';
import { contractOf } from '../../contracts/index.ts';

const contents: Readonly<Record<string, Content>> = {
  telegram: { method: 'sendMessage', params: { chat_id: 1, text: 'hello to you' } },
  qivuna: { method: 'sendMessage', params: { chat_id: '1', text: 'hello to you' } },
  unifyport: {
    method: 'messages',
    params: { to: { type: 'contact', id: 'c' }, message: { type: 'text', text: 'hi' } },
  },
};
/** None has the form that tokens of these services usually have. */
const tokens = [
  'upk-live!SECRETKEY99887766',
  'gw_key.Short-1',
  'eyJhbGciOi.J9aaa.bbb',
  'a b/c?d&e"f',
  '123456789',
];

const read = (name: string, token: string, status: number, body: unknown) =>
  readResult(
    contractOf(name) as Contract,
    contents[name] as Content,
    {
      kind: 'answered',
      complete: true,
      answeredAtMs: 0,
      answer: {
        httpStatus: status,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      },
    },
    token,
  );

describe('invariant 8: a service that repeats the secret of the bot', () => {
  describe.each(Object.keys(contents))('%s', (name) => {
    it.each(tokens)('%j stands in nothing that is kept', (token) => {
      for (const said of [token, `/bot${encodeURIComponent(token)}/sendMessage`])
        for (const status of [400, 401, 403, 404, 409, 429, 500, 503])
          for (const body of [
            { ok: false, error_code: status, description: `Not Found: ${said}` },
            { name: 'bad_request', code: 'bad_request', message: `bad key ${said}` },
            {
              error: { code: 'unauthorized', numeric_code: 7, message: `bad key ${said}`, request_id: said },
            },
          ]) {
            const kept = JSON.stringify(read(name, token, status, body));
            expect(kept).not.toContain(token);
            expect(kept).not.toContain(JSON.stringify(token).slice(1, -1));
            expect(kept).not.toContain(encodeURIComponent(token));
          }
    });
  });

  it('what the answer means stays, and so do its other words', () => {
    const body = { ok: false, error_code: 404, description: 'Not Found: /botgw_key.Short-1/sendMessage' };
    expect(read('telegram', 'gw_key.Short-1', 404, body).outcome).toMatchObject({
      kind: 'rejected',
      rejection: { description: 'Not Found: /bot[token]/sendMessage' },
    });
  });

  it('a message that was sent is sent, though its id is a part of the secret', () => {
    const body = { ok: true, result: { message_id: 123456789, date: 1, chat: { id: 1 } } };
    expect(read('telegram', '123456789', 200, body).outcome).toMatchObject({
      kind: 'sent',
      message: { message_id: 123456789 },
    });
  });
});
