import type { OutcomeKind } from '../outcome.ts';
import type { LanePolicy } from './policy.ts';

/** Where a cooldown came from. Never chat ids or text. */
export interface Cooldown {
  readonly notBeforeMs: number;
  readonly reason: 'flood' | 'held' | 'extended' | 'override' | 'known';
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

/** A reply's place in its chat. The order of places is the order of the chat. */
export interface Place {
  ticketMs: number;
  bulk: boolean;
  /** Short hash of the key it must wait for. */
  blockedOn: string | null;
}

export interface Chat {
  kind: 'chat' | 'group';
  /** Instants at which slots were given back by an answer, in order. */
  answered: number[];
  /** By short hash of the key. */
  places: Map<string, Place>;
  /** Short hashes of keys that are through, with the instant. */
  done: Map<string, number>;
}

/** The lane's memory of the latest claim of one reply. */
export interface Fence {
  attempt: number;
  run: string;
  nonce: string;
  chat: string;
  chatKind: 'chat' | 'group';
  weight: number;
  grantedAtMs: number;
  state: FenceState;
}

export type FenceState =
  | { readonly kind: 'outstanding' }
  /** `outcome` null: an activity that was lost, with nothing reported. */
  | { readonly kind: 'settled'; readonly atMs: number; readonly outcome: OutcomeKind | null }
  /** A tombstone: the attempt was never claimed, and must not be any more. */
  | { readonly kind: 'revoked'; readonly atMs: number };

export interface LaneAct {
  readonly at: number;
  readonly what: string;
  readonly by: string;
  readonly reason: string;
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
  policies: { readonly policy: LanePolicy; seenAtMs: number }[];
  cooldown: Cooldown | null;
  probe: Probe;
  stopped: Stop | null;
  paused: Pause | null;
  authStreak: number;
  unreadableStreak: number;
  chats: Map<string, Chat>;
  /** By short hash of reply key, long enough that two never meet. */
  fences: Map<string, Fence>;
  /** Old destination to new one. */
  moved: Map<string, string>;
  answered: number[];
  /** Next free tickets: by class, for due tickets that found no slot (by class), and for a lane that stands still. */
  cursors: { reply: number; bulk: number; replyDue: number; bulkDue: number; stall: number };
  /** Slots owed to bulk while replies wait; one whole one may be taken. */
  bulkCredit: number;
  /** No claim granted at or before this instant is remembered for sure. */
  forgottenMs: number;
  /** How late tickets are presented: a decaying maximum. */
  latenessMs: number;
  /** Moving average of the time from grant to answer. */
  latencyMs: number;
  sweptAtMs: number;
  placeCount: number;
  sent: number;
  floods: number;
  lastFlood: FloodEvidence | null;
  acts: LaneAct[];
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
    chats: new Map(),
    fences: new Map(),
    moved: new Map(),
    answered: [],
    cursors: { reply: 0, bulk: 0, replyDue: 0, bulkDue: 0, stall: 0 },
    bulkCredit: 0,
    forgottenMs: nowMs,
    latenessMs: 0,
    latencyMs: 0,
    sweptAtMs: nowMs,
    placeCount: 0,
    sent: 0,
    floods: 0,
    lastFlood: null,
    acts: [],
  };
}

export function chatOf(lane: Lane, id: string, kind: 'chat' | 'group'): Chat {
  let chat = lane.chats.get(id);
  if (!chat) {
    chat = { kind, answered: [], places: new Map(), done: new Map() };
    lane.chats.set(id, chat);
  }
  return chat;
}

/** The destination that an id stands for today. */
export function movedChat(lane: Lane, id: string): string {
  const seen = new Set<string>();
  let current = id;
  for (let next = lane.moved.get(current); next !== undefined && !seen.has(next); next = lane.moved.get(current)) {
    seen.add(current);
    current = next;
  }
  return current;
}

/** Appends to the operators' log of the lane, which keeps the latest twenty. */
export function recordAct(lane: Lane, act: LaneAct): void {
  lane.acts = [...lane.acts.slice(-19), act];
}
