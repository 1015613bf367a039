import { assertNever } from '../outcome.ts';
import type { ControlRequest } from './messages.ts';
import { policyInForce } from './policy.ts';
import { botSpacingMs } from './slots.ts';
import { type Lane, recordAct } from './state.ts';

/** One whose workflow was terminated while the lane was closed holds its chat up no longer than about this. */
const longestGraceMs = 10 * 60_000;

/** What is wrong with an operator's request, or undefined. Synchronous, so that it can be an Update's validator. */
export function controlProblem(request: unknown): string | undefined {
  if (typeof request !== 'object' || request === null) return 'give { action, by, reason }';
  const { action, by, reason } = request as Record<string, unknown>;
  if (action !== 'pause' && action !== 'resume' && action !== 'override') {
    return 'action: must be pause, resume or override';
  }
  return whoProblem(by, reason);
}

/** What is wrong with who and why, or undefined: nobody's act on a lane or a reply goes unsigned. */
export function whoProblem(by: unknown, reason: unknown): string | undefined {
  if (typeof by !== 'string' || by.trim() === '' || by.length > 200)
    return 'by: name who does this, in 1 to 200 characters';
  if (typeof reason !== 'string' || reason.trim() === '' || reason.length > 1000) {
    return 'reason: say why, in 1 to 1000 characters';
  }
  return undefined;
}

/**
 * Carries out an operator's act; one that `controlProblem` objects to changes nothing. `override` is the one way to open
 * a lane before its cooldown ends (invariant 3).
 */
export function controlLane(lane: Lane, request: ControlRequest, nowMs: number): void {
  if (controlProblem(request) !== undefined) return;
  const { action, by, reason } = request;
  switch (action) {
    case 'pause':
      lane.paused = { by, reason, atMs: nowMs };
      break;
    case 'resume':
      if (lane.stopped || lane.paused) wantProbe(lane);
      lane.stopped = null;
      lane.paused = null;
      lane.authStreak = 0;
      lane.unreadableStreak = 0;
      restartTickets(lane, nowMs);
      break;
    case 'override':
      lane.cooldown = { notBeforeMs: nowMs, reason: 'override', savedAtMs: nowMs, by, why: reason };
      lane.overriddenAtMs = nowMs;
      wantProbe(lane);
      restartTickets(lane, nowMs);
      break;
    default:
      return assertNever(action);
  }
  recordAct(lane, { at: nowMs, what: action, by, reason });
}

/** One request goes first; where one has, others go on waiting for it. */
function wantProbe(lane: Lane): void {
  if (lane.probe.kind === 'open') lane.probe = { kind: 'wanted' };
}

/**
 * Tickets for the old deadline are void: replies that are woken now get new ones, in the order of their places. Those that
 * wait for others are not woken, and come when they were told to: nobody's place dies before that.
 */
function restartTickets(lane: Lane, nowMs: number): void {
  lane.cursors = { reply: nowMs, bulk: nowMs, replyDue: nowMs, bulkDue: nowMs, stall: nowMs };
  let latestMs = 0;
  for (const chat of lane.chats.values()) {
    for (const place of chat.places) {
      latestMs = Math.max(latestMs, place.ticketMs);
      place.ticketMs = Math.min(place.ticketMs, nowMs);
    }
  }
  if (!lane.hasCrowdRules) return;
  const wokenMs = lane.placeCount * botSpacingMs(lane, policyInForce(lane), nowMs);
  lane.graceUntilMs = Math.max(lane.graceUntilMs, Math.min(latestMs, nowMs + longestGraceMs + wokenMs));
}
