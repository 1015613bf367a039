import { describe, expect, test } from 'vitest';
import { type Glance, glanceLine, glanceOf, glanceScreen } from '../../cli/watch/glance.ts';
import { type SentSample, ratePerSecond, withSample } from '../../cli/watch/rate.ts';
import { LiveScreen } from '../../cli/watch/screen.ts';
import type { LaneView } from '../../domain/lane/show.ts';
import { defaultLanePolicy } from '../../domain/lane/policy.ts';

const nowMs = Date.parse('2026-12-01T10:00:00Z');
const at = '2026-12-01T10:00:00.000Z';
const view: LaneView = {
  bot: 'support',
  notBefore: null,
  reason: null,
  policy: defaultLanePolicy,
  stopped: null,
  paused: null,
  waiting: 39,
  outstanding: 2,
  sent: 120,
  floods: 1,
  lastFlood: null,
  acts: [],
  lateProofs: [],
};
const closed = { notBefore: '2026-12-01T10:00:11.500Z', reason: 'flood' };
const paused = { paused: { by: 'ana', reason: 'a test', since: at } };
const stopped = { stopped: { why: '3 refusals of the bot itself in a row', since: at } };

function glance(lane: Partial<LaneView> = {}, sight = {}): ReturnType<typeof glanceOf> {
  return glanceOf(
    { ...view, ...lane },
    { nowMs, sentPerSecond: 1.54, reviews: { unknown: 0, all: 1 }, ...sight },
  );
}

describe('one look at a lane', () => {
  test('is a document with everything that it shows', () => {
    expect(glance({ ...closed }, { reviews: { unknown: 2, all: 3 } })).toEqual({
      kind: 'lane',
      at,
      bot: 'support',
      state: 'cooldown',
      why: 'flood',
      notBefore: closed.notBefore,
      cooldownSeconds: 12,
      waiting: 39,
      outstanding: 2,
      sent: 120,
      sentPerSecond: 1.54,
      unknown: 2,
      reviews: 3,
    });
  });

  test.each([
    ['open', {}, null],
    ['cooldown', closed, 'flood'],
    ['paused', { ...closed, ...paused }, 'by ana: a test'],
    ['stopped', { ...closed, ...paused, ...stopped }, '3 refusals of the bot itself in a row'],
  ])('a lane is %s by what lasts longest', (state, lane, why) =>
    expect(glance(lane)).toMatchObject({ state, why }),
  );

  test('a cooldown whose end this clock has passed has no seconds left', () =>
    expect(glance({ ...closed }, { nowMs: nowMs + 60_000 }).cooldownSeconds).toBe(0));

  test('what cannot be told is null, not nothing', () =>
    expect(glance({}, { reviews: null, sentPerSecond: null })).toMatchObject({
      unknown: null,
      reviews: null,
      sentPerSecond: null,
    }));
});

describe('a line for each lane', () => {
  test.each<[string, Glance, string]>([
    [
      'open',
      glance(),
      `${at} support: open, waiting 39, in flight 2, rate 1.5/s, cooldown -, unknown 0, under review 1`,
    ],
    [
      'cooling down, with unknown replies',
      glance(closed, { reviews: { unknown: 2, all: 3 } }),
      `${at} support: cooldown, waiting 39, in flight 2, rate 1.5/s, cooldown 12 s, unknown 2, under review 3; cooldown: flood; replylane review list --bot support --kind unknown`,
    ],
    [
      'stopped, with a list that cannot tell',
      glance(stopped, { reviews: null, sentPerSecond: null }),
      `${at} support: stopped, waiting 39, in flight 2, rate -, cooldown -, unknown ?, under review ?; stopped: 3 refusals of the bot itself in a row (replylane lane resume support --by NAME --reason WHY opens it)`,
    ],
    [
      'silent',
      { kind: 'silent', at, bot: 'support', problem: 'no worker has answered within 5 s' },
      `${at} support: no worker has answered within 5 s`,
    ],
    ['Temporal away', { kind: 'unreachable', at, problem: 'Temporal is away' }, `${at} Temporal is away`],
  ])('%s', (_, one, line) => expect(glanceLine(one)).toBe(line));
});

