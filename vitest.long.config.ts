import { globSync, readFileSync } from 'node:fs';
import { defineConfig, mergeConfig } from 'vitest/config';
import config from './vitest.config.ts';

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
process.stdout.write(`Seed ${seed}; the same courses again: SEED=${seed} npm run test:long\n`);

/** npm run test:long: the files with a search in them, at full length and from a seed of its own. */
export default mergeConfig(
  { ...config, test: { ...config.test, projects: undefined } },
  defineConfig({
    test: {
      include: globSync('test/**/*.test.ts').filter((file) =>
        /\bfc\.|\bcampaign[(<]|\bLOOKS\b|\blooksOf\(/.test(readFileSync(file, 'utf8')),
      ),
      testTimeout: 600_000,
      provide: { isLong: true, seed },
    },
  }),
);
