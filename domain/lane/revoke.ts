import { fenceKey, giveBackSlots, passProbeOn, putFence, settleFence } from './fence.ts';
import { markOf } from './protection.ts';
import type { RevokeAnswer, RevokeRequest } from './messages.ts';
import { keepPlace, markDone } from './order.ts';
import { policyInForce } from './policy.ts';
import type { Fence, Lane } from './state.ts';

/** Instants of two of Temporal's services are compared here: this much apart, they are taken as the same. */
const clockMarginMs = 1000;

/**
 * Takes an attempt back whose activity was lost. `never` is a promise: a late claim of the attempt is refused from now
 * on. `lost` where the claim may have been granted by a lane, or in a time, that this one does not remember (rule 5); a
 * late claim is refused all the same. Asked again, it answers the same. Never throws.
 */
export function revokeAttempt(lane: Lane, request: RevokeRequest, nowMs: number): RevokeAnswer {
  if (!isRevoke(request)) return { kind: 'lost' };
  const key = fenceKey(request.reply);
  const fence = lane.fences.get(key);
  if (fence && fence.attempt > request.attempt) return { kind: 'lost' };
  keepPlace(lane, request.reply, nowMs);
  if (fence && fence.attempt === request.attempt) return revokeKnown(lane, key, fence, request, nowMs);
  // A grant of this attempt would have taken the place of the fence before it.
  const answer = fence || request.scheduledAtMs > lane.forgottenMs + clockMarginMs ? 'never' : 'lost';
  putFence(lane, key, {
    attempt: request.attempt,
    run: fence?.run ?? '',
    nonce: '',
    chat: '',
    chatKind: 'chat',
    weight: 0,
    grantedAtMs: nowMs,
    count: 0,
    revokedAtMs: nowMs,
    state: { kind: 'revoked', atMs: nowMs, answer },
  });
  return { kind: answer };
}

function revokeKnown(
  lane: Lane,
  key: string,
  fence: Fence,
  { reply, hasKeys }: RevokeRequest,
  nowMs: number,
): RevokeAnswer {
  const known = hasKeys === true ? markOf(lane, fence) : undefined;
  const mark = known ? { mark: known } : {};
  switch (fence.state.kind) {
    case 'revoked':
      return { kind: fence.state.answer };
    case 'settled':
      return { kind: 'yes', reported: fence.state.outcome, ...mark };
    case 'outstanding': {
      settleFence(fence, null, nowMs);
      fence.revokedAtMs = nowMs;
      // Its worker is lost, but its request may still be on the way: until its bound, as for one without an answer.
      giveBackSlots(lane, fence, fence.grantedAtMs + policyInForce(lane).answerBoundMs);
      // It goes to a person, and gives up its place in the chat; or it comes again, and keeps it.
      if (!known) markDone(lane, lane.chats.get(fence.chat), reply, nowMs);
      passProbeOn(lane, key);
      return { kind: 'yes', reported: null, ...mark };
    }
  }
}

function isRevoke(request: unknown): request is RevokeRequest {
  if (typeof request !== 'object' || request === null) return false;
  const { reply, attempt, scheduledAtMs } = request as Record<string, unknown>;
  return typeof reply === 'string' && Number.isSafeInteger(attempt) && Number.isFinite(scheduledAtMs);
}
