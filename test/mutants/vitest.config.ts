import { defineConfig } from 'vitest/config';

/** The tests of one room, with which StrykerJS tries its mutants (run.ts). */
export default defineConfig({
  test: {
    include: [process.env.MUTANTS ?? 'test/**/*.test.ts'],
    setupFiles: ['test/setup/seed.ts', 'test/setup/undone.ts', 'test/mutants/short-searches.ts'],
    isolate: process.env.ISOLATED === 'true',
    provide: { isLong: false, seed: 20_261_122 },
    env: { AWS_XRAY_MANUAL_MODE: 'true' },
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
