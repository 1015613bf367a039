import type { OutcomeKind } from '../outcome.ts';

/** How urgent a reply is: however much `bulk` waits, a `reply` waits about 2 s at most for a slot of the bot. */
export type ReplyClass = 'reply' | 'bulk';

/** Why a lane, or the reply itself, lets a reply wait. */
export type WaitWhy =
  'cooldown' | 'bot_pace' | 'chat_pace' | 'order' | 'probe' | 'backoff' | 'lane_stopped' | 'lane_paused';

/**
 * Where a claim stands in the life of its lane: what an idempotency key protects is counted from here. `count` is how many
 * claims the lane had granted, this one among them.
 */
export interface ClaimMark {
  readonly epoch: string;
  readonly atMs: number;
  readonly count: number;
}

/** An ask for a repetition, which its key protects only within these bounds, counted from the earliest uncertain claim. */
export interface ProtectedAsk extends ClaimMark {
  readonly windowMs: number;
  readonly otherKeys: number;
}

/** Asks whether one attempt may go now. All instants are on the lane's clock, but for `scheduledAtMs` (the server's). */
export interface Ask {
  /** Plain form of the reply's key. */
  readonly reply: string;
  /** Run Id of the reply's workflow. */
  readonly run: string;
  /** Counts the activity runs of the reply, from 1. */
  readonly attempt: number;
  /** One for each activity run: the same nonce gets the same `go` (rule 4). */
  readonly nonce: string;
  readonly chat: string;
  readonly chatKind: 'chat' | 'group';
  readonly weight: number;
  readonly class: ReplyClass;
  /** When the activity was scheduled: an ask from long ago is refused. */
  readonly scheduledAtMs: number;
  /** Plain form of the key after which this one goes, in the same chat. */
  readonly after?: string;
  /** The `untilMs` of the last `wait`. */
  readonly ticketMs?: number;
  /** Since when the reply has been told to wait for a predecessor that the lane does not know. */
  readonly heldSinceMs?: number;
  readonly expiresAtMs?: number;
  /** The cooldown that the reply was told, and by which lane: brought along in case that lane was lost (rule 5). */
  readonly known?: { readonly epoch: string; readonly notBeforeMs: number };
  /** The service has idempotency keys that protect a repetition: the answer must say where the claim stands. */
  readonly hasKeys?: boolean;
  /** An earlier attempt may have arrived: granted only while its idempotency key protects it (invariant 5). */
  readonly doubt?: ProtectedAsk;
}

export type RefusedWhy =
  'expired' | 'claimed' | 'revoked' | 'other_run' | 'stale_ask' | 'bad_request' | 'unprotected';

export type Verdict =
  /** Good for one request. `chat` where the destination has moved. */
  | {
      readonly kind: 'go';
      readonly nowMs: number;
      readonly epoch: string;
      readonly chat?: string;
      /** Where the claim stands, for asks that have keys. */
      readonly mark?: ClaimMark;
    }
  /** Ask again at `untilMs`. `heldSinceMs` where a predecessor is missing; `cooldownMs` the cooldown in force. */
  | {
      readonly kind: 'wait';
      readonly nowMs: number;
      readonly untilMs: number;
      readonly why: WaitWhy;
      readonly epoch: string;
      readonly heldSinceMs?: number;
      readonly cooldownMs?: number;
    }
  | { readonly kind: 'refused'; readonly nowMs: number; readonly why: RefusedWhy; readonly epoch: string };

/** What became of a claim, or (`gone`) that a reply needs its place no longer. */
export interface Report {
  readonly reply: string;
  readonly attempt: number;
  readonly nonce: string;
  /** With `gone` empty where the reply does not know: the lane looks for its place. */
  readonly chat: string;
  readonly outcome: OutcomeKind | 'gone';
  readonly retryAfterMs?: number;
  /** Monotonic time from the answer to the report. */
  readonly ageMs: number;
  /** `auth`: a rejection of the bot itself. `unreadable`: an answer that is not the service's. `no_flood`: held, but not for flood. */
  readonly detail?: 'auth' | 'unreadable' | 'no_flood';
  /** The reply comes again by itself, and keeps its place in the chat. */
  readonly keepsPlace?: boolean;
  /** With `migrated`: the new destination. */
  readonly movedTo?: string;
  /** With a report that may be late: the number of the attempt in the reply's record. */
  readonly number?: number;
}

export interface RevokeRequest {
  readonly reply: string;
  readonly attempt: number;
  /** When the lost activity was taken up by a worker, or earlier (when it was scheduled): no claim of it is older. */
  readonly scheduledAtMs: number;
  /** As in an ask: if it was claimed the reply comes again by itself, and keeps its place in the chat. */
  readonly hasKeys?: boolean;
}

/**
 * `never`: not claimed, and a late claim is refused from now on. `yes`: claimed; `reported` is what the lane was told of
 * it, if anything, and `mark` where the claim stands, if it has keys. `lost`: the lane cannot know any more.
 */
export type RevokeAnswer =
  | { readonly kind: 'never' }
  | { readonly kind: 'yes'; readonly reported: OutcomeKind | null; readonly mark?: ClaimMark }
  | { readonly kind: 'lost' };

export type ControlAction = 'pause' | 'resume' | 'override';

/** An operator's act on a lane; who and why are required and kept. */
export interface ControlRequest {
  readonly action: ControlAction;
  readonly by: string;
  readonly reason: string;
}

export interface ExtendRequest {
  readonly seconds: number;
  readonly by: string;
  readonly reason: string;
}
