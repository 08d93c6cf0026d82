import { chmodSync, chownSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sandboxCompanies } from '../../sandbox/generator/parties.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { runMain } from '../support/program/run-main.ts';

const DAY = '2026-11-19';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ now: '2026-11-20T03:00:00', receiptsPerDay: 2 });
});
afterAll(() => sandbox.close());

/** A companies file with this mode, and a lake of one day. */
async function start(mode: number) {
  const folder = newFolder();
  const companies = join(folder, 'companies.json');
  writeFileSync(companies, JSON.stringify({ companies: sandboxCompanies(1) }));
  chmodSync(companies, mode);
  const lake = ['--lake', join(folder, 'lake')];
  const api = ['--api', sandbox.url, '--companies', companies];
  const exported = await runMain('export', '--date', DAY, ...api, ...lake);
  expect(exported.code).toBe(0);
  return { folder, companies, lake, api, exported };
}

// Windows has access control lists instead of modes.
describe.skipIf(process.platform === 'win32')('files that others must not read', () => {
  it('a companies file of mode 644: commands warn of it', async () => {
    const { companies, lake, api, exported } = await start(0o644);
    const warning = `${companies} holds tokens, and other users of this machine may read it. Run: chmod 600 ${companies}\n`;
    expect(exported.stderr).toContain(warning);
    for (const words of [
      ['companies', 'check', ...api],
      ['coverage', '--companies', companies, ...lake],
    ]) {
      const { stderr, stdout } = await runMain(...words);
      expect(stderr.split(warning)).toHaveLength(2);
      expect(stdout).not.toContain('chmod');
    }
  });

  it.each(['602', '620', '666'])('a companies file that others may write is refused: %s', async (mode) => {
    const { companies, lake, api } = await start(0o600);
    chmodSync(companies, Number.parseInt(mode, 8));
    for (const words of [
      ['export', ...api, ...lake],
      ['coverage', '--companies', companies, ...lake],
    ]) {
      const { code, stderr } = await runMain(...words);
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringContaining(`run: chmod 600 ${companies}\n`),
      });
    }
  });

  it('a folder in place of a companies file is told as one, whatever its mode', async () => {
    const { folder, lake, api } = await start(0o600);
    chmodSync(folder, 0o770);
    const { code, stderr } = await runMain('export', '--companies', folder, ...api.slice(0, 2), ...lake);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('is a folder') });
    expect(stderr).not.toContain('chmod');
  });

  it.skipIf(process.getuid?.() !== 0)('a companies file of another user is refused, but root’s', async () => {
    const { companies, api, lake } = await start(0o600);
    chownSync(companies, 12_345, 12_345);
    const { code, stderr } = await runMain('export', ...api, ...lake);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(
        `belongs to another user, so it is not used: it says which secrets are sent where. If`,
      ),
    });
    expect(stderr).toContain(`run: sudo chown "$(id -u)" ${companies} && chmod 600 ${companies}`);
  });

  it('the coverage page and the report of probe are for their owner alone, and follow no link', async () => {
    const { folder, lake, api } = await start(0o600);
    const other = join(folder, 'other');
    writeFileSync(other, 'as it was');
    for (const [file, ...words] of [
      [join(folder, 'coverage.html'), 'coverage', '--from', DAY, '--to', DAY, ...lake, '--html'],
      [join(folder, 'found.json'), 'probe', '--date', DAY, ...api, '--out'],
      [join(folder, 'service.json'), 'probe', '--date', DAY, ...api, '--report'],
    ] as const) {
      expect((await runMain(...words, file)).code).toBe(0);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const link = `${file}-link`;
      symlinkSync(other, link);
      const { code, stderr } = await runMain(...words, link);
      expect(stderr).toContain(
        `${link} can't be written: it is a link. Remove the link, or name another file.`,
      );
      expect(code).toBe(2);
      expect(readFileSync(other, 'utf8')).toBe('as it was');
    }
  });
});
