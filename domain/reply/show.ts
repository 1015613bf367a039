import { replyName, replyWorkflowId } from '../ids.ts';
import { isoTime } from '../lane/show.ts';
import type { DecisionRecord, ReplyRecord } from '../record.ts';
import type { Reply } from './state.ts';

/** The state that people see. */
export function replyStateOf(reply: Reply): ReplyRecord['state'] {
  return reply.phase.at === 'ready' ? 'waiting' : reply.phase.at;
}

/** The record of a reply, as people and apps see it. */
export function replyRecord(reply: Reply): ReplyRecord {
  const { input, phase, cancel } = reply;
  const cancelled: DecisionRecord | null =
    phase.at === 'cancelled' && cancel
      ? {
          attempt: reply.attemptCount,
          decision: 'cancel',
          by: cancel.by,
          reason: cancel.reason,
          at: isoTime(cancel.atMs),
          door: cancel.door,
          via: cancel.via ?? null,
          bulk: null,
          seen: null,
        }
      : null;
  return {
    id: replyName(input),
    bot: input.bot,
    key: input.key,
    workflowId: replyWorkflowId(input),
    state: replyStateOf(reply),
    waiting: phase.at === 'waiting' ? { why: phase.why, notBefore: isoTime(phase.notBeforeMs) } : null,
    review:
      phase.at === 'review'
        ? {
            kind: phase.kind,
            attempt: reply.attemptCount,
            since: isoTime(phase.sinceMs),
            evidence: phase.evidence,
            ...(phase.isFinal ? { isFinal: phase.isFinal } : {}),
          }
        : null,
    rejection: phase.at === 'rejected' ? phase.rejection : null,
    message: phase.at === 'sent' ? phase.message : null,
    decision: cancelled ?? reply.decision,
    lateProof: reply.lateProof,
    attempts: reply.attempts,
  };
}