describe('a picture of all lanes', () => {
  test('is a table, and below it what somebody should do', () => {
    const glances: Glance[] = [
      glance({}, { reviews: { unknown: 1, all: 1 } }),
      glance({ bot: 'other', ...paused }),
      { kind: 'silent', at, bot: 'third', problem: 'there is no such lane' },
    ];
    expect(glanceScreen(glances, 'watch').split('\n')).toEqual([
      'watch',
      'BOT      LANE       COOLDOWN  WAITING  IN FLIGHT  RATE   SENT  UNKNOWN  UNDER REVIEW',
      'support  open       -         39       2          1.5/s  120   1        1',
      'other    paused     -         39       2          1.5/s  120   0        1',
      'third    no answer',
      '',
      'support: replylane review list --bot support --kind unknown',
      'other: paused: by ana: a test (replylane lane resume other --by NAME --reason WHY opens it)',
      'third: there is no such lane',
    ]);
  });

  test('without Temporal shows no old numbers', () =>
    expect(glanceScreen([{ kind: 'unreachable', at, problem: 'Temporal is away' }], 'watch')).toBe(
      'watch\n\nTemporal is away',
    ));
});

describe('the rate', () => {
  const run = (...samples: readonly (readonly [number, number])[]): readonly SentSample[] =>
    samples.reduce<readonly SentSample[]>((known, [atMs, sent]) => withSample(known, { atMs, sent }), []);

  test('takes two looks', () => {
    expect(ratePerSecond(run())).toBeNull();
    expect(ratePerSecond(run([0, 5]))).toBeNull();
    expect(ratePerSecond(run([0, 5], [2000, 8]))).toBe(1.5);
  });

  test('is that of the last ten seconds', () => {
    expect(ratePerSecond(run([0, 0], [5000, 1000], [15_000, 1010], [16_000, 1011]))).toBe(1);
    // Of looks farther apart, the last two.
    expect(ratePerSecond(run([0, 0], [60_000, 600], [120_000, 600]))).toBe(0);
  });

  test('begins anew with a lane that counts anew', () => {
    expect(ratePerSecond(run([0, 500], [2000, 3]))).toBeNull();
    expect(ratePerSecond(run([0, 500], [2000, 3], [4000, 5]))).toBe(1);
  });
});

describe('a terminal', () => {
  function drawn(size: { columns: number; rows: number }, ...texts: string[]): readonly string[] {
    const written: string[] = [];
    const screen = new LiveScreen({ ...size, write: (text) => written.push(text) });
    for (const text of texts) screen.draw(text);
    return written;
  }

  test('is cleared once, and then drawn over', () =>
    expect(drawn({ columns: 80, rows: 24 }, 'one', 'two')).toEqual([
      '\u001B[2J\u001B[H\u001B[Jone\n',
      '\u001B[H\u001B[Jtwo\n',
    ]));

  test('gets no line that wraps, and no more lines than it has', () => {
    const [picture = ''] = drawn({ columns: 12, rows: 4 }, 'a line that is too long\ntwo\nthree\nfour');
    expect(picture).toBe('\u001B[2J\u001B[H\u001B[Ja line that \ntwo\n… 2 more lin\n');
  });

  test('that does not say how large it is gets 80 columns and 24 rows', () => {
    const [picture = ''] = drawn({ columns: 0, rows: 0 }, `${'x'.repeat(100)}\n`.repeat(40));
    expect(picture.split('\n').at(1)).toHaveLength(80);
    expect(picture.trimEnd().split('\n')).toHaveLength(23);
  });

  test('is steered by nothing that stands in a reason', () =>
    expect(drawn({ columns: 80, rows: 24 }, 'turn\u202Eed \u001B[31mred')[0]).toMatch(
      /turn\uFFFDed \uFFFD\[31mred/,
    ));
});
