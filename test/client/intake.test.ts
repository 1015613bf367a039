import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import {
  ReplyConflictError,
  ReplyInputError,
  TemporalUnreachableError,
  qivunaIntake,
  telegramIntake,
} from '../../client/index.ts';
import { parseCooldownWorkflowId, parseReplyWorkflowId } from '../../domain/ids.ts';
import { sameSecret } from '../../client/intake/secret.ts';
import { Seen, delivery, secret, streamed, telegram, telegramHeader, update } from './intake-samples.ts';

describe('who may deliver', () => {
  test.each([
    ['without a secret', {}],
    ['with an empty one', { [telegramHeader]: '' }],
    ['with another', { [telegramHeader]: 'x'.repeat(secret.length) }],
    ['with the beginning of it', { [telegramHeader]: secret.slice(0, -1) }],
    ['with more than it', { [telegramHeader]: `${secret}x` }],
    ['with it twice', { [telegramHeader]: `${secret}, ${secret}` }],
    ['with it elsewhere', { authorization: secret, 'x-qivuna-secret-token': secret }],
  ])(
    '%s: 401, nothing is read or started, and the answer tells nothing of the secret',
    async (_, headers) => {
      const { seen, intake } = telegram();
      let reads = 0;
      const response = await intake(
        delivery(
          streamed(1, 10, () => (reads += 1)),
          headers as Record<string, string>,
        ),
      );
      expect(response.status).toBe(401);
      const told = (await response.text()) + JSON.stringify([...response.headers]);
      expect(told).not.toContain(secret.slice(0, 4));
      expect(seen.sent).toEqual([]);
      expect(intake.counts.unauthorized).toBe(1);
      // A stream may fill its own buffer, but nobody has asked it for more.
      expect(reads).toBeLessThanOrEqual(1);
    },
  );

  test('an empty secret is refused at once: it would let everybody in', async () => {
    for (const make of [telegramIntake, qivunaIntake])
      expect(() => make({ secretToken: '', ...new Seen().options })).toThrow(ReplyInputError);
    expect(sameSecret('', '')).toBe(false);
    expect(sameSecret(null, '')).toBe(false);
  });

  test('a secret is asked for every delivery, and while it is not there nothing is acknowledged', async () => {
    let current: string | undefined;
    const { intake } = telegram({ secretToken: () => current });
    for (const [value, status] of [
      [undefined, 503],
      ['', 503],
      [secret, 200],
      ['changed', 401],
    ] as const) {
      current = value;
      expect((await intake(delivery(update()))).status).toBe(status);
    }
  });

  test.each(['GET', 'PUT', 'DELETE'])('only by POST: %s is 405', async (method) => {
    const { intake } = telegram();
    const response = await intake(
      new Request('http://127.0.0.1/', { method, headers: { [telegramHeader]: secret } }),
    );
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });
});

describe('an update', () => {
  test('starts its reply under its own key, and once', async () => {
    const { seen, intake } = telegram();
    for (const status of [200, 200, 200]) expect((await intake(delivery(update()))).status).toBe(status);
    expect(seen.sent[0]).toEqual({
      request: { bot: 'support', chat: 1, text: 'to 1044' },
      key: 'upd-1044-reply',
    });
    expect(new Set(seen.sent.map(({ key }) => key)).size).toBe(1);
    expect(intake.counts).toMatchObject({ accepted: 1, duplicates: 2 });
  });

  test('that another bot answers takes the place of no answer to that bot’s own update of the same id', async () => {
    const seen = new Seen();
    const respond = () => ({ bot: 'sales', chat: 1, text: 'hello' });
    const intakeOf = (bot: string) => telegram({ ...seen.options, respond, bot }).intake;
    const [support, sales] = [intakeOf('support'), intakeOf('sales')];
    for (const intake of [support, sales, support, sales])
      expect((await intake(delivery(update()))).status).toBe(200);
    for (const { counts } of [support, sales]) expect(counts).toMatchObject({ accepted: 1, duplicates: 1 });
    expect(seen.sent.slice(0, 2).map(({ key }) => key)).toEqual(['update:support:1044', 'upd-1044-reply']);
  });

  test('to which there is nothing to say is acknowledged', async () => {
    for (const nothing of [null, undefined]) {
      const { seen, intake } = telegram({ respond: () => nothing as null });
      expect((await intake(delivery(update()))).status).toBe(200);
      expect([intake.counts.ignored, seen.sent.length]).toEqual([1, 0]);
    }
  });

  test('of Qivuna comes with its large ids exact', async () => {
    const seen = new Seen();
    const updates: unknown[] = [];
    const intake = qivunaIntake({
      bot: 'support',
      secretToken: secret,
      replies: seen,
      respond: (one, name) => (updates.push([one['chat'], name.key, one['text']]), null),
    });
    const body =
      '{"update_id":9007199254740993,"chat":-9007199254740995,"text":"id 9007199254740993","x":0.12345678901234567}';
    expect((await intake(delivery(body, { 'x-qivuna-secret-token': secret }))).status).toBe(200);
    expect(updates).toEqual([['-9007199254740995', 'upd-9007199254740993-reply', 'id 9007199254740993']]);
    expect((await intake(delivery(body))).status).toBe(401);
  });
});

