import { describe, expect, it } from 'vitest';
import { instantProblem } from '../../domain/reply-input.ts';

describe('an instant', () => {
  it.each([
    '2026-12-01T10:00:00Z',
    '2026-12-01T10:00:00.123+02:00',
    '2028-02-29T00:00Z',
    '2026-12-31T23:59:59-11:00',
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

  it.each(['tomorrow', '2026-12-01', '2026-12-01T10:00:00', '', 5, null])(
    'is refused without a form or a zone: %s',
    (instant) => expect(instantProblem(instant)).toMatch(/ISO 8601/),
  );
});
