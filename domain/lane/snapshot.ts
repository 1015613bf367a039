import type { OutcomeKind } from '../outcome.ts';
import { type Chat, type Fence, type Lane, newLane } from './state.ts';

/**
 * The JSON-safe form of a lane, handed from run to run of the cooldown workflow. `v` says how to read it. Places are
 * text, since ten thousand of them must fit (rule 19): 6 characters of hash, 7 of ticket (base 36, from `baseMs`), 1 of
 * class (`r` or `b`; a capital where 6 more follow, the hash that the place waits for).
 */
export interface LaneSnapshot {
  readonly v: 1;
  readonly baseMs: number;
  readonly lane: Omit<Lane, 'chats' | 'fences' | 'moved' | 'answered' | 'placeCount'>;
  readonly moved: readonly (readonly [string, string])[];
  readonly answered: readonly number[];
  /** Id, 1 for a group, answers, places, done keys (6 characters of hash and 7 of instant each). */
  readonly chats: readonly (readonly [string, 0 | 1, readonly number[], string, string])[];
  readonly fences: readonly FenceRow[];
}

/** Key, attempt, run, nonce, chat, 1 for a group, weight, granted, state (`o`, `r`, `s` and an outcome), its instant. */
type FenceRow = readonly [string, number, string, string, string, 0 | 1, number, number, string, number];

const instantWidth = 7;
const longestDeltaMs = 36 ** instantWidth - 1;

/** Writes a lane down. Instants are kept to the millisecond; tickets further away than two years are cut to that. */
export function freezeLane(lane: Lane, nowMs: number): LaneSnapshot {
  // Everything that is remembered is younger than a day, but for deadlines, which lie ahead.
  const baseMs = nowMs - 86_400_000;
  const { chats, fences, moved, answered, placeCount: _, ...rest } = lane;
  return {
    v: 1,
    baseMs,
    lane: rest,
    moved: [...moved],
    answered: answered.map((atMs) => atMs - baseMs),
    chats: [...chats].map(([id, chat]) => [
      id,
      chat.kind === 'group' ? 1 : 0,
      chat.answered.map((atMs) => atMs - baseMs),
      freezePlaces(chat, baseMs),
      [...chat.done].map(([hash, atMs]) => hash + instantText(atMs, baseMs)).join(''),
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
    answered: snapshot.answered.map((delta) => delta + baseMs),
  };
  for (const [id, group, answered, places, done] of snapshot.chats) {
    const chat: Chat = {
      kind: group === 1 ? 'group' : 'chat',
      answered: answered.map((delta) => delta + baseMs),
      places: new Map(),
      done: new Map(),
    };
    thawPlaces(chat, places, baseMs);
    for (const row of rowsOf(done, 6 + instantWidth)) chat.done.set(row.slice(0, 6), instantOf(row.slice(6), baseMs));
    lane.placeCount += chat.places.size;
    lane.chats.set(id, chat);
  }
  for (const row of snapshot.fences) lane.fences.set(row[0], thawFence(row, baseMs));
  return lane;
}

function freezePlaces(chat: Chat, baseMs: number): string {
  let text = '';
  for (const [hash, place] of chat.places) {
    const mark = place.bulk ? 'b' : 'r';
    text += hash + instantText(place.ticketMs, baseMs);
    text += place.blockedOn === null ? mark : mark.toUpperCase() + place.blockedOn;
  }
  return text;
}

function thawPlaces(chat: Chat, text: string, baseMs: number): void {
  const width = 6 + instantWidth;
  for (let at = 0; at + width < text.length;) {
    const mark = text[at + width] ?? 'r';
    const blocked = mark === 'R' || mark === 'B';
    chat.places.set(text.slice(at, at + 6), {
      ticketMs: instantOf(text.slice(at + 6, at + width), baseMs),
      bulk: mark === 'b' || mark === 'B',
      blockedOn: blocked ? text.slice(at + width + 1, at + width + 7) : null,
    });
    at += width + (blocked ? 7 : 1);
  }
}

function freezeFence(key: string, fence: Fence, baseMs: number): FenceRow {
  const { attempt, run, chatKind, weight, grantedAtMs, state } = fence;
  // Only a claim that is out can be asked for again, or give back slots.
  const { nonce, chat } = state.kind === 'outstanding' ? fence : { nonce: '', chat: '' };
  const [code, atMs]: [string, number] =
    state.kind === 'outstanding'
      ? ['o', grantedAtMs]
      : state.kind === 'revoked'
        ? ['r', state.atMs]
        : [`s${state.outcome ?? ''}`, state.atMs];
  return [key, attempt, run, nonce, chat, chatKind === 'group' ? 1 : 0, weight, grantedAtMs - baseMs, code, atMs - baseMs];
}

function thawFence(row: FenceRow, baseMs: number): Fence {
  const [, attempt, run, nonce, chat, group, weight, granted, code, at] = row;
  const atMs = at + baseMs;
  const outcome = code === 's' ? null : (code.slice(1) as OutcomeKind);
  return {
    attempt,
    run,
    nonce,
    chat,
    chatKind: group === 1 ? 'group' : 'chat',
    weight,
    grantedAtMs: granted + baseMs,
    state:
      code === 'o' ? { kind: 'outstanding' } : code === 'r' ? { kind: 'revoked', atMs } : { kind: 'settled', atMs, outcome },
  };
}

function instantText(atMs: number, baseMs: number): string {
  const delta = Math.min(longestDeltaMs, Math.max(0, Math.round(atMs - baseMs)));
  return delta.toString(36).padStart(instantWidth, '0');
}

function instantOf(text: string, baseMs: number): number {
  return Number.parseInt(text, 36) + baseMs;
}

function* rowsOf(text: string, width: number): Generator<string> {
  for (let at = 0; at + width <= text.length; at += width) yield text.slice(at, at + width);
}
