import { spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { endOf, PROGRAM_FILE } from '../support/program/run-program.ts';

/** Of no user of this machine, as in a container that is started with `--user`. */
const NOBODYS = 54_321;

describe.skipIf(process.getuid?.() !== 0)('a user without an entry and without a home', () => {
  let sandbox: Sandbox;
  let folder: string;
  beforeAll(async () => {
    sandbox = await startSandbox({ receiptsPerDay: 2, companyCount: 2 });
    folder = mkdtempSync('/tmp/nameless-');
    const answer = await fetch(sandbox.login.tokenUrl, {
      method: 'POST',
      body: JSON.stringify({ grant_type: 'password', ...sandbox.login }),
    });
    const { refresh_token: refreshToken } = (await answer.json()) as { refresh_token: string };
    const login = { tokenUrl: sandbox.login.tokenUrl, refreshToken };
    const companies = sandbox.companies.map(({ rut }) => ({ rut }));
    const file = join(folder, 'companies.json');
    writeFileSync(file, JSON.stringify({ api: sandbox.url, login, companies }));
    chmodSync(file, 0o600);
    for (const path of [folder, file]) chownSync(path, NOBODYS, NOBODYS);
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await sandbox.close();
  });

  async function run(...words: string[]) {
    const env = { PATH: process.env.PATH };
    const ids = { uid: NOBODYS, gid: NOBODYS };
    return await endOf(spawn(process.execPath, [PROGRAM_FILE, ...words], { cwd: folder, env, ...ids }));
  }

  it('renews a login by refresh token, exports, asks and reports', async () => {
    const companies = ['--companies', 'companies.json'];
    const before = readFileSync(join(folder, 'companies.json'), 'utf8');
    for (const words of [
      ['export', ...companies, '--last', '2'],
      ['export', ...companies, '--last', '2'],
      ['query', 'SELECT count(*) FROM emitidos', '--out', 'count.csv'],
      ['companies', 'check', ...companies],
      ['coverage', '--html', 'coverage.html'],
    ]) {
      const { code, stderr } = await run(...words);
      expect({ code, stderr }, words[0]).toEqual({
        code: 0,
        stderr: expect.not.stringContaining('system error'),
      });
    }
    expect(readFileSync(join(folder, 'companies.json'), 'utf8')).not.toBe(before);
    expect(readFileSync(join(folder, 'count.csv'), 'utf8')).toBe('count_star()\r\n8\n');
  });

  it('is told to name a home where one is needed', async () => {
    for (const words of [['query', 'SELECT 1 FROM emitidos', '--lake', 's3://nowhere'], ['check']])
      expect(await run(...words)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('Name a folder of yours in HOME.'),
      });
  });
});
