import { describe, expect, test } from 'vitest';
import { replyText, stateWords } from '../../cli/reply-text.ts';
import { type Reply, noteLateProof, replyRecord } from '../../domain/reply/index.ts';
import { after, attempted, decide, decided, outcomes, postponed, startMs } from '../domain/reply-samples.ts';

const unknown = after([attempted(outcomes.unknown)]);
const text = (reply: Reply): string => replyText(replyRecord(reply));
const proof = { attempt: 1, outcome: 'sent', messageId: 501 } as const;

describe('a reply in words', () => {
  test('says who decided, through which door, and what was seen', () => {
    expect(text(decided(unknown, decide('sent', 1, { via: 'cli' }), startMs))).toContain(
      'decision: sent on attempt 1 by ana (update, cli) at 2026-12-01T10:00:00.000Z, seen as unknown: the customer called',
    );
  });

  test('has a line for each attempt: how far it got, what was answered, and by which worker', () => {
    expect(text(unknown)).toContain(
      '  attempt 1: unknown at 2026-12-01T10:00:00.000Z (answered, HTTP 200, worker w1)',
    );
    // A record of an older worker does not tell.
    const [attempt] = replyRecord(unknown).attempts;
    const { worker: _, ...older } = attempt!;
    expect(replyText({ ...replyRecord(unknown), attempts: [older as typeof attempt & object] })).toContain(
      '(answered, HTTP 200)',
    );
  });

  test('says in one cell what was proven since a review began', () => {
    expect(stateWords(replyRecord(unknown))).toMatch(/^review \(unknown, attempt 1, since /);
    expect(stateWords(replyRecord(noteLateProof(unknown, proof, startMs)))).toMatch(
      /^review \(unknown, sent after all, attempt 1, since /,
    );
  });

  test('says what to do where its lane has stopped, or is paused', () => {
    const stopped = text(after([{ ...postponed(5000), why: 'lane_stopped' }]));
    expect(stopped).toMatch(/has stopped by itself: .*lane show support.*lane resume support/);
    expect(text(after([{ ...postponed(5000), why: 'lane_paused' }]))).toMatch(
      /is paused: .*lane resume support/,
    );
    expect(text(after([postponed(5000)]))).not.toContain('lane show');
  });

  test('shows a late proof, and above all where it contradicts the decision', () => {
    const line = 'late proof: attempt 1 was sent after all, as a worker told at';
    expect(text(noteLateProof(unknown, proof, startMs))).toContain(line);
    const right = text(noteLateProof(decided(unknown, decide('sent', 1), startMs), proof, startMs));
    expect(right).toContain(line);
    expect(right).not.toContain('CONTRADICTED');
    // Only where the reply still runs can it be told: one that is sent again.
    const wrong = text(noteLateProof(decided(unknown, decide('resend', 1), startMs), proof, startMs));
    expect(wrong).toContain('CONTRADICTED: the decision "resend" is not what happened');
  });
});
