import { describe, expect, test } from 'vitest';
import { fenceKey, putFence, settleFence } from '../../../domain/lane/fence.ts';
import { type LanePolicy, defaultLanePolicy } from '../../../domain/lane/policy.ts';
import {
  botFreeAtMs,
  botSpacingMs,
  chatFreeAtMs,
  chatPitchMs,
  isBotIdle,
  lookBackMs,
  outstandingFences,
  windowsOf,
} from '../../../domain/lane/slots.ts';
import { type Lane, newChat, newLane } from '../../../domain/lane/state.ts';

const nowMs = 1_800_000_000_000;
const one = { weight: 1, bulk: false };

function policyOf(part: Partial<LanePolicy>): LanePolicy {
  return { ...defaultLanePolicy, bot: [], chat: [], group: [], ...part };
}

/** A lane with a claim for each age, of `weight` slots. */
function laneWith({ agesMs = [] as readonly number[], weight = 1, chat = '77' } = {}): Lane {
  const lane = newLane('b', 'e', nowMs - 3_600_000);
  lane.probe = { kind: 'open' };
  agesMs.forEach((ageMs, i) =>
    putFence(lane, fenceKey(`r${i}`), {
      attempt: 1,
      run: '',
      nonce: '',
      chat,
      chatKind: 'chat',
      weight,
      grantedAtMs: nowMs - ageMs,
      count: 0,
      revokedAtMs: null,
      state: { kind: 'outstanding' },
    }),
  );
  return lane;
}

describe('rule 7: a slot comes back one window after its answer', () => {
  const policy = policyOf({ bot: [{ limit: 2, perMs: 1000 }] });
  const freeIn = (answers: [number, number][], request = one, with_ = policy): number => {
    const lane = laneWith();
    lane.answered = answers.map(([agoMs, slots]) => [nowMs - agoMs, slots]);
    return botFreeAtMs(lane, with_, request, nowMs) - nowMs;
  };

  test.each<[string, [number, number][], number]>([
    ['none in use', [], 0],
    ['one in use', [[100, 1]], 0],
    [
      'both in use: the older comes back first',
      [
        [100, 1],
        [400, 1],
      ],
      600,
    ],
    [
      'in whatever order they stand',
      [
        [400, 1],
        [100, 1],
      ],
      600,
    ],
    ['two taken at once', [[300, 2]], 700],
    [
      'more than allowed: those above come back first',
      [
        [100, 1],
        [200, 1],
        [300, 1],
      ],
      800,
    ],
    ['answered a window ago', [[1000, 2]], 0],
    ['just not a window ago', [[999, 2]], 1],
  ])('%s', (_, answers, expected) => expect(freeIn(answers)).toBe(expected));

  test('of several windows the strictest counts', () => {
    const windows = [
      { limit: 2, perMs: 1000 },
      { limit: 1, perMs: 3000 },
      { limit: 9, perMs: 9000 },
    ];
    expect(freeIn([[100, 1]], one, policyOf({ bot: windows }))).toBe(2900);
    expect(freeIn([[100, 1]], one, policyOf({ bot: [] }))).toBe(0);
  });

  test('a request of more slots waits for as many, or for all that there are', () => {
    expect(freeIn([[100, 1]], { weight: 2, bulk: false })).toBe(900);
    expect(freeIn([[100, 1]], { weight: 100, bulk: false })).toBe(900);
    expect(freeIn([], { weight: 100, bulk: false })).toBe(0);
  });

  test('bulk leaves a tenth of a long window, not of a short one, nor of one slot', () => {
    const bulk = { weight: 1, bulk: true };
    const inUse = (slots: number, limit: number, perMs: number, request = bulk) =>
      freeIn([[100, slots]], request, policyOf({ bot: [{ limit, perMs }] })) > 0;
    expect(inUse(17, 20, 60_000)).toBe(false);
    expect(inUse(18, 20, 60_000)).toBe(true);
    expect(inUse(18, 20, 60_000, one)).toBe(false);
    expect(inUse(19, 20, 1500)).toBe(false);
    expect(inUse(18, 20, 1501)).toBe(true);
    expect(inUse(1, 2, 60_000)).toBe(true);
    expect(freeIn([], bulk, policyOf({ bot: [{ limit: 1, perMs: 60_000 }] }))).toBe(0);
    expect(inUse(18, 21, 60_000)).toBe(true);
    expect(inUse(17, 21, 60_000)).toBe(false);
  });
});

