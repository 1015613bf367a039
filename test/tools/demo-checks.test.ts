import { describe, expect, it } from 'vitest';
import {
  checkDeadlines,
  checkLost,
  checkOrder,
  checkReview,
  checkRules,
  checkTwice,
  checkWindows,
} from '../../tools/demo/checks.ts';
import type { Ending, Evidence } from '../../tools/demo/evidence.ts';
import type { PlannedReply } from '../../tools/demo/plan.ts';
import { type Decided, checkControl, checkDecided, checkTrouble } from '../../tools/demo/staged.ts';
import type { Arrival, Deadline, StoredMessage } from '../support/fake-service/index.ts';

const planned: readonly PlannedReply[] = [
  { key: 'a1', chat: 1, order: 1, text: 'A1', fate: 'sent' },
  { key: 'a2', chat: 1, order: 2, text: 'A2', fate: 'sent' },
  { key: 'b1', chat: -2, order: 1, text: 'B1', fate: 'sent' },
  { key: 'b2', chat: -2, order: 2, text: 'B2', fate: 'cancelled' },
  { key: 'b3', chat: -2, order: 3, text: 'B3', fate: 'expired' },
];
const windows = { bot: [{ limit: 2, perMs: 1000 }], chat: [{ limit: 1, perMs: 1000 }] };

const flood = { verdict: 'flood', httpStatus: 429 } as const;
const unanswered = { httpStatus: null, answeredAtMs: null } as const;

function arrival(text: string, atMs: number, rest: Partial<Arrival> = {}): Omit<Arrival, 'n'> {
  const chat = planned.find((reply) => reply.text === text)?.chat;
  return {
    atMs,
    bot: 'demo',
    method: 'sendMessage',
    chat: chat === undefined ? null : String(chat),
    text,
    params: {},
    verdict: 'stored',
    httpStatus: 200,
    early: false,
    received: 'whole',
    bodyBytes: 10,
    connection: 1,
    answeredAtMs: atMs + 5,
    closedAtMs: atMs + 5,
    ...rest,
  };
}

function deadline(answeredAtMs: number, retryAfterSeconds: number): Deadline {
  const untilMs = answeredAtMs + retryAfterSeconds * 1000;
  return { bot: 'demo', chat: null, answeredAtMs, retryAfterSeconds, untilMs };
}

/** A run that keeps every rule: A1 floods and goes again, B1 is never answered, B2 is cancelled, B3 expires. */
const keptArrivals = [
  arrival('A1', 0, flood),
  arrival('A1', 4050),
  arrival('A2', 5100),
  arrival('B1', 5200, unanswered),
];
const keptEndings: Readonly<Record<string, Ending>> = {
  a1: 'sent',
  a2: 'sent',
  b1: 'review',
  b2: 'cancelled',
  b3: 'expired',
};

function evidence(
  change: {
    readonly arrivals?: readonly Omit<Arrival, 'n'>[];
    readonly deadlines?: readonly Deadline[];
    readonly endings?: Readonly<Record<string, Ending>>;
    readonly without?: string;
  } = {},
): Evidence {
  const arrivals = (change.arrivals ?? keptArrivals).map((given, index) => ({ ...given, n: index + 1 }));
  const stored = arrivals.flatMap(({ n, atMs, bot, method, chat, text, verdict }): StoredMessage[] =>
    verdict === 'stored' && bot !== null && method !== null
      ? [{ n, atMs, bot, method, chat, text, messageId: 500 + n }]
      : [],
  );
  const endings = new Map(Object.entries({ ...keptEndings, ...change.endings }));
  if (change.without !== undefined) endings.delete(change.without);
  return { planned, arrivals, deadlines: change.deadlines ?? [deadline(5, 4)], stored, windows, endings };
}

it('finds nothing in a run that keeps every rule', () => {
  expect(checkRules(evidence()).filter(({ ok }) => !ok)).toEqual([]);
  expect(new Set(checkRules(evidence()).map(({ name }) => name)).size).toBe(6);
});

