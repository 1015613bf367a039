import type { Window } from '../../../../domain/lane/policy.ts';
import type { Chance, Range } from './chance.ts';
import type { Timeline } from './timeline.ts';

/** A request as it reaches the service. */
export interface Arrival {
  readonly atMs: number;
  readonly reply: string;
  readonly attempt: number;
  readonly chat: string;
  readonly weight: number;
  readonly bulk: boolean;
  readonly grantedAtMs: number;
}

export type Answer =
  | { readonly kind: 'sent' | 'held' | 'rejected' | 'auth' | 'unreadable' | 'none' }
  | { readonly kind: 'flood'; readonly retryAfterMs: number }
  | { readonly kind: 'migrated'; readonly to: string };

/** How the service behaves, by chance. */
export interface ServiceWays {
  /** From the request's arrival to its answer. */
  readonly answerMs: Range;
  readonly floodChance: number;
  readonly floodSeconds: readonly number[];
  /** Any call during a penalty doubles what is left of it (F8). */
  readonly lengthens: boolean;
  readonly silentChance: number;
  readonly heldChance: number;
  readonly rejectedChance: number;
  readonly authChance: number;
  readonly migrations: readonly (readonly [from: string, to: string])[];
}

export const kindService: ServiceWays = {
  answerMs: [10, 50],
  floodChance: 0,
  floodSeconds: [5],
  lengthens: false,
  silentChance: 0,
  heldChance: 0,
  rejectedChance: 0,
  authChance: 0,
  migrations: [],
};

/** Requests in flight when a penalty begins also lengthen it: enough is enough, or worlds would not end. */
const longestExtraMs = 600_000;

/** A service with limits of its own: it keeps what it saw, and answers by its ways. */
export class ModelService {
  readonly arrivals: Arrival[] = [];
  readonly earlyArrivals: Arrival[] = [];
  penaltyUntilMs = 0;
  ways: ServiceWays;
  private readonly timeline: Timeline;
  private readonly chance: Chance;
  private readonly migrated = new Map<string, { readonly to: string; readonly atMs: number }>();

  constructor(timeline: Timeline, chance: Chance, ways: ServiceWays) {
    this.timeline = timeline;
    this.chance = chance;
    this.ways = ways;
  }

  receive(request: Omit<Arrival, 'atMs'>): Answer {
    const { ways, chance } = this;
    const arrival = { ...request, atMs: this.timeline.nowMs };
    this.arrivals.push(arrival);
    const leftMs = this.penaltyUntilMs - arrival.atMs;
    if (leftMs > 0) {
      this.earlyArrivals.push(arrival);
      if (ways.lengthens) this.penaltyUntilMs += Math.min(leftMs, longestExtraMs);
      return this.flood((this.penaltyUntilMs - arrival.atMs) / 1000);
    }
    if (chance.happens(ways.floodChance)) return this.flood(chance.pick(ways.floodSeconds));
    const to = this.migrationOf(request.chat);
    if (to !== undefined) return { kind: 'migrated', to };
    if (chance.happens(ways.silentChance)) return { kind: 'none' };
    if (chance.happens(ways.heldChance)) return { kind: 'held' };
    if (chance.happens(ways.rejectedChance)) return { kind: 'rejected' };
    if (chance.happens(ways.authChance)) return { kind: 'auth' };
    return { kind: 'sent' };
  }

  /** When a chat began to refuse its old id. */
  movedAtMs(chat: string): number | undefined {
    return this.migrated.get(chat)?.atMs;
  }

  private flood(seconds: number): Answer {
    const retryAfterMs = Math.ceil(seconds) * 1000;
    this.penaltyUntilMs = Math.max(this.penaltyUntilMs, this.timeline.nowMs + retryAfterMs);
    return { kind: 'flood', retryAfterMs };
  }

  /** From some request on, a chat that migrates refuses its old id. */
  private migrationOf(chat: string): string | undefined {
    const known = this.migrated.get(chat);
    if (known) return known.to;
    const move = this.ways.migrations.find(([from]) => from === chat);
    if (!move || this.chance.happens(0.7)) return undefined;
    this.migrated.set(chat, { to: move[1], atMs: this.timeline.nowMs });
    return move[1];
  }
}

/** Where more slots arrived in some window than it allows: one sentence for each. */
export function brokenWindows(
  arrivals: readonly Arrival[],
  windows: readonly Window[],
  scope: string,
): string[] {
  return windows.flatMap(({ limit, perMs }) => {
    let first = 0;
    let slots = 0;
    for (const [index, arrival] of arrivals.entries()) {
      slots += arrival.weight;
      while (arrivals[first]!.atMs <= arrival.atMs - perMs) slots -= arrivals[first++]!.weight;
      // One that is heavier than the limit cannot be split: it must be alone.
      if (slots > limit && first < index)
        return [`${scope}: ${slots} slots in ${perMs} ms at ${arrival.atMs}, limit ${limit}`];
    }
    return [];
  });
}
