import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

/** A real browser, on the review page and the Temporal Web UI: it needs Chromium, so it is not a part of `npm test`. */
export default defineConfig({
  test: {
    ...base.test,
    include: ['test/browser/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    maxWorkers: 1,
    testTimeout: 240_000,
  },
});
