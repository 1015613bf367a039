import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { callApi, type ApiAnswer } from '../api-call.ts';
import {
  startFakeTelegram,
  step,
  type BotRules,
  type FakeTelegram,
  type FakeTelegramOptions,
} from './index.ts';

const TOKEN = '11:fake-a';
const OTHER_TOKEN = '22:fake-b';
let fake: FakeTelegram;

async function start(
  rules: Partial<BotRules> = {},
  options: Partial<FakeTelegramOptions> = {},
): Promise<void> {
  const bots = { [TOKEN]: { name: 'support', ...rules }, [OTHER_TOKEN]: { name: 'other' } };
  fake = await startFakeTelegram({ bots, ...options });
}

afterEach(async () => {
  await fake.stop();
  expect(fake.problems).toEqual([]);
});

function call(method: string, body: string, token = TOKEN, timeoutMs = 3_000): Promise<ApiAnswer> {
  return callApi({ apiRoot: fake.apiRoot, token, method, body, timeoutMs });
}

function send(chat: string | number, text = 'hi', token = TOKEN, timeoutMs = 3_000): Promise<ApiAnswer> {
  return call('sendMessage', JSON.stringify({ chat_id: chat, text }), token, timeoutMs);
}

async function rawConnection(): Promise<Socket> {
  const socket = connect(fake.port, '127.0.0.1').on('error', () => {});
  await new Promise((resolve) => void socket.once('connect', resolve));
  return socket;
}

describe('a call in its usual course', () => {
  it('is answered with a Message and stored once', async () => {
    await start();
    const { status, body } = await send(123, 'hi');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ok: true,
      result: { message_id: 501, from: { is_bot: true }, chat: { id: 123, type: 'private' }, text: 'hi' },
    });
    expect(body.result.date).toBeGreaterThan(1e9);
    expect(fake.stored('support')).toMatchObject([{ n: 1, chat: '123', text: 'hi', messageId: 501 }]);
    expect(fake.stored(OTHER_TOKEN)).toEqual([]);
  });

  it('leaves the bot name and never the token in the record', async () => {
    await start();
    await send(1);
    await send(1, 'hi', '99:unknown-token');
    const record = JSON.stringify([fake.arrivals, fake.connections, fake.deadlines, fake.stored()]);
    expect(record).toContain('support');
    expect(record).not.toMatch(/fake-a|unknown-token/);
  });

  it('with a token of no bot is answered 401', async () => {
    await start();
    expect(await send(1, 'hi', '99:unknown')).toMatchObject({
      status: 401,
      body: { ok: false, error_code: 401, description: 'Unauthorized' },
    });
    expect(fake.arrivals).toMatchObject([{ bot: null, verdict: 'refused', httpStatus: 401 }]);
    expect(fake.stored()).toEqual([]);
  });

  it.each(['4503600212045337', '-1009007199254740993', '12345678901234567890'])(
    'keeps every digit of chat id %s, in the record and in the answer',
    async (id) => {
      await start();
      const { text } = await call(
        'sendMessage',
        `{"text":"\\"chat_id\\":5","x":{"chat_id":6}, "chat_id" : ${id} }`,
      );
      expect(fake.arrivals[0]).toMatchObject({ chat: id, text: '"chat_id":5', verdict: 'stored' });
      expect(text).toContain(`"chat":{"id":${id},`);
    },
  );

  it('takes the id as a JSON string and an @name in any case for the same chat', async () => {
    await start();
    await send('123');
    await send('@News');
    expect(fake.arrivals.map(({ chat }) => chat)).toEqual(['123', '@news']);
  });

  it('answers getMe with the bot, stores nothing and takes no slot', async () => {
    await start({ windows: { bot: [{ limit: 1, perMs: 60_000 }] } });
    expect((await call('getMe', '')).body).toMatchObject({ ok: true, result: { is_bot: true } });
    expect((await send(1)).status).toBe(200);
    expect(fake.stored()).toHaveLength(1);
  });

  it('answers each method in its own form', async () => {
    await start();
    const photo = await call('sendPhoto', '{"chat_id":-5,"photo":"id","caption":"c"}');
    expect(photo.body.result).toMatchObject({ chat: { id: -5, type: 'group' }, caption: 'c' });
    expect((await call('sendChatAction', '{"chat_id":5,"action":"typing"}')).body.result).toBe(true);
    expect((await call('copyMessage', '{"chat_id":5}')).body.result).toEqual({ message_id: 502 });
    expect(fake.stored().map(({ method }) => method)).toEqual(['sendPhoto', 'copyMessage']);
  });

  it.each([
    [/text is empty/, '{"chat_id":1,"text":""}'],
    [/chat_id is empty/, '{"text":"hi"}'],
    [/chat not found/, '{"chat_id":"no name","text":"hi"}'],
    [/can't parse/, 'not json'],
    [/too long/, JSON.stringify({ chat_id: 1, text: 'x'.repeat(4097) })],
  ])('that the service would not take is refused with 400 and %s', async (description, rawBody) => {
    await start();
    expect(await call('sendMessage', rawBody)).toMatchObject({
      status: 400,
      body: { description: expect.stringMatching(description) },
    });
    expect(fake.arrivals[0]?.verdict).toBe('refused');
    expect(fake.stored()).toEqual([]);
  });

  it('accepts a text of 4096 code points', async () => {
    await start();
    expect((await send(1, '😀'.repeat(4096))).status).toBe(200);
  });

  it('may come on a connection that is kept alive', async () => {
    await start();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const body = '{"chat_id":1,"text":"hi"}';
    for (let i = 0; i < 3; i += 1) {
      await callApi({ apiRoot: fake.apiRoot, token: TOKEN, method: 'sendMessage', body, agent });
    }
    expect(fake.connections).toMatchObject([{ id: 1, requests: 3, open: true }]);
    expect(fake.arrivals.map(({ connection }) => connection)).toEqual([1, 1, 1]);
  });
});

