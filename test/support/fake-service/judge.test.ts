import { describe, expect, it } from 'vitest';
import type { Arrival, Deadline } from './arrival.ts';
import { duplicates, earlyArrivals, outOfOrder, unsafeRepeats, windowViolations } from './judge.ts';

type Given = Partial<Arrival> & Pick<Arrival, 'atMs'>;

/** Arrivals of one bot, stored at once unless said otherwise, each with a text of its own. */
function record(...given: readonly Given[]): readonly Arrival[] {
  return given.map((arrival, i) => ({
    n: i + 1,
    bot: 'a',
    method: 'sendMessage',
    chat: '1',
    text: `t${i + 1}`,
    params: {},
    verdict: 'stored',
    httpStatus: 200,
    early: false,
    received: 'whole',
    bodyBytes: 10,
    connection: 1,
    answeredAtMs: arrival.atMs + 1,
    closedAtMs: arrival.atMs + 1,
    ...arrival,
  }));
}

const at = (...instants: readonly number[]): readonly Given[] => instants.map((atMs) => ({ atMs }));
const flood = { verdict: 'flood', httpStatus: 429 } as const;
const silent = { httpStatus: null, answeredAtMs: null } as const;

describe('windowViolations', () => {
  const twoPerSecond = [{ limit: 2, perMs: 1000 }];

  it('finds the arrival that is one too many, in any window and not only in aligned ones', () => {
    const found = windowViolations(record(...at(0, 900, 1100, 1200)), { bot: twoPerSecond });
    expect(found).toMatchObject([{ n: 4, bot: 'a', scope: 'bot', chat: null, afterMs: 300 }]);
  });

  it('lets arrivals exactly perMs apart pass', () => {
    expect(windowViolations(record(...at(0, 0, 1000, 1000, 2000)), { bot: twoPerSecond })).toEqual([]);
  });

  it('counts each chat by its own window: positive ids as chat, others as group', () => {
    const chats = ['1', '2', '-1', '@a', '1', '-1', '@a', '2'];
    const arrivals = record(...chats.map((chat) => ({ atMs: 0, chat })));
    const one = [{ limit: 1, perMs: 1000 }];
    expect(windowViolations(arrivals, { chat: one }).map(({ n, chat }) => [n, chat])).toEqual([
      [5, '1'],
      [8, '2'],
    ]);
    expect(windowViolations(arrivals, { group: one }).map(({ n, chat }) => [n, chat])).toEqual([
      [6, '-1'],
      [7, '@a'],
    ]);
  });

  it('keeps bots apart, also in the same chat', () => {
    const arrivals = record({ atMs: 0 }, { atMs: 0, bot: 'b' });
    expect(
      windowViolations(arrivals, { bot: [{ limit: 1, perMs: 1 }], chat: [{ limit: 1, perMs: 1 }] }),
    ).toEqual([]);
  });

  it('counts what was met by a 429 and what was never completed, not questions or unknown tokens', () => {
    const one = { bot: [{ limit: 1, perMs: 1000 }] };
    const partial = { chat: null, text: null, received: 'head', ...silent } as const;
    expect(windowViolations(record({ atMs: 0, ...flood }, { atMs: 5 }), one)).toHaveLength(1);
    expect(windowViolations(record({ atMs: 0, ...partial }, { atMs: 5 }), one)).toHaveLength(1);
    expect(windowViolations(record({ atMs: 0, method: 'getMe' }, { atMs: 5 }), one)).toEqual([]);
    expect(windowViolations(record({ atMs: 0, bot: null }, { atMs: 5, bot: null }), one)).toEqual([]);
  });

  it('judges by instants, whatever the order of the record', () => {
    expect(windowViolations(record(...at(2000, 0, 100, 2100, 200)), { bot: twoPerSecond })).toMatchObject([
      { n: 5 },
    ]);
  });

  it('judges several windows of a scope', () => {
    const bot = [
      { limit: 1, perMs: 100 },
      { limit: 2, perMs: 1000 },
    ];
    expect(windowViolations(record(...at(0, 100, 200)), { bot })).toMatchObject([{ n: 3, window: bot[1] }]);
  });
});

describe('earlyArrivals', () => {
  const deadline: Deadline = { bot: 'a', chat: null, answeredAtMs: 100, retryAfterSeconds: 2, untilMs: 2100 };

  it('finds what came between the announcement and its end', () => {
    const found = earlyArrivals(record(...at(50, 100, 101, 2099, 2100)), [deadline]);
    expect(found.map(({ n, earlyByMs }) => [n, earlyByMs])).toEqual([
      [3, 1999],
      [4, 1],
    ]);
  });

  it('forgives what was in flight when the wait was announced', () => {
    expect(earlyArrivals(record(...at(120, 151)), [deadline], { inFlightMs: 50 })).toMatchObject([{ n: 2 }]);
  });

  it('holds a deadline of the bot against all its chats, one of a chat against that chat only', () => {
    const arrivals = record({ atMs: 500, chat: '1' }, { atMs: 500, chat: '2' }, { atMs: 500, bot: 'b' });
    expect(earlyArrivals(arrivals, [deadline]).map(({ n }) => n)).toEqual([1, 2]);
    expect(earlyArrivals(arrivals, [{ ...deadline, chat: '2' }]).map(({ n }) => n)).toEqual([2]);
  });

  it.each([1100, 1500])('is not content with the shorter of two deadlines, at %i', (atMs) => {
    const shorter = { ...deadline, answeredAtMs: 200, retryAfterSeconds: 1, untilMs: 1200 };
    const found = earlyArrivals(record({ atMs }), [shorter, deadline, shorter]);
    expect(found).toMatchObject([{ n: 1, earlyByMs: 2100 - atMs, deadline }]);
  });

  it('finds nothing in a record that waits for the last deadline', () => {
    expect(earlyArrivals(record(...at(0, 2100, 2101)), [deadline])).toEqual([]);
  });
});

