import { shortHash } from '../ids.ts';
import { assertNever } from '../outcome.ts';
import { slotsSince } from './answers.ts';
import { whoProblem } from './control.ts';
import { fenceKey, giveBackSlots, settleFence } from './fence.ts';
import { noteLateReport } from './late.ts';
import type { ExtendRequest, Report } from './messages.ts';
import { moveChat } from './move.ts';
import { keepPlace, markDone } from './order.ts';
import { policyInForce } from './policy.ts';
import { type Chat, type Cooldown, type Fence, type Lane, bucketOf, movedChat, recordAct } from './state.ts';

/** Refusals of the bot itself in a row, after which the lane stops (it waits for an operator). */
const authStreakLimit = 3;
/** Answers in a row that were not the service's, after which the lane stops. */
const unreadableStreakLimit = 10;
/** A flood with a delay of zero must not become a spin. */
const shortestFloodMs = 1000;
/** A pause of the service as a whole: the first, and the longest. */
const shortestServicePauseMs = 60_000;
const longestServicePauseMs = 30 * 60_000;
/** The end of the calendar: later deadlines are kept as this one, so that all instants stay exact. */
const lastInstantMs = 8.64e15;

/** Takes in what became of one claim. A report that comes twice, or after its fence was forgotten, does no harm. */
export function noteReport(lane: Lane, report: Report, nowMs: number): void {
  const { reply, attempt, outcome } = report;
  const chatId = movedChat(lane, report.chat);
  if (outcome === 'gone') return markDone(lane, chatWithPlace(lane, chatId, reply), reply, nowMs);
  const key = fenceKey(reply);
  const fence = lane.fences.get(key);
  if (fence?.attempt === attempt && fence.state.kind === 'settled' && fence.state.outcome === outcome) return;
  const isFresh =
    fence?.state.kind === 'outstanding' &&
    fence.attempt === attempt &&
    fence.nonce === shortHash(report.nonce, 12);
  // The age of an answer cannot exceed that of its claim; where that is not known, a deadline errs late.
  const ageMs = isFresh ? Math.min(positive(report.ageMs), nowMs - fence.grantedAtMs) : 0;
  const answeredAtMs = Math.ceil(nowMs - ageMs);
  if (isFresh) settle(lane, fence, report, answeredAtMs, nowMs);
  else noteLateReport(lane, fence, report, nowMs);
  if (outcome === 'flood' || (outcome === 'held' && report.detail !== 'no_flood'))
    noteFlood(lane, report, answeredAtMs, nowMs, fence);
  if (outcome === 'paused') noteServicePause(lane, fence, answeredAtMs, nowMs);
  if (!isFresh) return;
  noteStreaks(lane, report, nowMs);
  noteProbe(lane, key, report);
  notePlace(lane, chatId, fence, report, nowMs);
}

/** A cooldown only moves later (invariant 3). */
export function moveCooldown(lane: Lane, cooldown: Cooldown): void {
  lane.probe = { kind: 'wanted' };
  if (lane.cooldown && lane.cooldown.notBeforeMs >= cooldown.notBeforeMs) return;
  lane.cooldown = { ...cooldown, notBeforeMs: Math.min(lastInstantMs, cooldown.notBeforeMs) };
}

/** An operator keeps the lane closed for at least so many seconds from now. Bad input changes nothing. */
export function extendCooldown(lane: Lane, request: ExtendRequest, nowMs: number): void {
  if (typeof request !== 'object' || request === null) return;
  const { seconds, by, reason } = request;
  if (!Number.isSafeInteger(seconds) || seconds < 1 || whoProblem(by, reason) !== undefined) return;
  const notBeforeMs = nowMs + seconds * 1000;
  moveCooldown(lane, { notBeforeMs, reason: 'extended', savedAtMs: nowMs, by, why: reason });
  recordAct(lane, { at: nowMs, what: `extend ${seconds} s`, by, reason });
}

function settle(lane: Lane, fence: Fence, report: Report, answeredAtMs: number, nowMs: number): void {
  if (report.outcome === 'gone') return;
  settleFence(fence, report.outcome, nowMs);
  // A doubt that no repetition can end: should its run be lost, that must not be repeated either.
  if (report.outcome === 'unknown' && report.keepsPlace !== true) fence.count = 0;
  // Nothing was written, so the service has seen nothing: the slot is free at once.
  if (report.outcome === 'unreached') return;
  giveBackSlots(lane, fence, answeredAtMs);
  // One answer that was long in coming says little of the next.
  const latencyMs = Math.min(1000, answeredAtMs - fence.grantedAtMs);
  lane.latencyMs = lane.latencyMs === 0 ? latencyMs : Math.round(lane.latencyMs * 0.9 + latencyMs * 0.1);
  if (report.outcome === 'sent') lane.sent++;
}

