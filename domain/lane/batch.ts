import { batchOrder, decideAsk } from './claim.ts';
import type { Ask, Report, RefusedWhy, Verdict } from './messages.ts';
import { noteHeard } from './order.ts';
import { type LanePolicy, notePolicy, policyProblem } from './policy.ts';
import { noteReport } from './report.ts';
import type { Lane } from './state.ts';
import { sweep } from './sweep.ts';

/** A batch that was sent longer ago than this was given up by its worker: what is applied late is refused (rule 12). */
export const oldestBatchMs = 15_000;

/** The asks that one worker process has gathered for one bot. */
export interface ClaimRequest {
  readonly policy: LanePolicy;
  readonly asks: readonly Ask[];
  /** The lane's clock as the worker knew it when it sent this, never ahead of it. */
  readonly sentAtMs?: number;
}

/** Answers every ask, in the order of the asks. Never throws: a malformed ask is refused and harms no other (rule 10). */
export function claimBatch(lane: Lane, request: ClaimRequest, nowMs: number): Verdict[] {
  // In this order: the first to come after a silence must not find its place swept away.
  noteHeard(lane, nowMs);
  sweep(lane, nowMs);
  const asks: readonly unknown[] = Array.isArray(request?.asks) ? request.asks : [];
  const refuse = (why: RefusedWhy): Verdict => ({ kind: 'refused', nowMs, why, epoch: lane.epoch });
  if (policyProblem(request?.policy) !== undefined) return asks.map(() => refuse('bad_request'));
  if (typeof request.sentAtMs === 'number' && request.sentAtMs + oldestBatchMs < nowMs) {
    return asks.map(() => refuse('stale_ask'));
  }
  notePolicy(lane, request.policy, nowMs);
  const verdicts: Verdict[] = asks.map(() => refuse('bad_request'));
  const good = asks.flatMap((ask, index) => (isAsk(ask) ? [{ ask, index }] : []));
  const order = batchOrder(
    good.map(({ ask }) => ask),
    nowMs,
  );
  for (const position of order) {
    const item = good[position];
    if (!item) continue;
    try {
      verdicts[item.index] = decideAsk(lane, item.ask, nowMs);
    } catch {
      // Stays `bad_request`: an error here would fail every task of the lane from now on.
    }
  }
  return verdicts;
}

/** Takes in gathered reports; one that is malformed is passed over. */
export function noteReports(lane: Lane, reports: readonly Report[], nowMs: number): void {
  for (const report of Array.isArray(reports) ? reports : []) {
    if (isReport(report)) noteReport(lane, report, nowMs);
  }
}

function isAsk(value: unknown): value is Ask {
  if (typeof value !== 'object' || value === null) return false;
  const ask = value as Record<string, unknown>;
  const text = (field: string): boolean =>
    typeof ask[field] === 'string' && (ask[field] as string).length <= 300;
  const optional = (field: string, holds: (name: string) => boolean): boolean =>
    ask[field] === undefined || holds(field);
  const instant = (field: string): boolean => Number.isSafeInteger(ask[field]);
  return (
    ['reply', 'run', 'nonce', 'chat'].every(text) &&
    ask['reply'] !== '' &&
    ask['chat'] !== '' &&
    (ask['chatKind'] === 'chat' || ask['chatKind'] === 'group') &&
    (ask['class'] === 'reply' || ask['class'] === 'bulk') &&
    isCount(ask['attempt']) &&
    isCount(ask['weight']) &&
    (ask['weight'] as number) <= 100 &&
    instant('scheduledAtMs') &&
    optional('after', text) &&
    ['ticketMs', 'heldSinceMs', 'expiresAtMs'].every((field) => optional(field, instant)) &&
    (ask['known'] === undefined || isKnown(ask['known'])) &&
    (ask['hasKeys'] === undefined || typeof ask['hasKeys'] === 'boolean') &&
    (ask['doubt'] === undefined || isProtectedAsk(ask['doubt']))
  );
}

function isKnown(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { epoch, notBeforeMs } = value as Record<string, unknown>;
  return typeof epoch === 'string' && Number.isSafeInteger(notBeforeMs);
}

function isProtectedAsk(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { epoch, ...bounds } = value as Record<string, unknown>;
  return (
    typeof epoch === 'string' &&
    ['atMs', 'count', 'windowMs', 'otherKeys'].every((field) => Number.isSafeInteger(bounds[field]))
  );
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

const outcomes: ReadonlySet<unknown> = new Set([
  'sent',
  'flood',
  'held',
  'rejected',
  'migrated',
  'unknown',
  'unreached',
  'paused',
  'gone',
] satisfies Report['outcome'][]);

function isReport(value: unknown): value is Report {
  if (typeof value !== 'object' || value === null) return false;
  const report = value as Record<string, unknown>;
  return (
    ['reply', 'nonce', 'chat'].every((field) => typeof report[field] === 'string') &&
    Number.isSafeInteger(report['attempt']) &&
    outcomes.has(report['outcome']) &&
    typeof report['ageMs'] === 'number' &&
    (report['retryAfterMs'] === undefined || typeof report['retryAfterMs'] === 'number') &&
    (report['number'] === undefined || isCount(report['number'])) &&
    (report['movedTo'] === undefined || (typeof report['movedTo'] === 'string' && report['movedTo'] !== ''))
  );
}
