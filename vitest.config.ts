import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/{browser,cluster,stress}/**', '**/node_modules/**'],
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', './tools/vitest-summary.ts'],
    pool: 'forks',
    // A file brings a server and workers with it: with three at a time on two slow cores, tests of seconds came too late.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
  },
});
