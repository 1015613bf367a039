import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deliverWebhook, signWebhook, type WebhookEvent } from './unifyport-webhook.ts';

const SECRET = 'secret_1';
const EVENT: WebhookEvent = {
  id: 'evt_1',
  type: 'message.received',
  provider: 'telegram',
  account_id: 'acc_01',
  occurred_at: '2026-06-08T12:34:56Z',
  data: { message: { text: 'Wo ist mein Päckchen?', reply_token: 'tok_1' } },
};

interface Delivery {
  readonly method: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

let server: Server;
let url: string;
let deliveries: Delivery[];
/** What the receiver answers, one by one, then 200; null: the connection is reset. */
let answers: (number | null)[];

beforeEach(async () => {
  deliveries = [];
  answers = [];
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      deliveries.push({ method: request.method, headers: request.headers, body: Buffer.concat(chunks) });
      const status = answers.length === 0 ? 200 : (answers.shift() ?? null);
      if (status === null) request.socket.resetAndDestroy();
      else response.writeHead(status, { 'retry-after': '60', location: '/', connection: 'close' }).end('x');
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks/support`;
});

afterEach(() => {
  server.close();
  server.closeAllConnections();
});

describe('the signature', () => {
  it("is that of the contract's vector", () => {
    const signature = 'cc29f54eb308510c1310b2f2940d5dd57019b2a411753d2c3949d08834af3f7a';
    const body = '{"type":"message.received"}';
    expect(signWebhook('secret_1', '2026-06-08T12:34:56Z', body)).toBe(signature);
    expect(signWebhook('secret_1', '2026-06-08T12:34:56Z', Buffer.from(body))).toBe(signature);
  });

  it('is over the bytes of the body and the text of the timestamp', async () => {
    await deliverWebhook(url, SECRET, EVENT, { timestamp: '2026-06-08T12:34:56.7+02:00' });
    const [delivery] = deliveries;
    expect(delivery?.headers['x-device-timestamp']).toBe('2026-06-08T12:34:56.7+02:00');
    expect(delivery?.headers['x-device-signature']).toBe(
      signWebhook(SECRET, '2026-06-08T12:34:56.7+02:00', delivery?.body ?? ''),
    );
  });
});

describe('a delivery', () => {
  it('is a JSON POST of the event with the headers of the service', async () => {
    expect(await deliverWebhook(url, SECRET, EVENT)).toEqual([200]);
    const [delivery] = deliveries;
    expect(delivery?.method).toBe('POST');
    expect(JSON.parse(String(delivery?.body))).toEqual(EVENT);
    expect(delivery?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-device-event-id': 'evt_1',
      'x-device-delivery-id': expect.stringMatching(/^dlv_/),
      'x-device-timestamp': expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      'x-device-signature': expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it.each([[[null]], [[408]], [[429]], [[500]], [[503]], [[599]], [[503, null, 429]]])(
    'is repeated at once after %j',
    async (failures) => {
      answers = [...failures];
      const beganAtMs = performance.now();
      expect(await deliverWebhook(url, SECRET, EVENT)).toEqual([...failures, 200]);
      // The receiver asks for 60 s.
      expect(performance.now() - beganAtMs).toBeLessThan(5_000);
      expect(new Set(deliveries.map(({ headers }) => headers['x-device-event-id']))).toEqual(
        new Set(['evt_1']),
      );
      expect(new Set(deliveries.map(({ headers }) => headers['x-device-delivery-id'])).size).toBe(
        deliveries.length,
      );
      expect(new Set(deliveries.map(({ body }) => String(body))).size).toBe(1);
    },
  );

  it.each([200, 202, 204, 302, 400, 401, 403, 404, 409, 422])(
    'is never repeated after %d',
    async (status) => {
      answers = [status];
      expect(await deliverWebhook(url, SECRET, EVENT)).toEqual([status]);
      expect(deliveries).toHaveLength(1);
    },
  );

  it.each([
    [undefined, 4],
    [0, 1],
    [1, 2],
  ])('is repeated as often as asked for: %s', async (redeliveries, count) => {
    answers = Array.from({ length: 9 }, () => 503);
    const options = redeliveries === undefined ? {} : { redeliveries };
    expect(await deliverWebhook(url, SECRET, EVENT, options)).toEqual(
      Array.from({ length: count }, () => 503),
    );
  });

  it('that nobody takes is a failed connection', async () => {
    await new Promise<void>((resolve) => void server.close(() => resolve()));
    expect(await deliverWebhook(url, SECRET, EVENT, { redeliveries: 1 })).toEqual([null, null]);
  });

  it('goes to this machine only', async () => {
    await expect(deliverWebhook('https://hooks.example/x', SECRET, EVENT)).rejects.toThrow(/not loopback/);
  });
});