describe('what does not start', () => {
  const problems = [{ field: 'text', problem: 'is empty' }];
  test.each([
    [new ReplyConflictError('the key was used'), 200, 'conflicts'],
    [new ReplyInputError('The reply was not sent', problems), 200, 'invalid'],
    [new TemporalUnreachableError('it does not answer'), 503, 'unavailable'],
    [new Error('anything else'), 503, 'unavailable'],
  ] as const)('%s of the client: %i', async (error, status, count) => {
    const { seen, intake } = telegram();
    seen.failure = () => Promise.reject(error);
    expect((await intake(delivery(update()))).status).toBe(status);
    expect(intake.counts[count]).toBe(1);
    expect(seen.problems).toMatchObject([{ key: 'upd-1044-reply', error }]);
  });

  test('within its time is answered 503, whatever becomes of it later', async () => {
    for (const slow of ['send', 'respond'] as const) {
      const { seen, intake } = telegram({
        startTimeoutMs: 20,
        ...(slow === 'respond' ? { respond: () => new Promise<never>(() => {}) } : {}),
      });
      if (slow === 'send') seen.failure = () => new Promise<never>(() => {});
      expect((await intake(delivery(update()))).status).toBe(503);
      expect(intake.counts.unavailable).toBe(1);
    }
  });

  test('because the responder has a mistake: 500, and the answer repeats nothing of the error', async () => {
    for (const respond of [() => Promise.reject(new Error('hello')), () => JSON.parse('{hello')]) {
      const { seen, intake } = telegram({ respond });
      const response = await intake(delivery(update()));
      expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining('hello')]);
      expect(intake.counts.failed).toBe(1);
      expect(seen.problems[0]?.problem).not.toContain('hello');
    }
  });

  test('a log that fails changes nothing', async () => {
    const { intake } = telegram({
      onProblem: () => {
        throw new Error('the disk is full');
      },
    });
    expect((await intake(delivery('no JSON'))).status).toBe(200);
  });
});

describe('a workflow of the app’s own', () => {
  const started = async (start: () => Promise<void>, bot = 'support') => {
    const names: unknown[] = [];
    const intake = telegramIntake({
      bot,
      secretToken: secret,
      start: async (one, name) => {
        names.push([one.update_id, name]);
        await start();
      },
    });
    return { status: (await intake(delivery(update()))).status, counts: intake.counts, names };
  };

  test('is started under the update’s key, and acknowledged then', async () => {
    const { status, counts, names } = await started(async () => {});
    expect([status, counts.accepted]).toEqual([200, 1]);
    expect(names).toEqual([[1044, { id: '1044', key: 'upd-1044-reply', workflowId: 'update:support:1044' }]]);
  });

  test('has an id of its own for each bot: two bots may have updates of one id', async () => {
    const ids = new Set<unknown>();
    for (const bot of ['support', 'sales', 'reply', 'cooldown', 'update']) {
      const { names } = await started(async () => {}, bot);
      const [[, name] = []] = names as [unknown, { readonly workflowId: string }][];
      expect(parseReplyWorkflowId(name?.workflowId ?? '')).toBeUndefined();
      expect(parseCooldownWorkflowId(name?.workflowId ?? '')).toBeUndefined();
      ids.add(name?.workflowId);
    }
    expect(ids.size).toBe(5);
  });

  test.each(['', 'Support', 'a:b', undefined])('cannot be one of a bot named %j', async (bot) => {
    expect(() => telegramIntake({ secretToken: secret, ...new Seen().options, bot: bot as string })).toThrow(
      ReplyInputError,
    );
  });

  test('that was started before is a duplicate; one that could not be started is delivered again', async () => {
    const known = new WorkflowExecutionAlreadyStartedError('known', 'upd-1044-reply', 'mine');
    expect(await started(() => Promise.reject(known))).toMatchObject({
      status: 200,
      counts: { duplicates: 1 },
    });
    expect(await started(() => Promise.reject(new Error('down')))).toMatchObject({ status: 503 });
    expect(await started(() => Promise.reject(new TypeError('mistake')))).toMatchObject({ status: 500 });
  });
});
