import { describe, expect, test } from 'vitest';
import { ReplyInputError, unifyportIntake } from '../../client/index.ts';
import { isSignatureOf, signatureOf } from '../../client/intake/signature.ts';
import { Seen, delivery, secret, signed, streamed, timestamp } from './intake-samples.ts';

const accountId = 'acc_1';
function unifyport() {
  const seen = new Seen();
  return { seen, intake: unifyportIntake({ signingSecret: secret, accountId, ...seen.options }) };
}
const event = (rest: object = {}): string =>
  JSON.stringify({ type: 'message.received', id: 'evt_1', account_id: accountId, ...rest });

describe('the signature', () => {
  const vector = 'cc29f54eb308510c1310b2f2940d5dd57019b2a411753d2c3949d08834af3f7a';
  const body = Buffer.from('{"type":"message.received"}');

  test('is the one of the vendor’s example', () => {
    expect(signatureOf('secret_1', { timestamp, body })).toBe(vector);
    expect(isSignatureOf(vector, 'secret_1', { timestamp, body })).toBe(true);
    expect(isSignatureOf(vector, 'secret_2', { timestamp, body })).toBe(false);
    expect(isSignatureOf(signatureOf('', { timestamp, body }), '', { timestamp, body })).toBe(false);
  });

  test('covers the bytes as they came: spaces and escapes too', async () => {
    const { intake } = unifyport();
    const spaced = '{ "type" : "message.received", "id" : "evt_\\u0031" }\n';
    expect((await intake(signed(spaced))).status).toBe(200);
    const signature = signatureOf(secret, { timestamp, body: Buffer.from(spaced) });
    const other = delivery(event(), { 'x-device-timestamp': timestamp, 'x-device-signature': signature });
    expect((await intake(other)).status).toBe(401);
  });

  test.each([
    ['another secret', { signingSecret: 'another' }],
    ['none', { 'x-device-signature': '' }],
    ['upper case', { 'x-device-signature': 'A'.repeat(64) }],
    ['too short', { 'x-device-signature': 'a'.repeat(63) }],
    ['another time', { 'x-device-timestamp': '2026-06-08T12:34:57Z' }],
    ['no time', { 'x-device-timestamp': '' }],
    ['a time that is none', { 'x-device-timestamp': 'yesterday' }],
    ['a time in seconds', { 'x-device-timestamp': '1780922096' }],
    ['a month too many', { 'x-device-timestamp': '2026-13-08T12:34:56Z' }],
  ])('with %s is refused, and the answer tells nothing of the secret', async (_, headers) => {
    const { seen, intake } = unifyport();
    const response = await intake(signed(event(), headers as Record<string, string>));
    expect(response.status).toBe(401);
    expect(await response.text()).not.toContain(secret.slice(0, 4));
    expect([intake.counts.unauthorized, seen.sent.length]).toEqual([1, 0]);
  });

  test('of a time long ago is as good: the vendor may redeliver as late as it likes', async () => {
    for (const old of ['2001-02-03T04:05:06Z', '2026-06-08t12:34:56.123456789+05:30']) {
      const { intake } = unifyport();
      const signature = signatureOf(secret, { timestamp: old, body: Buffer.from(event()) });
      const headers = { 'x-device-timestamp': old, 'x-device-signature': signature };
      expect((await intake(delivery(event(), headers))).status).toBe(200);
    }
  });

  test('without its form the body is not read, and of a signed one no more than the limit', async () => {
    const { intake } = unifyport();
    let reads = 0;
    const headers = { 'x-device-timestamp': timestamp, 'x-device-signature': 'a'.repeat(64) };
    expect(
      (
        await intake(
          delivery(
            streamed(1000, 64 * 1024, () => (reads += 1)),
            headers,
          ),
        )
      ).status,
    ).toBe(413);
    expect(reads).toBeLessThan(20);
  });

  test('needs a secret that is one', () => {
    expect(() => unifyportIntake({ signingSecret: '', accountId, ...new Seen().options })).toThrow(
      ReplyInputError,
    );
  });
});

describe('an event', () => {
  test('starts one reply, under its id, however often it is delivered', async () => {
    const { seen, intake } = unifyport();
    for (const attempt of ['1', '2', '3'])
      await intake(signed(event(), { 'x-device-event-id': 'evt_1', 'x-device-delivery-id': attempt }));
    expect(seen.sent.map(({ key }) => key)).toEqual(Array(3).fill('upd-evt_1-reply'));
    expect(intake.counts).toMatchObject({ accepted: 1, duplicates: 2 });
  });

  test('that names itself in the header only is known by that', async () => {
    const { seen, intake } = unifyport();
    await intake(
      signed('{"type":"message.received","account_id":"acc_1"}', { 'x-device-event-id': 'evt_9' }),
    );
    expect(seen.sent).toMatchObject([{ key: 'upd-evt_9-reply' }]);
  });

  test('that is played again under another header is still itself: the header is not signed', async () => {
    const { intake } = unifyport();
    await intake(signed(event(), { 'x-device-event-id': 'evt_1' }));
    await intake(signed(event(), { 'x-device-event-id': 'evt_2' }));
    expect(intake.counts).toMatchObject({ accepted: 1, duplicates: 1 });
  });

  test.each(['message.delivered', 'message.read', 'account.auth.required', 'anything new', ''])(
    'of type "%s" is acknowledged and starts nothing',
    async (type) => {
      const { seen, intake } = unifyport();
      expect((await intake(signed(event({ type })))).status).toBe(200);
      expect([intake.counts.ignored, seen.sent.length]).toEqual([1, 0]);
    },
  );

  test.each(['acc_2', 'acc_', 'acc_11', 'ACC_1', ' acc_1', ''])(
    'of the account "%s", under the same secret, is acknowledged, counted and told, and starts nothing',
    async (other) => {
      const { seen, intake } = unifyport();
      expect((await intake(signed(event({ account_id: other })))).status).toBe(200);
      expect([intake.counts.otherAccount, intake.counts.accepted, seen.sent.length]).toEqual([1, 0, 0]);
      expect(seen.problems).toMatchObject([{ kind: 'other_account', key: null }]);
    },
  );

  test.each([undefined, null, ''])('cannot be taken for the account %j', (none) => {
    const options = { signingSecret: secret, ...new Seen().options };
    expect(() => unifyportIntake({ ...options, accountId: none as string })).toThrow(ReplyInputError);
  });

  test.each([
    ['no JSON', 'hello'],
    ['no object', '[]'],
    ['no type', '{"id":"evt_1"}'],
    ['no id', '{"type":"message.received","account_id":"acc_1"}'],
    ['no account', event({ account_id: undefined })],
    ['an account that is no text', event({ account_id: 1 })],
    ['an id that is too long', event({ id: 'e'.repeat(3000) })],
    ['half a character for an id', '{"type":"message.received","account_id":"acc_1","id":"\\ud800"}'],
    ['100,000 levels', `{"type":"message.received","x":${'{"y":'.repeat(100_000)}1${'}'.repeat(100_001)}`],
  ])('with %s is acknowledged, counted and dropped', async (_, body) => {
    const { seen, intake } = unifyport();
    expect((await intake(signed(body))).status).toBe(200);
    expect([intake.counts.malformed, seen.sent.length]).toEqual([1, 0]);
  });
});
