import { shortHash } from '../ids.ts';
import type { RevokeAnswer, RevokeRequest } from './messages.ts';
import { markDone } from './order.ts';
import { giveBackSlots } from './report.ts';
import { type Lane, chatOf, movedChat } from './state.ts';

/** Instants of two of Temporal's services are compared here: this much apart, they are taken as the same. */
const clockMarginMs = 1000;

/**
 * Takes an attempt back whose activity was lost. `never` is a promise: a late claim of the attempt is refused from now
 * on. `lost` where the claim may have been granted by a lane, or in a time, that this one does not remember (rule 5).
 * Asked again, it answers the same.
 */
export function revokeAttempt(lane: Lane, request: RevokeRequest, nowMs: number): RevokeAnswer {
  const key = shortHash(request.reply, 12);
  const fence = lane.fences.get(key);
  if (fence && fence.attempt === request.attempt) {
    switch (fence.state.kind) {
      case 'revoked':
        return { kind: 'never' };
      case 'settled':
        return { kind: 'yes', reported: fence.state.outcome };
      case 'outstanding': {
        fence.state = { kind: 'settled', atMs: nowMs, outcome: null };
        giveBackSlots(lane, fence, nowMs);
        // It goes to a person, and gives up its place in the chat.
        markDone(lane, chatOf(lane, movedChat(lane, fence.chat), fence.chatKind), request.reply, nowMs);
        if (lane.probe.kind === 'leased' && lane.probe.reply === key) lane.probe = { kind: 'wanted' };
        return { kind: 'yes', reported: null };
      }
    }
  }
  if (fence && fence.attempt > request.attempt) return { kind: 'lost' };
  if (request.scheduledAtMs <= lane.forgottenMs + clockMarginMs) return { kind: 'lost' };
  lane.fences.set(key, {
    attempt: request.attempt,
    run: fence?.run ?? '',
    nonce: '',
    chat: fence?.chat ?? '',
    chatKind: fence?.chatKind ?? 'chat',
    weight: 0,
    grantedAtMs: nowMs,
    state: { kind: 'revoked', atMs: nowMs },
  });
  return { kind: 'never' };
}
