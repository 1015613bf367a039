import {
  CancellationScope,
  allHandlersFinished,
  condition,
  getExternalWorkflowHandle,
  patched,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import { type CancelRequest, type DecisionDoor, type DecisionRequest } from '../domain/decisions.ts';
import { cooldownWorkflowId, plainKey } from '../domain/ids.ts';
import type { ReplyRecord } from '../domain/record.ts';
import {
  type Gate,
  type Reply,
  applyBudgets,
  applyDecision,
  askAboutReset,
  beginRun,
  deniesAfterReset,
  leavesPlace,
  newReply,
  noteFinding,
  noteLoss,
  passGate,
  replyDetails,
  replyRecord,
  requestCancel,
  stopByLateProof,
} from '../domain/reply/index.ts';
import type { ReplyInput } from '../domain/reply-input.ts';
import { AttributeKeeper } from './attributes.ts';
import { DecisionAudit } from './audit.ts';
import { checkStart } from './check-start.ts';
import { type CancelAnswer, reportSignal } from './protocol.ts';
import { type ReplyAtWork, setReplyHandlers } from './reply-handlers.ts';
import { runSend } from './send-run.ts';

/** Temporal's timers overflow at centuries; a longer wait is several of these. */
const longestTimerMs = 30 * 86_400_000;

/**
 * One reply, from the app's call to its one final state, which is the result (invariant 7). Its Workflow Id must be
 * `replyWorkflowId(input)`: anything else could send one intention twice (invariant 1), and fails before any claim.
 * It never continues as new, since only its first run may send (rule 6).
 */
export async function replyWorkflow(input: ReplyInput): Promise<ReplyRecord> {
  checkStart(input);
  const execution = new ReplyExecution(input);
  // The root scope is cancelled by Temporal's cancellation request: the same as a cancel, and the workflow goes on.
  CancellationScope.current().cancelRequested.catch(() => execution.noteTemporalCancel());
  setReplyHandlers(execution);
  return CancellationScope.nonCancellable(() => execution.run());
}

class ReplyExecution implements ReplyAtWork {
  readonly input: ReplyInput;
  readonly attributes = new AttributeKeeper();
  readonly audit = new DecisionAudit();
  reply: Reply;
  /** Counts changes, so that waits end by them. */
  version = 0;
  /** Withdraws a run that has not asked the lane yet: a cancellation need not wait for a free worker (rule 16). */
  withdraw: () => void = () => {};

  constructor(input: ReplyInput) {
    this.input = input;
    this.reply = newReply(input, Date.now());
  }

  async run(): Promise<ReplyRecord> {
    for (;;) {
      const gate = this.settle();
      const seen = this.version;
      if (leavesPlace(this.reply)) await this.leavePlace();
      switch (gate.kind) {
        case 'done':
          if (this.isFalseDenial()) {
            this.change(askAboutReset(this.reply, Date.now()));
            break;
          }
          await condition(allHandlersFinished);
          return replyRecord(this.reply);
        case 'run':
          await this.send();
          break;
        case 'wait':
          await condition(
            () => this.version !== seen,
            Math.min(longestTimerMs, Math.max(1, Math.ceil(gate.untilMs - Date.now()))),
            { summary: this.waitSummary() },
          );
          break;
        case 'hold':
          await condition(() => this.version !== seen);
          break;
      }
    }
  }

  noteTemporalCancel(): void {
    const request = { by: 'temporal', reason: 'the workflow was asked to cancel' };
    if (this.reply.phase.at === 'review') {
      const decision = { ...request, attempt: this.reply.attemptCount, decision: 'cancel' as const };
      this.decide(decision, 'temporal');
    } else {
      this.requestCancel(request, 'temporal');
    }
  }

  /** Logged at once: the next message of the same task may take its place. */
  decide(request: DecisionRequest, door: DecisionDoor): void {
    this.change(applyDecision(this.reply, request, door, Date.now()));
    this.audit.note(replyRecord(this.reply));
  }

  requestCancel(request: CancelRequest, door: DecisionDoor): void {
    this.change(requestCancel(this.reply, request, door, Date.now()));
    this.withdraw();
  }

  /** Waits for an attempt in flight, then says the truth (invariant 6). */
  async cancelAnswer(): Promise<CancelAnswer> {
    await condition(() => this.reply.phase.at !== 'sending');
    this.settle();
    const reply = this.isFalseDenial() ? askAboutReset(this.reply, Date.now()) : this.reply;
    const kind = reply.phase.at === 'cancelled' ? 'cancelled' : 'too_late';
    return { kind, reply: replyRecord(reply) };
  }

  /**
   * Asked at the very end of a run, where no history goes on: a run that a reset has made replays the old one's, and must
   * do all of it again.
   */
  private isFalseDenial(): boolean {
    const { runId, firstExecutionRunId } = workflowInfo();
    return runId !== firstExecutionRunId && deniesAfterReset(this.reply);
  }

  change(next: Reply): void {
    if (next === this.reply) return;
    this.reply = next;
    this.version++;
  }

  private settle(): Gate {
    const passed = passGate(this.reply, Date.now());
    this.change(passed.reply);
    const record = replyRecord(this.reply);
    this.attributes.note(record);
    setCurrentDetails(replyDetails(record));
    if (!this.isFalseDenial()) this.audit.note(record);
    return passed.gate;
  }

  /** What a timer is for, on the Web UI's time line. */
  private waitSummary(): string {
    const { phase } = this.reply;
    if (phase.at === 'waiting') return phase.why.replaceAll('_', ' ');
    return phase.at === 'review' ? 'until the policy of the bot decides' : 'least time between two attempts';
  }

  private async send(): Promise<void> {
    this.change(beginRun(this.reply, Date.now()));
    const scope = new CancellationScope();
    this.withdraw = () => scope.cancel();
    const end = await runSend(this.reply, scope);
    this.withdraw = () => {};
    const budgets = end.kind === 'lost' ? end.budgets : end.result.budgets;
    const budgeted = budgets ? applyBudgets(this.reply, budgets) : this.reply;
    if (end.kind === 'lost') {
      this.change(noteLoss(budgeted, end.loss, Date.now(), Math.random()));
    } else {
      const { attributes, budgets: _, ...finding } = end.result;
      this.attributes.allow(attributes);
      this.change(noteFinding(budgeted, finding, Date.now(), Math.random()));
    }
    // A proof that came while the run was out had nothing to stop.
    const stopped = stopByLateProof(this.reply, Date.now());
    if (stopped !== this.reply && patched('late-proof-after-run')) this.change(stopped);
  }

  /** Tells the lane that the reply needs its place no longer. A lane that is gone needs no word. */
  private async leavePlace(): Promise<void> {
    const { placeIn, runs } = this.reply;
    this.reply = { ...this.reply, placeIn: null };
    if (placeIn === null) return;
    const reply = plainKey(this.input.key);
    try {
      await getExternalWorkflowHandle(cooldownWorkflowId(this.input.bot)).signal(reportSignal, [
        { reply, attempt: runs, nonce: '', chat: placeIn, outcome: 'gone', ageMs: 0 },
      ]);
    } catch {
      // Without the word, the place is given up when its ticket is overdue.
    }
  }
}