describe('a flood', () => {
  it('is answered so that every answer counts down to the same instant', async () => {
    let nowMs = 0;
    await start({}, { nowMs: () => nowMs });
    await fake.flood(TOKEN, 42_371);
    const asked = [];
    for (const atSeconds of [0, 122, 316]) {
      nowMs = atSeconds * 1000;
      asked.push((await send(1)).body.parameters.retry_after);
    }
    expect(asked).toEqual([42_371, 42_249, 42_055]);
    expect(fake.deadlines.map(({ untilMs }) => untilMs)).toEqual([42_371_000, 42_371_000, 42_371_000]);
    nowMs = 42_371_000;
    expect((await send(1)).status).toBe(200);
    expect(fake.arrivals.map(({ early, verdict }) => [early, verdict])).toEqual([
      [true, 'flood'],
      [true, 'flood'],
      [true, 'flood'],
      [false, 'stored'],
    ]);
  });

  it('asks for 1 second at least', async () => {
    await start({}, { nowMs: () => 0 });
    await fake.flood(TOKEN, 0.001);
    expect((await send(1)).body.parameters.retry_after).toBe(1);
  });

  it('counts down truthfully when its answer is held back', async () => {
    let nowMs = 0;
    await start({}, { nowMs: () => nowMs });
    await fake.flood(TOKEN, 100);
    fake.script(TOKEN, {}, step.hold(50));
    const answer = send(1);
    await fake.waitFor(() => fake.arrivals[0]?.verdict === 'flood');
    nowMs = 40_000;
    expect((await answer).body.parameters.retry_after).toBe(60);
  });

  it('of one bot leaves the other alone', async () => {
    await start();
    await fake.flood('support', 60);
    expect((await send(1, 'hi', OTHER_TOKEN)).status).toBe(200);
    expect((await send(1)).status).toBe(429);
  });

  it('of one chat leaves the other chats alone', async () => {
    await start();
    await fake.flood('support', 60, -7);
    expect((await send(-7)).status).toBe(429);
    expect((await send(8)).status).toBe(200);
    expect(fake.deadlines).toMatchObject([{ bot: 'support', chat: '-7', retryAfterSeconds: 60 }]);
  });

  it('never gets shorter by a shorter one', async () => {
    await start({}, { nowMs: () => 0 });
    await fake.flood('support', 10);
    fake.script('support', {}, step.flood(2));
    expect((await send(1)).body.parameters.retry_after).toBe(10);
  });
});

