import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

/** Workers killed and frozen at every step, and crowds of them: minutes, so not a part of `npm test`. */
export default defineConfig({
  test: {
    ...base.test,
    include: ['test/stress/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    maxWorkers: 1,
  },
});
