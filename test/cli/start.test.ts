import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { PROGRAM_FILE, plainEnvironment } from '../support/run-program.ts';

/** Tells on standard error, at the end, of which packages modules were loaded. */
const TELL_PACKAGES = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  const packages = new Set();
  registerHooks({
    load(url, context, next) {
      const [, name] = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url) ?? [];
      if (name !== undefined) packages.add(name);
      return next(url, context);
    },
  });
  process.on('exit', () => console.error(JSON.stringify([...packages])));
`)}`;

async function packagesLoadedBy(...words: string[]): Promise<string[]> {
  const { stderr } = await promisify(execFile)(
    process.execPath,
    ['--import', TELL_PACKAGES, PROGRAM_FILE, ...words],
    { env: plainEnvironment() },
  );
  return JSON.parse(stderr);
}

it.each([
  { words: ['--help'] },
  { words: ['query', '--help'] },
  { words: ['export', '--help'] },
  { words: ['report', '--help'] },
  { words: ['completion', 'bash'] },
])('$words waits for neither DuckDB nor the sandbox’s server nor the AWS SDK', async ({ words }) => {
  const large = /^(@duckdb|@aws-sdk|@smithy|fastify|hucre|aws-cdk)/;
  expect((await packagesLoadedBy(...words)).filter((name) => large.test(name))).toEqual([]);
});
