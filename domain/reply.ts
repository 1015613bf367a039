import type { CancelRequest, DecisionRequest } from './decisions.ts';
import { replyName, replyWorkflowId } from './ids.ts';
import type { WaitWhy } from './lane/messages.ts';
import { isoTime } from './lane/show.ts';
import { assertNever } from './outcome.ts';
import type { Outcome, Progress, Rejection, SentMessage } from './outcome.ts';
import type { AttemptRecord, DecisionRecord, ReplyRecord, ReviewKind } from './record.ts';
import type { ReplyInput } from './reply-input.ts';
import { type Budgets, type SendFinding, type SendLoss, defaultBudgets } from './send.ts';

/** Runs in a row that found no worker with the bot's secret, after which a person must look (about ten minutes). */
const noTokenLimit = 15;
/** Each run costs about eleven events of a history, which ends by force at 51,200: a person must look before. */
const maxRuns = 4000;
/** Runs that a decision to resend allows past that. */
const runsAfterResend = 50;
/** A lane that stays silent is asked ever less often: after each ten runs one wait longer, up to six. */
const runsPerSilence = 10;
const longestSilenceFactor = 6;
/** Attempts kept in a record; the middle of a longer list is left out. */
const keptAttempts = 100;

/** Where a reply stands. Each state holds only its own data. */
export type Phase =
  | { readonly at: 'ready' }
  /** `untilMs` on the workflow's clock, `notBeforeMs` the same instant on the lane's, for people. */
  | { readonly at: 'waiting'; readonly why: WaitWhy; readonly untilMs: number; readonly notBeforeMs: number }
  | { readonly at: 'sending' }
  | { readonly at: 'review'; readonly kind: ReviewKind; readonly sinceMs: number; readonly evidence: string }
  | { readonly at: 'sent'; readonly message: SentMessage | null }
  | { readonly at: 'rejected'; readonly rejection: Rejection }
  | { readonly at: 'cancelled' }
  | { readonly at: 'expired' }
  | { readonly at: 'not_sent' };

/** Everything a reply workflow knows. A value: each transition gives a new one. */
export interface Reply {
  readonly input: ReplyInput;
  readonly expiresAtMs: number | null;
  readonly startedAtMs: number;
  readonly phase: Phase;
  readonly cancel: (CancelRequest & { readonly atMs: number }) | null;
  readonly decision: DecisionRecord | null;
  readonly attempts: readonly AttemptRecord[];
  readonly attemptCount: number;
  /** Activity runs so far. */
  readonly runs: number;
  readonly lastAttemptAtMs: number | null;
  readonly budgets: Budgets;
  /** Since the start, or since the last decision to resend. */
  readonly spent: {
    readonly attempts: number;
    readonly floods: number;
    readonly sinceMs: number;
    readonly sinceRun: number;
  };
  readonly unreachedStreak: number;
  readonly noTokenStreak: number;
  /** Runs in a row to which the lane did not answer. */
  readonly unheardStreak: number;
  readonly ticketMs: number | null;
  readonly heldSinceMs: number | null;
  readonly known: { readonly epoch: string; readonly notBeforeMs: number } | null;
  /** Where the content goes after a migration; the ids it has been sent to, so that a ring ends with a person. */
  readonly chat: string | null;
  readonly visited: readonly string[];
  /** The bucket in which the lane may hold a place for the reply; empty where a run that returned nothing may have asked. */
  readonly placeIn: string | null;
  readonly allowExpired: boolean;
}

/** What the job gate says: the one place that decides whether a run may start (invariants 6 and 7). */
export type Gate =
  | { readonly kind: 'run' }
  | { readonly kind: 'wait'; readonly untilMs: number }
  | { readonly kind: 'hold' }
  | { readonly kind: 'done' };

