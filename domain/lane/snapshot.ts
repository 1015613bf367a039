import type { OutcomeKind } from '../outcome.ts';
import type { Answers } from './answers.ts';
import { type Place, Places } from './places.ts';
import { type Chat, type Fence, type FenceState, type Lane, newLane } from './state.ts';

/**
 * The JSON-safe form of a lane, handed from run to run of the cooldown workflow. `v` says how to read it. Places are
 * text, since ten thousand of them must fit (rule 19): 6 characters of hash, 7 of ticket (base 36, from `baseMs`), 1 of
 * class (`r` or `b`; a capital where 6 more follow, the hash that the place waits for).
 */
export interface LaneSnapshot {
  readonly v: 1;
  readonly baseMs: number;
  readonly lane: Omit<Lane, 'chats' | 'fences' | 'moved' | 'done' | 'answered' | 'placeCount'>;
  readonly moved: readonly (readonly [string, string])[];
  /** 6 characters of hash and 7 of instant each. */
  readonly done: string;
  readonly answered: Answers;
  /** Bucket, 1 for a group, answers, places. */
  readonly chats: readonly (readonly [string, 0 | 1, Answers, string])[];
  readonly fences: readonly FenceRow[];
}

/**
 * Key, attempt, run, granted, revoked or null, state, its instant; for a claim that is out also nonce, chat, 1 for a
 * group, weight. States: `o` outstanding, `n` and `l` revoked (`never`, `lost`), `s` and an outcome settled.
 */
type FenceRow = readonly [
  key: string,
  attempt: number,
  run: string,
  granted: number,
  revoked: number | null,
  state: string,
  at: number,
  claim?: readonly [nonce: string, chat: string, group: 0 | 1, weight: number],
];

const instantWidth = 7;
const longestDeltaMs = 36 ** instantWidth - 1;

/** Writes a lane down. Instants are kept to the millisecond; tickets further away than two years are cut to that. */
export function freezeLane(lane: Lane, nowMs: number): LaneSnapshot {
  // Everything that is remembered in text is younger than a day, but for deadlines, which lie ahead.
  const baseMs = nowMs - 86_400_000;
  const { chats, fences, moved, done, answered, placeCount: _, ...rest } = lane;
  return {
    v: 1,
    baseMs,
    lane: rest,
    moved: [...moved],
    done: [...done].map(([hash, atMs]) => hash + instantText(atMs, baseMs)).join(''),
    answered: shifted(answered, -baseMs),
    chats: [...chats].map(([bucket, chat]) => [
      bucket,
      chat.kind === 'group' ? 1 : 0,
      shifted(chat.answered, -baseMs),
      [...chat.places].map((place) => placeText(place, baseMs)).join(''),
    ]),
    fences: [...fences].map(([key, fence]) => freezeFence(key, fence, baseMs)),
  };
}

/** Reads a lane back. */
export function thawLane(snapshot: LaneSnapshot): Lane {
  const { baseMs } = snapshot;
  const lane: Lane = {
    ...newLane(snapshot.lane.bot, snapshot.lane.epoch, snapshot.lane.bornAtMs),
    ...snapshot.lane,
    moved: new Map(snapshot.moved),
    answered: shifted(snapshot.answered, baseMs),
  };
  for (let at = 0; at < snapshot.done.length; at += 6 + instantWidth) {
    const row = snapshot.done.slice(at, at + 6 + instantWidth);
    lane.done.set(row.slice(0, 6), instantOf(row.slice(6), baseMs));
  }
  for (const [bucket, group, answered, places] of snapshot.chats) {
    const chat: Chat = {
      kind: group === 1 ? 'group' : 'chat',
      answered: shifted(answered, baseMs),
      places: thawPlaces(places, baseMs),
    };
    lane.placeCount += chat.places.size;
    lane.chats.set(bucket, chat);
  }
  for (const row of snapshot.fences) lane.fences.set(row[0], thawFence(row, baseMs));
  return lane;
}

function shifted(answers: Answers, byMs: number): Answers {
  return answers.map(([atMs, slots]) => [atMs + byMs, slots]);
}

function placeText({ hash, ticketMs, bulk, blockedOn }: Place, baseMs: number): string {
  const mark = bulk ? 'b' : 'r';
  return hash + instantText(ticketMs, baseMs) + (blockedOn === null ? mark : mark.toUpperCase() + blockedOn);
}

function thawPlaces(text: string, baseMs: number): Places {
  const places = new Places();
  const markAt = 6 + instantWidth;
  for (let at = 0; at < text.length;) {
    const mark = text.charAt(at + markAt);
    const isBlocked = mark === 'R' || mark === 'B';
    places.add({
      hash: text.slice(at, at + 6),
      ticketMs: instantOf(text.slice(at + 6, at + markAt), baseMs),
      bulk: mark === 'b' || mark === 'B',
      blockedOn: isBlocked ? text.slice(at + markAt + 1, at + markAt + 7) : null,
    });
    at += markAt + (isBlocked ? 7 : 1);
  }
  return places;
}

function freezeFence(key: string, fence: Fence, baseMs: number): FenceRow {
  const { attempt, run, nonce, chat, chatKind, weight, grantedAtMs, revokedAtMs, state } = fence;
  const revoked = revokedAtMs === null ? null : revokedAtMs - baseMs;
  const row = [key, attempt, run, grantedAtMs - baseMs, revoked] as const;
  switch (state.kind) {
    case 'outstanding':
      return [...row, 'o', grantedAtMs - baseMs, [nonce, chat, chatKind === 'group' ? 1 : 0, weight]];
    case 'revoked':
      return [...row, state.answer === 'never' ? 'n' : 'l', state.atMs - baseMs];
    case 'settled':
      return [...row, `s${state.outcome ?? ''}`, state.atMs - baseMs];
  }
}

function thawFence(row: FenceRow, baseMs: number): Fence {
  const [, attempt, run, granted, revoked, code, at, claim] = row;
  const [nonce, chat, group, weight] = claim ?? ['', '', 0, 0];
  return {
    attempt,
    run,
    nonce,
    chat,
    chatKind: group === 1 ? 'group' : 'chat',
    weight,
    grantedAtMs: granted + baseMs,
    revokedAtMs: revoked === null ? null : revoked + baseMs,
    state: thawState(code, at + baseMs),
  };
}

function thawState(code: string, atMs: number): FenceState {
  if (code === 'o') return { kind: 'outstanding' };
  if (code === 'n' || code === 'l') return { kind: 'revoked', atMs, answer: code === 'n' ? 'never' : 'lost' };
  return { kind: 'settled', atMs, outcome: code === 's' ? null : (code.slice(1) as OutcomeKind) };
}

function instantText(atMs: number, baseMs: number): string {
  const delta = Math.min(longestDeltaMs, Math.max(0, Math.round(atMs - baseMs)));
  return delta.toString(36).padStart(instantWidth, '0');
}

function instantOf(text: string, baseMs: number): number {
  return Number.parseInt(text, 36) + baseMs;
}
