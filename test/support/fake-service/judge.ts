import type { Arrival, Deadline, Verdict } from './arrival.ts';
import { scopeOfChat, type Window, type Windows, type WindowScope } from './flood-control.ts';
import { isQuestion } from './method-result.ts';

/**
 * Judges a sender by the record of what it sent. Pure; each function returns its findings, and an empty list means that
 * the rule was kept. Requests count whether or not they were answered, or even completed.
 */

/** What the judge reads of an arrival; instants are of one clock. */
export type Evidence = Pick<Arrival, 'n' | 'atMs' | 'bot' | 'chat' | 'text'>;

/** What it reads besides, where an arrival's fate matters. */
export type FateEvidence = Evidence & Pick<Arrival, 'httpStatus' | 'verdict' | 'answeredAtMs'>;

export type KeyOf<Item> = (item: Item) => string | null;

/** An intention, where each text is sent to a chat once only; null leaves an item out. */
export function byText(item: Pick<Arrival, 'bot' | 'chat' | 'text'>): string | null {
  return item.bot === null || item.text === null ? null : `${item.bot} ${item.chat} ${item.text}`;
}

export interface WindowViolation {
  readonly bot: string;
  readonly scope: WindowScope;
  /** The chat whose window was exceeded; null for the bot's. */
  readonly chat: string | null;
  readonly window: Window;
  /** `n` of the arrival that was one too many. */
  readonly n: number;
  /** How long after the first of the window's arrivals it came: less than the window's `perMs`. */
  readonly afterMs: number;
}

/** Arrivals beyond the limit of a window. All of them count, those met by a 429 too; questions (`getMe`) do not. */
export function windowViolations(
  arrivals: readonly (Evidence & { readonly method?: string | null })[],
  windows: Windows,
): readonly WindowViolation[] {
  const counted = arrivals.filter(({ bot, method }) => bot !== null && !isQuestion(method ?? ''));
  const violations: WindowViolation[] = [];
  for (const scope of ['bot', 'chat', 'group'] as const) {
    const groups = groupBy(counted, ({ bot, chat }) => {
      if (scope === 'bot') return `${bot}`;
      return chat !== null && scopeOfChat(chat) === scope ? `${bot} ${chat}` : null;
    });
    for (const group of groups.values()) {
      const ordered = group.toSorted((a, b) => a.atMs - b.atMs || a.n - b.n);
      for (const window of windows[scope] ?? []) {
        for (const [i, { n, atMs, bot, chat }] of ordered.entries()) {
          const first = ordered[i - window.limit];
          if (first === undefined || atMs - first.atMs >= window.perMs || bot === null) continue;
          const at = scope === 'bot' ? null : chat;
          violations.push({ bot, scope, chat: at, window, n, afterMs: atMs - first.atMs });
        }
      }
    }
  }
  return violations;
}

export interface EarlyArrival {
  readonly n: number;
  readonly bot: string;
  readonly earlyByMs: number;
  readonly deadline: Deadline;
}

/**
 * Arrivals before the end of a wait that had been announced to the sender. `inFlightMs` after the announcement are
 * forgiven: requests that were already on their way. Each arrival is found once, with the latest deadline it broke.
 */
export function earlyArrivals(
  arrivals: readonly Evidence[],
  deadlines: readonly Deadline[],
  options: { readonly inFlightMs: number } = { inFlightMs: 0 },
): readonly EarlyArrival[] {
  return arrivals.flatMap(({ n, atMs, bot, chat }) => {
    const broken = deadlines
      .filter((deadline) => deadline.bot === bot && (deadline.chat === null || deadline.chat === chat))
      .filter(({ answeredAtMs, untilMs }) => atMs > answeredAtMs + options.inFlightMs && atMs < untilMs)
      .toSorted((a, b) => b.untilMs - a.untilMs);
    const [deadline] = broken;
    if (deadline === undefined || bot === null) return [];
    return [{ n, bot, earlyByMs: deadline.untilMs - atMs, deadline }];
  });
}

export interface Duplicate {
  readonly key: string;
  /** `n` of each arrival that carried the key, at least two. */
  readonly ns: readonly number[];
}

/** Intentions whose message the service took more than once. For `fake.stored()`, or arrivals, of which those stored count. */
export function duplicates<Item extends Evidence & { readonly verdict?: Verdict }>(
  items: readonly Item[],
  keyOf: KeyOf<Item> = byText,
): readonly Duplicate[] {
  const taken = items.filter(({ verdict }) => verdict === undefined || verdict === 'stored');
  return several(groupBy(taken, keyOf));
}

/**
 * Requests that repeated an intention while nobody could know that an earlier one had not been taken: it had been
 * answered with neither a 429 nor another 4xx when the repetition arrived. `duplicates` needs the bad luck that the
 * earlier one was stored; this finds the gamble itself.
 */
export function unsafeRepeats<Item extends FateEvidence>(
  arrivals: readonly Item[],
  keyOf: KeyOf<Item> = byText,
): readonly Duplicate[] {
  const found: Duplicate[] = [];
  for (const [key, group] of groupBy(arrivals, keyOf)) {
    const ns = group
      .filter((later, i) => group.slice(0, i).some((earlier) => !wasRefusedBefore(earlier, later.atMs)))
      .map(({ n }) => n);
    if (ns.length > 0) found.push({ key, ns });
  }
  return found;
}

function wasRefusedBefore({ httpStatus, verdict, answeredAtMs }: FateEvidence, atMs: number): boolean {
  const isRefusal = httpStatus !== null && (verdict === 'flood' || verdict === 'refused');
  return isRefusal && answeredAtMs !== null && answeredAtMs <= atMs;
}

export interface Inversion {
  readonly bot: string;
  readonly chat: string;
  /** `n` of an arrival that came before one which should have preceded it. */
  readonly n: number;
  readonly laterN: number;
}

/**
 * Arrivals of one chat that came before one of a lower order. Every arrival counts: what is sent while its
 * predecessor waits after a 429 has overtaken it. `orderOf` null leaves an arrival out. Each late one is found once.
 */
export function outOfOrder<Item extends Evidence>(
  arrivals: readonly Item[],
  orderOf: (arrival: Item) => number | null,
): readonly Inversion[] {
  const inversions: Inversion[] = [];
  for (const group of groupBy(arrivals, ({ bot, chat }) =>
    chat === null ? null : `${bot} ${chat}`,
  ).values()) {
    let furthest: { readonly n: number; readonly order: number } | null = null;
    for (const arrival of group.toSorted((a, b) => a.n - b.n)) {
      const order = orderOf(arrival);
      const { n, bot, chat } = arrival;
      if (order === null || bot === null || chat === null) continue;
      if (furthest === null || order >= furthest.order) furthest = { n, order };
      else inversions.push({ bot, chat, n: furthest.n, laterN: n });
    }
  }
  return inversions;
}

function several(groups: ReadonlyMap<string, readonly Evidence[]>): readonly Duplicate[] {
  return [...groups]
    .filter(([, group]) => group.length > 1)
    .map(([key, group]) => ({ key, ns: group.map(({ n }) => n) }));
}

function groupBy<Item>(items: readonly Item[], keyOf: KeyOf<Item>): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === null) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