/** A reply that has just been started. `input` was checked by `replyInputProblems`. */
export function newReply(input: ReplyInput, nowMs: number): Reply {
  return {
    input,
    expiresAtMs: input.expiresAt === undefined ? null : Date.parse(input.expiresAt),
    startedAtMs: nowMs,
    phase: { at: 'ready' },
    cancel: null,
    decision: null,
    attempts: [],
    attemptCount: 0,
    runs: 0,
    lastAttemptAtMs: null,
    budgets: defaultBudgets,
    spent: { attempts: 0, floods: 0, sinceMs: nowMs, sinceRun: 0 },
    unreachedStreak: 0,
    noTokenStreak: 0,
    unheardStreak: 0,
    ticketMs: null,
    heldSinceMs: null,
    known: null,
    chat: null,
    visited: [],
    placeIn: null,
    allowExpired: false,
  };
}

/**
 * Settles what time and requests have brought about, and says what is next. A cancellation and an expiry count before
 * every run, never during one; an expiry never closes a review.
 */
export function passGate(reply: Reply, nowMs: number): { readonly reply: Reply; readonly gate: Gate } {
  const to = (phase: Phase): { reply: Reply; gate: Gate } => passGate({ ...reply, phase }, nowMs);
  const { phase } = reply;
  switch (phase.at) {
    case 'sent':
    case 'rejected':
    case 'cancelled':
    case 'expired':
    case 'not_sent':
      return { reply, gate: { kind: 'done' } };
    case 'review':
    case 'sending':
      return { reply, gate: { kind: 'hold' } };
    case 'ready':
    case 'waiting': {
      if (reply.cancel) return to({ at: 'cancelled' });
      if (isExpired(reply, nowMs)) return to({ at: 'expired' });
      const overspent = overspentBudget(reply, nowMs);
      if (overspent !== undefined) return to(review('budget', overspent, nowMs));
      const gapEndsMs =
        reply.lastAttemptAtMs === null ? nowMs : reply.lastAttemptAtMs + reply.budgets.attemptGapMs;
      const untilMs = Math.max(gapEndsMs, phase.at === 'waiting' ? phase.untilMs : nowMs);
      if (untilMs <= nowMs) return { reply, gate: { kind: 'run' } };
      return { reply, gate: { kind: 'wait', untilMs: Math.min(untilMs, nextLimitMs(reply)) } };
    }
    default:
      return assertNever(phase);
  }
}

/** The bot's budgets became known, and with them the expiry of a reply that names none. */
export function applyBudgets(reply: Reply, budgets: Budgets): Reply {
  const { expiresAfterMs } = budgets;
  const expiresAtMs =
    reply.input.expiresAt === undefined && expiresAfterMs !== null
      ? reply.startedAtMs + expiresAfterMs
      : reply.expiresAtMs;
  return { ...reply, budgets, expiresAtMs };
}

/** A run of the activity begins: only where the gate said so. */
export function beginRun(reply: Reply): Reply {
  if (reply.phase.at !== 'ready' && reply.phase.at !== 'waiting') return reply;
  return { ...reply, phase: { at: 'sending' }, runs: reply.runs + 1, placeIn: reply.placeIn ?? '' };
}