function noteFlood(
  lane: Lane,
  report: Report,
  answeredAtMs: number,
  nowMs: number,
  fence: Fence | undefined,
): void {
  // Without a usable delay the pause is the lane's own.
  const retryAfterMs = report.outcome === 'flood' ? (report.retryAfterMs ?? NaN) : NaN;
  const delayMs =
    retryAfterMs >= 0 ? Math.max(shortestFloodMs, retryAfterMs) : policyInForce(lane).heldPauseMs;
  const notBeforeMs = Math.ceil(answeredAtMs + delayMs);
  moveCooldown(lane, {
    notBeforeMs,
    reason: report.outcome === 'flood' ? 'flood' : 'held',
    savedAtMs: nowMs,
    by: null,
    why: null,
  });
  lane.floods++;
  lane.lastFlood = {
    atMs: nowMs,
    retryAfterMs: retryAfterMs >= 0 ? retryAfterMs : null,
    chatKind: fence?.chatKind ?? null,
    sentLastSecond: slotsSince(lane.answered, nowMs - 1000),
    sentLastMinute: slotsSince(lane.answered, nowMs - 60_000),
  };
}

/** The service says neither for how long nor for whom: the whole lane waits, twice as long each time. */
function noteServicePause(lane: Lane, fence: Fence | undefined, answeredAtMs: number, nowMs: number): void {
  const { cooldown } = lane;
  // What was under way when the first of several was told says nothing new.
  if (cooldown?.reason === 'service_paused' && fence && fence.grantedAtMs <= cooldown.savedAtMs) return;
  const delayMs = Math.min(
    longestServicePauseMs,
    shortestServicePauseMs * 2 ** Math.min(lane.pauseStreak, 30),
  );
  lane.pauseStreak++;
  moveCooldown(lane, {
    notBeforeMs: Math.ceil(answeredAtMs + delayMs),
    reason: 'service_paused',
    savedAtMs: nowMs,
    by: null,
    why: null,
  });
}

function noteStreaks(lane: Lane, report: Report, nowMs: number): void {
  const isSilent = report.outcome === 'unknown' && report.detail === undefined;
  lane.silentStreak = isSilent ? lane.silentStreak + 1 : 0;
  if (isAnswered(report)) lane.pauseStreak = 0;
  if (report.detail === 'auth') {
    lane.authStreak++;
    lane.unreadableStreak = 0;
    if (lane.authStreak >= authStreakLimit && !lane.stopped) {
      const why = `the service refused the bot itself ${lane.authStreak} times in a row: check its token, then resume`;
      lane.stopped = { why, atMs: nowMs };
    }
  } else if (report.detail === 'unreadable') {
    lane.unreadableStreak++;
    if (lane.unreadableStreak >= unreadableStreakLimit && !lane.stopped) {
      const why = `${lane.unreadableStreak} answers in a row were not the service's: check apiRoot and proxies, then resume`;
      lane.stopped = { why, atMs: nowMs };
    }
  } else if (report.outcome !== 'unreached' && report.outcome !== 'unknown') {
    lane.authStreak = 0;
    lane.unreadableStreak = 0;
  }
}

/** Whether a report shows that the service is at work again. */
function isAnswered({ outcome, detail }: Report): boolean {
  return (
    outcome === 'sent' ||
    outcome === 'migrated' ||
    outcome === 'flood' ||
    (outcome === 'rejected' && detail !== 'auth')
  );
}

/** Only what proves that the service takes requests again opens the lane (rule 17). */
function noteProbe(lane: Lane, key: string, report: Report): void {
  if (lane.probe.kind !== 'leased' || lane.probe.reply !== key) return;
  const proof =
    report.outcome === 'sent' ||
    report.outcome === 'migrated' ||
    (report.outcome === 'rejected' && report.detail !== 'auth');
  lane.probe = { kind: proof ? 'open' : 'wanted' };
}

function notePlace(lane: Lane, chatId: string, fence: Fence, report: Report, nowMs: number): void {
  const { outcome } = report;
  const chat = lane.chats.get(fence.chat);
  switch (outcome) {
    case 'sent':
    case 'held':
    case 'unknown':
    case 'gone':
      if (report.keepsPlace === true) keepPlace(lane, report.reply, nowMs);
      else markDone(lane, chat, report.reply, nowMs);
      return;
    case 'rejected':
      // A refusal of the bot stops the lane, not the reply: it keeps its place.
      if (report.detail !== 'auth') markDone(lane, chat, report.reply, nowMs);
      return;
    case 'migrated':
      if (report.movedTo !== undefined) moveChat(lane, chatId, report.movedTo);
      return;
    case 'flood':
    case 'paused': {
      // It comes again after the deadline, and keeps its place until then.
      const place = chat?.places.get(shortHash(report.reply, 6));
      if (place) place.ticketMs = Math.max(place.ticketMs, lane.cooldown?.notBeforeMs ?? 0);
      return;
    }
    case 'unreached':
      return;
    default:
      return assertNever(outcome);
  }
}

/** A reply whose run was lost does not know where it had its place: its report says no chat. */
function chatWithPlace(lane: Lane, chatId: string, reply: string): Chat | undefined {
  if (chatId !== '') return lane.chats.get(bucketOf(chatId));
  const hash = shortHash(reply, 6);
  for (const chat of lane.chats.values()) if (chat.places.get(hash)) return chat;
  return undefined;
}

function positive(ageMs: number): number {
  return ageMs > 0 ? ageMs : 0;
}
