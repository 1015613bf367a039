import { describe, expect, test } from 'vitest';
import { delivery, secret, streamed, telegram, telegramHeader, update } from './intake-samples.ts';

describe('the body', () => {
  const limit = 1024 * 1024;

  test('has up to 1 MiB', async () => {
    const { intake } = telegram();
    const padding = ' '.repeat(limit - update().length);
    expect((await intake(delivery(update() + padding))).status).toBe(200);
    expect((await intake(delivery(`${update()}${padding} `))).status).toBe(413);
    expect(intake.counts).toMatchObject({ accepted: 1, tooLarge: 1 });
  });

  test('that says it is too large is not read', async () => {
    const { intake } = telegram();
    let reads = 0;
    const headers = { [telegramHeader]: secret, 'content-length': String(limit + 1) };
    expect(
      (
        await intake(
          delivery(
            streamed(2, 10, () => (reads += 1)),
            headers,
          ),
        )
      ).status,
    ).toBe(413);
    expect(reads).toBeLessThanOrEqual(1);
  });

  test('that is too large and does not say so is read no further than the limit', async () => {
    const { intake } = telegram();
    let reads = 0;
    const response = await intake(delivery(streamed(10_000, 64 * 1024, () => (reads += 1))));
    expect(response.status).toBe(413);
    expect(reads).toBeLessThan(20);
  });

  test('that does not end in time, or breaks off, is not acknowledged', async () => {
    const { intake } = telegram({ startTimeoutMs: 30 });
    const endless = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) });
    expect((await intake(delivery(endless as never))).status).toBe(408);
    const broken = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error('reset')),
    });
    expect((await intake(delivery(broken as never))).status).toBe(408);
  });

  test('that somebody else has read is the app’s mistake', async () => {
    const { seen, intake } = telegram();
    const request = delivery(update());
    await request.text();
    expect((await intake(request)).status).toBe(500);
    expect(seen.problems).toMatchObject([{ kind: 'failed', key: null }]);
  });

  test.each([
    ['nothing', null],
    ['no JSON', 'update_id=1044'],
    ['JSON that is cut off', update().slice(0, -1)],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['a list', '[{"update_id":1}]'],
    ['null', 'null'],
    ['no update_id', '{}'],
    ['an inherited update_id', '{"__proto__":{"update_id":1}}'],
    ['an update_id in text', update('1044')],
    ['half an update_id', update(1.5)],
    ['an update_id that JavaScript would round', '{"update_id":9007199254740993}'],
    ['100,000 levels', `{"update_id":1,"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['100,000 levels that do not end', '['.repeat(100_000)],
  ])('with %s is acknowledged, counted and dropped: it would be no better the next time', async (_, body) => {
    const { seen, intake } = telegram();
    expect((await intake(delivery(body))).status).toBe(200);
    expect(intake.counts).toMatchObject({ malformed: 1, accepted: 0 });
    expect(seen.sent).toEqual([]);
    expect(seen.problems).toMatchObject([{ kind: 'malformed', key: null }]);
  });

  test('brackets within a text are no levels', async () => {
    const { intake } = telegram();
    const text = `${'['.repeat(500)}\\"{"`;
    expect((await intake(delivery(update(1, { text })))).status).toBe(200);
    expect(intake.counts.accepted).toBe(1);
  });
});
