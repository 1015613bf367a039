import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import * as step from './steps.ts';
import { OTHER_TOKEN, TOKEN, useFake } from './use-fake.ts';

const inUse = useFake();

async function rawConnection(): Promise<Socket> {
  const socket = connect(inUse.fake.port, '127.0.0.1').on('error', () => {});
  await new Promise((resolve) => void socket.once('connect', resolve));
  return socket;
}

describe('a script', () => {
  it('answers the next request of its chat only, once', async () => {
    await inUse.start();
    const script = inUse.fake.script(TOKEN, { chat: 7 }, step.forbidden());
    expect((await inUse.send(8)).status).toBe(200);
    expect((await inUse.send(7)).status).toBe(403);
    expect((await inUse.send(7)).status).toBe(200);
    expect(script.played).toBe(1);
    expect(inUse.fake.arrivals.map(({ verdict }) => verdict)).toEqual(['stored', 'refused', 'stored']);
  });

  it('may begin after some requests and play several times or always', async () => {
    await inUse.start();
    inUse.fake.script(TOKEN, { after: 1, times: 2 }, step.badRequest());
    const always = inUse.fake.script(OTHER_TOKEN, { times: 'always' }, step.unauthorized());
    const statuses = [];
    for (let i = 0; i < 4; i += 1) statuses.push((await inUse.send(1)).status);
    for (let i = 0; i < 2; i += 1) statuses.push((await inUse.send(1, 'hi', OTHER_TOKEN)).status);
    always.withdraw();
    statuses.push((await inUse.send(1, 'hi', OTHER_TOKEN)).status);
    expect(statuses).toEqual([200, 400, 400, 200, 401, 401, 200]);
  });

  it('yields to one that was added before and is played afterwards', async () => {
    await inUse.start();
    inUse.fake.script(TOKEN, {}, step.tooManyRequests('35'));
    inUse.fake.script(TOKEN, {}, step.migrate('-1009007199254740993'));
    expect((await inUse.send(1)).body.parameters).toEqual({ retry_after: '35' });
    const { status, text } = await inUse.send(1);
    expect(status).toBe(400);
    expect(text).toContain('"migrate_to_chat_id":-1009007199254740993');
    expect(inUse.fake.deadlines).toEqual([]);
  });

  it('holds an answer back while the message is judged and stored at arrival', async () => {
    await inUse.start();
    inUse.fake.script(TOKEN, {}, step.hold(80));
    const answer = inUse.send(1);
    await inUse.fake.waitFor(() => inUse.fake.stored().length === 1);
    expect(inUse.fake.outstanding(TOKEN)).toBe(1);
    expect(inUse.fake.arrivals[0]?.httpStatus).toBeNull();
    expect((await answer).status).toBe(200);
  });

  it.each([true, false])('never answers; message stored: %s', async (store) => {
    await inUse.start();
    inUse.fake.script(TOKEN, {}, step.silence({ store }));
    await expect(inUse.send(1, 'hi', TOKEN, 100)).rejects.toThrow(/abort/);
    await inUse.fake.waitFor(() => inUse.fake.outstanding(TOKEN) === 0);
    expect(inUse.fake.arrivals).toMatchObject([
      { received: 'whole', verdict: store ? 'stored' : 'none', httpStatus: null, answeredAtMs: null },
    ]);
    expect(inUse.fake.stored()).toHaveLength(store ? 1 : 0);
  });

  it('resets after the head', async () => {
    await inUse.start();
    inUse.fake.script(TOKEN, {}, step.resetAtHead());
    await expect(inUse.send(1)).rejects.toThrow();
    await inUse.fake.waitFor(() => inUse.fake.outstanding(TOKEN) === 0);
    expect(inUse.fake.arrivals).toMatchObject([{ received: 'head', verdict: 'none', chat: null }]);
    expect((await inUse.send(1)).status).toBe(200);
  });

  it('of a reset after the head cannot be for one chat', async () => {
    await inUse.start();
    expect(() => inUse.fake.script(TOKEN, { chat: 1 }, step.resetAtHead())).toThrow(/by chat/);
  });

  it.each([true, false])('resets after the whole body; message stored: %s', async (store) => {
    await inUse.start();
    inUse.fake.script(TOKEN, {}, step.resetAfterBody({ store }));
    await expect(inUse.send(1)).rejects.toThrow();
    expect(inUse.fake.arrivals).toMatchObject([{ received: 'whole', httpStatus: null, chat: '1' }]);
    expect(inUse.fake.stored()).toHaveLength(store ? 1 : 0);
  });

  it.each([0, 8])('cuts the body of the answer after %i bytes', async (afterBytes) => {
    await inUse.start();
    inUse.fake.script(TOKEN, {}, step.cutBody(afterBytes));
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
    expect(inUse.fake.stored()).toHaveLength(1);
  });

  it('answers with a page of HTML and status 200', async () => {
    await inUse.start();
    inUse.fake.script(TOKEN, {}, step.htmlPage({ store: true }));
    const { status, text } = await inUse.send(1);
    expect([status, text.slice(0, 9)]).toEqual([200, '<!DOCTYPE']);
    expect(inUse.fake.stored()).toHaveLength(1);
  });

  it('answers 5xx with the message stored or not', async () => {
    await inUse.start();
    inUse.fake.script(TOKEN, {}, step.serverError({ store: true }));
    inUse.fake.script(TOKEN, {}, step.serverError({ status: 500, store: false }));
    expect([(await inUse.send(1)).status, (await inUse.send(2)).status]).toEqual([502, 500]);
    expect(inUse.fake.arrivals.map(({ verdict }) => verdict)).toEqual(['stored', 'none']);
  });

  it('trickles an answer that is complete in the end', async () => {
    await inUse.start();
    inUse.fake.script(TOKEN, {}, step.trickle({ chunkBytes: 60, everyMs: 5 }));
    expect((await inUse.send(1)).body.ok).toBe(true);
  });

  it('closes the socket right after the answer', async () => {
    await inUse.start();
    inUse.fake.script(TOKEN, {}, step.closeAfterAnswer());
    expect((await inUse.send(1)).body.ok).toBe(true);
    await inUse.fake.waitFor(({ connections }) => connections[0]?.open === false);
    expect((await inUse.send(1)).status).toBe(200);
    expect(inUse.fake.connections).toHaveLength(2);
  });

  it.each([
    ['refuses', step.badRequest(), 429],
    ['loses the answer', step.resetAfterBody({ store: false }), 429],
    ['answers 429', step.tooManyRequests(1), 200],
  ])('that %s takes a slot of the windows unless it was a 429', async (_name, first, status) => {
    await inUse.start({ windows: { bot: [{ limit: 1, perMs: 60_000 }] } });
    inUse.fake.script(TOKEN, {}, first);
    await inUse.send(1).catch(() => {});
    expect((await inUse.send(1)).status).toBe(status);
  });
});
