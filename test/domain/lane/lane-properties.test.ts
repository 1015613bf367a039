import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../support/runs.ts';
import { build, scenarios } from './model/scenario.ts';

test('whatever happens around it, the lane keeps its promises and no reply is stuck', () => {
  fc.assert(
    fc.property(scenarios, (scenario) => {
      const world = build(scenario).runFor(12 * 3_600_000);
      expect(world.violations()).toEqual([]);
      expect(world.stuck()).toEqual([]);
    }),
    { numRuns: runs(60) },
  );
});
