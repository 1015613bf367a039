import { describe, expect, it } from 'vitest';
import { instantProblem, replyInputProblems } from '../../domain/reply-input.ts';

describe('an instant', () => {
  it.each([
    '2026-12-01T10:00:00Z',
    '2026-12-01T10:00:00.123+02:00',
    '2028-02-29T00:00Z',
    '2026-12-31T23:59:59-11:00',
    '2026-12-01T10:00:00.1Z',
    '2026-12-01T10:00:00.123456789Z',
  ])('is taken: %s', (instant) => expect(instantProblem(instant)).toBeUndefined());

  it.each([
    '2027-02-30T10:00:00Z',
    '2027-02-29T10:00:00Z',
    '2026-04-31T10:00Z',
    '2026-13-01T10:00:00Z',
    '2026-12-01T25:00:00Z',
  ])('is refused where the calendar has none such, instead of being moved later: %s', (instant) =>
    expect(instantProblem(instant)).toMatch(/ISO 8601/),
  );

  it.each([
    'x2026-12-01T10:00:00Z',
    '2026-12-01T10:00:00Zx',
    '2026-12-01T10:00:00.Z',
    '2026-12-01T10:00:00.1234567890Z',
    '2026-12-01T10:00:00.xZ',
    '2026-12-01T10:00:00*02:00',
    '2026-12-01T10:00:00+0200',
    '26-12-01T10:00:00Z',
    '2026-12-1T10:00:00Z',
    '2026-12-01T10Z',
    '2026-12-01 10:00:00Z',
    '2026-12-01T10:00:60Z',
    '2026-12-01T10:00:00+99:99',
    '2026-00-01T10:00:00Z',
    '+012026-12-01T10:00:00Z',
    '2026-12-01T10:00:00Z (x)',
  ])('is refused in another form: %s', (instant) => expect(instantProblem(instant)).toMatch(/ISO 8601/));

  it.each(['tomorrow', '2026-12-01', '2026-12-01T10:00:00', '', 5, null])(
    'is refused without a form or a zone: %s',
    (instant) => expect(instantProblem(instant)).toMatch(/ISO 8601/),
  );
});

describe('one reply', () => {
  const least = { bot: 'support', key: 'k', content: { method: 'sendMessage', params: {} } };
  const full = {
    ...least,
    after: 'j',
    expiresAt: '2026-12-01T10:00:00Z',
    class: 'bulk',
    reviewIfDelayedOverMs: 1,
  };

  it.each([least, full, { ...least, class: 'reply' }, { ...least, after: undefined, expiresAt: undefined }])(
    'is taken: %j',
    (input) => expect(replyInputProblems(input)).toEqual([]),
  );

  it.each([null, undefined, 'reply', 7, [], [full]])('is an object: %j is none', (input) =>
    expect(replyInputProblems(input)).toEqual([
      { field: 'reply', problem: expect.stringMatching(/must be an object/) },
    ]),
  );

  it.each([
    ['bot', 'Support', /a-z/],
    ['bot', undefined, /a-z/],
    ['key', '', /at least one character/],
    ['key', undefined, /at least one character/],
    ['content', undefined, /must be an object/],
    ['content', null, /must be an object/],
    ['content', [], /must be an object/],
    ['content', { params: {} }, /method must be a text/],
    ['content', { method: 7, params: {} }, /method must be a text/],
    ['content', { method: 'm' }, /params must be an object/],
    ['content', { method: 'm', params: [] }, /params must be an object/],
    ['content', { method: 'm', params: null }, /params must be an object/],
    ['after', '', /at least one character/],
    ['after', null, /at least one character/],
    ['after', 'k', /another reply/],
    ['expiresAt', 'tomorrow', /ISO 8601/],
    ['expiresAt', null, /ISO 8601/],
    ['class', 'urgent', /"reply" or "bulk"/],
    ['class', null, /"reply" or "bulk"/],
    ['reviewIfDelayedOverMs', 0, /positive whole number/],
    ['reviewIfDelayedOverMs', -1, /positive whole number/],
    ['reviewIfDelayedOverMs', 1.5, /positive whole number/],
    ['reviewIfDelayedOverMs', '5', /positive whole number/],
    ['reviewIfDelayedOverMs', null, /positive whole number/],
    ['expires_at', '2026-12-01T10:00:00Z', /not a field of a reply: use bot, key, content/],
    ['priority', undefined, /not a field of a reply/],
  ])('is refused by its field %s: %j', (field, value, words) =>
    expect(replyInputProblems({ ...full, [field]: value })).toEqual([
      { field, problem: expect.stringMatching(words) },
    ]),
  );

  it('is refused for what it lacks only', () =>
    expect(replyInputProblems({}).map(({ field }) => field)).toEqual(['bot', 'key', 'content']));

  it('has its instants as text, and not as what could be made into one', () =>
    expect(replyInputProblems({ ...full, expiresAt: Object('2026-12-01T10:00:00Z') })).toMatchObject([
      { field: 'expiresAt' },
    ]));

  it('has all its problems told at once', () =>
    expect(
      replyInputProblems({ content: { method: 7 }, after: 7, expiresAt: 7, class: 7, priority: 1 }).map(
        ({ field }) => field,
      ),
    ).toEqual(['bot', 'key', 'content', 'after', 'expiresAt', 'class', 'priority']));
});
