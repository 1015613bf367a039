import type { LaneView } from '../../domain/lane/show.ts';
import { assertNever } from '../../domain/outcome.ts';
import { columns } from '../output.ts';
import { shown } from '../reply-text.ts';

/** One look at one lane, or what was in the way of it. It is its own JSON document. */
export type Glance = LaneGlance | SilentGlance | UnreachableGlance;

export interface LaneGlance {
  readonly kind: 'lane';
  readonly at: string;
  readonly bot: string;
  readonly state: LaneState;
  /** Why the lane is not open; null where it is. */
  readonly why: string | null;
  readonly notBefore: string | null;
  /** By the clock of this machine; null where the lane is not cooling down. */
  readonly cooldownSeconds: number | null;
  readonly waiting: number;
  readonly outstanding: number;
  readonly sent: number;
  /** Sent in the last seconds; null until there have been two looks. */
  readonly sentPerSecond: number | null;
  /** Under review as `unknown`, and of any kind; null where Temporal's list cannot tell. */
  readonly unknown: number | null;
  readonly reviews: number | null;
}

/** The lane did not answer. */
export interface SilentGlance {
  readonly kind: 'silent';
  readonly at: string;
  readonly bot: string;
  readonly problem: string;
}

/** Temporal did not answer, so nothing is known of any lane. */
export interface UnreachableGlance {
  readonly kind: 'unreachable';
  readonly at: string;
  readonly problem: string;
}

export type LaneState = 'open' | 'cooldown' | 'paused' | 'stopped';

/** What is known of a lane beside its own view. */
export interface LaneSight {
  readonly nowMs: number;
  readonly sentPerSecond: number | null;
  readonly reviews: { readonly unknown: number; readonly all: number } | null;
}

export function glanceOf(lane: LaneView, { nowMs, sentPerSecond, reviews }: LaneSight): LaneGlance {
  const { bot, notBefore, waiting, outstanding, sent } = lane;
  const leftMs = notBefore === null ? null : Math.max(0, Date.parse(notBefore) - nowMs);
  return {
    kind: 'lane',
    at: new Date(nowMs).toISOString(),
    bot,
    ...stateOf(lane),
    notBefore,
    cooldownSeconds: leftMs === null ? null : Math.ceil(leftMs / 1000),
    waiting,
    outstanding,
    sent,
    sentPerSecond,
    unknown: reviews?.unknown ?? null,
    reviews: reviews?.all ?? null,
  };
}

/** Of several, what lasts longest. */
function stateOf({ stopped, paused, notBefore, reason }: LaneView): Pick<LaneGlance, 'state' | 'why'> {
  if (stopped) return { state: 'stopped', why: stopped.why };
  if (paused) return { state: 'paused', why: `by ${paused.by}: ${paused.reason}` };
  return notBefore === null ? { state: 'open', why: null } : { state: 'cooldown', why: reason };
}

/** One line for a log or a pipe. */
export function glanceLine(glance: Glance): string {
  switch (glance.kind) {
    case 'lane': {
      const { at, bot, state, waiting, outstanding } = glance;
      const parts = [
        state,
        `waiting ${waiting}`,
        `in flight ${outstanding}`,
        `rate ${rateWords(glance)}`,
        `cooldown ${cooldownWords(glance)}`,
        `unknown ${glance.unknown ?? '?'}`,
        `under review ${glance.reviews ?? '?'}`,
      ];
      return `${at} ${bot}: ${parts.join(', ')}${adviceOf(glance)
        .map((advice) => `; ${advice}`)
        .join('')}`;
    }
    case 'silent':
      return `${glance.at} ${glance.bot}: ${shown(glance.problem)}`;
    case 'unreachable':
      return `${glance.at} ${shown(glance.problem)}`;
    default:
      return assertNever(glance);
  }
}

/** All of one look for a terminal: a table, and below it what somebody should do. */
export function glanceScreen(glances: readonly Glance[], heading: string): string {
  const rows = glances.flatMap((glance) => (glance.kind === 'unreachable' ? [] : [rowOf(glance)]));
  const below = glances.flatMap((glance) => {
    switch (glance.kind) {
      case 'lane':
        return adviceOf(glance).map((advice) => `${glance.bot}: ${advice}`);
      case 'silent':
        return [`${glance.bot}: ${shown(glance.problem)}`];
      case 'unreachable':
        return [shown(glance.problem)];
      default:
        return assertNever(glance);
    }
  });
  return [
    heading,
    ...(rows.length === 0 ? [] : [columns(head, rows)]),
    ...(below.length === 0 ? [] : ['', ...below]),
  ].join('\n');
}

const head = ['BOT', 'LANE', 'COOLDOWN', 'WAITING', 'IN FLIGHT', 'RATE', 'SENT', 'UNKNOWN', 'UNDER REVIEW'];

function rowOf(glance: LaneGlance | SilentGlance): readonly string[] {
  if (glance.kind === 'silent') return [glance.bot, 'no answer'];
  const { bot, state, waiting, outstanding, sent, unknown, reviews } = glance;
  const counts = [sent, unknown, reviews].map((count) => String(count ?? '?'));
  return [
    bot,
    state,
    cooldownWords(glance),
    String(waiting),
    String(outstanding),
    rateWords(glance),
    ...counts,
  ];
}

function rateWords({ sentPerSecond }: LaneGlance): string {
  return sentPerSecond === null ? '-' : `${sentPerSecond.toFixed(1)}/s`;
}

function cooldownWords({ cooldownSeconds }: LaneGlance): string {
  return cooldownSeconds === null ? '-' : `${cooldownSeconds} s`;
}

/** Why the lane is not open, and the command for what waits for somebody. */
function adviceOf({ bot, state, why, unknown }: LaneGlance): readonly string[] {
  const advice: string[] = [];
  if (why !== null) {
    const opens =
      state === 'cooldown' ? '' : ` (replylane lane resume ${bot} --by NAME --reason WHY opens it)`;
    advice.push(`${state}: ${shown(why)}${opens}`);
  }
  if (unknown) advice.push(`replylane review list --bot ${bot} --kind unknown`);
  return advice;
}
