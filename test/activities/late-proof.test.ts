import type { Context } from '@temporalio/activity';
import { describe, expect, it } from 'vitest';
import { mayBeLost, tellIfLate } from '../../activities/late-proof.ts';
import type { ReplyMessages } from '../../activities/reply-messages.ts';
import { findRestart } from '../../activities/restart.ts';
import type { SendDeps } from '../../activities/send-deps.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { LateProofNote } from '../../domain/reply/late-proof.ts';
import type { SendInput } from '../../domain/send.ts';

const context = {
  info: { workflowExecution: { workflowId: 'reply:support:k', runId: 'r' }, activityId: '1' },
  cancellationSignal: new AbortController().signal,
} as unknown as Context;
const input = { bot: 'support', key: 'k', run: 7, attempt: 3 } as SendInput;
const sent: Outcome = { kind: 'sent', message: { message_id: 501, date: 1 } };

function depsWith(replies: Partial<ReplyMessages>): {
  deps: SendDeps;
  logged: string[];
  told: LateProofNote[];
} {
  const logged: string[] = [];
  const told: LateProofNote[] = [];
  const tellLateProof: ReplyMessages['tellLateProof'] = (_, note) => Promise.resolve(told.push(note) > 0);
  const deps = { replies: { tellLateProof, ...replies }, log: (line: string) => void logged.push(line) };
  return { deps: deps as unknown as SendDeps, logged, told };
}

describe('an answer that is read after the reply was taken from the worker', () => {
  it('is logged in one line of JSON, and told to the reply, under the number of the attempt', async () => {
    const { deps, logged, told } = depsWith({ awaits: () => Promise.resolve(false) });
    await tellIfLate(deps, input, context, sent);
    expect(logged.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        event: 'late_proof',
        at: expect.any(String),
        reply: 'support/k',
        attempt: 3,
        outcome: 'sent',
        message_id: 501,
      },
    ]);
    expect(told).toEqual([{ attempt: 3, outcome: 'sent', messageId: 501 }]);
  });

  it('is not late where the reply still waits for it, or nobody can say', async () => {
    for (const awaits of [() => Promise.resolve(true), () => Promise.reject(new Error('no answer'))]) {
      const { deps, logged, told } = depsWith({ awaits });
      await tellIfLate(deps, input, context, sent);
      expect([...logged, ...told]).toEqual([]);
    }
  });

  it('proves nothing where it is unknown: nobody is asked', async () => {
    const { deps, logged } = depsWith({});
    await tellIfLate(deps, input, context, { kind: 'unknown', unreadable: false, evidence: 'no answer' });
    expect(logged).toEqual([]);
  });

  it('cannot come from a run that was shorter than what it takes to lose one', () => {
    expect(mayBeLost(context, 8999)).toBe(false);
    expect(mayBeLost(context, 9000)).toBe(true);
    expect(mayBeLost({ ...context, cancellationSignal: AbortSignal.abort() } as Context, 10)).toBe(true);
  });
});

describe('U13: a start that may have been made by hand', () => {
  const bare = { ...input, bare: true };

  it('asks whether its Workflow Id ran before; another start asks nothing', async () => {
    const earlier = { runId: 'r0', status: 'completed', closedAt: '2026-12-01T10:00:00.000Z' };
    const { deps } = depsWith({ earlierRun: () => Promise.resolve(earlier) });
    expect(await findRestart(deps, bare, context)).toEqual({
      kind: 'restarted',
      evidence:
        'started again by hand: run r0 of it ended before (completed at 2026-12-01T10:00:00.000Z), and may have sent it',
    });
    expect(await findRestart(deps, input, context)).toBeUndefined();
  });

  it('sends where there is none, and waits while the list does not answer', async () => {
    const none = depsWith({ earlierRun: () => Promise.resolve(undefined) });
    expect(await findRestart(none.deps, bare, context)).toBeUndefined();
    const silent = depsWith({ earlierRun: () => Promise.reject(new Error('busy')) });
    expect(await findRestart(silent.deps, bare, context)).toMatchObject({
      kind: 'postponed',
      why: 'backoff',
    });
    expect(silent.logged).toHaveLength(1);
  });
});
