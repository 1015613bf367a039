import { shortHash } from '../ids.ts';
import { assertNever } from '../outcome.ts';
import { policyInForce } from './claim.ts';
import type { ExtendRequest, Report } from './messages.ts';
import { markDone } from './order.ts';
import { type Chat, type Cooldown, type Fence, type Lane, chatOf, movedChat, recordAct } from './state.ts';

/** Refusals of the bot itself in a row, after which the lane stops (it waits for an operator). */
const authStreakLimit = 3;
/** Answers in a row that were not the service's, after which the lane stops. */
const unreadableStreakLimit = 10;
/** A flood with a delay of zero must not become a spin. */
const shortestFloodMs = 1000;
/** Destinations that moved, kept for replies that still name the old one. */
const maxMoved = 300;

/** Takes in what became of one claim. A report that comes twice, or after its fence was forgotten, does no harm. */
export function noteReport(lane: Lane, report: Report, nowMs: number): void {
  const chatId = movedChat(lane, report.chat);
  if (report.outcome === 'gone') {
    const chat = lane.chats.get(chatId);
    if (chat) markDone(lane, chat, report.reply, nowMs);
    return;
  }
  const answeredAtMs = nowMs - clampAge(report.ageMs);
  const key = shortHash(report.reply, 12);
  const fence = lane.fences.get(key);
  const fresh =
    fence?.state.kind === 'outstanding' && fence.attempt === report.attempt && fence.nonce === report.nonce
      ? fence
      : undefined;
  if (fresh) settle(lane, fresh, report, answeredAtMs, nowMs);
  if (report.outcome === 'flood' || report.outcome === 'held') noteFlood(lane, report, answeredAtMs, nowMs, fresh);
  if (!fresh) return;
  noteStreaks(lane, report, nowMs);
  noteProbe(lane, key, report);
  notePlace(lane, chatId, fresh, report, nowMs);
}

/** A cooldown only moves later (invariant 3). Gives whether it did. */
export function moveCooldown(lane: Lane, cooldown: Cooldown): boolean {
  if (lane.probe.kind !== 'wanted') lane.probe = { kind: 'wanted' };
  if (lane.cooldown && lane.cooldown.notBeforeMs >= cooldown.notBeforeMs) return false;
  lane.cooldown = cooldown;
  return true;
}

/** An operator keeps the lane closed for at least so many seconds from now. Bad input changes nothing. */
export function extendCooldown(lane: Lane, request: ExtendRequest, nowMs: number): void {
  const { seconds, by, reason } = request;
  if (!Number.isSafeInteger(seconds) || seconds < 1 || !Number.isSafeInteger(nowMs + seconds * 1000)) return;
  moveCooldown(lane, { notBeforeMs: nowMs + seconds * 1000, reason: 'extended', savedAtMs: nowMs, by, why: reason });
  recordAct(lane, { at: nowMs, what: `extend ${seconds} s`, by, reason });
}

function settle(lane: Lane, fence: Fence, report: Report, answeredAtMs: number, nowMs: number): void {
  const outcome = report.outcome === 'gone' ? null : report.outcome;
  fence.state = { kind: 'settled', atMs: nowMs, outcome };
  // Nothing was written, so the service has seen nothing: the slot is free at once.
  if (report.outcome === 'unreached') return;
  giveBackSlots(lane, fence, answeredAtMs);
  const latencyMs = Math.max(0, answeredAtMs - fence.grantedAtMs);
  lane.latencyMs = lane.latencyMs === 0 ? latencyMs : Math.round(lane.latencyMs * 0.9 + latencyMs * 0.1);
  if (report.outcome === 'sent') lane.sent++;
}

/** The slots of an attempt come back one window after this instant. */
export function giveBackSlots(lane: Lane, fence: Fence, answeredAtMs: number): void {
  const chat = chatOf(lane, movedChat(lane, fence.chat), fence.chatKind);
  for (const answered of [lane.answered, chat.answered]) {
    for (let i = 0; i < fence.weight; i++) insertSorted(answered, answeredAtMs);
  }
}

function noteFlood(lane: Lane, report: Report, answeredAtMs: number, nowMs: number, fence: Fence | undefined): void {
  const held = report.outcome === 'held';
  const delayMs = held ? policyInForce(lane).heldPauseMs : Math.max(shortestFloodMs, report.retryAfterMs ?? 0);
  const notBeforeMs = Math.ceil(answeredAtMs + delayMs);
  if (!Number.isSafeInteger(notBeforeMs)) return;
  const reason = held ? 'held' : 'flood';
  moveCooldown(lane, { notBeforeMs, reason, savedAtMs: nowMs, by: null, why: null });
  lane.floods++;
  lane.lastFlood = {
    atMs: nowMs,
    retryAfterMs: held ? null : (report.retryAfterMs ?? 0),
    chatKind: fence?.chatKind ?? null,
    sentLastSecond: lane.answered.filter((atMs) => atMs > nowMs - 1000).length,
    sentLastMinute: lane.answered.filter((atMs) => atMs > nowMs - 60_000).length,
  };
}

function noteStreaks(lane: Lane, report: Report, nowMs: number): void {
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
  const chat = chatOf(lane, chatId, fence.chatKind);
  const { outcome } = report;
  switch (outcome) {
    case 'sent':
    case 'held':
    case 'unknown':
    case 'gone':
      return markDone(lane, chat, report.reply, nowMs);
    case 'rejected':
      // A refusal of the bot stops the lane, not the reply: it keeps its place.
      if (report.detail !== 'auth') markDone(lane, chat, report.reply, nowMs);
      return;
    case 'migrated':
      if (report.movedTo !== undefined) moveChat(lane, chatId, report.movedTo);
      return;
    case 'flood':
    case 'unreached':
      return;
    default:
      return assertNever(outcome);
  }
}

/** A chat has another id now: its slots, places and done keys go along. The newest move wins, so there are no rings. */
function moveChat(lane: Lane, from: string, to: string): void {
  if (from === to) return;
  lane.moved.delete(to);
  lane.moved.set(from, to);
  if (lane.moved.size > maxMoved) {
    const [oldest] = lane.moved.keys();
    if (oldest !== undefined) lane.moved.delete(oldest);
  }
  const old = lane.chats.get(from);
  if (!old) return;
  lane.chats.delete(from);
  const chat = chatOf(lane, to, old.kind);
  for (const atMs of old.answered) insertSorted(chat.answered, atMs);
  mergePlaces(lane, chat, old);
  for (const [hash, atMs] of old.done) chat.done.set(hash, atMs);
  for (const fence of lane.fences.values()) if (fence.chat === from) fence.chat = to;
}

function mergePlaces(lane: Lane, chat: Chat, old: Chat): void {
  const merged = new Map(old.places);
  for (const [hash, place] of chat.places) if (!merged.has(hash)) merged.set(hash, place);
  lane.placeCount += merged.size - old.places.size - chat.places.size;
  chat.places = merged;
}

function insertSorted(instants: number[], atMs: number): void {
  let index = instants.length;
  while (index > 0 && (instants[index - 1] ?? 0) > atMs) index--;
  instants.splice(index, 0, atMs);
}

function clampAge(ageMs: number): number {
  return Number.isFinite(ageMs) && ageMs > 0 ? ageMs : 0;
}
