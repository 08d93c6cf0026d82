import { globSync, readFileSync } from 'node:fs';
import { defineConfig, mergeConfig } from 'vitest/config';
import config, { ALONE } from './vitest.config.ts';

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
process.stdout.write(`Seed ${seed}; the same courses again: SEED=${seed} npm run test:long\n`);

/** Those with a search in them. */
const files = globSync('test/**/*.test.ts').filter((file) =>
  /\bfc\.|\bcampaign[(<]|\bLOOKS\b|\blooksOf\(/.test(readFileSync(file, 'utf8')),
);
const alone = new Set(globSync(ALONE));

/** npm run test:long: these files at full length and from a seed of its own. */
export default mergeConfig(
  { ...config, test: { ...config.test, projects: undefined } },
  defineConfig({
    test: {
      testTimeout: 600_000,
      provide: { isLong: true, seed },
      projects: [
        {
          extends: true,
          test: { name: 'shared', include: files.filter((file) => !alone.has(file)), isolate: false },
        },
        { extends: true, test: { name: 'alone', include: files.filter((file) => alone.has(file)) } },
      ],
    },
  }),
);