describe('rule 7: a request without an answer keeps its slot', () => {
  const policy = policyOf({ bot: [{ limit: 1, perMs: 1000 }], answerBoundMs: 20_000 });
  const freeIn = (agesMs: readonly number[], part: Partial<LanePolicy> = {}) =>
    botFreeAtMs(laneWith({ agesMs }), { ...policy, ...part }, one, nowMs) - nowMs;

  test.each([
    ['just granted: an answer is guessed soon', [0], 1100],
    ['the longer it is out, the later', [1000], 1500],
    ['never later than its bound', [16_000], 5000],
    ['at its bound it is as good as answered', [20_000], 1000],
    ['and its slot comes back a window later', [20_500], 500],
    ['free', [21_000], 0],
    ['just not free', [20_999], 1],
  ])('%s', (_, agesMs, expected) => expect(freeIn(agesMs)).toBe(expected));

  test('no more are out than may be, whatever the windows say', () => {
    const wide = { bot: [{ limit: 100, perMs: 1000 }], maxOutstanding: 2 };
    expect(freeIn([5000], wide)).toBe(0);
    expect(freeIn([5000, 400], wide)).toBe(200);
    expect(freeIn([400, 5000], wide)).toBe(200);
    expect(freeIn([0, 0], wide)).toBe(100);
    expect(freeIn([20_000, 0], wide)).toBe(0);
    expect(freeIn([19_999, 0], wide)).toBe(1);
    expect(freeIn([0, 0], { bot: [{ limit: 1, perMs: 1000 }], maxOutstanding: 2 })).toBe(1100);
    // Those past their bound are out no more, and their answers are not waited for.
    for (const ageMs of [20_000, 20_500])
      expect(freeIn([ageMs, 0], { ...wide, maxOutstanding: 1 })).toBe(100);
  });

  test('one that is over takes none by itself', () => {
    const lane = laneWith({ agesMs: [10] });
    for (const fence of lane.fences.values()) settleFence(fence, 'sent', nowMs);
    expect(botFreeAtMs(lane, policy, one, nowMs)).toBe(nowMs);
    expect(outstandingFences(lane, policy, nowMs)).toEqual([]);
  });

  test('outstanding until its bound', () => {
    expect(outstandingFences(laneWith({ agesMs: [19_999, 20_000] }), policy, nowMs)).toHaveLength(1);
  });

  test('an idle bot has no slot in use', () => {
    expect(isBotIdle(laneWith(), policy, nowMs)).toBe(true);
    expect(isBotIdle(laneWith({ agesMs: [5] }), policyOf({ bot: [{ limit: 9, perMs: 1000 }] }), nowMs)).toBe(
      false,
    );
    expect(isBotIdle(laneWith({ agesMs: [5] }), policyOf({}), nowMs)).toBe(true);
  });
});

describe('the slots of a chat', () => {
  const policy = policyOf({ chat: [{ limit: 1, perMs: 1000 }], group: [{ limit: 1, perMs: 3000 }] });
  const freeIn = (lane: Lane, kind: 'chat' | 'group', answeredAgoMs: readonly number[] = [], weight = 1) => {
    const chat = newChat(kind);
    for (const agoMs of answeredAgoMs) chat.answered.push([nowMs - agoMs, 1]);
    return chatFreeAtMs(lane, policy, { bucket: '77', chat, weight }, nowMs) - nowMs;
  };

  test('come back by the limits of its kind', () => {
    expect(freeIn(laneWith(), 'chat', [400])).toBe(600);
    expect(freeIn(laneWith(), 'group', [400])).toBe(2600);
    expect(freeIn(laneWith(), 'chat')).toBe(0);
  });

  test('are not kept for anybody: in a chat bulk takes them all', () => {
    const answers = Array.from({ length: 18 }, () => 400);
    const chat = newChat('group');
    for (const agoMs of answers) chat.answered.push([nowMs - agoMs, 1]);
    const wide = policyOf({ group: [{ limit: 20, perMs: 60_000 }] });
    const place = { bucket: '77', chat, weight: 1 };
    expect(chatFreeAtMs(laneWith(), wide, place, nowMs)).toBe(nowMs);
  });

  test('are its own', () => {
    expect(freeIn(laneWith({ agesMs: [0], chat: '78' }), 'chat')).toBe(0);
    expect(freeIn(laneWith({ agesMs: [0], chat: '77' }), 'chat')).toBe(1100);
  });

  test('windows look back as far as the longest', () => {
    expect(
      lookBackMs([
        { limit: 1, perMs: 5 },
        { limit: 1, perMs: 9 },
        { limit: 1, perMs: 7 },
      ]),
    ).toBe(9);
    expect(lookBackMs([])).toBe(0);
    expect(windowsOf(policy, 'chat')).toBe(policy.chat);
    expect(windowsOf(policy, 'group')).toBe(policy.group);
  });
});

