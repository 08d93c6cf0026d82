import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The tests that ask the declared tables, each question with the mutants of its SQL (sql.ts). */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  resolve: {
    alias: [
      { find: /^.*\/ask-named\.ts$/, replacement: fileURLToPath(new URL('ask-mutants.ts', import.meta.url)) },
    ],
  },
  test: {
    include: ['test/query/named/{books,posicion-iva,odd-rows,odd-amounts,rates,declared-edges}.test.ts'],
    setupFiles: ['test/setup/seed.ts', 'test/setup/undone.ts'],
    provide: { isLong: false, seed: 20_261_122 },
    isolate: false,
    maxWorkers: 1,
    testTimeout: 1_200_000,
    hookTimeout: 300_000,
  },
});
