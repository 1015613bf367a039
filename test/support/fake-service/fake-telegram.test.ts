import { Agent } from 'node:http';
import { describe, expect, it } from 'vitest';
import { callApi } from '../api-call.ts';
import { OTHER_TOKEN, TOKEN, useFake } from './use-fake.ts';

const inUse = useFake();

describe('a call in its usual course', () => {
  it('is answered with a Message and stored once', async () => {
    await inUse.start();
    const { status, body } = await inUse.send(123, 'hi');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ok: true,
      result: { message_id: 501, from: { is_bot: true }, chat: { id: 123, type: 'private' }, text: 'hi' },
    });
    expect(body.result?.date).toBeGreaterThan(1e9);
    expect(inUse.fake.stored('support')).toMatchObject([{ n: 1, chat: '123', text: 'hi', messageId: 501 }]);
    expect(inUse.fake.stored(OTHER_TOKEN)).toEqual([]);
  });

  it('leaves the bot name and never the token in the record', async () => {
    await inUse.start();
    await inUse.send(1);
    await inUse.send(1, 'hi', '99:unknown-token');
    const record = JSON.stringify([
      inUse.fake.arrivals,
      inUse.fake.connections,
      inUse.fake.deadlines,
      inUse.fake.stored(),
    ]);
    expect(record).toContain('support');
    expect(record).not.toMatch(/fake-a|unknown-token/);
  });

  it('with a token of no bot is answered 401', async () => {
    await inUse.start();
    expect(await inUse.send(1, 'hi', '99:unknown')).toMatchObject({
      status: 401,
      body: { ok: false, error_code: 401, description: 'Unauthorized' },
    });
    expect(inUse.fake.arrivals).toMatchObject([{ bot: null, verdict: 'refused', httpStatus: 401 }]);
    expect(inUse.fake.stored()).toEqual([]);
  });

  it.each(['4503600212045337', '-1009007199254740993', '12345678901234567890'])(
    'keeps every digit of chat id %s, in the record and in the answer',
    async (id) => {
      await inUse.start();
      const { text } = await inUse.call(
        'sendMessage',
        `{"text":"\\"chat_id\\":5","x":{"chat_id":6}, "chat_id" : ${id} }`,
      );
      expect(inUse.fake.arrivals[0]).toMatchObject({ chat: id, text: '"chat_id":5', verdict: 'stored' });
      expect(text).toContain(`"chat":{"id":${id},`);
    },
  );

  it('takes the id as a JSON string and an @name in any case for the same chat', async () => {
    await inUse.start();
    await inUse.send('123');
    await inUse.send('@News');
    expect(inUse.fake.arrivals.map(({ chat }) => chat)).toEqual(['123', '@news']);
  });

  it('answers getMe with the bot, stores nothing and takes no slot', async () => {
    await inUse.start({ windows: { bot: [{ limit: 1, perMs: 60_000 }] } });
    expect((await inUse.call('getMe', '')).body).toMatchObject({ ok: true, result: { is_bot: true } });
    expect((await inUse.send(1)).status).toBe(200);
    expect(inUse.fake.stored()).toHaveLength(1);
  });

  it('answers each method in its own form', async () => {
    await inUse.start();
    const photo = await inUse.call('sendPhoto', '{"chat_id":-5,"photo":"id","caption":"c"}');
    expect(photo.body.result).toMatchObject({ chat: { id: -5, type: 'group' }, caption: 'c' });
    expect((await inUse.call('sendChatAction', '{"chat_id":5,"action":"typing"}')).body.result).toBe(true);
    expect((await inUse.call('copyMessage', '{"chat_id":5}')).body.result).toEqual({ message_id: 502 });
    expect(inUse.fake.stored().map(({ method }) => method)).toEqual(['sendPhoto', 'copyMessage']);
  });

  it.each([
    [/text is empty/, '{"chat_id":1,"text":""}'],
    [/chat_id is empty/, '{"text":"hi"}'],
    [/chat not found/, '{"chat_id":"no name","text":"hi"}'],
    [/can't parse/, 'not json'],
    [/too long/, JSON.stringify({ chat_id: 1, text: 'x'.repeat(4097) })],
  ])('that the service would not take is refused with 400 and %s', async (description, rawBody) => {
    await inUse.start();
    expect(await inUse.call('sendMessage', rawBody)).toMatchObject({
      status: 400,
      body: { description: expect.stringMatching(description) },
    });
    expect(inUse.fake.arrivals[0]?.verdict).toBe('refused');
    expect(inUse.fake.stored()).toEqual([]);
  });

  it('accepts a text of 4096 code points', async () => {
    await inUse.start();
    expect((await inUse.send(1, '😀'.repeat(4096))).status).toBe(200);
  });

  it('may come on a connection that is kept alive', async () => {
    await inUse.start();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const body = '{"chat_id":1,"text":"hi"}';
    for (let i = 0; i < 3; i += 1) {
      await callApi({ apiRoot: inUse.fake.apiRoot, token: TOKEN, method: 'sendMessage', body, agent });
    }
    expect(inUse.fake.connections).toMatchObject([{ id: 1, requests: 3, open: true }]);
    expect(inUse.fake.arrivals.map(({ connection }) => connection)).toEqual([1, 1, 1]);
  });
});
