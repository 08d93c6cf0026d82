import { chmodSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { askedAccess } from '../../lib/cli/options/connection.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { runLine, runMain } from '../support/program/run-main.ts';

const DAY = ['--date', '2026-11-19'];
const SAID = 'SANDBOX: invented receipts of invented companies. For your own: --companies FILE\n';

let folder: string;
let before: string;
let sandbox: Sandbox;
let other: Sandbox;
beforeEach(async () => {
  vi.stubEnv('CFE_LAKE_API', undefined);
  folder = newFolder();
  before = process.cwd();
  process.chdir(folder);
  [sandbox, other] = [await startSandbox({ receiptsPerDay: 3 }), await startSandbox({ receiptsPerDay: 3 })];
});
afterEach(async () => {
  process.chdir(before);
  await Promise.all([sandbox.close(), other.close()]);
});

/** Writes a file with the sandbox's companies and these other fields, such as its address. */
async function companiesFile(more: Record<string, unknown> = {}): Promise<string> {
  const text = JSON.stringify({ ...more, companies: sandbox.companies });
  await writeFile('companies.json', text, { mode: 0o600 });
  return 'companies.json';
}

describe('the address of the API', () => {
  it('may be in the companies file, in the environment, or be typed', async () => {
    const check = (...words: string[]) => runMain('companies', 'check', ...words);
    expect((await check('--companies', await companiesFile({ api: sandbox.url }))).code).toBe(0);
    const file = await companiesFile();
    expect((await check('--companies', file, '--api', sandbox.url)).code).toBe(0);
    vi.stubEnv('CFE_LAKE_API', sandbox.url);
    expect((await check('--companies', file)).code).toBe(0);
    expect(sandbox.stats().requests).toBe(12);
    // The option wins over the environment.
    expect((await check('--companies', file, '--api', other.url)).code).toBe(0);
    expect({ sandbox: sandbox.stats().requests, other: other.stats().requests }).toEqual({
      sandbox: 12,
      other: 4,
    });
  });

  it('is refused, typed or set, where the file has another: its tokens are for that one', async () => {
    const file = await companiesFile({ api: sandbox.url });
    const typed = await runMain('companies', 'check', '--companies', file, '--api', other.url);
    expect(typed.stderr).toMatch(
      /^cfe-lake: --api is not the "api" of companies\.json, .* nothing was sent\. /,
    );
    vi.stubEnv('CFE_LAKE_API', other.url);
    const set = await runMain('companies', 'check', '--companies', file);
    expect(set.stderr).toMatch(
      /^cfe-lake: CFE_LAKE_API is not the "api" of companies\.json, .* nothing was sent\. /,
    );
    expect({
      typed: typed.code,
      set: set.code,
      sandboxRequests: sandbox.stats().requests,
      otherRequests: other.stats().requests,
    }).toEqual({ typed: 2, set: 2, sandboxRequests: 0, otherRequests: 0 });
    // The same address, written differently.
    expect((await runMain('companies', 'check', '--companies', file, '--api', `${sandbox.url}/`)).code).toBe(
      0,
    );
  });

  it('stays that of the file while it is read again for a renewed token', async () => {
    const file = await companiesFile({ api: sandbox.url });
    const { companies } = await askedAccess({ companies: file });
    const [first] = sandbox.companies;
    const renewed = [{ ...first, token: 'renewed' }];
    await writeFile(file, JSON.stringify({ api: sandbox.url, companies: renewed }));
    expect(await companies[0]?.tokens.renew('refused')).toBe('renewed');
    await writeFile(file, JSON.stringify({ api: other.url, companies: renewed }));
    expect(await companies[0]?.tokens.renew('refused')).toBe(first?.token);
  });

  it.each([[['--sandbox']], [['--api', 'sandbox']]])(
    'is the sandbox with %j, which has companies of its own',
    async (words) => {
      vi.stubEnv('CFE_LAKE_API', sandbox.url);
      expect(await runMain('companies', 'check', ...words)).toMatchObject({ code: 0, stderr: SAID });
      expect(sandbox.stats().requests).toBe(0);
      const both = [...words, '--companies', await companiesFile()];
      expect(await runMain('companies', 'check', ...both)).toMatchObject({
        code: 2,
        stderr: 'cfe-lake: The sandbox has companies of its own: leave out --sandbox or --companies.\n',
      });
    },
  );
});

describe('invented receipts', () => {
  const COMMANDS = [
    ['export', '--last', '3'],
    ['missing'],
    ['list', 'recibidos', '--rut', '219999830019', ...DAY],
  ];

  it.each(COMMANDS)(
    'are read by no command in a folder with a companies.json, whose companies it asks for: %s %s',
    async (...words) => {
      await companiesFile({ api: sandbox.url });
      const { code, stderr } = await runMain(...words);
      expect(stderr).toMatch(/^Using companies\.json\.\n/);
      expect(stderr).not.toContain('SANDBOX');
      // A lake that is not there yet lacks everything.
      expect(code).toBe(words[0] === 'missing' ? 2 : 0);
      chmodSync('companies.json', 0o666);
      expect((await runMain(...words)).code).toBe(2);
    },
  );

  it('are exported there where --sandbox is given', async () => {
    await companiesFile();
    const { code, stdout, stderr } = await runMain('export', '--sandbox', ...DAY, '--json');
    expect({ code, fallido: JSON.parse(stdout).totals.fallido }).toEqual({ code: 0, fallido: 0 });
    expect(stderr.startsWith(SAID)).toBe(true);
    // What is suggested works there too.
    const { stdout: missing } = await runLine('missing --sandbox --from 2026-11-18 --to 2026-11-19');
    expect(missing).toMatch(/ missing --from 2026-11-18 --to 2026-11-19 --sandbox --export$/m);
  });
});

it('your companies’ receipts go to ./lake; those of the sandbox’s companies go to ./lake-sandbox, from a port too', async () => {
  const file = await companiesFile({ api: sandbox.url });
  const { code, stdout } = await runMain('export', '--companies', file, ...DAY);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/, in \.\/lake\.\nQuery it: {2}\S.* query "SELECT/),
  });
  expect((await runMain('export', '--api', sandbox.url, ...DAY)).stdout).toMatch(
    /in \.\/lake-sandbox\.\nQuery it: .* query --lake \.\/lake-sandbox "SELECT/,
  );
  const odd = await runMain('export', '--api', sandbox.url, ...DAY, '--lake', "it's here");
  expect(odd.stdout).toContain(`query --lake 'it'\\''s here' "SELECT`);
});

