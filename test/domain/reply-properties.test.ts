import fc from 'fast-check';
import { expect, test } from 'vitest';
import { finalStates } from '../../domain/record.ts';
import {
  type Reply,
  beginRun,
  decisionRefusal,
  newReply,
  noteFinding,
  noteLoss,
  passGate,
  replyRecord,
  wakeReply,
} from '../../domain/reply/index.ts';
import type { SendFinding, SendLoss } from '../../domain/send.ts';
import { runs } from '../support/runs.ts';
import {
  asksToCancel,
  attempted,
  decide,
  decided,
  input,
  outcomes,
  postponed,
  refusedBot,
  startMs,
} from './reply-samples.ts';

const findings: readonly SendFinding[] = [
  ...Object.values(outcomes).map((outcome) => attempted(outcome)),
  attempted(refusedBot),
  postponed(1000),
  postponed(100_000_000),
  ...(['expired', 'claimed', 'revoked', 'other_run', 'stale_ask', 'bad_request'] as const).map(
    (why): SendFinding => ({ kind: 'refused', why }),
  ),
  { kind: 'no_token', why: 'none' },
  { kind: 'bad_content', problem: 'text: is empty' },
  { kind: 'reset' },
  { kind: 'restarted', evidence: 'it was run before' },
];
const losses: readonly SendLoss[] = [
  { kind: 'not_started' },
  { kind: 'never_claimed' },
  { kind: 'claimed', reported: null, why: 'lost' },
  { kind: 'claimed', reported: 'flood', why: 'lost' },
  { kind: 'lost', why: 'lost' },
];

type Event = (reply: Reply, nowMs: number) => Reply;

/** Anything that may happen to a reply, whether or not it is its time. */
const events: fc.Arbitrary<Event> = fc.oneof(
  fc.constant<Event>((reply, nowMs) => passGate(reply, nowMs).reply),
  fc.constant<Event>((reply, nowMs) => beginRun(reply, nowMs)),
  fc.constantFrom(...findings).map(
    (finding): Event =>
      (reply, nowMs) =>
        noteFinding(reply, finding, nowMs, 0.3),
  ),
  fc.constantFrom(...losses).map(
    (loss): Event =>
      (reply, nowMs) =>
        noteLoss(reply, loss, nowMs, 0.3),
  ),
  fc.constant<Event>((reply, nowMs) => asksToCancel(reply, { by: 'ana', reason: 'by phone' }, nowMs)),
  fc.constant<Event>((reply, nowMs) => wakeReply(reply, nowMs)),
  fc
    .record({ decision: fc.constantFrom('sent', 'not_sent', 'resend', 'cancel'), attempt: fc.nat(3) })
    .map(({ decision, attempt }): Event => (reply, nowMs) => {
      const request = decide(decision as 'sent', attempt);
      return decisionRefusal(reply, request, nowMs) === undefined ? decided(reply, request, nowMs) : reply;
    }),
);

const isFinal = (reply: Reply): boolean => (finalStates as readonly string[]).includes(reply.phase.at);

test('invariant 7: whatever happens, a reply ends in one final state at most, and never leaves it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(events, fc.nat(100_000))),
      fc.constantFrom(undefined, '2026-12-01T10:10:00Z'),
      (list, expiresAt) => {
        let nowMs = startMs;
        let reply = newReply(expiresAt === undefined ? input : { ...input, expiresAt }, nowMs);
        for (const [event, afterMs] of list) {
          nowMs += afterMs;
          const next = event(reply, nowMs);
          if (isFinal(reply)) {
            expect(next.phase).toEqual(reply.phase);
            expect(passGate(next, nowMs).gate).toEqual({ kind: 'done' });
          }
          expect(next.attempts.length).toBeLessThanOrEqual(100);
          expect(next.attempts.at(-1)?.attempt ?? 0).toBe(next.attemptCount);
          replyRecord(next);
          reply = next;
        }
      },
    ),
    { numRuns: runs(1000) },
  );
});

test('invariants 5 and 6: a run begins only when nothing is unknown, cancelled or expired', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(events, fc.nat(100_000))), (list) => {
      let nowMs = startMs;
      let reply = newReply({ ...input, expiresAt: '2026-12-01T12:00:00Z' }, nowMs);
      for (const [event, afterMs] of list) {
        nowMs += afterMs;
        reply = event(reply, nowMs);
        const passed = passGate(reply, nowMs);
        if (passed.gate.kind !== 'run') continue;
        expect(['ready', 'waiting']).toContain(passed.reply.phase.at);
        expect(reply.cancel).toBe(null);
        expect(nowMs < (reply.expiresAtMs ?? Infinity) || reply.allowExpired).toBe(true);
        const last = reply.attempts.at(-1);
        if (last?.outcome === 'unknown') {
          expect(reply.decision).toMatchObject({ decision: 'resend', attempt: last.attempt });
        }
        if (last) expect(nowMs - Date.parse(last.at)).toBeGreaterThanOrEqual(1000);
      }
    }),
    { numRuns: runs(1000) },
  );
});
