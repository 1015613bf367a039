import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

/** docker-compose.yml without a container engine: a full Temporal server on PostgreSQL. Minutes, so not a part of `npm test`. */
export default defineConfig({
  test: {
    ...base.test,
    include: ['test/cluster/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    globalSetup: ['test/cluster/global-setup.ts'],
    maxWorkers: 1,
    testTimeout: 300_000,
    hookTimeout: 180_000,
    teardownTimeout: 60_000,
  },
});
