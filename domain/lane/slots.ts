import type { LanePolicy, Window } from './policy.ts';
import type { Chat, Fence, Lane } from './state.ts';

/**
 * Slots by answered requests (rule 7): a slot comes back `perMs` after its answer, or `answerBoundMs + perMs` after its
 * grant where none came. So the service can never see more than the limit in any window, however long a request takes.
 */

/** Instants of one scope: answers, oldest first, and grants that are without an answer. */
interface Usage {
  readonly answered: readonly number[];
  readonly outstanding: readonly number[];
}

/** Longest time that any window looks back. */
export function longestWindowMs(policy: LanePolicy): number {
  return Math.max(0, ...[...policy.bot, ...policy.chat, ...policy.group].map((window) => window.perMs));
}

export function windowsOf(policy: LanePolicy, kind: 'chat' | 'group'): readonly Window[] {
  return kind === 'group' ? policy.group : policy.chat;
}

/** Requests that may still be without an answer, by their grants. Abandoned ones count as answered at the bound. */
export function outstandingFences(lane: Lane, policy: LanePolicy, nowMs: number): Fence[] {
  const live: Fence[] = [];
  for (const fence of lane.fences.values()) {
    if (fence.state.kind === 'outstanding' && fence.grantedAtMs + policy.answerBoundMs > nowMs) live.push(fence);
  }
  return live;
}

/** The earliest instant at which `weight` slots of the bot are free; `nowMs` when they are. An estimate, never early. */
export function botFreeAtMs(
  lane: Lane,
  policy: LanePolicy,
  request: { readonly weight: number; readonly bulk: boolean },
  nowMs: number,
): number {
  const fences = unsettled(lane);
  const usage: Usage = { answered: lane.answered, outstanding: weighted(fences) };
  let freeAtMs = freeAt(usage, policy.bot, request, policy, nowMs);
  const live = outstandingFences(lane, policy, nowMs);
  if (live.length >= policy.maxOutstanding) {
    freeAtMs = Math.max(freeAtMs, Math.min(...live.map((fence) => expectedAnswerMs(fence.grantedAtMs, policy, nowMs))));
  }
  return freeAtMs;
}

/** The same for one chat. */
export function chatFreeAtMs(
  lane: Lane,
  policy: LanePolicy,
  place: { readonly chatId: string; readonly chat: Chat; readonly weight: number },
  nowMs: number,
): number {
  const fences = unsettled(lane).filter((fence) => fence.chat === place.chatId);
  const usage: Usage = { answered: place.chat.answered, outstanding: weighted(fences) };
  return freeAt(usage, windowsOf(policy, place.chat.kind), { weight: place.weight, bulk: false }, policy, nowMs);
}

/**
 * Time between two tickets of the bot, slightly longer than the limit allows, since a slot also takes the time of its
 * request. It grows with the age of the oldest request without an answer: a bot that hangs is asked for ever less.
 */
export function botSpacingMs(lane: Lane, policy: LanePolicy, nowMs: number): number {
  const live = outstandingFences(lane, policy, nowMs);
  const oldestMs = Math.max(0, ...live.map((fence) => nowMs - fence.grantedAtMs));
  const overdueMs = Math.max(lane.latencyMs, oldestMs > 500 + 2 * lane.latencyMs ? oldestMs : 0);
  const perSlot = policy.bot.map((window) => (window.perMs * 1.03 + overdueMs) / window.limit);
  return Math.ceil(Math.max(5, overdueMs / policy.maxOutstanding, ...perSlot));
}

/** Time between two tickets of one chat. */
export function chatPitchMs(policy: LanePolicy, kind: 'chat' | 'group'): number {
  return Math.max(0, ...windowsOf(policy, kind).map((window) => (window.limit === 1 ? window.perMs : 0)));
}

function unsettled(lane: Lane): Fence[] {
  return [...lane.fences.values()].filter((fence) => fence.state.kind === 'outstanding');
}

function weighted(fences: readonly Fence[]): number[] {
  return fences.flatMap((fence) => Array.from({ length: fence.weight }, () => fence.grantedAtMs));
}

function freeAt(
  usage: Usage,
  windows: readonly Window[],
  request: { readonly weight: number; readonly bulk: boolean },
  policy: LanePolicy,
  nowMs: number,
): number {
  let freeAtMs = nowMs;
  for (const window of windows) {
    // A long window that bulk has filled could not be had by a reply within its bound: bulk leaves a tenth of it.
    const kept = request.bulk && window.perMs > 1500 && window.limit > 1 ? Math.ceil(window.limit / 10) : 0;
    const weight = Math.min(request.weight, window.limit - kept);
    const releases: number[] = [];
    for (const atMs of usage.answered) if (atMs + window.perMs > nowMs) releases.push(atMs + window.perMs);
    for (const atMs of usage.outstanding) {
      if (atMs + policy.answerBoundMs + window.perMs > nowMs) {
        releases.push(expectedAnswerMs(atMs, policy, nowMs) + window.perMs);
      }
    }
    const excess = releases.length + weight - (window.limit - kept);
    if (excess <= 0) continue;
    releases.sort((a, b) => a - b);
    freeAtMs = Math.max(freeAtMs, releases[excess - 1] ?? nowMs);
  }
  return freeAtMs;
}

/** A guess at when a request will be answered: soon, or the later the longer it has been out. */
function expectedAnswerMs(grantedAtMs: number, policy: LanePolicy, nowMs: number): number {
  const boundMs = grantedAtMs + policy.answerBoundMs;
  if (nowMs >= boundMs) return boundMs;
  return Math.min(boundMs, nowMs + Math.max(100, (nowMs - grantedAtMs) / 2));
}
