import type { LateOutcome } from '../record.ts';
import { type LanePolicy, policyInForce } from './policy.ts';
import { outstandingFences } from './slots.ts';
import type { Lane } from './state.ts';

/** What operators and apps see of a lane; instants in ISO 8601. */
export interface LaneView {
  readonly bot: string;
  /** Closed until then; null where the lane is not cooling down. */
  readonly notBefore: string | null;
  readonly reason: string | null;
  readonly policy: LanePolicy;
  readonly stopped: { readonly why: string; readonly since: string } | null;
  readonly paused: { readonly by: string; readonly reason: string; readonly since: string } | null;
  readonly waiting: number;
  readonly outstanding: number;
  readonly sent: number;
  readonly floods: number;
  readonly lastFlood: {
    readonly at: string;
    readonly retryAfterSeconds: number | null;
    readonly chatKind: string | null;
    readonly sentLastSecond: number;
    readonly sentLastMinute: number;
  } | null;
  readonly acts: readonly {
    readonly at: string;
    readonly what: string;
    readonly by: string;
    readonly reason: string;
  }[];
  /** Answers to attempts that had been taken back as lost; `reply` is the plain key. They decide nothing. */
  readonly lateProofs: readonly {
    readonly reply: string;
    readonly attempt: number;
    readonly outcome: LateOutcome;
    readonly at: string;
  }[];
}

/** The view of a lane at an instant of its clock. Changes nothing. */
export function showLane(lane: Lane, nowMs: number): LaneView {
  const policy = policyInForce(lane);
  const outstanding = outstandingFences(lane, policy, nowMs).length;
  const closed = lane.cooldown !== null && lane.cooldown.notBeforeMs > nowMs ? lane.cooldown : null;
  const { stopped, paused, lastFlood } = lane;
  return {
    bot: lane.bot,
    notBefore: closed ? isoTime(closed.notBeforeMs) : null,
    reason: closed
      ? [closed.reason, closed.by && `by ${closed.by}`, closed.why].filter(Boolean).join(': ')
      : null,
    policy,
    stopped: stopped && { why: stopped.why, since: isoTime(stopped.atMs) },
    paused: paused && { by: paused.by, reason: paused.reason, since: isoTime(paused.atMs) },
    waiting: Math.max(0, lane.placeCount - outstanding),
    outstanding,
    sent: lane.sent,
    floods: lane.floods,
    lastFlood: lastFlood && {
      at: isoTime(lastFlood.atMs),
      retryAfterSeconds: lastFlood.retryAfterMs === null ? null : lastFlood.retryAfterMs / 1000,
      chatKind: lastFlood.chatKind,
      sentLastSecond: lastFlood.sentLastSecond,
      sentLastMinute: lastFlood.sentLastMinute,
    },
    acts: lane.acts.map((act) => ({ ...act, at: isoTime(act.at) })),
    lateProofs: lane.lateProofs.map((late) => ({ ...late, at: isoTime(late.at) })),
  };
}

/** ISO 8601; instants past the end of the calendar are shown as its last one (a delay of 1e12 seconds is in it). */
export function isoTime(atMs: number): string {
  return new Date(Math.min(atMs, 8.64e15)).toISOString();
}
