import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { sandboxCompanies } from '../../sandbox/generator/parties.ts';
import {
  audit,
  failedOn,
  NOW_MS,
  OTHER_RUT,
  RUT,
  readOn,
  storeUnit,
} from '../support/coverage/coverage-lake.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { writeCompanies } from '../support/program/companies-file.ts';
import { runMain } from '../support/program/run-main.ts';

const RANGE = ['--from', '2026-11-17', '--to', '2026-11-19'];

let folder: string;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW_MS });
  folder = newFolder();
  const store = new FolderStore(join(folder, 'lake'));
  await audit(store, '20261120020000-00000001', [
    readOn('2026-11-20', { day: '2026-11-17' }, { receipts: 4 }),
    failedOn('2026-11-20', { day: '2026-11-18' }, 'the API refused the token'),
    readOn('2026-11-20', { day: '2026-11-18', direction: 'emitidos' }, { receipts: 9, isStable: false }),
    readOn('2026-11-20', { rut: OTHER_RUT, day: '2026-11-19' }),
  ]);
  await storeUnit(store, { rut: RUT, direction: 'recibidos', day: '2026-11-17' }, []);
});

function run(...words: string[]) {
  return runMain('coverage', '--lake', join(folder, 'lake'), ...words);
}

describe('coverage', () => {
  it('draws a calendar for each company and direction of the audit, without colour where nobody looks', async () => {
    const { code, stdout } = await run(...RANGE);
    expect(code).toBe(0);
    expect(stdout).toContain(`${OTHER_RUT}\n`);
    expect(stdout).toMatch(/^recibidos {2}2026-11 {18}#X\? {12} +4 {2}1 missing, 1$/m);
    expect(stdout).toMatch(/^emitidos {3}2026-11 {18}\?~\? {12} +9 {2}2 missing, 1$/m);
    expect(stdout).toContain('missing       no run has exported it');
    expect(stdout).toMatch(
      /12 company-days from 2026-11-17 to 2026-11-19, in .*: 8 missing, 1 failed, 1 unstable, 2 still re-read\./,
    );
    expect(stdout).not.toContain('\u001b');
  });

  it('says the same in JSON', async () => {
    const { code, stdout } = await run(...RANGE, '--json');
    expect(code).toBe(0);
    const { companies, ...head } = JSON.parse(stdout);
    expect(head).toMatchObject({ from: '2026-11-17', to: '2026-11-19', changingDays: 65 });
    expect(companies.map(({ rut }: { rut: string }) => rut)).toEqual([OTHER_RUT, RUT]);
    expect(companies[1]).toMatchObject({
      name: null,
      recibidos: {
        receipts: 4,
        states: { missing: 1, failed: 1 },
        days: [
          {
            fecha: '2026-11-17',
            state: 'open',
            receipts: 4,
            readAt: '2026-11-20T03:00:00',
            readings: 1,
            error: null,
          },
          { fecha: '2026-11-18', state: 'failed', receipts: null, error: 'the API refused the token' },
          { fecha: '2026-11-19', state: 'missing', receipts: null, readAt: null, readings: 0, error: null },
        ],
      },
      emitidos: { states: { unstable: 1, missing: 2 } },
    });
  });

  it('writes the page into a file and says so', async () => {
    const file = join(folder, 'coverage.html');
    const { code, stdout } = await run(...RANGE, '--html', file);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Wrote .*coverage\.html: 2026-11-17 to 2026-11-19, 2 companies, \d+ KB\.\n$/);
    expect(await readFile(file, 'utf8')).toMatch(/^<!doctype html>.*<\/html>\n$/s);
  });

  it("takes companies and names from a file, even those that the audit doesn't have", async () => {
    const companies = sandboxCompanies(3).filter(({ rut }) => rut !== OTHER_RUT);
    const file = writeCompanies(folder, companies);
    const { stdout } = await run(...RANGE, '--companies', file);
    expect(stdout).toContain(`${RUT}  Supermercados La Ñandubaysera S.A.`);
    expect(stdout).toMatch(/218617380010 .*\n.*\n.*\nrecibidos .* 0 {2}3 missing\n/);
    expect(stdout).not.toContain(OTHER_RUT);
  });
});
