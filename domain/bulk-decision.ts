import { type DecisionRequest, decisionProblem } from './decisions.ts';
import { botNameProblem, keyProblem } from './ids.ts';

/** One reply of a bulk decision, and the attempt that was under review when the list was made. */
export interface BulkTarget {
  readonly bot: string;
  /** Plain form of the key, so that the list stays small. */
  readonly key: string;
  readonly attempt: number;
}

/** Argument of `bulkDecisionWorkflow`: one decision on many replies. The list is frozen when it starts. */
export interface BulkDecisionInput extends Omit<DecisionRequest, 'attempt' | 'messageId' | 'bulk'> {
  readonly replies: readonly BulkTarget[];
  readonly ratePerSecond: number;
  /** From its own previous run. */
  readonly progress?: BulkProgress;
}

/** What became of one reply of the list. */
export type BulkOutcome =
  /** Decided, or decided before by the same person in the same way. */
  | { readonly kind: 'done' }
  /** Refused: no longer under review, or about another attempt. */
  | { readonly kind: 'skipped'; readonly why: string }
  /** Not known to be decided. */
  | { readonly kind: 'failed'; readonly why: string };

export interface BulkProgress {
  readonly total: number;
  readonly done: number;
  readonly skipped: number;
  readonly failed: number;
  /** Those that were not decided, and why: the first hundred. */
  readonly notDone: readonly {
    readonly reply: string;
    readonly kind: 'skipped' | 'failed';
    readonly why: string;
  }[];
}

/** How a bulk decision stands: the Query `bulkDecision`, and its result. */
export interface BulkDecisionView extends BulkProgress {
  /** `cancelled`: ended by a cancellation request before its last reply; what was decided stays decided. */
  readonly state: 'running' | 'completed' | 'cancelled';
  readonly decision: DecisionRequest['decision'];
  readonly by: string;
  readonly reason: string;
}

/** The list must fit a payload several times over: more replies are several bulk decisions. */
export const maxBulkReplies = 2000;
/** One run's history stays short. */
export const bulkRepliesInRun = 200;
const maxNotDone = 100;
const longestWhy = 300;
/** Slower, one reply would outlast the activity that decides it. */
const minRatePerSecond = 0.01;
const maxRatePerSecond = 100;
/** An activity handles about a second's worth, so that a cancellation soon counts. */
const largestChunk = 20;

/** What is wrong with a bulk decision's input, or undefined. */
export function bulkDecisionProblem(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null)
    return 'give { replies, decision, by, reason, ratePerSecond }';
  const { replies, ratePerSecond, progress: _, ...decision } = input as Record<string, unknown>;
  if (!Array.isArray(replies) || replies.length === 0)
    return 'replies: must be a list of { bot, key, attempt }, not empty';
  if (replies.length > maxBulkReplies)
    return `replies: at most ${maxBulkReplies} at once, but there are ${replies.length}: start several`;
  if (!replies.every(isTarget)) return 'replies: each must be { bot, key, attempt }';
  if (!(
    typeof ratePerSecond === 'number' &&
    ratePerSecond >= minRatePerSecond &&
    ratePerSecond <= maxRatePerSecond
  ))
    return `ratePerSecond: must be ${minRatePerSecond} to ${maxRatePerSecond}`;
  if (decision['messageId'] !== undefined) return 'messageId: belongs to one reply, not to many';
  return decisionProblem({ ...decision, attempt: 0 });
}

function isTarget(value: unknown): value is BulkTarget {
  if (typeof value !== 'object' || value === null) return false;
  const { bot, key, attempt } = value as Record<string, unknown>;
  const isNamed = botNameProblem(bot) === undefined && keyProblem(key) === undefined;
  return isNamed && Number.isSafeInteger(attempt) && (attempt as number) >= 0;
}

export function newBulkProgress(total: number): BulkProgress {
  return { total, done: 0, skipped: 0, failed: 0, notDone: [] };
}

/** How many replies one activity takes. */
export function chunkSize(ratePerSecond: number): number {
  return Math.min(largestChunk, Math.max(1, Math.floor(ratePerSecond)));
}

/** Counts what became of a chunk; `outcomes` stand in the order of `replies`. */
export function noteBulkOutcomes(
  progress: BulkProgress,
  replies: readonly BulkTarget[],
  outcomes: readonly BulkOutcome[],
): BulkProgress {
  const counts = { done: progress.done, skipped: progress.skipped, failed: progress.failed };
  const notDone = [...progress.notDone];
  for (const [at, { bot, key }] of replies.entries()) {
    const outcome = outcomes[at] ?? { kind: 'failed', why: 'nothing was heard of it' };
    counts[outcome.kind]++;
    if (outcome.kind === 'done' || notDone.length >= maxNotDone) continue;
    notDone.push({ reply: `${bot}/${key}`, kind: outcome.kind, why: outcome.why.slice(0, longestWhy) });
  }
  return { total: progress.total, ...counts, notDone };
}
