import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export default defineConfig({
  resolve: {
    // The examples import the package, which a checkout has not built.
    alias: { 'cfe-lake/cdk': fileOf('lib/stack/index.ts') },
  },
  test: {
    include: ['test/**/*.test.ts'],
    // Many tests wait for processes and sockets of their own.
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
