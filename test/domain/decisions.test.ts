import { describe, expect, test } from 'vitest';
import { cancelProblem, decisionProblem } from '../../domain/decisions.ts';
import { controlProblem, whoProblem } from '../../domain/lane/control.ts';

const signed = { by: 'ana', reason: 'the customer called' };
const decision = { attempt: 1, decision: 'not_sent', ...signed };

describe('a decision', () => {
  test.each([
    decision,
    { ...decision, attempt: 0 },
    { ...decision, decision: 'resend' },
    { ...decision, decision: 'cancel' },
    { ...decision, decision: 'sent' },
    { ...decision, decision: 'sent', messageId: 7 },
    { ...decision, decision: 'resend', allowExpired: true },
    { ...decision, decision: 'resend', allowExpired: false },
    { ...decision, field: 'of tomorrow' },
    { ...decision, via: 'x'.repeat(40) },
    { ...decision, bulk: 'bulk-decision:0f8fad5b-d9cb-469f-a165-70867728950e' },
  ])('is taken: %j', (request) => expect(decisionProblem(request)).toBeUndefined());

  test.each([
    [null, /^give /],
    [undefined, /^give /],
    ['sent', /^give /],
    [{}, /^attempt:/],
    [{ ...decision, attempt: -1 }, /^attempt:/],
    [{ ...decision, attempt: 1.5 }, /^attempt:/],
    [{ ...decision, attempt: '1' }, /^attempt:/],
    [{ ...decision, decision: 'Sent' }, /^decision:/],
    [{ ...decision, decision: undefined }, /^decision:/],
    [{ ...decision, decision: 'sent', messageId: 1.5 }, /^messageId: must/],
    [{ ...decision, decision: 'sent', messageId: null }, /^messageId: must/],
    [{ ...decision, messageId: 7 }, /^messageId: goes/],
    [{ ...decision, allowExpired: 'yes' }, /^allowExpired:/],
    [{ ...decision, allowExpired: null }, /^allowExpired:/],
    [{ ...decision, by: '' }, /^by:/],
    [{ ...decision, reason: ' ' }, /^reason:/],
    [{ ...decision, via: ' ' }, /^via:/],
    [{ ...decision, via: 'x'.repeat(41) }, /^via:/],
    [{ ...decision, via: 7 }, /^via:/],
    [{ ...decision, bulk: 'reply:support:k' }, /^bulk:/],
    [{ ...decision, bulk: ['bulk-decision:0f8fad5b-d9cb-469f-a165-70867728950e'] }, /^bulk:/],
  ])('is refused, and its fault named: %j', (request, words) =>
    expect(decisionProblem(request)).toMatch(words),
  );
});

describe('a cancellation', () => {
  test('is taken where it is signed', () => expect(cancelProblem(signed)).toBeUndefined());

  test.each([
    [null, /^give /],
    [7, /^give /],
    [undefined, /^give /],
    [{ by: 'ana' }, /^reason:/],
    [{ reason: 'x' }, /^by:/],
  ])('is refused, and its fault named: %j', (request, words) =>
    expect(cancelProblem(request)).toMatch(words),
  );
});

describe("an operator's act on a lane", () => {
  test.each(['pause', 'resume', 'override'])('is taken: %s', (action) =>
    expect(controlProblem({ action, ...signed })).toBeUndefined(),
  );

  test.each([
    [null, /^give /],
    ['pause', /^give /],
    [undefined, /^give /],
    [signed, /^action:/],
    [{ action: 'stop', ...signed }, /^action:/],
    [{ action: 'pause', by: 'ana' }, /^reason:/],
  ])('is refused, and its fault named: %j', (request, words) =>
    expect(controlProblem(request)).toMatch(words),
  );
});

test("nobody's act goes unsigned, and no signature is endless", () => {
  expect(whoProblem('a', 'b')).toBeUndefined();
  expect(whoProblem('a'.repeat(200), 'b'.repeat(1000))).toBeUndefined();
  for (const by of ['', ' \n', 'a'.repeat(201), 7, null, undefined])
    expect(whoProblem(by, 'b')).toMatch(/^by:/);
  for (const reason of ['', ' \n', 'b'.repeat(1001), 7, null, undefined])
    expect(whoProblem('a', reason)).toMatch(/^reason:/);
});