describe('a certificate that nobody checks', () => {
  const UNCHECKED =
    /^cfe-lake: NODE_TLS_REJECT_UNAUTHORIZED=0 lets anybody pose as the API or AWS and take the tokens: unset it\. /;

  it('is refused with https, and nothing is sent', async () => {
    const file = await companiesFile({ api: 'https://127.0.0.1:1' });
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    for (const words of [['export'], ['companies', 'check']]) {
      const { code, stdout, stderr } = await runMain(...words, '--companies', file);
      expect(stderr).toMatch(UNCHECKED);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    }
    expect((await runMain('companies', 'check', '--api', sandbox.url)).code).toBe(0);
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '1');
    expect((await runMain('missing', '--companies', file, '--lake', folder)).stderr).toBe('');
  });

  it('is refused for AWS too: buckets, secrets, stacks', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    // Nothing listens there; without the check each would say so.
    vi.stubEnv('AWS_ENDPOINT_URL', 'https://127.0.0.1:1');
    for (const words of [
      ['query', '--lake', 's3://lake', 'SELECT 1 FROM recibidos'],
      ['export', '--api', sandbox.url, '--companies', await companiesFile(), '--lake', 's3://lake'],
      ['check', '--stack', 'cfe-lake'],
    ]) {
      const { code, stderr } = await runMain(...words);
      expect({ code, stderr }, words[0]).toEqual({ code: 2, stderr: expect.stringMatching(UNCHECKED) });
    }
  });
});
