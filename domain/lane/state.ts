import { shortHash } from '../ids.ts';
import type { OutcomeKind } from '../outcome.ts';
import type { LateOutcome } from '../record.ts';
import type { Answers } from './answers.ts';
import { Places } from './places.ts';
import type { SeenPolicy } from './policy.ts';

/** Where a cooldown came from. Never chat ids or text. */
export interface Cooldown {
  readonly notBeforeMs: number;
  readonly reason: 'flood' | 'held' | 'service_paused' | 'extended' | 'override' | 'known';
  readonly savedAtMs: number;
  readonly by: string | null;
  readonly why: string | null;
}

/** What was seen with the last flood: evidence for a later, finer policy than pausing the whole lane. */
export interface FloodEvidence {
  readonly atMs: number;
  readonly retryAfterMs: number | null;
  readonly chatKind: 'chat' | 'group' | null;
  readonly sentLastSecond: number;
  readonly sentLastMinute: number;
}

export interface Stop {
  readonly why: string;
  readonly atMs: number;
}

export interface Pause {
  readonly by: string;
  readonly reason: string;
  readonly atMs: number;
}

/** After a cooldown one request goes first. `leased`: it has been granted, and others wait for its outcome. */
export type Probe =
  | { readonly kind: 'open' }
  | { readonly kind: 'wanted' }
  | { readonly kind: 'leased'; readonly reply: string; readonly sinceMs: number; readonly untilMs: number };

export interface Chat {
  kind: 'chat' | 'group';
  answered: Answers;
  places: Places;
}

/** The lane's memory of the latest claim of one reply. */
export interface Fence {
  readonly attempt: number;
  /** Short hash of the run; empty where it is not known (an attempt that was revoked before the reply ever claimed). */
  readonly run: string;
  /** Short hash; empty once the claim cannot be asked for again. */
  readonly nonce: string;
  /** Bucket of the destination today. */
  chat: string;
  readonly chatKind: 'chat' | 'group';
  readonly weight: number;
  readonly grantedAtMs: number;
  /** How many claims the lane had granted with this one; 0 where no idempotency key needs it. */
  count: number;
  /** When this or an earlier attempt was revoked: one of its late claims may still be on its way. */
  revokedAtMs: number | null;
  state: FenceState;
}

export type FenceState =
  | { readonly kind: 'outstanding' }
  /** `outcome` null: an activity that was lost, with nothing reported. */
  | { readonly kind: 'settled'; readonly atMs: number; readonly outcome: OutcomeKind | null }
  /** A tombstone: the attempt must not be claimed any more. `answer` is what the revoke was told. */
  | { readonly kind: 'revoked'; readonly atMs: number; readonly answer: 'never' | 'lost' };

export interface LaneAct {
  readonly at: number;
  readonly what: string;
  readonly by: string;
  readonly reason: string;
}

/** `reply` is the plain key, `attempt` its number in the reply's record where the worker knew it. */
export interface LateReport {
  readonly reply: string;
  readonly attempt: number;
  readonly outcome: LateOutcome;
  readonly at: number;
}

/**
 * Everything the lane of one bot knows. Changed in place by the functions of this folder, which are deterministic: time
 * is always an argument. `snapshot.ts` turns it into a small JSON-safe value and back.
 */
