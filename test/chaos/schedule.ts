import { Chance } from './chance.ts';
import { drawFault, faultDeck, inFlightShare } from './draw-fault.ts';
import {
  type Act,
  type FaultKind,
  type PlannedAct,
  type PlannedFault,
  type PlannedReply,
  type Schedule,
  botNames,
  workerCount,
} from './fault.ts';

/** Replies per second, unless a run is told otherwise: two cores hold that, faults included. */
export const defaultRate = 4;
/** Milliseconds between two of a kind, drawn evenly. About a quarter of a fault a second. */
const faultGapMs = [1500, 6000] as const;
const actGapMs = [600, 2400] as const;
/** The first fault meets a stream that flows. */
const quietMs = 2500;

const actDeck: Readonly<Record<Act['kind'], number>> = {
  cancel: 4,
  decide: 5,
  reset: 2,
  pause: 1,
  extend: 1,
};

/** Chats of each bot; the first of each kind are chained along `after`. */
const privateChats = 7;
const groupChats = 3;

/**
 * Draws everything that a run does. The same seed, length, rate and gap give the same schedule. With a gap of 2, it is twice
 * as long from one fault to the next, and from one act to the next.
 */
export function drawSchedule(seed: number, durationMs: number, rate = defaultRate, gap = 1): Schedule {
  const chance = new Chance(seed);
  return {
    seed,
    durationMs,
    rate,
    gap,
    replies: drawReplies(seed, durationMs, rate, chance.fork('replies')),
    faults: drawFaults(durationMs, gap, chance.fork('faults')),
    acts: drawActs(durationMs, gap, chance.fork('acts')),
  };
}

function drawReplies(
  seed: number,
  durationMs: number,
  rate: number,
  chance: Chance,
): readonly PlannedReply[] {
  const last = new Map<string, { order: number; key: string }>();
  const gapMs = [Math.round(400 / rate), Math.round(1600 / rate)] as const;
  return instants(0, durationMs, gapMs, chance).map((atMs, index) => {
    const bot = chance.pick(botNames);
    const chat = drawChat(bot, chance);
    const key = `chaos-${seed}-${index + 1}`;
    const before = last.get(`${bot} ${chat.id}`);
    const order = (before?.order ?? 0) + 1;
    last.set(`${bot} ${chat.id}`, { order, key });
    return {
      atMs,
      bot,
      key,
      chat: chat.id,
      chain: chat.chained ? { order, after: before?.key ?? null } : null,
      class: chance.happens(0.2) ? 'bulk' : 'reply',
      expiresInMs: chance.happens(0.15) ? chance.whole(3000, 40_000) : null,
      reviewIfDelayedOverMs: chance.happens(0.03) ? chance.whole(5000, 20_000) : null,
    };
  });
}

function drawChat(bot: string, chance: Chance): { readonly id: number; readonly chained: boolean } {
  const base = 1000 * (botNames.indexOf(bot as (typeof botNames)[number]) + 1);
  const index = chance.whole(1, privateChats + groupChats);
  return index <= privateChats
    ? { id: base + index, chained: index <= 4 }
    : { id: -(base + index), chained: index <= privateChats + 2 };
}

function drawFaults(durationMs: number, gap: number, chance: Chance): readonly PlannedFault[] {
  const deck = new Deck(faultDeck, chance);
  return instants(quietMs, durationMs, stretched(faultGapMs, gap), chance).map((atMs, index) => {
    const kind = deck.deal();
    const fault = drawFault(kind, chance);
    const worker = chance.whole(0, workerCount - 1);
    return { n: index + 1, atMs, fault, worker, whenInFlight: chance.happens(inFlightShare[kind]) };
  });
}

function drawActs(durationMs: number, gap: number, chance: Chance): readonly PlannedAct[] {
  const deck = new Deck(actDeck, chance);
  return instants(quietMs, durationMs, stretched(actGapMs, gap), chance).map((atMs, index) => {
    return { n: index + 1, atMs, act: drawAct(deck.deal(), chance) };
  });
}

function stretched([least, most]: readonly [number, number], gap: number): readonly [number, number] {
  return [Math.round(least * gap), Math.round(most * gap)];
}

function drawAct(kind: Act['kind'], chance: Chance): Act {
  const choice = chance.next();
  switch (kind) {
    case 'cancel':
      return { kind, choice };
    case 'decide': {
      const decision = chance.weighted<'not_sent' | 'sent' | 'cancel' | 'resend'>([
        [4, 'not_sent'],
        [3, 'sent'],
        [2, 'cancel'],
        [2, 'resend'],
      ]);
      return { kind, choice, decision };
    }
    case 'reset':
      return { kind, choice, point: chance.next() };
    case 'pause':
      return { kind, bot: chance.pick(botNames), forMs: chance.whole(1000, 6000) };
    case 'extend':
      return { kind, bot: chance.pick(botNames), seconds: chance.whole(1, 5) };
  }
}

function instants(
  fromMs: number,
  toMs: number,
  [leastMs, mostMs]: readonly [number, number],
  chance: Chance,
): number[] {
  const all: number[] = [];
  for (let atMs = fromMs; ; all.push(atMs)) {
    atMs += chance.whole(leastMs, mostMs);
    if (atMs >= toMs) return all;
  }
}

/** Deals kinds in a drawn order; all of them before it begins anew. */
class Deck<Kind extends FaultKind | Act['kind']> {
  readonly #counts: Readonly<Record<Kind, number>>;
  readonly #chance: Chance;
  #cards: Kind[] = [];

  constructor(counts: Readonly<Record<Kind, number>>, chance: Chance) {
    this.#counts = counts;
    this.#chance = chance;
  }

  deal(): Kind {
    if (this.#cards.length === 0) {
      const kinds = Object.entries(this.#counts) as [Kind, number][];
      this.#cards = kinds.flatMap(([kind, count]) => Array.from({ length: count }, () => kind));
    }
    const [card] = this.#cards.splice(this.#chance.whole(0, this.#cards.length - 1), 1);
    return card as Kind;
  }
}
