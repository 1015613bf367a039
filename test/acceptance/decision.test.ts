import { WorkflowUpdateFailedError } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DecisionRequest } from '../../domain/decisions.ts';
import type { ReplyRecord, ReviewKind } from '../../domain/record.ts';
import { decideReplyUpdate, decideSignal } from '../../workflows/protocol.ts';
import { step } from '../support/fake-service/index.ts';
import { Rig, textReply } from '../support/rig/rig.ts';

const settings = { httpTimeoutMs: 1000, limits: 'none', heldPauseMs: 1000 };
const by = { by: 'ana', reason: 'looked into the chat' };
let chat = 0;

let rig: Rig;
beforeAll(async () => {
  rig = await Rig.start({
    bots: { support: { settings }, strict: { settings: { ...settings, maxFloods: 1 } } },
  });
});
afterAll(() => rig?.close());

describe('a reply under review tells what kind of doubt there is', () => {
  it.each<[ReviewKind, string]>([
    ['unknown', 'support'],
    ['held', 'support'],
    ['budget', 'strict'],
  ])('%s', async (kind, bot) => {
    const record = await reviewed(bot, kind, `kind-${kind}`);
    expect(record).toMatchObject({ state: 'review', review: { kind, attempt: 1 } });
    expect(record.review?.evidence).not.toBe('');
  });
});

describe('a decision ends the review', () => {
  it.each<[ReviewKind, string, DecisionRequest['decision'], ReplyRecord['state']]>([
    ['unknown', 'support', 'sent', 'sent'],
    ['unknown', 'support', 'not_sent', 'not_sent'],
    ['held', 'support', 'cancel', 'cancelled'],
    ['budget', 'strict', 'not_sent', 'not_sent'],
  ])('%s of %s: %s', async (kind, bot, decision, state) => {
    const key = `${kind}-${decision}`;
    await reviewed(bot, kind, key);
    await decide(bot, key, { attempt: 1, decision, ...by });
    const record = await rig.result(bot, key);
    expect(record).toMatchObject({ state, review: null, decision: { decision, attempt: 1, ...by } });
    expect(requests(key)).toBe(1);
  });

  it('sent, with the id of the message that the person has seen', async () => {
    await reviewed('support', 'unknown', 'with-id');
    await decide('support', 'with-id', { attempt: 1, decision: 'sent', messageId: 77, ...by });
    expect(await rig.result('support', 'with-id')).toMatchObject({ message: { message_id: 77, date: null } });
  });

  it.each<[ReviewKind, string]>([
    ['unknown', 'support'],
    ['held', 'support'],
    ['budget', 'strict'],
  ])('U10: resend of a reply that is %s makes exactly one more request', async (kind, bot) => {
    const key = `resend-${kind}`;
    await reviewed(bot, kind, key);
    await decide(bot, key, { attempt: 1, decision: 'resend', ...by });
    expect(await rig.result(bot, key)).toMatchObject({
      state: 'sent',
      decision: { decision: 'resend' },
      attempts: [{ attempt: 1 }, { attempt: 2, outcome: 'sent' }],
    });
    expect(requests(key)).toBe(2);
  });

  it('by Signal with no worker running, which counts when one comes', async () => {
    await reviewed('support', 'unknown', 'by-signal');
    await Promise.all(rig.workers.splice(0).map((worker) => worker.kill()));
    await rig
      .handle('support', 'by-signal')
      .signal(decideSignal, { attempt: 1, decision: 'not_sent', ...by });
    await rig.addWorker();
    expect(await rig.result('support', 'by-signal')).toMatchObject({ state: 'not_sent', decision: by });
  });
});

describe('a decision is refused', () => {
  it('U10: about another attempt than the one under review, and changes nothing', async () => {
    await reviewed('support', 'unknown', 'stale');
    rig.fake.script('support', { chat, times: 1 }, step.silence({ store: false }));
    await decide('support', 'stale', { attempt: 1, decision: 'resend', ...by });
    await rig.until('support', 'stale', ({ review }) => review?.attempt === 2);
    await expect(
      decide('support', 'stale', { attempt: 1, decision: 'not_sent', ...by }),
    ).rejects.toMatchObject({
      cause: { message: expect.stringMatching(/attempt 2, not 1/) },
    });
    expect(await rig.record('support', 'stale')).toMatchObject({ state: 'review', review: { attempt: 2 } });
    expect(requests('stale')).toBe(2);
  });

  it.each([
    ['without a name', { attempt: 1, decision: 'sent', by: ' ', reason: 'x' }, /by:/],
    ['without a reason', { attempt: 1, decision: 'sent', by: 'ana', reason: '' }, /reason:/],
    ['of no known kind', { attempt: 1, decision: 'maybe', ...by }, /decision:/],
    ['with an id that is none', { attempt: 1, decision: 'sent', messageId: 'x', ...by }, /messageId:/],
  ])('%s', async (name, request, problem) => {
    const key = `refused-${name.replaceAll(' ', '-')}`;
    await reviewed('support', 'unknown', key);
    await expect(decide('support', key, request as DecisionRequest)).rejects.toMatchObject({
      cause: { message: expect.stringMatching(problem) },
    });
  });

  it('resend past the expiry, unless that is allowed', async () => {
    const expiresAt = new Date(Date.now() + 4000).toISOString();
    await reviewed('support', 'unknown', 'late', expiresAt);
    // An expiry never closes a review (invariant 7).
    const resend = { attempt: 1, decision: 'resend', ...by } as const;
    await rig.until('support', 'late', () => Date.now() > Date.parse(expiresAt) + 500);
    await expect(decide('support', 'late', resend)).rejects.toThrow(WorkflowUpdateFailedError);
    await decide('support', 'late', { ...resend, allowExpired: true });
    expect(await rig.result('support', 'late')).toMatchObject({ state: 'sent' });
    expect(requests('late')).toBe(2);
  });
});

async function reviewed(
  bot: string,
  kind: ReviewKind,
  key: string,
  expiresAt?: string,
): Promise<ReplyRecord> {
  chat++;
  const doubt = {
    unknown: step.silence({ store: false }),
    held: step.tooManyRequests(null),
    budget: step.tooManyRequests(1),
  }[kind];
  rig.fake.script(bot, { chat, times: 1 }, doubt);
  await rig.start(textReply(bot, key, chat, expiresAt === undefined ? {} : { expiresAt }));
  return rig.until(bot, key, ({ state }) => state === 'review');
}

function decide(bot: string, key: string, request: DecisionRequest): Promise<ReplyRecord> {
  return rig.handle(bot, key).executeUpdate(decideReplyUpdate, { args: [request] });
}

function requests(key: string): number {
  return rig.fake.arrivals.filter((arrival) => arrival.text === key).length;
}
