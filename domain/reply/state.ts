import type { CancelRequest, DecisionDoor } from '../decisions.ts';
import type { ClaimMark, WaitWhy } from '../lane/messages.ts';
import { type Rejection, type SentMessage, assertNever } from '../outcome.ts';
import type { AttemptRecord, DecisionRecord, LateProof, ReviewKind } from '../record.ts';
import type { ReplyInput } from '../reply-input.ts';
import { type Budgets, defaultBudgets } from '../send.ts';

/** Where a reply stands. Each state holds only its own data. */
export type Phase =
  | { readonly at: 'ready' }
  /** `untilMs` on the workflow's clock, `notBeforeMs` the same instant on the lane's, for people. */
  | { readonly at: 'waiting'; readonly why: WaitWhy; readonly untilMs: number; readonly notBeforeMs: number }
  | { readonly at: 'sending'; readonly sinceMs: number }
  | {
      readonly at: 'review';
      readonly kind: ReviewKind;
      readonly sinceMs: number;
      readonly evidence: string;
      readonly isFinal?: true;
    }
  | { readonly at: 'sent'; readonly message: SentMessage | null }
  | { readonly at: 'rejected'; readonly rejection: Rejection }
  | { readonly at: 'cancelled' }
  | { readonly at: 'expired' }
  | { readonly at: 'not_sent' };

/**
 * From when on an idempotency key protects a reply: the claim of the earliest attempt that may have arrived. `untold` where
 * no lane could say which that was, so that nothing is known to be protected.
 */
export type UncertainSince =
  { readonly kind: 'claim'; readonly mark: ClaimMark } | { readonly kind: 'untold' };

export interface Doubt {
  readonly since: ClaimMark;
  readonly attempt: number;
  readonly evidence: string;
  /** Attempts since then that told nothing. */
  readonly streak: number;
}

/** Everything a reply workflow knows. A value: each transition gives a new one. */
export interface Reply {
  readonly input: ReplyInput;
  readonly expiresAtMs: number | null;
  readonly startedAtMs: number;
  readonly phase: Phase;
  readonly cancel: (CancelRequest & { readonly door: DecisionDoor; readonly atMs: number }) | null;
  readonly decision: DecisionRecord | null;
  readonly lateProof: LateProof | null;
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
  /**
   * The earliest attempt that may have arrived and is being repeated under its idempotency key: until that has told what
   * became of it, nothing may be said of the reply but that nobody knows (invariants 5 and 7).
   */
  readonly doubt: Doubt | null;
  /** Outlives the review and a decision to resend: the service's first answer does not last longer for a repetition. */
  readonly uncertainSince: UncertainSince | null;
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
  /** A person was asked what the runs before a reset, or before a start by hand, have sent. */
  readonly askedAboutReset: boolean;
}

/** A reply that has just been started. `input` was checked by `replyInputProblems`. */
export function newReply(input: ReplyInput, nowMs: number): Reply {
  return {
    input,
    expiresAtMs: input.expiresAt === undefined ? null : Date.parse(input.expiresAt),
    startedAtMs: nowMs,
    phase: { at: 'ready' },
    cancel: null,
    decision: null,
    lateProof: null,
    attempts: [],
    attemptCount: 0,
    runs: 0,
    lastAttemptAtMs: null,
    budgets: defaultBudgets,
    spent: { attempts: 0, floods: 0, sinceMs: nowMs, sinceRun: 0 },
    doubt: null,
    uncertainSince: null,
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
    askedAboutReset: false,
  };
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
export function beginRun(reply: Reply, nowMs: number): Reply {
  if (reply.phase.at !== 'ready' && reply.phase.at !== 'waiting') return reply;
  const phase: Phase = { at: 'sending', sinceMs: nowMs };
  return { ...reply, phase, runs: reply.runs + 1, placeIn: reply.placeIn ?? '' };
}

/** A person, or Temporal, wants the reply not to be sent. Only asked for here: the gate carries it out. */
export function requestCancel(
  reply: Reply,
  request: CancelRequest,
  door: DecisionDoor,
  nowMs: number,
): Reply {
  if (reply.cancel) return reply;
  const { by, reason, via } = request;
  return { ...reply, cancel: { by, reason, ...(via === undefined ? {} : { via }), door, atMs: nowMs } };
}

/** Whether the reply waits for its lane to open: the one wait that a lane's opening ends. */
export function waitsForOpening({ phase }: Reply): boolean {
  return phase.at === 'waiting' && endsByOpening(phase.why);
}

/** Whether a wait ends when an operator opens the lane (decision 014). */
export function endsByOpening(why: WaitWhy): boolean {
  switch (why) {
    case 'cooldown':
    case 'lane_stopped':
    case 'lane_paused':
    case 'probe':
      return true;
    case 'bot_pace':
    case 'chat_pace':
    case 'order':
    case 'backoff':
      return false;
    default:
      return assertNever(why);
  }
}

/** Ends a wait early. */
export function wakeReply(reply: Reply, nowMs: number): Reply {
  return reply.phase.at === 'waiting' ? { ...reply, phase: { ...reply.phase, untilMs: nowMs } } : reply;
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
