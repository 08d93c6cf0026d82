import { globSync, readFileSync } from 'node:fs';
import { defineConfig, mergeConfig } from 'vitest/config';
import config, { ALONE, HOW, WORKFLOWS } from './vitest.config.ts';

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
process.stdout.write(`Seed ${seed}; the same courses again: SEED=${seed} npm run test:long\n`);

/** Those with a search in them, or with tests that are for this run alone. */
const files = globSync('test/**/*.test.ts').filter(
  (file) =>
    file.endsWith('.long.test.ts') ||
    /\bfc\.|\b(?:campaign|oneIn)[(<]|\bitLong\b|\bLOOKS\b|\blooksOf\(/.test(readFileSync(file, 'utf8')),
);
const alone = globSync(ALONE);
const workflows = globSync(WORKFLOWS);
const isShared = (file: string) => !alone.includes(file) && !workflows.includes(file);

/** npm run test:long: these files at full length and from a seed of its own. */
export default mergeConfig(
  { ...config, test: { ...config.test, projects: undefined } },
  defineConfig({
    test: {
      testTimeout: 600_000,
      provide: { isLong: true, seed },
      projects: [
        { extends: true, test: { ...HOW.shared, include: files.filter(isShared) } },
        { extends: true, test: { ...HOW.alone, include: files.filter((file) => alone.includes(file)) } },
        {
          extends: true,
          test: { ...HOW.workflows, include: files.filter((file) => workflows.includes(file)) },
        },
      ],
    },
  }),
);
