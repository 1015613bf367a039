import { describe, expect, test } from 'vitest';
import { type Reply, beginRun, newReply, noteLoss, passGate, replyRecord } from '../../domain/reply/index.ts';
import {
  after,
  asksToCancel,
  attempted,
  decide,
  decided,
  input,
  outcomes,
  postponed,
  secretText,
  startMs,
} from './reply-samples.ts';

const fields = [
  'attempts',
  'bot',
  'decision',
  'id',
  'key',
  'lateProof',
  'message',
  'rejection',
  'review',
  'state',
  'waiting',
  'workflowId',
];

const cancelled = asksToCancel(newReply(input, startMs), { by: 'ana', reason: 'by phone' }, startMs);
const unknown = after([attempted(outcomes.unknown)]);
const inEachState: readonly Reply[] = [
  newReply(input, startMs),
  beginRun(newReply(input, startMs), startMs),
  after([postponed(1000)]),
  ...Object.values(outcomes).map((outcome) => after([attempted(outcome)])),
  passGate(cancelled, startMs).reply,
  passGate(newReply({ ...input, expiresAt: '2020-01-01T00:00:00Z' }, startMs), startMs).reply,
  noteLoss(beginRun(newReply(input, startMs), startMs), { kind: 'lost', why: 'lost' }, startMs, 0),
  ...(['sent', 'not_sent', 'resend', 'cancel'] as const).map((name) =>
    decided(unknown, decide(name, 1), startMs),
  ),
];

describe('the record of a reply', () => {
  test('has every field in every state, null where a part does not apply', () => {
    for (const reply of inEachState) {
      const record = replyRecord(reply);
      expect(Object.keys(record).toSorted()).toEqual(fields);
      expect(JSON.parse(JSON.stringify(record))).toEqual(record);
    }
  });

  test('invariant 8: never holds the content', () => {
    for (const reply of inEachState) {
      expect(JSON.stringify(replyRecord(reply))).not.toContain(secretText);
      expect(JSON.stringify(replyRecord(reply))).not.toContain('chat_id');
    }
  });

  test('names the reply as people type it and as Temporal knows it', () => {
    expect(replyRecord(newReply(input, startMs))).toMatchObject({
      id: 'support/upd-1-reply',
      bot: 'support',
      key: 'upd-1-reply',
      workflowId: 'reply:support:upd-1-reply',
      state: 'waiting',
    });
  });

  test('says what it waits for, until when on the clock of the lane', () => {
    expect(replyRecord(after([postponed(1000)])).waiting).toEqual({
      why: 'cooldown',
      notBefore: '2026-12-01T10:00:01.000Z',
    });
  });

  test('says who cancelled, and who decided', () => {
    expect(replyRecord(passGate(cancelled, startMs).reply)).toMatchObject({
      state: 'cancelled',
      decision: { attempt: 0, decision: 'cancel', by: 'ana', reason: 'by phone' },
    });
    expect(replyRecord(decided(unknown, decide('resend', 1), startMs))).toMatchObject({
      state: 'waiting',
      review: null,
      decision: { attempt: 1, decision: 'resend', by: 'ana', at: '2026-12-01T10:00:00.000Z' },
    });
  });

  test('keeps a hundred attempts: the first twenty and the latest, under their own numbers', () => {
    const reply = after(Array.from({ length: 150 }, () => attempted(outcomes.unreached)));
    const numbers = reply.attempts.map(({ attempt }) => attempt);
    expect(numbers).toEqual([
      ...Array.from({ length: 20 }, (_, i) => i + 1),
      ...Array.from({ length: 80 }, (_, i) => i + 71),
    ]);
    expect(reply.attemptCount).toBe(150);
  });

  test('a deadline past the end of the calendar is shown as its end', () => {
    expect(replyRecord(after([postponed(9e15)])).waiting?.notBefore).toBe('+275760-09-13T00:00:00.000Z');
  });
});