describe('rule 8: tickets of the bot are as far apart as the limits allow', () => {
  const spacing = (lane: Lane, part: Partial<LanePolicy> = {}) => botSpacingMs(lane, policyOf(part), nowMs);

  test('at the strictest window, with the time that a request takes', () => {
    const lane = laneWith();
    expect(spacing(lane)).toBe(5);
    expect(spacing(lane, { bot: [{ limit: 20, perMs: 1000 }] })).toBe(50);
    expect(
      spacing(lane, {
        bot: [
          { limit: 20, perMs: 1000 },
          { limit: 30, perMs: 60_000 },
        ],
      }),
    ).toBe(2000);
    lane.latencyMs = 200;
    expect(spacing(lane, { bot: [{ limit: 20, perMs: 1000 }] })).toBe(60);
    expect(spacing(lane, { maxOutstanding: 2 })).toBe(100);
    expect(spacing(lane, { bot: [{ limit: 7, perMs: 1000 }] })).toBe(172);
  });

  test('a request that is out for long takes its slot from the schedule', () => {
    const bot = [{ limit: 4, perMs: 1000 }];
    expect(spacing(laneWith({ agesMs: [500, 500] }), { bot })).toBe(250);
    expect(spacing(laneWith({ agesMs: [501, 0] }), { bot })).toBe(334);
    expect(spacing(laneWith({ agesMs: [501, 900] }), { bot })).toBe(500);
    const slow = laneWith({ agesMs: [700, 701] });
    slow.latencyMs = 100;
    expect(spacing(slow, { bot })).toBe(367);
  });

  test('where all hang, it is asked for the less the longer they do', () => {
    const bot = [{ limit: 2, perMs: 1000 }];
    expect(spacing(laneWith({ agesMs: [3000, 9000] }), { bot })).toBe(5000);
    expect(spacing(laneWith({ agesMs: [3000] }), { bot: [{ limit: 1, perMs: 1000 }] })).toBe(4000);
    expect(spacing(laneWith({ agesMs: [4000, 6000] }), { maxOutstanding: 2 })).toBe(3000);
  });

  test('while a probe is out, by its age beyond the patience that it deserves', () => {
    const lane = laneWith();
    const after = (ageMs: number, silentStreak = 0): number => {
      lane.probe = { kind: 'leased', reply: 'r', sinceMs: nowMs - ageMs, untilMs: nowMs + 1 };
      lane.silentStreak = silentStreak;
      return spacing(lane);
    };
    expect(after(8000)).toBe(5);
    expect(after(8100)).toBe(5);
    expect(after(8200)).toBe(10);
    expect(after(20_000)).toBe(600);
    expect(after(2000, 1)).toBe(100);
    lane.probe = { kind: 'wanted' };
    expect(spacing(lane)).toBe(5);
  });

  test('in a chat: where one goes at a time, with the time of a request and how late replies come', () => {
    const lane = laneWith();
    const pitch = (windows: LanePolicy['chat'], kind: 'chat' | 'group' = 'chat') =>
      chatPitchMs(lane, policyOf({ [kind]: windows }), kind);
    expect(pitch([])).toBe(0);
    expect(pitch([{ limit: 2, perMs: 1000 }])).toBe(0);
    expect(
      pitch([
        { limit: 1, perMs: 1000 },
        { limit: 20, perMs: 60_000 },
      ]),
    ).toBe(1000);
    expect(
      pitch(
        [
          { limit: 1, perMs: 1000 },
          { limit: 1, perMs: 3000 },
        ],
        'group',
      ),
    ).toBe(3000);
    lane.latencyMs = 50;
    expect(pitch([{ limit: 1, perMs: 1000 }])).toBe(1050);
    lane.latenessMs = 100;
    expect(pitch([{ limit: 1, perMs: 1000 }])).toBe(1100);
    lane.latenessMs = 100_000;
    expect(pitch([{ limit: 1, perMs: 1000 }])).toBe(1175);
  });
});
