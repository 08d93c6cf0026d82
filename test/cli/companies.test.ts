import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../lib/time/clock.ts';
import { DEFAULT_BEHAVIOUR } from '../../sandbox/behaviour.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { writeCompanies } from '../support/program/companies-file.ts';
import { runMain } from '../support/program/run-main.ts';
import { sharedSandbox } from '../support/sandbox.ts';

const [FIRST, SECOND] = ['219999830019', '214844360018'];

const sandbox = await sharedSandbox({ now: '2026-11-20T03:00:00', companyCount: 12, receiptsPerDay: 1 });
afterEach(() => {
  sandbox.behave(DEFAULT_BEHAVIOUR);
  vi.useRealTimers();
});

/** The lines of `companies check` below its table, for these companies. */
async function advice(companies: readonly object[], api = sandbox.url) {
  const file = writeCompanies(newFolder(), companies);
  const { code, stdout } = await runMain('companies', 'check', '--api', api, '--companies', file);
  const lines = stdout
    .slice(stdout.indexOf('\n\n') + 2)
    .trimEnd()
    .split('\n');
  const [, , row = ''] = stdout.split('\n');
  return {
    code,
    file,
    row,
    lines: lines.map((line) => line.replace(file, 'FILE').replace(/.* -- /, '  … ')),
  };
}

describe('companies check says what to do next', () => {
  it('where all tokens work: a command that exports', async () => {
    const { code, file, row, lines } = await advice(sandbox.companies.slice(0, 2));
    expect({ code, row }).toEqual({ code: 0, row: expect.stringMatching(/219999830019 .* works +20\d\d-/) });
    expect(lines).toEqual([
      'All tokens work. To export the receipts of yesterday:',
      `  … export --api ${sandbox.url} --companies FILE`,
    ]);
    const words = lines[1]?.replace('  … ', '').replace('FILE', file).split(' ') ?? [];
    expect((await runMain(...words, '--lake', join(newFolder(), 'lake'))).code).toBe(0);
  });

  it('where some are refused: whose to renew, and where to write them', async () => {
    const [first, ...others] = sandbox.companies.slice(0, 2);
    const { code, lines } = await advice([{ ...first, token: 'an-old-one' }, ...others]);
    expect(code).toBe(1);
    expect(lines).toEqual([
      `The API refused the token of ${FIRST}: get a new one and write it into FILE.`,
      'Then check again:',
      `  … companies check --api ${sandbox.url} --companies FILE`,
    ]);
    const all = sandbox.companies.map((company) => ({ ...company, token: 'an-old-one' }));
    expect((await advice(all)).lines[0]).toContain('refused the token of 12 companies:');
  });

  it('where nothing answers: the reason, and that nothing is known', async () => {
    vi.spyOn(systemClock, 'sleep').mockResolvedValue();
    const { code, row, lines } = await advice(sandbox.companies.slice(0, 2), 'http://127.0.0.1:1');
    expect({ code, row }).toEqual({
      code: 1,
      row: expect.stringMatching(/219999830019 .* not tried +20\d\d-/),
    });
    expect(lines).toEqual([
      expect.stringMatching(
        /^no answer from the API: nothing listens .*\. Check the API address and the network\.$/,
      ),
      `The token of ${FIRST}, ${SECOND} could not be tried.`,
      'Then check again:',
      '  … companies check --api http://127.0.0.1:1 --companies FILE',
    ]);
  });

  it('where one expires soon: to renew it', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2099-12-25T12:00:00Z') });
    const { code, lines } = await advice(sandbox.companies.slice(0, 1));
    expect({ code, firstLine: lines[0] }).toEqual({
      code: 0,
      firstLine: `Renew soon: the token of ${FIRST} expires within 14 days.`,
    });
  });
});

it('companies check says before any login what a stack in AWS would refuse, and a folder does not', async () => {
  const { tokenUrl, username, password } = sandbox.login;
  const login = { tokenUrl, username, password, scope: 'rut', refreshToken: 'a-token' };
  const file = join(newFolder(), 'companies.json');
  writeFileSync(file, JSON.stringify({ login, companies: [{ rut: FIRST }] }), { mode: 0o600 });
  const words = ['companies', 'check', '--api', sandbox.url, '--companies', file];
  const { stdout, stderr } = await runMain(...words);
  expect(stderr).toContain(
    'a stack in AWS would refuse it: it asks for a token of each company with a refresh',
  );
  expect(stdout).toContain(FIRST);
});
