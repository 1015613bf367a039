import { describe, expect, test } from 'vitest';
import {
  newReply,
  noteFinding,
  beginRun,
  replyDetails,
  replyRecord,
  noteLateProof,
  applyDecision,
} from '../../domain/reply/index.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { attempted, input, outcomes, secretText, startMs } from './reply-samples.ts';

const after = (outcome: Outcome) =>
  noteFinding(beginRun(newReply(input, startMs), startMs), attempted(outcome), startMs, 0);
const shown = (reply: ReturnType<typeof newReply>) => replyDetails(replyRecord(reply));

describe('the details of a reply, for the Web UI', () => {
  test('say what it waits for', () => {
    expect(shown(after(outcomes.flood))).toMatch(/^\*\*waiting\*\*: cooldown, not before 20/);
  });

  test('show a review its evidence, and the message that decides it', () => {
    const text = shown(after(outcomes.unknown));
    expect(text).toContain('about attempt 1: **unknown**. no answer within 20 s');
    expect(text).toContain('`{"attempt":1,"decision":"…","by":"your name","reason":"what you saw"}`');
    expect(text).toContain('| 1 | unknown |');
    expect(text).toContain('one of sent, not_sent, cancel, resend;');
  });

  test('offer no resend where it would be refused', () => {
    const told = noteLateProof(
      after(outcomes.unknown),
      { attempt: 1, outcome: 'sent', messageId: 5 },
      startMs,
    );
    expect(shown(told)).toContain('one of sent, not_sent, cancel;');
    expect(shown(after({ kind: 'held', evidence: 'x', isFinal: true }))).toContain(
      'one of sent, not_sent, cancel;',
    );
  });

  test('show a contradiction', () => {
    const decided = applyDecision(
      after(outcomes.unknown),
      { attempt: 1, decision: 'not_sent', by: 'ann', reason: 'not there' },
      'update',
      startMs,
    );
    expect(shown(noteLateProof(decided, { attempt: 1, outcome: 'sent', messageId: 5 }, startMs))).toMatch(
      /\*\*Contradicted\*\*/,
    );
  });

  test('never hold the content, stay small, and let no foreign word become markup', () => {
    const hostile = `# [click](https://evil.example/x) <b> \`${'w'.repeat(5000)}`;
    for (const outcome of [...Object.values(outcomes), { kind: 'held', evidence: hostile } as const]) {
      let reply = after(outcome);
      for (let i = 0; i < 40; i++)
        reply = { ...reply, attempts: [...reply.attempts, ...reply.attempts.slice(0, 1)] };
      const text = shown(reply);
      expect(text).not.toContain(secretText);
      expect(text).not.toContain('123');
      expect(text.length).toBeLessThanOrEqual(1800);
      expect(text).not.toMatch(/\]\(|^#|https:\/\/|<b>/m);
    }
  });
});
