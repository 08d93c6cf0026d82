import { defineConfig } from 'vitest/config';

/** npm run check:package: needs a registry, or npm's cache, and a minute. */
export default defineConfig({
  test: { include: ['test/package/*.check.ts'], testTimeout: 120_000, hookTimeout: 300_000 },
});