/** Takes in what the run in flight returned. `chance` in [0, 1) spreads the backoff. */
export function noteFinding(reply: Reply, finding: SendFinding, nowMs: number, chance: number): Reply {
  if (reply.phase.at !== 'sending') return reply;
  switch (finding.kind) {
    case 'postponed': {
      const isUnheard = finding.ticketMs === null && finding.why === 'backoff';
      const unheardStreak = isUnheard ? reply.unheardStreak + 1 : 0;
      const factor = Math.min(longestSilenceFactor, Math.max(1, Math.ceil(unheardStreak / runsPerSilence)));
      const waitMs = finding.waitMs * factor;
      return {
        ...reply,
        phase: wait(finding.why, nowMs + waitMs, finding.ticketMs),
        unheardStreak,
        ticketMs: finding.ticketMs ?? reply.ticketMs,
        heldSinceMs: finding.heldSinceMs ?? null,
        known: finding.known ?? reply.known,
        placeIn: finding.ticketMs === null ? reply.placeIn : finding.chat,
        noTokenStreak: 0,
      };
    }
    case 'refused':
      return noteRefusal(reply, finding.why, nowMs, chance);
    case 'reset': {
      const evidence = 'this run was made by a reset: what the run before it sent is not in its history';
      return toUnknown(reply, evidence, nowMs);
    }
    case 'no_token': {
      const noTokenStreak = reply.noTokenStreak + 1;
      if (noTokenStreak >= noTokenLimit) return { ...reply, phase: review('held', finding.why, nowMs) };
      return { ...reply, noTokenStreak, phase: backoff(reply, noTokenStreak, nowMs, chance) };
    }
    case 'bad_content':
      return {
        ...reply,
        placeIn: null,
        phase: { at: 'rejected', rejection: { kind: 'request', code: null, description: finding.problem } },
      };
    case 'attempted': {
      const { outcome, progress, httpStatus, chat, known } = finding;
      const attempted = addAttempt(reply, { outcome: outcome.kind, progress, httpStatus }, nowMs);
      return noteOutcome(
        { ...attempted, known: known ?? reply.known, placeIn: chat },
        outcome,
        nowMs,
        chance,
      );
    }
    default:
      return assertNever(finding);
  }
}

/** Takes in that the run in flight returned nothing. */
export function noteLoss(reply: Reply, loss: SendLoss, nowMs: number, chance: number): Reply {
  if (reply.phase.at !== 'sending') return reply;
  switch (loss.kind) {
    case 'not_started':
      return { ...reply, phase: backoff(reply, 1, nowMs, chance) };
    case 'never_claimed': {
      // Proven by the lane: no claim, so no attempt; tried again by itself.
      const unreachedStreak = reply.unreachedStreak + 1;
      return { ...reply, unreachedStreak, phase: backoff(reply, unreachedStreak, nowMs, chance) };
    }
    case 'claimed': {
      // The lane was told before the activity was lost: what it was told is proof where nothing can have arrived.
      if (loss.reported === 'flood' || loss.reported === 'unreached') {
        const attempted = addAttempt(
          reply,
          {
            outcome: loss.reported,
            progress: loss.reported === 'flood' ? 'answered' : 'not_connected',
            httpStatus: null,
          },
          nowMs,
        );
        const spent = {
          ...attempted.spent,
          floods: attempted.spent.floods + (loss.reported === 'flood' ? 1 : 0),
        };
        return { ...attempted, spent, phase: backoff(reply, 1, nowMs, chance) };
      }
      const told = loss.reported === null ? '' : `; the lane was told "${loss.reported}" before that`;
      return toUnknown(addLostAttempt(reply, nowMs), `${loss.why}${told}`, nowMs);
    }
    case 'lost':
      return toUnknown(addLostAttempt(reply, nowMs), loss.why, nowMs);
    default:
      return assertNever(loss);
  }
}

/** A person, or Temporal, wants the reply not to be sent. Only asked for here: the gate carries it out. */
export function requestCancel(reply: Reply, request: CancelRequest, nowMs: number): Reply {
  if (reply.cancel) return reply;
  return { ...reply, cancel: { by: request.by, reason: request.reason, atMs: nowMs } };
}

/** Why a decision is refused, or undefined. Says the state as it is now. */
export function decisionRefusal(reply: Reply, request: DecisionRequest, nowMs: number): string | undefined {
  const { phase } = reply;
  if (phase.at !== 'review') return `not under review: the reply is ${replyStateOf(reply)}`;
  if (request.attempt !== reply.attemptCount) {
    return `attempt: the review is about attempt ${reply.attemptCount}, not ${request.attempt}: look at it again`;
  }
  const { expiresAtMs } = reply;
  const isLate = expiresAtMs !== null && expiresAtMs <= nowMs;
  if (request.decision === 'resend' && isLate && request.allowExpired !== true) {
    return `resend: the reply expired at ${isoTime(expiresAtMs)}: allow that (allowExpired), or decide not_sent`;
  }
  return undefined;
}

