import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tables first: most mutants end with them, and only those that outlive them meet the properties and the model. */
class TablesFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const late = /(properties|fuzz|answers|outage|move|flood|control)\.test\.ts$/;
    const rank = ({ moduleId }: TestSpecification): number => (late.test(moduleId) ? 1 : 0);
    return Promise.resolve(files.toSorted((a, b) => rank(a) - rank(b)));
  }
}

// What `npm run test:mutation` runs for each mutant: the pure tests, with fewer runs of each property.
export default defineConfig({
  test: {
    include: [process.env['REPLYLANE_MUTATED_TESTS'] ?? 'test/{contracts,domain}/**/*.test.ts'],
    // Thousands of replies, for 20 s: what they judge is room and rate.
    exclude: ['test/domain/lane/{size,pace}.test.ts'],
    setupFiles: ['test/support/fixed-properties.ts'],
    env: { PROPERTY_SCALE: '0.1' },
    sequence: { sequencer: TablesFirst },
    isolate: false,
    testTimeout: 60_000,
  },
});
