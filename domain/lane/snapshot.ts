import type { OutcomeKind } from '../outcome.ts';
import type { Answers } from './answers.ts';
import { type Place, Places } from './places.ts';
import { type Chat, type Fence, type FenceState, type Lane, newLane } from './state.ts';

/**
 * The JSON-safe form of a lane, handed from run to run of the cooldown workflow. `v` says how to read it. What there is
 * much of is text, since ten thousand replies must fit (rule 19): hashes as they are, instants in six characters, base 36
 * and from `baseMs`.
 */
export interface LaneSnapshot {
  readonly v: 1;
  readonly baseMs: number;
  readonly lane: Omit<Lane, 'chats' | 'fences' | 'moved' | 'done' | 'answered' | 'placeCount'>;
  readonly moved: readonly (readonly [string, string])[];
  /** Hash and instant. */
  readonly done: string;
  readonly answered: Answers;
  /** Bucket, 1 for a group, answers, places: hash, ticket, `r` or `b` for bulk; a capital where a hash to wait for follows. */
  readonly chats: readonly (readonly [string, 0 | 1, Answers, string])[];
  /** Hashes of the places that have passed over a missing predecessor. Absent from snapshots of older lanes. */
  readonly skips?: string;
  readonly claims: readonly ClaimRow[];
  /**
   * Claims that are over, and revocations: key, run (padded), granted, revoked (or as many dashes), instant, one character
   * of state, attempt in base 36, a point and the claim's count in base 36 where it was counted, and a space.
   */
  readonly over: string;
}

/** A claim that is out: key, attempt, run, granted, revoked or null, nonce, chat, 1 for a group, weight, count. */
type ClaimRow = readonly [
  string,
  number,
  string,
  number,
  number | null,
  string,
  string,
  0 | 1,
  number,
  // Absent from snapshots of older lanes.
  number?,
];

const instantWidth = 6;
const longestDeltaMs = 36 ** instantWidth - 1;
const noInstant = '-'.repeat(instantWidth);
/** States of claims that are over. Capital: revoked. */
const stateLetters: Readonly<Record<OverName, string>> = {
  never: 'N',
  lost: 'L',
  nothing: '_',
  sent: 's',
  flood: 'f',
  held: 'h',
  rejected: 'r',
  migrated: 'm',
  unknown: 'u',
  unreached: 'n',
  paused: 'p',
};
type OverName = OutcomeKind | 'never' | 'lost' | 'nothing';
const stateNames = new Map(Object.entries(stateLetters).map(([name, letter]) => [letter, name as OverName]));

/** Writes a lane down. Instants are kept to the millisecond; tickets more than 24 days ahead are cut to that. */
export function freezeLane(lane: Lane, nowMs: number): LaneSnapshot {
  // Everything that is remembered in text is younger than a day, but for deadlines, which lie ahead.
  const baseMs = nowMs - 86_400_000;
  const { chats, fences, moved, done, answered, placeCount: _, ...rest } = lane;
  const skips = [...chats.values()]
    .flatMap(({ places }) => [...places].filter((place) => place.skips))
    .map(({ hash }) => hash)
    .join('');
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
    ...(skips === '' ? {} : { skips }),
    claims: [...fences].flatMap(([key, fence]) => claimRow(key, fence, baseMs) ?? []),
    over: [...fences].map(([key, fence]) => overText(key, fence, baseMs)).join(''),
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
  const skips = new Set(snapshot.skips?.match(/.{6}/g));
  for (const [bucket, group, answered, places] of snapshot.chats) {
    const chat: Chat = {
      kind: group === 1 ? 'group' : 'chat',
      answered: shifted(answered, baseMs),
      places: thawPlaces(places, skips, baseMs),
    };
    lane.placeCount += chat.places.size;
    lane.chats.set(bucket, chat);
  }
  // Those that are out are the youngest, mostly: the order matters only for what is forgotten first.
  thawOver(lane, snapshot.over, baseMs);
  for (const row of snapshot.claims) lane.fences.set(row[0], thawClaim(row, baseMs));
  return lane;
}

function shifted(answers: Answers, byMs: number): Answers {
  return answers.map(([atMs, slots]) => [atMs + byMs, slots]);
}