/** Carries out a decision that `decisionRefusal` lets pass. `resend` goes through the gates as a new attempt. */
export function applyDecision(reply: Reply, request: DecisionRequest, nowMs: number): Reply {
  if (reply.phase.at !== 'review') return reply;
  const { attempt, decision, by, reason } = request;
  const decided: Reply = {
    ...reply,
    decision: { attempt, decision, by, reason, at: isoTime(nowMs) },
    cancel: null,
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

/** Whether the lane still keeps a place for a reply that will not ask again by itself. */
export function leavesPlace(reply: Reply): boolean {
  return (
    reply.placeIn !== null &&
    reply.phase.at !== 'ready' &&
    reply.phase.at !== 'waiting' &&
    reply.phase.at !== 'sending'
  );
}

/** Ends a wait early. */
export function wakeReply(reply: Reply, nowMs: number): Reply {
  return reply.phase.at === 'waiting' ? { ...reply, phase: { ...reply.phase, untilMs: nowMs } } : reply;
}

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
          }
        : null,
    rejection: phase.at === 'rejected' ? phase.rejection : null,
    message: phase.at === 'sent' ? phase.message : null,
    decision: cancelled ?? reply.decision,
    attempts: reply.attempts,
  };
}

function noteOutcome(reply: Reply, outcome: Outcome, nowMs: number, chance: number): Reply {
  const readable = { ...reply, unreachedStreak: 0 };
  /** The lane has been told that the reply had its turn. */
  const through = { ...readable, placeIn: null };
  switch (outcome.kind) {
    case 'sent':
      return { ...through, phase: { at: 'sent', message: outcome.message } };
    case 'flood': {
      const delayMs = Math.max(reply.budgets.attemptGapMs, outcome.retryAfterSeconds * 1000);
      const ticketMs = reply.known?.notBeforeMs ?? null;
      return {
        ...readable,
        spent: { ...reply.spent, floods: reply.spent.floods + 1 },
        ticketMs,
        phase: wait('cooldown', nowMs + delayMs, ticketMs),
      };
    }
    case 'held':
      return { ...spendAttempt(through), phase: review('held', outcome.evidence, nowMs) };
    case 'rejected':
      // A refusal of the bot itself says nothing of the reply: the lane stops, the reply waits (invariant 7).
      if (outcome.rejection.kind === 'auth')
        return { ...readable, phase: wait('lane_stopped', nowMs + 5000, null) };
      return { ...through, phase: { at: 'rejected', rejection: outcome.rejection } };
    case 'migrated':
      if (reply.visited.includes(outcome.chat)) {
        const evidence = `the destination moves in a ring: the service answered "migrated" to a chat it came from`;
        return { ...spendAttempt(readable), phase: review('held', evidence, nowMs) };
      }
      return {
        ...spendAttempt(readable),
        chat: outcome.chat,
        visited: [...reply.visited, reply.placeIn ?? '', outcome.chat],
        phase: { at: 'ready' },
      };
    case 'unreached': {
      const unreachedStreak = reply.unreachedStreak + 1;
      return { ...reply, unreachedStreak, phase: backoff(reply, unreachedStreak, nowMs, chance) };
    }
    case 'unknown':
      return toUnknown(spendAttempt(through), outcome.evidence, nowMs);
    default:
      return assertNever(outcome);
  }
}

function noteRefusal(
  reply: Reply,
  why: Extract<SendFinding, { kind: 'refused' }>['why'],
  nowMs: number,
  chance: number,
): Reply {
  switch (why) {
    case 'expired':
      // The lane's clock says so; the gate would say the same a moment later.
      return reply.allowExpired
        ? { ...reply, phase: review('held', 'the lane refused an expired reply', nowMs) }
        : { ...reply, phase: { at: reply.cancel ? 'cancelled' : 'expired' }, placeIn: null };
    case 'stale_ask':
      return { ...reply, phase: backoff(reply, 1, nowMs, chance) };
    case 'bad_request':
      return {
        ...reply,
        phase: review('held', 'the lane could not read the claim: worker and lane differ', nowMs),
      };
    case 'claimed':
    case 'revoked':
    case 'other_run': {
      const evidence = `another run of this reply has claimed it (${why}): it may have sent it`;
      return toUnknown(addLostAttempt(reply, nowMs), evidence, nowMs);
    }
    default:
      return assertNever(why);
  }
}

