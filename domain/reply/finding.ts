import { assertNever } from '../outcome.ts';
import type { SendFinding } from '../send.ts';
import { addAttempt, addLostAttempt } from './attempt.ts';
import { keepDoubt, noteUncertain } from './doubt.ts';
import { noteOutcome } from './outcome.ts';
import { review, wait, backoff, toUnknown } from './phases.ts';
import { askAboutReset, askAboutRestart } from './reset.ts';
import type { Reply } from './state.ts';

/** Runs in a row that found no worker with the bot's secret, after which a person must look (about ten minutes). */
const noTokenLimit = 35;

/** The open polls of one worker stand together in the queue of tasks: so many runs soon come to another's. */
const noTokenQuickRuns = 20;

const noTokenQuickMs = 250;

/** A lane that stays silent is asked ever less often: after each ten runs one wait longer, up to six. */
const runsPerSilence = 10;

const longestSilenceFactor = 6;

/**
 * From a timer to the ask of an activity a busy server takes a few tenths of a second: after a wait that was worth a
 * timer the activity comes sooner than its ticket by that, and holds the rest.
 */
const headStartMs = 400;
const shortestWithHeadStartMs = 4000;

/** Takes in what the run in flight returned. `chance` in [0, 1) spreads the backoff. */
export function noteFinding(reply: Reply, finding: SendFinding, nowMs: number, chance: number): Reply {
  if (reply.phase.at !== 'sending') return reply;
  return keepDoubt(takeIn(reply, reply.phase.sinceMs, finding, nowMs, chance), nowMs);
}

function takeIn(reply: Reply, sinceMs: number, finding: SendFinding, nowMs: number, chance: number): Reply {
  switch (finding.kind) {
    case 'postponed': {
      const isUnheard = finding.ticketMs === null && finding.why === 'backoff';
      const unheardStreak = isUnheard ? reply.unheardStreak + 1 : 0;
      const factor = Math.min(longestSilenceFactor, Math.max(1, Math.ceil(unheardStreak / runsPerSilence)));
      const waitMs = timerMs(finding, sinceMs, nowMs) * factor;
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
    case 'reset':
      return askAboutReset(reply, nowMs);
    case 'restarted':
      return askAboutRestart(reply, finding.evidence, nowMs);
    case 'no_token': {
      const noTokenStreak = reply.noTokenStreak + 1;
      if (noTokenStreak >= noTokenLimit) return { ...reply, phase: review('held', finding.why, nowMs) };
      const phase =
        noTokenStreak <= noTokenQuickRuns
          ? wait('backoff', Math.ceil(nowMs + noTokenQuickMs * (1 + chance)), null)
          : backoff(reply, noTokenStreak - noTokenQuickRuns, nowMs, chance);
      return { ...reply, noTokenStreak, phase };
    }
    case 'bad_content':
      return {
        ...reply,
        placeIn: null,
        phase: { at: 'rejected', rejection: { kind: 'request', code: null, description: finding.problem } },
      };
    case 'attempted': {
      const { outcome, progress, httpStatus, worker, chat, known, mark, error } = finding;
      const attempt = {
        outcome: outcome.kind,
        progress,
        httpStatus,
        worker,
        ...(error === undefined ? {} : { error }),
      };
      const attempted = addAttempt(reply, attempt, nowMs);
      return noteOutcome(
        { ...attempted, known: known ?? reply.known, placeIn: chat },
        outcome,
        mark,
        nowMs,
        chance,
      );
    }
    default:
      return assertNever(finding);
  }
}

/**
 * How long the workflow waits from now, so that the reply comes for its ticket when that is due, however late the workflow
 * heard of it: seconds, on a busy worker. The two clocks are those of Temporal's hosts: where they differ, no more is taken
 * off than has passed since the run began. A worker that does not say when it measured the wait knows no head start.
 */
function timerMs(
  { waitMs, asOfMs }: { readonly waitMs: number; readonly asOfMs?: number },
  sinceMs: number,
  nowMs: number,
): number {
  if (asOfMs === undefined) return waitMs;
  const passedMs = Math.min(Math.max(0, nowMs - asOfMs), Math.max(0, nowMs - sinceMs));
  // Never nothing: whether there is a timer at all must not depend on which version of a worker takes the task.
  return Math.max(1, waitMs - passedMs - (waitMs < shortestWithHeadStartMs ? 0 : headStartMs));
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
    case 'unprotected':
      return toUnknown(reply, 'its idempotency key protects a repetition no longer', nowMs);
    case 'claimed':
    case 'revoked':
    case 'other_run': {
      const evidence = `another run of this reply has claimed it (${why}): it may have sent it`;
      return toUnknown(noteUncertain(addLostAttempt(reply, null, nowMs), undefined), evidence, nowMs);
    }
    default:
      return assertNever(why);
  }
}
