import type { Answers } from './answers.ts';
import type { LanePolicy, Window } from './policy.ts';
import type { Chat, Fence, Lane } from './state.ts';

/**
 * Slots by answered requests (rule 7): a slot comes back `perMs` after its answer, or `answerBoundMs + perMs` after its
 * grant where none came. So the service can never see more than the limit in any window, however long a request takes.
 */

/** Slots of one scope in use: by answers, and by grants that are without one. */
interface Usage {
  readonly answered: Answers;
  readonly outstanding: readonly Fence[];
}

/** Longest time that a window of the bot, or of a kind of chat, looks back. */
export function lookBackMs(windows: readonly Window[]): number {
  return Math.max(0, ...windows.map((window) => window.perMs));
}

export function windowsOf(policy: LanePolicy, kind: 'chat' | 'group'): readonly Window[] {
  return kind === 'group' ? policy.group : policy.chat;
}

/** Requests that may still be without an answer, by their grants. Abandoned ones count as answered at the bound. */
export function outstandingFences(lane: Lane, policy: LanePolicy, nowMs: number): Fence[] {
  return unsettled(lane).filter((fence) => fence.grantedAtMs + policy.answerBoundMs > nowMs);
}

/** The earliest instant at which `weight` slots of the bot are free; `nowMs` when they are. An estimate, never early. */
export function botFreeAtMs(
  lane: Lane,
  policy: LanePolicy,
  request: { readonly weight: number; readonly bulk: boolean },
  nowMs: number,
): number {
  const outstanding = unsettled(lane);
  const freeAtMs = freeAt({ answered: lane.answered, outstanding }, policy.bot, request, policy, nowMs);
  const live = outstanding.filter((fence) => fence.grantedAtMs + policy.answerBoundMs > nowMs);
  if (live.length < policy.maxOutstanding) return freeAtMs;
  const answers = live.map((fence) => expectedAnswerMs(fence.grantedAtMs, policy, nowMs));
  return Math.max(freeAtMs, Math.min(...answers));
}

/** Whether no slot of the bot is in use: whoever had a ticket for now has not come, and need not be waited for. */
export function isBotIdle(lane: Lane, policy: LanePolicy, nowMs: number): boolean {
  return botFreeAtMs(lane, policy, { weight: Infinity, bulk: false }, nowMs) <= nowMs;
}

/** The earliest instant at which `weight` slots of one chat are free. */
export function chatFreeAtMs(
  lane: Lane,
  policy: LanePolicy,
  place: { readonly bucket: string; readonly chat: Chat; readonly weight: number },
  nowMs: number,
): number {
  const { bucket, chat, weight } = place;
  const outstanding = unsettled(lane).filter((fence) => fence.chat === bucket);
  const usage: Usage = { answered: chat.answered, outstanding };
  return freeAt(usage, windowsOf(policy, chat.kind), { weight, bulk: false }, policy, nowMs);
}

/**
 * Time between two tickets of the bot: what the limits allow, with the time that a request takes. A request that is out
 * for long takes its slot from the schedule; where all are, the bot hangs, and is asked for the less the longer it does.
 */
export function botSpacingMs(lane: Lane, policy: LanePolicy, nowMs: number): number {
  const agesMs = outstandingFences(lane, policy, nowMs).map((fence) => nowMs - fence.grantedAtMs);
  const hanging = agesMs.filter((ageMs) => ageMs > 500 + 2 * lane.latencyMs);
  const oldestMs = Math.max(0, ...hanging);
  const pitchMs = (limit: number, busyMs: number): number =>
    limit > hanging.length ? busyMs / (limit - hanging.length) : (busyMs + oldestMs) / limit;
  const perSlot = policy.bot.map(({ limit, perMs }) => pitchMs(limit, perMs + lane.latencyMs));
  return Math.ceil(
    Math.max(5, probePitchMs(lane, nowMs), pitchMs(policy.maxOutstanding, lane.latencyMs), ...perSlot),
  );
}

/** While a probe is out there is one slot for all. It may well take the 8 s for which a service holds a request. */
function probePitchMs({ probe, silentStreak }: Lane, nowMs: number): number {
  if (probe.kind !== 'leased') return 0;
  const patienceMs = silentStreak > 0 ? 0 : 8000;
  return Math.max(0, nowMs - probe.sinceMs - patienceMs) / 20;
}

/** Time between two tickets of one chat: what the limits allow, with the time of a request, and until the next is asked. */
export function chatPitchMs(lane: Lane, policy: LanePolicy, kind: 'chat' | 'group'): number {
  const ones = windowsOf(policy, kind).filter((window) => window.limit === 1);
  return Math.max(
    0,
    ...ones.map(({ perMs }) => perMs + lane.latencyMs + Math.min(lane.latenessMs, perMs / 4) / 2),
  );
}

function unsettled(lane: Lane): Fence[] {
  const found: Fence[] = [];
  for (const fence of lane.fences.values()) if (fence.state.kind === 'outstanding') found.push(fence);
  return found;
}

function freeAt(
  usage: Usage,
  windows: readonly Window[],
  request: { readonly weight: number; readonly bulk: boolean },
  policy: LanePolicy,
  nowMs: number,
): number {
  return Math.max(nowMs, ...windows.map((window) => windowFreeAt(usage, window, request, policy, nowMs)));
}

function windowFreeAt(
  usage: Usage,
  { limit, perMs }: Window,
  request: { readonly weight: number; readonly bulk: boolean },
  policy: LanePolicy,
  nowMs: number,
): number {
  // A long window that bulk has filled could not be had by a reply within its bound: bulk leaves a tenth of it.
  const free = request.bulk && perMs > 1500 && limit > 1 ? limit - Math.ceil(limit / 10) : limit;
  const releases: Answers = usage.answered
    .map(([atMs, slots]): [number, number] => [atMs + perMs, slots])
    .filter(([atMs]) => atMs > nowMs);
  for (const { grantedAtMs, weight } of usage.outstanding) {
    if (grantedAtMs + policy.answerBoundMs + perMs <= nowMs) continue;
    releases.push([expectedAnswerMs(grantedAtMs, policy, nowMs) + perMs, weight]);
  }
  let excess = releases.reduce((sum, [, slots]) => sum + slots, Math.min(request.weight, free)) - free;
  if (excess <= 0) return nowMs;
  releases.sort(([a], [b]) => a - b);
  for (const [atMs, slots] of releases) {
    excess -= slots;
    if (excess <= 0) return atMs;
  }
  return nowMs;
}

/** A guess at when a request will be answered: soon, or the later the longer it has been out. */
function expectedAnswerMs(grantedAtMs: number, policy: LanePolicy, nowMs: number): number {
  const boundMs = grantedAtMs + policy.answerBoundMs;
  return Math.min(boundMs, nowMs + Math.max(100, (nowMs - grantedAtMs) / 2));
}