describe('nothing before a deadline', () => {
  it('tells the closest margin and the waits', () => {
    const { figure, numbers } = checkDeadlines(evidence());
    expect(numbers).toEqual({ early: 0, inFlight: 0, closestMarginMs: 45, waits: 1 });
    expect(figure).toBe('0 requests early; the closest 45 ms after the end of a wait; waits asked for: 4 s');
  });

  it('fails by one request one millisecond early', () => {
    const arrivals = [arrival('A1', 0, flood), arrival('A1', 4004)];
    const { ok, figure, numbers } = checkDeadlines(evidence({ arrivals }));
    expect(ok).toBe(false);
    expect(numbers).toMatchObject({ early: 1, closestMarginMs: -1 });
    expect(figure).toMatch(/^1 request early; the closest 1 ms before the end of a wait/);
  });

  it('fails where a shorter wait was taken for the end of a longer one', () => {
    const arrivals = [arrival('A1', 0, flood), arrival('B1', 10, flood), arrival('A1', 3000)];
    expect(checkDeadlines(evidence({ arrivals, deadlines: [deadline(5, 4), deadline(900, 2)] })).ok).toBe(
      false,
    );
  });

  it('forgives what was on its way when the wait was announced, and counts it', () => {
    const arrivals = [arrival('A1', 0, flood), arrival('B1', 100, flood), arrival('A1', 4050)];
    expect(checkDeadlines(evidence({ arrivals }))).toMatchObject({
      ok: true,
      numbers: { early: 0, inFlight: 1 },
    });
  });

  it('fails where no wait was asked for, or nothing came after it: that shows nothing', () => {
    expect(checkDeadlines(evidence({ deadlines: [] })).ok).toBe(false);
    expect(checkDeadlines(evidence({ arrivals: [arrival('A1', 0, flood)] })).ok).toBe(false);
  });
});

describe('nothing twice', () => {
  it('fails by a message that the service took twice', () => {
    const arrivals = [arrival('A1', 0), arrival('A1', 2000)];
    expect(checkTwice(evidence({ arrivals }))).toMatchObject({ ok: false, numbers: { twice: 1, blind: 1 } });
  });

  it('fails by a blind repetition, even where the first one had not been taken', () => {
    const arrivals = [arrival('A1', 0, { ...unanswered, verdict: 'none' }), arrival('A1', 2000)];
    expect(checkTwice(evidence({ arrivals }))).toMatchObject({ ok: false, numbers: { twice: 0, blind: 1 } });
  });

  it('lets a reply go again that was refused by a flood', () => {
    expect(checkTwice(evidence())).toMatchObject({ ok: true, numbers: { messages: 3, twice: 0, blind: 0 } });
  });
});

describe('nothing lost', () => {
  it('accounts for each reply once', () => {
    expect(checkLost(evidence()).figure).toBe(
      '5 of 5 accounted for: 2 sent, 1 under review, 1 cancelled, 1 expired',
    );
  });

  it.each<[string, Parameters<typeof evidence>[0], string]>([
    ['still waits', { endings: { a2: 'waiting' } }, 'a2 (waiting, taken)'],
    ['was given up', { endings: { b2: 'given_up' } }, 'b2 (given_up, never taken)'],
    ['nobody knows of', { without: 'a1' }, 'a1 (no word of it, taken)'],
    ['is said to be sent, and was not', { endings: { b2: 'sent' } }, 'b2 (sent, never taken)'],
    ['is said to be cancelled, and was sent', { endings: { a2: 'cancelled' } }, 'a2 (cancelled, taken)'],
    ['is said to have expired, and was sent', { endings: { a1: 'expired' } }, 'a1 (expired, taken)'],
    ['is under review, and never left', { endings: { b3: 'review' } }, 'b3 (review, never taken)'],
  ])('fails by a reply that %s', (_what, change, words) => {
    const { ok, figure, numbers } = checkLost(evidence(change));
    expect(ok).toBe(false);
    expect(figure).toContain(`; not: ${words}`);
    expect(numbers['accounted']).toBe(4);
  });
});

describe('windows kept', () => {
  it('tells how busy the busiest windows were', () => {
    expect(checkWindows(evidence())).toMatchObject({ ok: true, numbers: { tooMany: 0, bot: 2, chat: 1 } });
  });

  it.each([
    ['bot', [arrival('A1', 0), arrival('B1', 10), arrival('B2', 999)]],
    ['chat', [arrival('A1', 0), arrival('A2', 999)]],
  ])('fails by one request too many of a %s', (_scope, arrivals) => {
    expect(checkWindows(evidence({ arrivals }))).toMatchObject({ ok: false, numbers: { tooMany: 1 } });
  });

  it('counts requests that met a flood too', () => {
    const arrivals = [arrival('A1', 0), arrival('B1', 10), arrival('B2', 20, flood)];
    expect(checkWindows(evidence({ arrivals })).ok).toBe(false);
  });
});

describe('order kept within each chat', () => {
  it('fails where a later reply overtakes, even one that met a flood before', () => {
    const arrivals = [arrival('A1', 0, flood), arrival('A2', 4050), arrival('A1', 5100)];
    expect(checkOrder(evidence({ arrivals }))).toMatchObject({ ok: false, numbers: { overtaken: 1 } });
  });

  it('says nothing of the order between chats', () => {
    const arrivals = [arrival('B1', 0), arrival('A1', 1000), arrival('B2', 2000), arrival('A2', 3000)];
    expect(checkOrder(evidence({ arrivals })).ok).toBe(true);
  });
});

