import { isoTime } from '../lane/show.ts';
import type { Progress, ServiceError } from '../outcome.ts';
import type { AttemptRecord } from '../record.ts';
import type { Reply } from './state.ts';

/** Attempts kept in a record; the middle of a longer list is left out. */
const keptAttempts = 100;

/** Writes an attempt down; they are numbered from 1, and a long list loses its middle. */
export function addAttempt(
  reply: Reply,
  attempt: {
    readonly outcome: AttemptRecord['outcome'];
    readonly progress: Progress;
    readonly httpStatus: number | null;
    readonly worker: string | null;
    readonly error?: ServiceError;
  },
  nowMs: number,
): Reply {
  const attemptCount = reply.attemptCount + 1;
  const all = [...reply.attempts, { attempt: attemptCount, at: isoTime(nowMs), ...attempt }];
  const attempts = all.length <= keptAttempts ? all : [...all.slice(0, 20), ...all.slice(21)];
  return { ...reply, attemptCount, attempts, lastAttemptAtMs: nowMs, noTokenStreak: 0, heldSinceMs: null };
}

/** An attempt of which nothing is known: what may have been written counts as written. */
export function addLostAttempt(reply: Reply, worker: string | null, nowMs: number): Reply {
  const lost = { outcome: 'unknown', progress: 'written', httpStatus: null, worker } as const;
  return addAttempt(spendAttempt(reply), lost, nowMs);
}

/** Takes one of the attempts that the budget allows; floods and `unreached` take none. */
export function spendAttempt(reply: Reply): Reply {
  return { ...reply, spent: { ...reply.spent, attempts: reply.spent.attempts + 1 } };
}
