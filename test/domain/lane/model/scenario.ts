import fc from 'fast-check';
import type { LanePolicy } from '../../../../domain/lane/policy.ts';
import type { Mishap } from './reply.ts';
import { World } from './world.ts';

const mishaps: readonly Mishap[] = [
  'dies_before_ask',
  'dies_after_ask',
  'dies_after_request',
  'freezes_before_ask',
  'freezes_after_go',
];

const policies: fc.Arbitrary<Partial<LanePolicy>> = fc.constantFrom<Partial<LanePolicy>>(
  {},
  { bot: [{ limit: 5, perMs: 1000 }] },
  {
    bot: [
      { limit: 4, perMs: 700 },
      { limit: 30, perMs: 10_000 },
    ],
    chat: [{ limit: 2, perMs: 1500 }],
    group: [
      { limit: 1, perMs: 1000 },
      { limit: 6, perMs: 10_000 },
    ],
  },
  { bot: [{ limit: 20, perMs: 1000 }], maxOutstanding: 3 },
);

const chance = (max: number): fc.Arbitrary<number> => fc.constantFrom(0, max / 4, max);

/** Worlds with everything that may go wrong, each alone and together. */
export const scenarios = fc.record({
  seed: fc.integer({ min: 0, max: 0xffffffff }),
  policy: policies,
  // Now and then a crowd.
  replies: fc.oneof(
    { weight: 7, arbitrary: fc.integer({ min: 1, max: 80 }) },
    { weight: 1, arbitrary: fc.integer({ min: 120, max: 250 }) },
  ),
  chats: fc.constantFrom(1, 3, 10, 60),
  spreadMs: fc.constantFrom(0, 2000, 60_000),
  chained: fc.constantFrom(0, 0.5, 1),
  bulk: chance(0.5),
  weighted: chance(0.2),
  leavers: chance(0.2),
  acts: fc.array(
    fc.record({
      atMs: fc.nat(120_000),
      action: fc.constantFrom('pause', 'resume', 'override', 'extend'),
    }),
    { maxLength: 3 },
  ),
  ways: fc.record({
    workers: fc.constantFrom(1, 4),
    cutChance: fc.constantFrom(0, 0.02, 0.3),
    answerLostChance: chance(0.1),
    reportMs: fc.constantFrom<[number, number]>([1, 10], [1, 2000]),
    linkMs: fc.constantFrom<[number, number]>([1, 10], [1, 4000]),
    queueMs: fc.constantFrom<[number, number]>([1, 20], [1, 10_000]),
    leaveMs: fc.constantFrom<[number, number]>([0, 3], [0, 4900]),
    arriveMs: fc.constantFrom<[number, number]>([1, 5], [1, 15_000]),
    unreachedChance: chance(0.1),
    mishapChance: chance(0.1),
    mishaps: fc.constant(mishaps),
  }),
  service: fc.record({
    answerMs: fc.constantFrom<[number, number]>([10, 50], [10, 19_000]),
    floodChance: chance(0.1),
    floodSeconds: fc.constantFrom([0], [1, 35], [3, 257]),
    lengthens: fc.boolean(),
    silentChance: chance(0.05),
    heldChance: chance(0.02),
    rejectedChance: chance(0.1),
    authChance: chance(0.05),
    migrations: fc.constantFrom(
      [],
      [['chat-0', 'chat-100']],
      [
        ['chat-0', 'chat-1'],
        ['chat-2', 'chat-0'],
      ],
    ) as fc.Arbitrary<readonly (readonly [string, string])[]>,
  }),
});

export type Scenario = typeof scenarios extends fc.Arbitrary<infer T> ? T : never;

/** The world of a scenario, with all its replies planned. */
export function build(scenario: Scenario): World {
  const { seed, policy, ways, service } = scenario;
  const world = new World(seed, { policy, ways, service });
  const { chance: dice } = world;
  const previous = new Map<string, string>();
  for (let i = 0; i < scenario.replies; i++) {
    const number = Math.floor(dice.next() * scenario.chats);
    const chat = `chat-${number}`;
    const key = `r${i}`;
    const after = previous.get(chat);
    previous.set(chat, key);
    const atMs = Math.round((i / scenario.replies) * scenario.spreadMs);
    const soonMs = world.timeline.nowMs + atMs + Math.round(dice.between([0, 60_000]));
    world.add(atMs, {
      key,
      chat,
      isGroup: number % 3 === 0,
      isBulk: dice.happens(scenario.bulk),
      weight: dice.happens(scenario.weighted) ? 2 : 1,
      ...(after !== undefined && dice.happens(scenario.chained) ? { after } : {}),
      ...(dice.happens(scenario.leavers) ? { cancelAtMs: soonMs } : {}),
      ...(dice.happens(scenario.leavers) ? { expiresAtMs: soonMs + 10_000 } : {}),
      ...(dice.happens(scenario.leavers) ? { vanishesAtMs: soonMs } : {}),
    });
  }
  for (const { atMs, action } of scenario.acts) {
    if (action === 'extend') world.timeline.after(atMs, () => world.host.extend(30));
    else world.operate(atMs, action);
  }
  // Whatever made the lane stand still: somebody looks after it now and then.
  for (let hour = 1; hour < 12; hour++) world.operate(hour * 1_800_000, 'resume');
  return world;
}
