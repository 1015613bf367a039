import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Answers, slotsSince, thinAnswers } from '../../../domain/lane/answers.ts';

const nowMs = 1_800_000_000_000;
const ages = fc.array(fc.tuple(fc.nat(3_600_000), fc.integer({ min: 1, max: 3 })), { maxLength: 400 });

test('rule 7: gathered answers never free a slot early, nor later than by a sixty-fourth of their age', () => {
  fc.assert(
    fc.property(ages, fc.array(fc.nat(60_000), { maxLength: 20 }), (list, steps) => {
      const exact: Answers = list.map(([ageMs, slots]) => [nowMs - ageMs, slots]);
      let thin = exact;
      let laterMs = nowMs;
      for (const stepMs of steps) thin = thinAnswers(thin, 7_200_000, (laterMs += stepMs));
      for (let backMs = 0; backMs < 3_600_000; backMs += 97_001) {
        const sinceMs = laterMs - backMs;
        expect(slotsSince(thin, sinceMs)).toBeGreaterThanOrEqual(slotsSince(exact, sinceMs));
        const slackMs = Math.ceil((laterMs - sinceMs) / 63);
        expect(slotsSince(thin, sinceMs)).toBeLessThanOrEqual(slotsSince(exact, sinceMs - slackMs));
      }
    }),
  );
});

test('rule 19: the list stays short, whatever the rate and the window', () => {
  let answers: Answers = [];
  for (let second = 0; second < 600; second++) {
    for (let i = 0; i < 1000; i++) answers.push([nowMs + second * 1000 + i, 1]);
    answers = thinAnswers(answers, 86_400_000, nowMs + second * 1000 + 999);
  }
  expect(slotsSince(answers, 0)).toBe(600_000);
  expect(answers.length).toBeLessThan(3500);
});
