import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { DEFAULT_BEHAVIOUR } from '../../lib/sandbox/behaviour.ts';
import { type Sandbox, startSandbox } from '../../lib/sandbox/sandbox.ts';
import { editUnit } from '../support/lake-edit.ts';
import { runMain } from '../support/run-main.ts';

const RUT = '219999830019';
const OTHER_RUT = '214844360018';
const RANGE = ['--from', '2026-11-18', '--to', '2026-11-19'];

let folder: string;
let sandbox: Sandbox;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cfe-lake-'));
  sandbox = await startSandbox({
    now: '2026-11-25T03:00:00',
    receiptsPerDay: (rut) => (rut === RUT || rut === OTHER_RUT ? 12 : 0),
    behaviour: { lateArrivals: false },
  });
  await run('export', ...RANGE);
});
afterAll(async () => {
  await sandbox.close();
  await rm(folder, { recursive: true });
});

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
    expect(report.units.filter((of: { examples: unknown[] }) => of.examples.length > 0)).toMatchObject([
      {
        rut: RUT,
        direccion: 'recibidos',
        fecha: '2026-11-19',
        examples: [{ kind: 'different', fields: [{ field: 'totales_total', lake: '1234.56' }] }],
      },
    ]);
    expect((await run('verify', ...RANGE, '--rut', OTHER_RUT)).code).toBe(0);
  });

  it('says what could not be read, and exits with 1', async () => {
    sandbox.behave({ unauthorizedRut: OTHER_RUT });
    const { code, stdout } = await run('verify', ...RANGE, '--rut', OTHER_RUT);
    sandbox.behave({ ...DEFAULT_BEHAVIOUR, lateArrivals: false });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /Not read: 4\n {2}2026-11-18\.\.2026-11-19 emitidos and recibidos of 214844360018: the API refused the token/,
    );
    expectNoToken(stdout);
  });
});

function expectNoToken(...texts: string[]): void {
  for (const { token } of sandbox.companies) {
    for (const text of texts) expect(text).not.toContain(token);
  }
}
