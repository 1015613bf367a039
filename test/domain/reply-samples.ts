import type { CancelRequest, DecisionRequest } from '../../domain/decisions.ts';
import type { OutcomeKind, Outcome } from '../../domain/outcome.ts';
import {
  type Reply,
  applyDecision,
  beginRun,
  newReply,
  noteFinding,
  requestCancel,
} from '../../domain/reply/index.ts';
import type { ReplyInput } from '../../domain/reply-input.ts';
import type { SendFinding } from '../../domain/send.ts';

export const startMs = Date.parse('2026-12-01T10:00:00.000Z');
export const secretText = 'Your parcel has arrived, Ms Winter.';

export const input: ReplyInput = {
  bot: 'support',
  key: 'upd-1-reply',
  content: { method: 'sendMessage', params: { chat_id: 123, text: secretText } },
};

/** One outcome of each kind, as a contract gives it. */
export const outcomes: Readonly<Record<OutcomeKind, Outcome>> = {
  sent: { kind: 'sent', message: { message_id: 501, date: 1_764_583_200 } },
  flood: { kind: 'flood', retryAfterSeconds: 35 },
  paused: { kind: 'paused', evidence: '503 platform_paused' },
  held: { kind: 'held', evidence: '429 without a delay' },
  rejected: {
    kind: 'rejected',
    rejection: { kind: 'permission', code: 403, description: 'Forbidden: bot was blocked by the user' },
  },
  migrated: { kind: 'migrated', chat: '-100123' },
  unreached: { kind: 'unreached', evidence: 'connection refused' },
  unknown: { kind: 'unknown', unreadable: false, evidence: 'no answer within 20 s' },
};

export const refusedBot: Outcome = {
  kind: 'rejected',
  rejection: { kind: 'auth', code: 401, description: 'Unauthorized' },
};

export function attempted(outcome: Outcome, chat = '123'): Extract<SendFinding, { kind: 'attempted' }> {
  return { kind: 'attempted', outcome, progress: 'answered', httpStatus: 200, worker: 'w1', chat };
}

export function postponed(waitMs: number): Extract<SendFinding, { kind: 'postponed' }> {
  return { kind: 'postponed', why: 'cooldown', waitMs, ticketMs: startMs + waitMs, chat: '123' };
}

/** A reply of which one run after the other has returned. */
export function after(findings: readonly SendFinding[], part: Partial<ReplyInput> = {}): Reply {
  return findings.reduce<Reply>(
    (reply, finding) => noteFinding(beginRun(reply, startMs), finding, startMs, 0),
    newReply({ ...input, ...part }, startMs),
  );
}

export function decide(
  decision: DecisionRequest['decision'],
  attempt: number,
  more: Partial<DecisionRequest> = {},
): DecisionRequest {
  return { attempt, decision, by: 'ana', reason: 'the customer called', ...more };
}

/** A decision that came by Update. */
export function decided(reply: Reply, request: DecisionRequest, nowMs: number): Reply {
  return applyDecision(reply, request, 'update', nowMs);
}

/** A cancellation that came by Update. */
export function asksToCancel(reply: Reply, request: CancelRequest, nowMs: number): Reply {
  return requestCancel(reply, request, 'update', nowMs);
}