describe('duplicates', () => {
  it('finds an intention that was stored twice', () => {
    const arrivals = record({ atMs: 0, text: 'x' }, { atMs: 1, text: 'y' }, { atMs: 2, text: 'x' });
    expect(duplicates(arrivals)).toEqual([{ key: 'a 1 x', ns: [1, 3] }]);
  });

  it('does not mind what was sent again after a 429 and stored once', () => {
    expect(duplicates(record({ atMs: 0, text: 'x', ...flood }, { atMs: 9, text: 'x' }))).toEqual([]);
  });

  it('does not mind one text in two chats or from two bots', () => {
    const arrivals = record(
      { atMs: 0, text: 'x' },
      { atMs: 1, text: 'x', chat: '2' },
      { atMs: 2, text: 'x', bot: 'b' },
    );
    expect(duplicates(arrivals)).toEqual([]);
  });

  it('takes stored messages, and a key of the caller', () => {
    const stored = record(...at(0, 1)).map(({ n, atMs, bot, chat, text }) => ({ n, atMs, bot, chat, text }));
    expect(duplicates(stored)).toEqual([]);
    expect(duplicates(stored, ({ chat }) => chat)).toEqual([{ key: '1', ns: [1, 2] }]);
    expect(duplicates(stored, () => null)).toEqual([]);
  });
});

describe('unsafeRepeats', () => {
  const again = { atMs: 10, text: 't1' };

  it.each([
    ['no answer', { ...silent, verdict: 'none' }],
    ['a success', {}],
    ['a 5xx', { httpStatus: 502, verdict: 'none' }],
    ['an unreadable 200', { httpStatus: 200, verdict: 'none' }],
    ['a refusal that had not left yet', { ...flood, answeredAtMs: 11 }],
  ] as const)('finds a repetition after %s, even if nothing was stored twice', (_name, first) => {
    expect(unsafeRepeats(record({ atMs: 0, ...first }, again))).toEqual([{ key: 'a 1 t1', ns: [2] }]);
  });

  it.each([
    ['a 429', flood],
    ['another 4xx', { httpStatus: 400, verdict: 'refused' }],
  ] as const)('does not mind a repetition after %s', (_name, first) => {
    expect(unsafeRepeats(record({ atMs: 0, ...first }, again))).toEqual([]);
  });

  it('looks at all earlier ones, not only at the last', () => {
    const arrivals = record({ atMs: 0, ...silent }, { atMs: 5, text: 't1', ...flood }, again);
    expect(unsafeRepeats(arrivals)).toEqual([{ key: 'a 1 t1', ns: [2, 3] }]);
  });
});

describe('outOfOrder', () => {
  const orderOf = ({ text }: { readonly text: string | null }): number | null =>
    text === null ? null : Number(text.slice(1));

  it('finds what came after its successor', () => {
    const arrivals = record({ atMs: 0, text: 't1' }, { atMs: 1, text: 't3' }, { atMs: 2, text: 't2' });
    expect(outOfOrder(arrivals, orderOf)).toEqual([{ bot: 'a', chat: '1', n: 2, laterN: 3 }]);
  });

  it('finds what was overtaken while it waited after a 429', () => {
    const arrivals = record(
      { atMs: 0, text: 't1', ...flood },
      { atMs: 1, text: 't2' },
      { atMs: 2, text: 't1' },
    );
    expect(outOfOrder(arrivals, orderOf)).toEqual([{ bot: 'a', chat: '1', n: 2, laterN: 3 }]);
  });

  it('does not mind a repetition in its place', () => {
    const arrivals = record(
      { atMs: 0, text: 't1', ...flood },
      { atMs: 1, text: 't1' },
      { atMs: 2, text: 't2' },
    );
    expect(outOfOrder(arrivals, orderOf)).toEqual([]);
  });

  it('compares within one chat of one bot only', () => {
    const arrivals = record(
      { atMs: 0, text: 't3' },
      { atMs: 1, text: 't2', chat: '2' },
      { atMs: 2, text: 't1', bot: 'b' },
      { atMs: 3, text: null },
    );
    expect(outOfOrder(arrivals, orderOf)).toEqual([]);
  });
});
