import { describe, expect, test } from 'vitest';
import { ReplyRefusedError } from '../../../client/index.ts';
import { own, post, reply, show, stage, tokenIn, underReview } from './fixtures.ts';

const filled = { attempt: '1', decision: 'sent', reason: 'it is in the chat' };

async function ready(record = underReview()) {
  const scene = stage(record, { canDecide: true });
  const { text } = await show(scene.page, reply);
  return { scene, text, token: tokenIn(text) };
}

describe('a decision on the review page', () => {
  test('is not taken, and not offered, unless the page and the person may', async () => {
    const readOnly = stage(underReview());
    expect((await show(readOnly.page, reply)).text).not.toContain('<form method="post"');
    expect((await post(readOnly.page, { ...filled, token: 'x' })).status).toBe(403);
    const watcher = stage(underReview(), {
      canDecide: true,
      authenticate: () => ({ by: 'ana', mayDecide: false }),
    });
    expect((await show(watcher.page, reply)).text).not.toContain('<form method="post"');
    expect((await post(watcher.page, { ...filled, token: 'x' })).status).toBe(403);
    expect([...readOnly.decided, ...watcher.decided]).toEqual([]);
  });

  test('is made in the name of whom the app authenticated, whatever the form says', async () => {
    const { scene, token } = await ready();
    const answer = await post(scene.page, { ...filled, token, by: 'mallory', messageId: '501' });
    expect([answer.status, answer.location]).toEqual([303, `${reply}&said=decided`]);
    expect(scene.decided).toEqual([
      {
        attempt: 1,
        decision: 'sent',
        by: 'ana',
        reason: 'it is in the chat',
        messageId: 501,
        via: 'review page',
      },
    ]);
  });

  test('is not taken from another site, with a right token or not', async () => {
    const { scene, token } = await ready();
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'cross-site', origin: 'https://ops.example' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      {},
    ];
    for (const headers of foreign)
      expect((await post(scene.page, { ...filled, token }, { 'x-user': 'ana', ...headers })).status).toBe(
        403,
      );
    expect(scene.decided).toEqual([]);
    const older = { 'x-user': 'ana', origin: 'https://ops.example' };
    expect((await post(scene.page, { ...filled, token }, older)).status).toBe(303);
  });

  test('needs the token of this person, this reply and this attempt', async () => {
    const { scene, token } = await ready();
    const other = await ready();
    const bad = [
      {},
      { token: '' },
      { token: other.token },
      { token, attempt: '2' },
      { token, attempt: '-1' },
    ];
    for (const values of bad) expect((await post(scene.page, { ...filled, ...values })).status).toBe(403);
    const bob = { ...own, 'x-user': 'bob' };
    expect((await post(scene.page, { ...filled, token }, bob)).status).toBe(403);
    expect((await post(scene.page, { ...filled, token }, own, '?reply=support%2Fother')).status).toBe(403);
    expect(scene.decided).toEqual([]);
  });

  test.each<[string, Partial<ReturnType<typeof underReview>>]>([
    ['about another attempt', { review: { ...underReview().review!, attempt: 2 } }],
    ['under review no more', { state: 'sent', review: null }],
  ])('with a mistake, of a reply that is %s by now, is not offered again filled in', async (_, change) => {
    const { scene, token } = await ready();
    scene.now = underReview(change);
    const answer = await post(scene.page, { ...filled, reason: '', token });
    expect(answer.status).toBe(409);
    expect(answer.text).toContain('Nothing was decided: the reply has changed meanwhile');
    expect(answer.text).not.toContain('checked');
    expect(scene.decided).toEqual([]);
  });

  test('counts at every process that has the same secret, and that must be long', async () => {
    const formSecret = 'a-secret-that-two-processes-share-by-chance';
    const [one, two] = [1, 2].map(() => stage(underReview(), { canDecide: true, formSecret }));
    const token = tokenIn((await show(one!.page, reply)).text);
    expect((await post(two!.page, { ...filled, token })).status).toBe(303);
    expect(() => stage(underReview(), { formSecret: 'short' })).toThrow(/formSecret/);
  });

  test('is taken as the page’s form only, and not without end', async () => {
    const { scene, token } = await ready();
    const json = await scene.page(
      new Request(`https://ops.example/${reply}`, {
        method: 'POST',
        headers: { ...own, 'content-type': 'application/json' },
        body: JSON.stringify({ ...filled, token }),
      }),
    );
    expect(json.status).toBe(415);
    expect((await post(scene.page, { ...filled, token, reason: 'x'.repeat(20_000) })).status).toBe(413);
    expect((await post(scene.page, { ...filled, token }, own, '')).status).toBe(405);
    expect(scene.decided).toEqual([]);
  });

  test('that lacks something comes back as it was filled in, with what is wrong at its field', async () => {
    const { scene, token } = await ready();
    const values = { attempt: '1', reason: ' ', messageId: '12', token };
    const { status, text } = await post(scene.page, values);
    expect(status).toBe(422);
    expect(text).toMatch(/role="alert"[\s\S]*href="#decision-sent"[\s\S]*href="#reason"/);
    expect(text).toMatch(
      /id="reason"[^>]*aria-invalid="true"[^>]*aria-describedby="reason-hint reason-problem"/,
    );
    expect(text).toContain('value="12"');
    const wrongId = await post(scene.page, { ...filled, token, messageId: '1e3' });
    expect([wrongId.status, wrongId.text]).toEqual([422, expect.stringContaining('messageId-problem')]);
    const misplaced = await post(scene.page, { ...filled, token, decision: 'not_sent', messageId: '5' });
    expect(misplaced.status).toBe(422);
    expect(scene.decided).toEqual([]);
  });

  test('that is stale is refused, and the page shows the reply as it is now', async () => {
    const { scene, token } = await ready();
    const now = underReview({ state: 'sent', review: null, message: { message_id: 777, date: 1 } });
    scene.now = now;
    scene.refuse = new ReplyRefusedError(
      'support/upd-1-reply is sent now, and was not decided: it has ended',
      now,
    );
    const { status, text } = await post(scene.page, { ...filled, token });
    expect(status).toBe(409);
    expect(text).toContain('Nothing was decided');
    expect(text).toContain('777');
    expect(text).not.toContain('<form method="post"');
  });

  test('says plainly that a resend may send a second time, and passes on what goes with it', async () => {
    const { scene, text, token } = await ready();
    expect(text).toContain('This may send it a second time');
    await post(scene.page, { ...filled, token, decision: 'resend', allowExpired: 'on' });
    expect(scene.decided).toMatchObject([{ decision: 'resend', allowExpired: true }]);
  });

  test('offers no resend where that would be refused: the review is final, or it was sent after all', async () => {
    const review = {
      kind: 'held',
      attempt: 1,
      since: '2026-12-01T10:00:00.000Z',
      evidence: 'e',
      isFinal: true,
    } as const;
    const lateProof = { attempt: 1, outcome: 'sent', at: '2026-12-01T10:01:00.000Z', messageId: 5 } as const;
    for (const record of [underReview({ review }), underReview({ lateProof })]) {
      const { text } = await ready(record);
      expect(text).toContain('<form method="post"');
      expect(text).not.toContain('value="resend"');
      expect(text).toContain('cannot be sent again here');
    }
  });

  test('that no worker has confirmed is told as such', async () => {
    const scene = stage(
      underReview(),
      { canDecide: true },
      {
        decide: async () => ({ kind: 'requested', reply: underReview() }),
      },
    );
    const token = tokenIn((await show(scene.page, reply)).text);
    const { location } = await post(scene.page, { ...filled, token });
    expect(location).toBe(`${reply}&said=requested`);
    expect((await show(scene.page, location ?? '')).text).toContain('no worker has confirmed it');
  });
});