function isExpired(reply: Reply, nowMs: number): boolean {
  return reply.expiresAtMs !== null && reply.expiresAtMs <= nowMs && !reply.allowExpired;
}

function overspentBudget(reply: Reply, nowMs: number): string | undefined {
  const { spent, budgets, input } = reply;
  if (spent.attempts >= budgets.attempts) return `${spent.attempts} attempts without success`;
  if (spent.floods >= budgets.floods) return `refused for flood ${spent.floods} times`;
  if (reply.runs >= maxRuns && reply.runs - spent.sinceRun >= runsAfterResend) {
    return `asked ${reply.runs} times for its turn: its history has no room for many more`;
  }
  if (nowMs - spent.sinceMs >= budgets.ageMs) {
    return `not sent for ${Math.round((nowMs - spent.sinceMs) / 60_000)} minutes`;
  }
  const delay = input.reviewIfDelayedOverMs;
  if (delay !== undefined && nowMs - spent.sinceMs >= delay)
    return `delayed by more than ${delay} ms, as the app asked`;
  return undefined;
}

function nextLimitMs(reply: Reply): number {
  const { spent, budgets, input, expiresAtMs, allowExpired } = reply;
  return Math.min(
    spent.sinceMs + budgets.ageMs,
    input.reviewIfDelayedOverMs === undefined ? Infinity : spent.sinceMs + input.reviewIfDelayedOverMs,
    expiresAtMs === null || allowExpired ? Infinity : expiresAtMs,
  );
}

function addAttempt(
  reply: Reply,
  attempt: {
    readonly outcome: AttemptRecord['outcome'];
    readonly progress: Progress;
    readonly httpStatus: number | null;
  },
  nowMs: number,
): Reply {
  const attemptCount = reply.attemptCount + 1;
  const all = [...reply.attempts, { attempt: attemptCount, at: isoTime(nowMs), ...attempt }];
  const attempts = all.length <= keptAttempts ? all : [...all.slice(0, 20), ...all.slice(21)];
  return { ...reply, attemptCount, attempts, lastAttemptAtMs: nowMs, noTokenStreak: 0, heldSinceMs: null };
}

function addLostAttempt(reply: Reply, nowMs: number): Reply {
  return addAttempt(
    spendAttempt(reply),
    { outcome: 'unknown', progress: 'written', httpStatus: null },
    nowMs,
  );
}

function spendAttempt(reply: Reply): Reply {
  return { ...reply, spent: { ...reply.spent, attempts: reply.spent.attempts + 1 } };
}

function toUnknown(reply: Reply, evidence: string, nowMs: number): Reply {
  return { ...reply, phase: review('unknown', evidence, nowMs) };
}

function review(kind: ReviewKind, evidence: string, nowMs: number): Phase {
  return { at: 'review', kind, sinceMs: nowMs, evidence };
}

function wait(why: WaitWhy, untilMs: number, laneMs: number | null): Phase {
  return { at: 'waiting', why, untilMs, notBeforeMs: laneMs ?? untilMs };
}

/** Doubling from the least to the longest wait; jitter only adds. */
function backoff(reply: Reply, streak: number, nowMs: number, chance: number): Phase {
  const { backoffMinMs, backoffMaxMs } = reply.budgets;
  const baseMs = Math.min(backoffMaxMs, backoffMinMs * 2 ** Math.min(streak - 1, 30));
  return wait('backoff', Math.ceil(nowMs + baseMs * (1 + chance * 0.2)), null);
}