function placeText({ hash, ticketMs, bulk, blockedOn }: Place, baseMs: number): string {
  const mark = bulk ? 'b' : 'r';
  return hash + instantText(ticketMs, baseMs) + (blockedOn === null ? mark : mark.toUpperCase() + blockedOn);
}

function thawPlaces(text: string, skips: ReadonlySet<string>, baseMs: number): Places {
  const places = new Places();
  const markAt = 6 + instantWidth;
  for (let at = 0; at < text.length;) {
    const mark = text.charAt(at + markAt);
    const isBlocked = mark === 'R' || mark === 'B';
    const hash = text.slice(at, at + 6);
    places.add({
      hash,
      ticketMs: instantOf(text.slice(at + 6, at + markAt), baseMs),
      bulk: mark === 'b' || mark === 'B',
      blockedOn: isBlocked ? text.slice(at + markAt + 1, at + markAt + 7) : null,
      skips: skips.has(hash),
    });
    at += markAt + (isBlocked ? 7 : 1);
  }
  return places;
}

function claimRow(key: string, fence: Fence, baseMs: number): [ClaimRow] | undefined {
  if (fence.state.kind !== 'outstanding') return undefined;
  const { attempt, run, nonce, chat, chatKind, weight, grantedAtMs, revokedAtMs, count } = fence;
  const revoked = revokedAtMs === null ? null : revokedAtMs - baseMs;
  return [
    [
      key,
      attempt,
      run,
      grantedAtMs - baseMs,
      revoked,
      nonce,
      chat,
      chatKind === 'group' ? 1 : 0,
      weight,
      count,
    ],
  ];
}

function thawClaim(row: ClaimRow, baseMs: number): Fence {
  const [, attempt, run, granted, revoked, nonce, chat, group, weight, count = 0] = row;
  return {
    attempt,
    run,
    nonce,
    chat,
    chatKind: group === 1 ? 'group' : 'chat',
    weight,
    grantedAtMs: granted + baseMs,
    count,
    revokedAtMs: revoked === null ? null : revoked + baseMs,
    state: { kind: 'outstanding' },
  };
}

function overText(
  key: string,
  { attempt, run, grantedAtMs, count, revokedAtMs, state }: Fence,
  baseMs: number,
): string {
  if (state.kind === 'outstanding') return '';
  const name = state.kind === 'revoked' ? state.answer : (state.outcome ?? 'nothing');
  const revoked = revokedAtMs === null ? noInstant : instantText(revokedAtMs, baseMs);
  const instants = instantText(grantedAtMs, baseMs) + revoked + instantText(state.atMs, baseMs);
  const counted = count > 0 ? `.${count.toString(36)}` : '';
  return `${key}${run.padEnd(6, '.')}${instants}${stateLetters[name]}${attempt.toString(36)}${counted} `;
}

function thawOver(lane: Lane, text: string, baseMs: number): void {
  for (const row of text.split(' ')) {
    if (row === '') continue;
    const instantAt = (index: number): string =>
      row.slice(18 + index * instantWidth, 18 + (index + 1) * instantWidth);
    const stateAt = 18 + 3 * instantWidth;
    const revoked = instantAt(1);
    const [attempt = '', count = '0'] = row.slice(stateAt + 1).split('.');
    lane.fences.set(row.slice(0, 12), {
      attempt: Number.parseInt(attempt, 36),
      run: row.slice(12, 18).replaceAll('.', ''),
      nonce: '',
      chat: '',
      chatKind: 'chat',
      weight: 0,
      grantedAtMs: instantOf(instantAt(0), baseMs),
      count: Number.parseInt(count, 36),
      revokedAtMs: revoked === noInstant ? null : instantOf(revoked, baseMs),
      state: thawState(row.charAt(stateAt), instantOf(instantAt(2), baseMs)),
    });
  }
}

function thawState(letter: string, atMs: number): FenceState {
  const name = stateNames.get(letter) ?? 'nothing';
  if (name === 'never' || name === 'lost') return { kind: 'revoked', atMs, answer: name };
  return { kind: 'settled', atMs, outcome: name === 'nothing' ? null : name };
}

function instantText(atMs: number, baseMs: number): string {
  const delta = Math.min(longestDeltaMs, Math.max(0, Math.round(atMs - baseMs)));
  return delta.toString(36).padStart(instantWidth, '0');
}

function instantOf(text: string, baseMs: number): number {
  return Number.parseInt(text, 36) + baseMs;
}