describe('the uncertain, and only they, under review', () => {
  it('fails by an uncertain one that is not under review', () => {
    const { ok, figure } = checkReview(evidence({ endings: { b1: 'sent' } }));
    expect(ok).toBe(false);
    expect(figure).toBe('1 uncertain (b1), 0 under review, overlooked: b1');
  });

  it('fails by one under review that is certain', () => {
    const { ok, figure } = checkReview(evidence({ endings: { a2: 'review' } }));
    expect(ok).toBe(false);
    expect(figure).toBe('1 uncertain (b1), 2 under review, needlessly: a2');
  });

  it('fails where nothing was uncertain: that shows nothing', () => {
    const arrivals = keptArrivals.slice(0, 3);
    expect(checkReview(evidence({ arrivals, endings: { b1: 'cancelled' } })).ok).toBe(false);
  });
});

describe('all the trouble came', () => {
  const arrivals = [
    arrival('A1', 0, flood),
    arrival('B1', 10, { ...unanswered, verdict: 'none' }),
    arrival('A1', 4050),
    arrival('A2', 5100, unanswered),
  ];
  const troubled = evidence({
    arrivals,
    deadlines: [deadline(5, 4), deadline(900, 2)],
    endings: { a2: 'review' },
  });
  const kill = { pid: 7, key: 'b1', how: 'SIGKILL' };

  it('holds where each kind of it is in the evidence', () => {
    const { ok, figure } = checkTrouble(troubled, kill);
    expect(ok).toBe(true);
    expect(figure).toBe(
      'each limit was met; a wait of 2 s asked for inside a longer one; 1 answer lost; worker 7 killed while b1 was held; 1 cancelled; 1 expired',
    );
  });

  it.each([
    ['a limit was never met', { ...troubled, windows: { bot: [{ limit: 3, perMs: 1000 }] } }, kill],
    ['no worker was killed', troubled, null],
    ['the worker ended in another way', troubled, { ...kill, how: 'exit code 0' }],
    ['the killed worker had no request under way', troubled, { ...kill, key: 'a1' }],
    ['no shorter wait lay inside a longer one', { ...troubled, deadlines: [deadline(5, 4)] }, kill],
    ['the later wait ended later', { ...troubled, deadlines: [deadline(5, 4), deadline(900, 4)] }, kill],
    ['no answer was lost', evidence({ arrivals: arrivals.slice(0, 3) }), kill],
    ['nothing was cancelled', { ...troubled, endings: new Map([['b3', 'expired']]) }, kill],
    ['nothing expired', { ...troubled, endings: new Map([['b2', 'cancelled']]) }, kill],
  ] as const)('fails where %s', (_what, given, killed) => {
    expect(checkTrouble(given as Evidence, killed).ok).toBe(false);
  });
});

describe('the checks can fail', () => {
  const rules = checkRules(evidence());

  it('holds where every rule was broken', () => {
    expect(checkControl(rules.map((rule) => ({ ...rule, ok: false })))).toMatchObject({
      ok: true,
      figure: 'the naive sender broke 6 of 6 rules',
    });
  });

  it('fails by a rule that the naive sender kept, and names it; and by no rules at all', () => {
    const control = checkControl(rules.map((rule) => ({ ...rule, ok: rule.name === 'order' })));
    expect(control).toMatchObject({
      ok: false,
      figure: 'the naive sender kept: order kept within each chat',
    });
    expect(checkControl([]).ok).toBe(false);
  });
});

describe('decided by command', () => {
  const done: Decided = {
    reply: 'demo/b1',
    command: 'node …',
    exitCode: 0,
    decision: 'not_sent',
    state: 'not_sent',
    problem: null,
    webUi: 'http://127.0.0.1/…',
  };

  it('holds where the command exits 0 and the reply is as decided', () => {
    expect(checkDecided([done])).toMatchObject({ ok: true, numbers: { decided: 1, of: 1 } });
  });

  it.each<[string, readonly Decided[]]>([
    ['nothing was decided', []],
    ['the command failed', [done, { ...done, exitCode: 4 }]],
    ['the command was ended', [{ ...done, exitCode: null }]],
    ['the reply is in another state', [{ ...done, state: 'sent' }]],
    ['the command printed no record', [{ ...done, state: null }]],
  ])('fails where %s', (_what, decided) => {
    expect(checkDecided(decided).ok).toBe(false);
  });
});
