import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { editUnit } from '../support/lake/lake-edit.ts';
import { sharedFolder } from '../support/lake/lake-folder.ts';
import { writeCompanies } from '../support/program/companies-file.ts';
import { runMain } from '../support/program/run-main.ts';
import { sharedSandbox } from '../support/sandbox.ts';

const RUT = '219999830019';
const OTHER_RUT = '214844360018';
const RANGE = ['--from', '2026-11-18', '--to', '2026-11-19'];

const folder = sharedFolder();
const sandbox = await sharedSandbox({
  now: '2026-11-25T03:00:00',
  receiptsPerDay: (rut) => (rut === RUT || rut === OTHER_RUT ? 12 : 0),
  behaviour: { lateArrivals: false },
});
await run('export', ...RANGE);

function run(command: string, ...words: string[]) {
  return runMain(command, '--api', sandbox.url, '--lake', join(folder, 'lake'), ...words);
}

describe('verify', () => {
  it('says that the lake is equal, and exits with 0', async () => {
    for (const words of [[], ['--legacy']]) {
      const { code, stdout } = await run('verify', ...RANGE, ...words);
      expect(code).toBe(0);
      expect(stdout).toMatch(/total +16 days +96 +0 +0 +0 +0 +0 +0\n/);
      expect(stdout).toMatch(/Equal: .*lake holds exactly what .* lists\./);
      expect(stdout.match(/Not compared.*/g)).toEqual(
        words.length === 0 ? null : ['Not compared with the legacy list: otros.'],
      );
    }
  });

  it('shows a planted difference in one table, by day, with both values, and exits with 1', async () => {
    const store = new FolderStore(join(folder, 'lake'));
    const unit = { rut: RUT, direction: 'recibidos', day: '2026-11-19' } as const;
    await editUnit(store, unit, ([first, second, ...rows]) => [
      { ...first, totales_total: 123456n },
      { ...second, id: 42n },
      ...rows,
    ]);
    const { code, stdout, stderr } = await run('verify', ...RANGE);
    expect(code).toBe(1);
    expect(stdout).toMatch(/recibidos +2 days +22 +1 +1 +1 +0 +0 +0\n +2026-11-19 +10 +1 +1 +1 +0 +0 +0\n/);
    expect(stdout).toMatch(/receipt \d+ {2}totales_total: 1234\.56 in the lake, [\d.]+ in the API/);
    expect(stdout).toMatch(/receipt \d+ {2}missing\n/);
    expect(stdout).toMatch(/receipt 42 {2}extra\n/);
    expect(stdout).toContain(
      `Export again:\n  npm run -s cfe-lake -- export --from 2026-11-19 --to 2026-11-19 --rut ${RUT} ` +
        `--direction recibidos --api ${sandbox.url} --lake ${join(folder, 'lake')}\n`,
    );
    expect(stdout).toMatch(/Different from the API: 1 of 16 company-days/);
    expectNoToken(stdout, stderr);

    const legacy = await run('verify', ...RANGE, '--legacy', '--rut', RUT, '--json', '--examples', '1');
    expect(legacy.code).toBe(1);
    const report = JSON.parse(legacy.stdout);
    expect(report).toMatchObject({
      list: 'legacy',
      isEqual: false,
      totals: { units: 4, equal: 46, missing: 1, extra: 1, different: 1, vanished: 0, notRead: 0 },
    });
    expect(report.units.filter((unit: { examples: unknown[] }) => unit.examples.length > 0)).toMatchObject([
      {
        rut: RUT,
        direccion: 'recibidos',
        fecha: '2026-11-19',
        examples: [{ kind: 'different', fields: [{ field: 'totales_total', lake: '1234.56' }] }],
      },
    ]);
    expect((await run('verify', ...RANGE, '--rut', OTHER_RUT)).code).toBe(0);
  });
});

it('says that not all was compared, where a company was refused, and exits with 1', async () => {
  const [first, second] = sandbox.companies;
  const companies = writeCompanies(folder, [
    { rut: first?.rut ?? '', token: first?.token ?? '' },
    { rut: second?.rut ?? '', token: 'refused' },
  ]);
  const { code, stdout } = await run('verify', '--date', '2026-11-18', '--companies', companies);
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /\nEqual as far as compared: .* holds exactly what the API lists\. 2 of 4 company-days could not be compared\.\n/,
  );
});

describe('verify of tables that SQL cannot read whole', () => {
  const key = 'recibidos/fecha=2026-11-18/dia.parquet';

  it.each([
    ['is gone', () => undefined, 'it lags behind its units. An export is running, or was interrupted, or'],
    [
      'is cut',
      (bytes: Buffer) => bytes.subarray(0, 100),
      `${key} in .* is damaged, or not a Parquet file: .*`,
    ],
  ])('names a day whose object %s, says what to do, and exits with 1', async (_what, change, reason) => {
    const path = join(folder, 'lake', key);
    const before = await readFile(path);
    const after = change(Buffer.from(before));
    await (after === undefined ? rm(path) : writeFile(path, after));
    const asked = ['--date', '2026-11-18', '--rut', RUT];
    const { code, stdout } = await run('verify', ...asked);
    const report = JSON.parse((await run('verify', ...asked, '--json')).stdout);
    await writeFile(path, before);
    expect(code).toBe(1);
    const named = `recibidos, day 2026-11-18: ${reason}.* publish --from 2026-11-18`;
    expect(stdout).toMatch(new RegExp(`Wrong in the tables: 1\n  ${named}`));
    expect(stdout).toMatch(
      /Not what SQL reads: .* exactly what the API lists, but the tables are wrong on 1 day/,
    );
    expect(stdout).not.toContain('Restore a copy');
    expect(report).toMatchObject({ isEqual: false, tables: [{ table: 'recibidos', fecha: '2026-11-18' }] });
    expect((await run('verify', ...asked)).code).toBe(0);
  });
});

function expectNoToken(...texts: string[]): void {
  for (const { token } of sandbox.companies) {
    for (const text of texts) expect(text).not.toContain(token);
  }
}
