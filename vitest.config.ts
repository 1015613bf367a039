import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/{browser,cluster,stress}/**', '**/node_modules/**'],
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', './tools/vitest-summary.ts'],
    pool: 'forks',
    // More than this machine has cores: most tests wait, for servers, for workers and for deadlines.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
  },
});