export interface Lane {
  readonly bot: string;
  /** Changes when a lane loses its memory (rule 5). */
  readonly epoch: string;
  readonly bornAtMs: number;
  policies: readonly SeenPolicy[];
  cooldown: Cooldown | null;
  probe: Probe;
  stopped: Stop | null;
  paused: Pause | null;
  authStreak: number;
  unreadableStreak: number;
  /** Requests in a row that got no answer. */
  silentStreak: number;
  /** Answers in a row by which the service as a whole had paused. */
  pauseStreak: number;
  chats: Map<string, Chat>;
  /** By short hash of reply key, long enough that two never meet. */
  fences: Map<string, Fence>;
  /** Old destination to new one. */
  moved: Map<string, string>;
  /** Short hashes of keys that are through, with the instant, oldest first. */
  done: Map<string, number>;
  answered: Answers;
  /** Next free tickets: by class, for due tickets that found no slot (by class), and for a lane that stands still. */
  cursors: { reply: number; bulk: number; replyDue: number; bulkDue: number; stall: number };
  /** Slots owed to bulk while replies wait; one whole one may be taken. */
  bulkCredit: number;
  /** No claim granted at or before this instant is remembered for sure. */
  forgottenMs: number;
  /** Asks whose activity was scheduled at or before this are refused: their revocation may have been forgotten. */
  refusedBeforeMs: number;
  /** When the lane was last asked, and since when it has been asked without a long silence: see `isDead`. */
  heardMs: number;
  awakeSinceMs: number;
  /** Until when those may come whose tickets an operator's opening of the lane has cut. */
  graceUntilMs: number;
  /**
   * Whether those who wait in a crowd come by their place, and those who have passed over a missing predecessor still wait
   * for it: a run that began under the rules before that keeps them, so that its history replays.
   */
  hasCrowdRules: boolean;
  /** When the last claim was granted, and a moving average of the time between two. */
  pace: { readonly grantedAtMs: number; readonly everyMs: number };
  /** How late tickets are presented: a moving average. */
  latenessMs: number;
  /** Moving average of the time from grant to answer. */
  latencyMs: number;
  sweptAtMs: number;
  placeCount: number;
  /** About the size of the snapshot: measured by each sweep, added to in between. */
  bytes: number;
  /** When an operator last opened the lane: cooldowns that earlier lanes told of are void since then. */
  overriddenAtMs: number | null;
  /** Claims granted since the lane was born: what an idempotency key protects is counted by them. */
  granted: number;
  sent: number;
  floods: number;
  lastFlood: FloodEvidence | null;
  acts: LaneAct[];
  /** What became of attempts that had been revoked before: the latest twenty. */
  lateProofs: readonly LateReport[];
}

/** A lane without memory: it starts in probe mode, since it may follow one that was lost (rule 5). */
export function newLane(bot: string, epoch: string, nowMs: number): Lane {
  return {
    bot,
    epoch,
    bornAtMs: nowMs,
    policies: [],
    cooldown: null,
    probe: { kind: 'wanted' },
    stopped: null,
    paused: null,
    authStreak: 0,
    unreadableStreak: 0,
    silentStreak: 0,
    pauseStreak: 0,
    chats: new Map(),
    fences: new Map(),
    moved: new Map(),
    done: new Map(),
    answered: [],
    cursors: { reply: 0, bulk: 0, replyDue: 0, bulkDue: 0, stall: 0 },
    bulkCredit: 0,
    forgottenMs: nowMs,
    refusedBeforeMs: 0,
    heardMs: nowMs,
    awakeSinceMs: nowMs,
    graceUntilMs: 0,
    hasCrowdRules: true,
    pace: { grantedAtMs: nowMs, everyMs: 0 },
    latenessMs: 0,
    latencyMs: 0,
    sweptAtMs: nowMs,
    placeCount: 0,
    bytes: 0,
    overriddenAtMs: null,
    granted: 0,
    sent: 0,
    floods: 0,
    lastFlood: null,
    acts: [],
    lateProofs: [],
  };
}

/** What stands for a destination in the lane's memory: a short plain id for itself, anything else for its hash. */
export function bucketOf(chatId: string): string {
  return /^[\w@.:+-]{1,40}$/.test(chatId) ? chatId : `#${shortHash(chatId, 12)}`;
}

/** A chat of which nothing is remembered. */
export function newChat(kind: 'chat' | 'group'): Chat {
  return { kind, answered: [], places: new Places() };
}

export function chatOf(lane: Lane, bucket: string, kind: 'chat' | 'group'): Chat {
  const known = lane.chats.get(bucket);
  if (known) return known;
  const chat = newChat(kind);
  lane.chats.set(bucket, chat);
  return chat;
}

/** The destination that an id stands for today. A ring of moves is followed once. */
export function movedChat(lane: Lane, id: string): string {
  const seen = new Set<string>();
  let current = id;
  for (
    let next = lane.moved.get(current);
    next !== undefined && !seen.has(next);
    next = lane.moved.get(current)
  ) {
    seen.add(current);
    current = next;
  }
  return current;
}

/** Appends to the operators' log of the lane, which keeps the latest twenty, long texts cut. */
export function recordAct(lane: Lane, { at, what, by, reason }: LaneAct): void {
  lane.acts = [...lane.acts.slice(-19), { at, what, by: by.slice(0, 80), reason: reason.slice(0, 120) }];
}
