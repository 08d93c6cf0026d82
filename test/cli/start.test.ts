import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { campaign } from '../support/campaign.ts';
import { PROGRAM_FILE, plainEnvironment } from '../support/program/run-program.ts';

/** Prints to stderr, on exit, the packages and the commands whose modules were loaded. */
const TELL_LOADED = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  const packages = new Set();
  registerHooks({
    load(url, context, next) {
      const [, name] = /(?:node_modules|lib\\/cli\\/commands)\\/((?:@[^/]+\\/)?[^/]+)/.exec(url) ?? [];
      if (name !== undefined) packages.add(name);
      return next(url, context);
    },
  });
  process.on('exit', () => console.error(JSON.stringify([...packages])));
`)}`;

async function loadedBy(...words: string[]): Promise<string[]> {
  const { stderr } = await promisify(execFile)(
    process.execPath,
    ['--import', TELL_LOADED, PROGRAM_FILE, ...words],
    { env: plainEnvironment() },
  );
  return JSON.parse(stderr);
}

interface Started {
  words: string[];
  /** The modules of commands that are loaded, if that is to be tested. */
  commands?: string[];
}

const QUICK: Started[] = [
  { words: ['--help'], commands: [] },
  { words: ['runs', '--help'], commands: ['deployed.ts'] },
];
const ALL: Started[] = [
  ...QUICK,
  { words: ['--version'], commands: [] },
  { words: ['query', '--help'] },
  { words: ['export', '--help'] },
  { words: ['report', '--help'] },
];

it.each(campaign({ quick: QUICK, long: ALL }))(
  '$words waits for neither DuckDB nor the sandbox’s server nor the AWS SDK, and for no other command',
  async ({ words, commands }) => {
    const large = /^(@duckdb|@aws-sdk|@smithy|fastify|hucre|aws-cdk)/;
    const loaded = await loadedBy(...words);
    expect(loaded.filter((name) => large.test(name))).toEqual([]);
    if (commands !== undefined) expect(loaded.filter((name) => name.endsWith('.ts'))).toEqual(commands);
  },
);
