import type { DecisionDoor, DecisionRequest } from '../decisions.ts';
import { isoTime } from '../lane/show.ts';
import { assertNever } from '../outcome.ts';
import { replyStateOf } from './show.ts';
import type { Reply } from './state.ts';

/** Why a decision is refused, or undefined. Says the state as it is now. */
export function decisionRefusal(reply: Reply, request: DecisionRequest, nowMs: number): string | undefined {
  const { phase } = reply;
  if (phase.at !== 'review') return `not under review: the reply is ${replyStateOf(reply)}`;
  if (request.attempt !== reply.attemptCount) {
    return `attempt: the review is about attempt ${reply.attemptCount}, not ${request.attempt}: look at it again`;
  }
  return finalRefusal(phase, request) ?? expiryRefusal(reply.expiresAtMs, request, nowMs);
}

/** Why a reply is not sent again that could only be refused again, or undefined. */
export function finalRefusal(
  review: { readonly isFinal?: true },
  { decision }: DecisionRequest,
): string | undefined {
  if (decision !== 'resend' || review.isFinal !== true) return undefined;
  return 'resend: it cannot be sent again under this key: decide sent or not_sent, and send what is missing under a new key';
}

/** Why a reply that expires then is not sent again, or undefined. */
export function expiryRefusal(
  expiresAtMs: number | null,
  { decision, allowExpired }: DecisionRequest,
  nowMs: number,
): string | undefined {
  if (decision !== 'resend' || allowExpired === true || expiresAtMs === null || expiresAtMs > nowMs)
    return undefined;
  return `resend: the reply expired at ${isoTime(expiresAtMs)}: allow that (allowExpired), or decide not_sent`;
}

/** Carries out a decision that `decisionRefusal` lets pass. `resend` goes through the gates as a new attempt. */
export function applyDecision(
  reply: Reply,
  request: DecisionRequest,
  door: DecisionDoor,
  nowMs: number,
): Reply {
  const { phase } = reply;
  if (phase.at !== 'review') return reply;
  const { attempt, decision, by, reason, via = null, bulk = null } = request;
  const seen = { kind: phase.kind, evidence: phase.evidence };
  const decided: Reply = {
    ...reply,
    decision: { attempt, decision, by, reason, at: isoTime(nowMs), door, via, bulk, seen },
    cancel: null,
    doubt: null,
  };
  switch (decision) {
    case 'sent': {
      const message = request.messageId === undefined ? null : { message_id: request.messageId, date: null };
      return { ...decided, phase: { at: 'sent', message } };
    }
    case 'not_sent':
      return { ...decided, phase: { at: 'not_sent' } };
    case 'cancel':
      return { ...decided, phase: { at: 'cancelled' } };
    case 'resend':
      return {
        ...decided,
        phase: { at: 'ready' },
        allowExpired: request.allowExpired === true,
        spent: { attempts: 0, floods: 0, sinceMs: nowMs, sinceRun: reply.runs },
        unreachedStreak: 0,
        noTokenStreak: 0,
        unheardStreak: 0,
        visited: [],
        ticketMs: null,
        heldSinceMs: null,
      };
    default:
      return assertNever(decision);
  }
}
