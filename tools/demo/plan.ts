import type { Windows } from '../../test/support/fake-service/index.ts';

/** What the demo sends, and to whom. No clock, no chance: every run plans the same. */

export const demoBot = 'demo';
export const naiveBot = 'naive';

/** What the service enforces, and what the bot's configuration says. Small, so that they bind. */
export const serviceWindows = {
  bot: [{ limit: 5, perMs: 1000 }],
  chat: [{ limit: 1, perMs: 1000 }],
  group: [{ limit: 6, perMs: 10_000 }],
} as const satisfies Windows;

/** The waits that the service asks for; the shorter one while the longer one runs. */
export const waits = { longSeconds: 4, shortSeconds: 2 } as const;

/** What is meant to happen to a reply, where it is more than being sent. */
export type Fate = 'sent' | 'cancelled' | 'expired';

export interface PlannedReply {
  readonly key: string;
  readonly chat: number;
  /** Place in its chat, from 1. */
  readonly order: number;
  /** Unique, so that the service's record tells which reply a request was for. */
  readonly text: string;
  readonly fate: Fate;
}

/** It expires in a group whose window is full until ten seconds have passed. */
export const expiresAfterMs = 6000;

const groups = [-1001, -1002];
const persons = [101, 102, 103, 104, 105, 106, 107, 108, 109, 110];
const inGroup = 8;

/** Sixty replies to twelve chats: two busy groups first, so that their windows fill; then ten persons. */
export function planReplies(): readonly PlannedReply[] {
  const places = [...rounds(groups, () => inGroup), ...rounds(persons, (index) => (index < 4 ? 5 : 4))];
  return places.map(({ chat, order }, index) => {
    const key = `upd-${String(index + 1).padStart(2, '0')}`;
    return { key, chat, order, text: `Reply to ${key}`, fate: fateOf(chat, order) };
  });
}

export function isGroup({ chat }: Pick<PlannedReply, 'chat'>): boolean {
  return chat < 0;
}

/** Each chat's first, then each chat's second, and so on. */
function rounds(
  chats: readonly number[],
  countOf: (index: number) => number,
): readonly Pick<PlannedReply, 'chat' | 'order'>[] {
  const most = Math.max(...chats.map((_, index) => countOf(index)));
  return Array.from({ length: most }, (_, round) =>
    chats.flatMap((chat, index) => (round < countOf(index) ? [{ chat, order: round + 1 }] : [])),
  ).flat();
}

/** The last of each group waits longest: one of them is cancelled, the other expires. */
function fateOf(chat: number, order: number): Fate {
  if (order < inGroup || !isGroup({ chat })) return 'sent';
  return chat === groups[0] ? 'cancelled' : 'expired';
}
