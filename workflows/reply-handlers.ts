import {
  ApplicationFailure,
  CancellationScope,
  patched,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type CancelRequest,
  type DecisionDoor,
  type DecisionRequest,
  cancelProblem,
  decisionProblem,
} from '../domain/decisions.ts';
import {
  type Reply,
  decisionRefusal,
  lateProofProblem,
  noteLateProof,
  proofRefusal,
  replyRecord,
  stopByLateProof,
  waitsForOpening,
  wakeReply,
} from '../domain/reply/index.ts';
import {
  type CancelAnswer,
  cancelReplyUpdate,
  cancelSignal,
  decideReplyUpdate,
  decideSignal,
  lateProofSignal,
  replyQuery,
  wakeSignal,
} from './protocol.ts';

/** A reply at work, as its messages find it and change it. */
export interface ReplyAtWork {
  readonly reply: Reply;
  change(next: Reply): void;
  decide(request: DecisionRequest, door: DecisionDoor): void;
  requestCancel(request: CancelRequest, door: DecisionDoor): void;
  cancelAnswer(): Promise<CancelAnswer>;
}

/** Answers the messages of the protocol. Saved Signals are handed over as each registers, in this order. */
export function setReplyHandlers(at: ReplyAtWork): void {
  setHandler(replyQuery, () => replyRecord(at.reply), {
    description: 'The state of this reply, with its attempts. Never its content.',
  });
  setHandler(
    wakeSignal,
    () => {
      // One that waits for others, or for its turn, would only ask in vain: with thousands of them, for minutes.
      if (!waitsForOpening(at.reply) && patched('wake-opens-only')) return;
      at.change(wakeReply(at.reply, Date.now()));
    },
    { description: 'Lets a reply that waits for its lane to open ask again at once.' },
  );
  setHandler(
    lateProofSignal,
    (note) => {
      if (lateProofProblem(note) !== undefined) return;
      at.change(noteLateProof(at.reply, note, Date.now()));
      const stopped = stopByLateProof(at.reply, Date.now());
      if (stopped !== at.reply && patched('late-proof-stops-resend')) at.change(stopped);
    },
    { description: 'For workers: what became of an attempt after the reply had been taken from its worker.' },
  );
  setHandler(
    cancelSignal,
    (request) => {
      if (cancelProblem(request) === undefined && at.reply.phase.at !== 'review')
        at.requestCancel(request, 'signal');
    },
    { description: 'Cancels the reply, if it has not been sent: { by, reason }.' },
  );
  setHandler(
    cancelReplyUpdate,
    async (request) => {
      if (at.reply.phase.at !== 'review') at.requestCancel(request, 'update');
      return CancellationScope.nonCancellable(() => at.cancelAnswer());
    },
    {
      validator: (request) => refuse(cancelProblem(request)),
      description: 'Cancels the reply and answers with the truth: { by, reason }.',
    },
  );
  const decideDescription =
    'Decides a reply under review: { attempt, decision: sent | not_sent | resend | cancel, by, reason, messageId?, allowExpired?, via? }.';
  setHandler(
    decideSignal,
    (request) => {
      if (decisionProblem(request) !== undefined) return;
      if (decisionRefusal(at.reply, request, Date.now()) !== undefined) return;
      if (proofRefusal(at.reply, request) !== undefined && patched('late-proof-refuses')) return;
      at.decide(request, 'signal');
    },
    { description: decideDescription },
  );
  setHandler(
    decideReplyUpdate,
    (request) => {
      at.decide(request, request.bulk === undefined ? 'update' : 'bulk');
      return replyRecord(at.reply);
    },
    {
      validator: (request) =>
        refuse(
          decisionProblem(request) ??
            decisionRefusal(at.reply, request, Date.now()) ??
            proofRefusal(at.reply, request) ??
            resetRefusal(request),
        ),
      description: decideDescription,
    },
  );
}

/** A run that a reset has made never sends (rule 6): to decide that it should would only lead back to the review. */
function resetRefusal({ decision }: DecisionRequest): string | undefined {
  const { runId, firstExecutionRunId } = workflowInfo();
  return decision === 'resend' && runId !== firstExecutionRunId
    ? 'resend: a run that a reset has made sends nothing: decide otherwise, and send it under a new key'
    : undefined;
}

function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw ApplicationFailure.nonRetryable(problem, 'Refused');
}