describe('a script', () => {
  it('answers the next request of its chat only, once', async () => {
    await start();
    const script = fake.script(TOKEN, { chat: 7 }, step.forbidden());
    expect((await send(8)).status).toBe(200);
    expect((await send(7)).status).toBe(403);
    expect((await send(7)).status).toBe(200);
    expect(script.played).toBe(1);
    expect(fake.arrivals.map(({ verdict }) => verdict)).toEqual(['stored', 'refused', 'stored']);
  });

  it('may begin after some requests and play several times or always', async () => {
    await start();
    fake.script(TOKEN, { after: 1, times: 2 }, step.badRequest());
    const always = fake.script(OTHER_TOKEN, { times: 'always' }, step.unauthorized());
    const statuses = [];
    for (let i = 0; i < 4; i += 1) statuses.push((await send(1)).status);
    for (let i = 0; i < 2; i += 1) statuses.push((await send(1, 'hi', OTHER_TOKEN)).status);
    always.withdraw();
    statuses.push((await send(1, 'hi', OTHER_TOKEN)).status);
    expect(statuses).toEqual([200, 400, 400, 200, 401, 401, 200]);
  });

  it('yields to one that was added before and is played afterwards', async () => {
    await start();
    fake.script(TOKEN, {}, step.tooManyRequests('35'));
    fake.script(TOKEN, {}, step.migrate('-1009007199254740993'));
    expect((await send(1)).body.parameters).toEqual({ retry_after: '35' });
    const { status, text } = await send(1);
    expect(status).toBe(400);
    expect(text).toContain('"migrate_to_chat_id":-1009007199254740993');
    expect(fake.deadlines).toEqual([]);
  });

  it('holds an answer back while the message is judged and stored at arrival', async () => {
    await start();
    fake.script(TOKEN, {}, step.hold(80));
    const answer = send(1);
    await fake.waitFor(() => fake.stored().length === 1);
    expect(fake.outstanding(TOKEN)).toBe(1);
    expect(fake.arrivals[0]?.httpStatus).toBeNull();
    expect((await answer).status).toBe(200);
  });

  it.each([true, false])('never answers; message stored: %s', async (store) => {
    await start();
    fake.script(TOKEN, {}, step.silence({ store }));
    await expect(send(1, 'hi', TOKEN, 100)).rejects.toThrow(/abort/);
    await fake.waitFor(() => fake.outstanding(TOKEN) === 0);
    expect(fake.arrivals).toMatchObject([
      { received: 'whole', verdict: store ? 'stored' : 'none', httpStatus: null, answeredAtMs: null },
    ]);
    expect(fake.stored()).toHaveLength(store ? 1 : 0);
  });

  it('resets after the head', async () => {
    await start();
    fake.script(TOKEN, {}, step.resetAtHead());
    await expect(send(1)).rejects.toThrow();
    await fake.waitFor(() => fake.outstanding(TOKEN) === 0);
    expect(fake.arrivals).toMatchObject([{ received: 'head', verdict: 'none', chat: null }]);
    expect((await send(1)).status).toBe(200);
  });

  it('of a reset after the head cannot be for one chat', async () => {
    await start();
    expect(() => fake.script(TOKEN, { chat: 1 }, step.resetAtHead())).toThrow(/by chat/);
  });

  it.each([true, false])('resets after the whole body; message stored: %s', async (store) => {
    await start();
    fake.script(TOKEN, {}, step.resetAfterBody({ store }));
    await expect(send(1)).rejects.toThrow();
    expect(fake.arrivals).toMatchObject([{ received: 'whole', httpStatus: null, chat: '1' }]);
    expect(fake.stored()).toHaveLength(store ? 1 : 0);
  });

  it.each([0, 8])('cuts the body of the answer after %i bytes', async (afterBytes) => {
    await start();
    fake.script(TOKEN, {}, step.cutBody(afterBytes));
    const socket = await rawConnection();
    const body = '{"chat_id":1,"text":"hi"}';
    socket.write(
      `POST /bot${TOKEN}/sendMessage HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    const [head, rest] = answer.split('\r\n\r\n');
    expect(head).toMatch(/200 OK[^]*content-length: [1-9]/);
    expect(rest).toBe('{"ok":true'.slice(0, afterBytes));
    expect(fake.stored()).toHaveLength(1);
  });

  it('answers with a page of HTML and status 200', async () => {
    await start();
    fake.script(TOKEN, {}, step.htmlPage({ store: true }));
    const { status, text } = await send(1);
    expect([status, text.slice(0, 9)]).toEqual([200, '<!DOCTYPE']);
    expect(fake.stored()).toHaveLength(1);
  });

  it('answers 5xx with the message stored or not', async () => {
    await start();
    fake.script(TOKEN, {}, step.serverError({ store: true }));
    fake.script(TOKEN, {}, step.serverError({ status: 500, store: false }));
    expect([(await send(1)).status, (await send(2)).status]).toEqual([502, 500]);
    expect(fake.arrivals.map(({ verdict }) => verdict)).toEqual(['stored', 'none']);
  });

  it('trickles an answer that is complete in the end', async () => {
    await start();
    fake.script(TOKEN, {}, step.trickle({ chunkBytes: 60, everyMs: 5 }));
    expect((await send(1)).body.ok).toBe(true);
  });

  it('closes the socket right after the answer', async () => {
    await start();
    fake.script(TOKEN, {}, step.closeAfterAnswer());
    expect((await send(1)).body.ok).toBe(true);
    await fake.waitFor(({ connections }) => connections[0]?.open === false);
    expect((await send(1)).status).toBe(200);
    expect(fake.connections).toHaveLength(2);
  });
});

describe('the network', () => {
  it('refuses connections and accepts them again on the same port, with its memory', async () => {
    await start();
    await send(1);
    fake.refuse();
    await fake.waitFor(({ connections }) => connections.every(({ open }) => !open));
    await expect(send(1)).rejects.toThrow(/ECONNREFUSED/);
    await fake.accept();
    expect((await send(1)).body.result.message_id).toBe(502);
  });

  it('lets requests in progress finish while it refuses, or resets them', async () => {
    await start();
    fake.script(TOKEN, { times: 2 }, step.hold(50));
    const finishing = send(1);
    await fake.waitFor(() => fake.stored().length === 1);
    fake.refuse();
    expect((await finishing).status).toBe(200);
    await fake.accept();
    const broken = send(1);
    broken.catch(() => {});
    await fake.waitFor(() => fake.stored().length === 2);
    fake.refuse({ inProgress: 'reset' });
    await expect(broken).rejects.toThrow();
    await fake.waitFor(() => fake.outstanding(TOKEN) === 0);
    expect(fake.arrivals[1]).toMatchObject({ httpStatus: null, answeredAtMs: null });
  });

  it('as a black hole reads everything and answers nothing', async () => {
    await start();
    fake.blackhole();
    const sends = [1, 2, 3].map((chat) => send(chat, 'hi', TOKEN, 300));
    await Promise.allSettled(sends);
    await fake.waitFor(() => fake.outstanding(TOKEN) === 0);
    expect(fake.maxOutstanding(TOKEN)).toBe(3);
    expect(fake.arrivals.map(({ verdict, received }) => [verdict, received])).toEqual([
      ['none', 'whole'],
      ['none', 'whole'],
      ['none', 'whole'],
    ]);
    await fake.accept();
    expect((await send(1)).status).toBe(200);
  });

  it('resets connections before a byte is read', async () => {
    await start();
    fake.resetConnections(1);
    await expect(send(1)).rejects.toThrow();
    expect(fake.arrivals).toEqual([]);
    expect(fake.connections).toMatchObject([{ requests: 0, bytesRead: 0, open: false }]);
    expect((await send(1)).status).toBe(200);
  });

  it('closes idle keep-alive sockets without having announced it', async () => {
    await start({}, { idleCloseMs: 60 });
    const socket = await rawConnection();
    const closed = new Promise((resolve) => void socket.once('close', resolve));
    let answer = '';
    socket.on('data', (chunk) => void (answer += String(chunk)));
    socket.write(`POST /bot${TOKEN}/getMe HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`);
    await closed;
    expect(answer).toMatch(/^HTTP\/1.1 200 OK/);
    expect(answer).not.toMatch(/^(keep-alive: |connection: close)/im);
  });

  it('does not count a socket as idle while a request is in progress', async () => {
    await start({}, { idleCloseMs: 30 });
    await send(1);
    fake.script(TOKEN, {}, step.hold(120));
    expect((await send(1)).status).toBe(200);
  });

  it('frees its port when it stops, for another one', async () => {
    await start();
    const { port } = fake;
    await fake.stop();
    await start({}, { port });
    expect(fake.port).toBe(port);
    expect((await send(1)).status).toBe(200);
  });
});

describe('the record', () => {
  it('holds requests whose body never became whole', async () => {
    await start();
    const socket = await rawConnection();
    socket.write(`POST /bot${TOKEN}/sendMessage HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n`);
    await fake.waitFor(() => fake.arrivals[0]?.received === 'head');
    socket.write('{"chat_id":1,');
    await fake.waitFor(() => fake.arrivals[0]?.received === 'partial');
    expect(fake.outstanding('support')).toBe(1);
    socket.destroy();
    await fake.waitFor(() => fake.outstanding('support') === 0);
    expect(fake.arrivals).toMatchObject([
      { bot: 'support', received: 'partial', bodyBytes: 13, verdict: 'none', chat: null, httpStatus: null },
    ]);
  });

  it('shows a head that was never completed by the bytes read on its connection', async () => {
    await start();
    const socket = await rawConnection();
    socket.write('POST /bot');
    await fake.waitFor(({ connections }) => connections.length === 1);
    await pause(30);
    socket.destroy();
    await fake.waitFor(({ connections }) => connections[0]?.open === false);
    expect(fake.connections).toMatchObject([{ requests: 0, bytesRead: 9 }]);
    expect(fake.arrivals).toEqual([]);
  });

  it('keeps arrivals in the order of their heads under an asynchronous clock', async () => {
    let reading = 0;
    const nowMs = async (): Promise<number> => {
      reading += 1;
      const mine = reading;
      await pause(mine === 1 ? 40 : 1);
      return mine;
    };
    await start({}, { nowMs });
    await Promise.all([send(1), send(2), send(3)]);
    expect(fake.arrivals.map(({ n }) => n)).toEqual([1, 2, 3]);
    expect(fake.arrivals.map(({ atMs }) => atMs).toSorted((a, b) => a - b)).toEqual(
      fake.arrivals.map(({ atMs }) => atMs),
    );
  });

  it('is waited for by event, and a wait in vain says what was seen', async () => {
    await start();
    const seen = fake.waitFor(({ arrivals }) => arrivals.find(({ chat }) => chat === '2'));
    await send(1);
    await send(2);
    expect(await seen).toMatchObject({ n: 2, chat: '2' });
    await expect(fake.waitFor(() => fake.stored().length === 9, { timeoutMs: 20 })).rejects.toThrow(
      /20 ms; 2 arrivals, 2 stored.*#2 support 2 stored 200 whole/,
    );
  });
});

describe('a clock that fails', () => {
  it('is a problem of the fake, and does not go unseen', async () => {
    const failing = await startFakeTelegram({
      bots: { [TOKEN]: { name: 'support' } },
      nowMs: async () => Promise.reject(new Error('clock is gone')),
    });
    fake = failing;
    await send(1);
    expect(failing.problems.map(String)).toContain('Error: clock is gone');
    await failing.stop();
    await start();
  });
});
