import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ReplyNotFoundError, TemporalUnreachableError, reviewPage } from '../../../client/index.ts';
import { reply, show, stage, underReview } from './fixtures.ts';

const hostile = `"><script>alert('x')</script><img src=x onerror=alert(1)>\u202e`;

describe('the review page', () => {
  test('is not made without authentication', () => {
    expect(() => reviewPage({ replies: {} as never, authenticate: undefined as never })).toThrow(
      /authenticate/,
    );
  });

  test('shows nothing to nobody, nor to somebody without a name', async () => {
    const { page } = stage(underReview(), { bots: ['support'] });
    for (const query of ['', reply, '?view=lanes'])
      for (const headers of [{}, { 'x-user': ' ' }] as Record<string, string>[]) {
        const { status, text } = await show(page, query, headers);
        expect(status).toBe(401);
        expect(text).not.toContain('support');
      }
  });

  test('hands on the app’s own answer, such as the way to its login', async () => {
    const { page } = stage(underReview(), {
      authenticate: () => new Response(null, { status: 302, headers: { location: '/login' } }),
    });
    expect((await show(page)).headers.get('location')).toBe('/login');
  });

  test('lets no script run, is not kept, not framed, and sends its forms to itself only', async () => {
    const { headers, text } = await show(stage(underReview()).page, reply);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain(`default-src 'none'`);
    expect(policy).toContain(`form-action 'self'`);
    expect(policy).toContain(`frame-ancestors 'none'`);
    expect(policy).not.toMatch(/unsafe|script-src/);
    expect(text).not.toMatch(/<script|\son[a-z]+=|javascript:/i);
    const [, style = ''] = /<style>([^]*)<\/style>/.exec(text) ?? [];
    expect(policy).toContain(`'sha256-${createHash('sha256').update(style).digest('base64')}'`);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('same-origin');
  });

  test('lists what is under review with kind, attempt and since when, and what has been proven since', async () => {
    const lateProof = { attempt: 1, outcome: 'sent', at: '2026-12-01T10:01:00.000Z', messageId: 5 } as const;
    const { status, text } = await show(stage(underReview({ lateProof })).page);
    expect(status).toBe(200);
    expect(text).toContain('href="?reply=support%2Fupd-1-reply"');
    for (const part of ['unknown', 'sent after all', '2026-12-01 10:00:00 UTC']) expect(text).toContain(part);
  });

  test('passes its filters on, and leaves out those that mean nothing', async () => {
    const asked: unknown[] = [];
    const { page } = stage(
      underReview(),
      {},
      {
        reviews: async (filter) => {
          asked.push(filter);
          return [];
        },
      },
    );
    await show(page, '?bot=support&kind=unknown&age=1h');
    await show(page, `?bot=${encodeURIComponent(hostile)}&kind=&age=7`);
    expect(asked).toEqual([{ bot: 'support', kind: 'unknown', olderThanMs: 3_600_000 }, {}]);
  });

  test('shows how far each attempt got, what the service said, and the decision before', async () => {
    const record = underReview({
      decision: {
        attempt: 1,
        decision: 'resend',
        by: 'bob',
        reason: 'not there',
        at: '2026-12-01T11:00:00.000Z',
        door: 'update',
        via: 'cli',
        bulk: null,
        seen: null,
      },
    });
    const { text } = await show(stage(record).page, reply);
    for (const part of ['no answer within 20000 ms', 'written', 'worker-7', 'bob', 'not there', 'cli'])
      expect(text).toContain(part);
  });

  test('says first that a decision is contradicted by what a worker told later', async () => {
    const record = underReview({
      state: 'not_sent',
      review: null,
      decision: {
        attempt: 1,
        decision: 'not_sent',
        by: 'bob',
        reason: 'r',
        at: '2026-12-01T11:00:00.000Z',
        door: 'update',
        via: null,
        bulk: null,
        seen: null,
      },
      lateProof: { attempt: 1, outcome: 'sent', at: '2026-12-01T12:00:00.000Z', messageId: null },
    });
    expect((await show(stage(record).page, reply)).text).toContain('Contradicted');
  });

  test('says where no worker answered that this is what was saved last', async () => {
    const { page } = stage(
      underReview(),
      {},
      {
        read: async () => ({ reply: underReview(), source: 'store' }),
      },
    );
    expect((await show(page, reply)).text).toContain('No worker answers');
  });

  test('escapes everything that others wrote', async () => {
    const record = underReview({
      id: `support/${hostile}`,
      review: { kind: 'held', attempt: 1, since: hostile, evidence: hostile },
      rejection: { kind: 'other', code: null, description: hostile },
      message: { message_id: hostile, date: 1 } as never,
      attempts: [
        {
          attempt: 1,
          outcome: 'unknown',
          at: hostile,
          httpStatus: null,
          progress: 'written',
          worker: hostile,
          error: { code: hostile, numericCode: null, message: hostile, requestId: hostile } as never,
        },
      ],
      decision: {
        attempt: 1,
        decision: 'resend',
        by: hostile,
        reason: hostile,
        at: hostile,
        door: 'update',
        via: hostile,
        bulk: null,
        seen: null,
      },
      lateProof: { attempt: 1, outcome: 'sent', at: hostile, messageId: hostile },
    });
    const input = { bot: 'support', key: 'k', content: { method: 'sendMessage', params: { text: hostile } } };
    const { page } = stage(record, { canDecide: true, showContent: true }, { input: async () => input });
    for (const query of [
      '',
      reply,
      `${reply}&content=show`,
      `${reply}&said=${encodeURIComponent(hostile)}`,
    ]) {
      const { text } = await show(page, query, { 'x-user': hostile.replace('\u202e', '') });
      expect(text).not.toMatch(/<script|<img|onerror=alert\(1\)>/);
      expect(text).toContain('&lt;script&gt;');
      expect(text).not.toContain('\u202e');
    }
  });

  test('shows text and destination only where that is allowed, and only when asked', async () => {
    const params = { chat_id: 4711, text: 'the text' };
    const input = { bot: 'support', key: 'k', content: { method: 'sendMessage', params } };
    const asked: string[] = [];
    const read = async () => {
      asked.push('input');
      return input;
    };
    const open = stage(underReview(), { showContent: true }, { input: read }).page;
    const closed = stage(underReview(), {}, { input: read }).page;
    expect((await show(open, reply)).text).not.toContain('the text');
    expect((await show(closed, `${reply}&content=show`)).text).not.toContain('the text');
    expect(asked).toEqual([]);
    expect((await show(open, `${reply}&content=show`)).text).toMatch(/4711[\s\S]*the text/);
  });

  test('shows each lane: open, or the reason and until when it is closed', async () => {
    const base = {
      policy: {},
      waiting: 3,
      outstanding: 0,
      sent: 9,
      floods: 2,
      lastFlood: null,
      acts: [],
      lateProofs: [],
    };
    const views: Record<string, unknown> = {
      busy: { ...base, notBefore: '2026-12-01T10:30:00.000Z', reason: 'flood', stopped: null, paused: null },
      quiet: {
        ...base,
        notBefore: null,
        reason: null,
        stopped: null,
        paused: { by: 'bob', reason: 'tests', since: '' },
      },
    };
    const lane = (bot: string) =>
      ({
        bot,
        exists: async () => bot !== 'none',
        show: async () => ({ bot, ...(views[bot] as object) }),
      }) as never;
    const { page } = stage(underReview(), { bots: ['busy', 'quiet', 'none'] }, { lane });
    const { text } = await show(page, '?view=lanes');
    expect(text).toMatch(/busy[\s\S]*cooling down[\s\S]*flood[\s\S]*2026-12-01 10:30:00 UTC/);
    expect(text).toMatch(/quiet[\s\S]*paused[\s\S]*bob: tests[\s\S]*lane resume quiet/);
    expect(text).toMatch(/none[\s\S]*has not begun/);
  });

  test('answers 400, 404, 405 and 503 in words, and tells nobody where Temporal is', async () => {
    const failures: unknown[] = [];
    const failing = (error: Error) =>
      stage(
        underReview(),
        { onFailure: (failure) => failures.push(failure) },
        {
          read: () => Promise.reject(error),
        },
      ).page;
    expect((await show(failing(new ReplyNotFoundError('no reply support/x')), reply)).status).toBe(404);
    expect((await show(failing(new Error('-')), '?reply=nothing')).status).toBe(400);
    expect(failures).toEqual([]);
    const down = await show(failing(new TemporalUnreachableError('10.0.0.7:7233 is down')), reply);
    expect([down.status, down.text.includes('10.0.0.7')]).toEqual([503, false]);
    const broken = await show(failing(new Error('a secret')), reply);
    expect([broken.status, broken.text.includes('a secret')]).toEqual([500, false]);
    expect(failures).toHaveLength(2);
    const { page } = stage(underReview());
    const put = await page(
      new Request('https://ops.example/', { method: 'PUT', headers: { 'x-user': 'ana' } }),
    );
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});
