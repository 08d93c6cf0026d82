import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_BEHAVIOUR } from '../../sandbox/behaviour.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { refusing } from '../support/api/faults.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { runMain } from '../support/program/run-main.ts';

const RUT = '219999830019';
const RANGE = ['--from', '2026-11-17', '--to', '2026-11-19'];

let folder: string;
let sandbox: Sandbox;
beforeEach(async () => {
  folder = newFolder();
  sandbox = await startSandbox({ now: '2026-11-20T03:00:00', receiptsPerDay: 5 });
});
afterEach(() => sandbox.close());

function run(command: string, ...words: string[]) {
  return runMain(command, '--api', sandbox.url, '--lake', join(folder, 'lake'), ...words);
}

/** Exports the 18th and 19th of one company. The issued receipts of the 18th fail. */
async function exportSome(): Promise<void> {
  const oneList = ['--rut', RUT, '--direction'];
  await run('export', ...oneList, 'recibidos', '--from', '2026-11-18', '--to', '2026-11-19');
  await run('export', ...oneList, 'emitidos', '--date', '2026-11-19');
  sandbox.behave({ intercept: refusing(RUT) });
  expect((await run('export', ...oneList, 'emitidos', '--date', '2026-11-18')).code).toBe(1);
  sandbox.behave(DEFAULT_BEHAVIOUR);
  sandbox.resetStats();
}

describe('missing', () => {
  it('names company-days by reason, asks the API nothing, and exits with 1', async () => {
    await exportSome();
    const { code, stdout } = await run('missing', ...RANGE);
    expect(code).toBe(1);
    expect(stdout).toMatch(/214844360018 .*recibidos +3 +0 +2026-11-17\.\.2026-11-19/);
    expect(stdout).toMatch(/219999830019 .*recibidos +1 +0 +2026-11-17\n/);
    expect(stdout).toMatch(/219999830019 .*emitidos +1 +1 +2026-11-17\.\.2026-11-18\n/);
    expect(stdout).toMatch(/Failed last time:\n {2}2026-11-18 emitidos of 219999830019.*refused the token/);
    expect(stdout).toMatch(
      /Missing: 21 of 24 units \(company, direction, day\) from 2026-11-17 to 2026-11-19/,
    );
    expect(stdout).toContain(
      'To export just these:\n  npm run -s cfe-lake -- missing --from 2026-11-17 --to 2026-11-19 ' +
        `--api ${sandbox.url} --lake ${join(folder, 'lake')} --export\n`,
    );
    expect(sandbox.stats().requests).toBe(0);
  });

  it('says the same in JSON, confined to a company and a direction', async () => {
    await exportSome();
    const { stdout } = await run('missing', ...RANGE, '--rut', RUT, '--direction', 'emitidos', '--json');
    // A line each, as it is written: all of them together may be longer than a text can be.
    const lines = stdout.split('\n').filter((line) => line.includes('"fecha"'));
    expect(lines.map((line) => JSON.parse(line.replace(/,$/, '')))).toEqual(JSON.parse(stdout).units);
    expect(JSON.parse(stdout)).toMatchObject({
      from: '2026-11-17',
      to: '2026-11-19',
      units: [
        { rut: RUT, direccion: 'emitidos', fecha: '2026-11-18', reason: 'failed', error: /./ },
        { rut: RUT, direccion: 'emitidos', fecha: '2026-11-17', reason: 'never', error: null },
      ].map(({ error, ...unit }) => ({ ...unit, error: error && expect.stringMatching(error) })),
      totals: { units: 3, missing: 2, never: 1, details: 0, failed: 1 },
    });
  });

  it('exports just what is missing with --export; then nothing is', async () => {
    await exportSome();
    const listed = JSON.parse((await run('missing', ...RANGE, '--rut', RUT, '--json')).stdout);
    const { code, stdout } = await run('missing', ...RANGE, '--rut', RUT, '--export', '--json');
    expect(code).toBe(0);
    const report = JSON.parse(stdout);
    const names = (units: { direccion: string; fecha: string }[]) =>
      units.map(({ direccion, fecha }) => `${direccion} ${fecha}`).sort();
    expect(names(report.units)).toEqual(names(listed.units));
    expect(report.units).toHaveLength(3);
    const { requests, maxInFlightByRut } = sandbox.stats();
    expect(requests).toBe(report.totals.solicitudes);
    expect(Object.keys(maxInFlightByRut)).toEqual([RUT]);

    sandbox.resetStats();
    const again = await run('missing', ...RANGE, '--rut', RUT, '--export');
    expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Nothing is missing/) });
    expect(sandbox.stats().requests).toBe(0);
    const compared = await run('verify', ...RANGE, '--rut', RUT);
    expect(compared.code).toBe(0);
  });

  it('names days whose details were never read where these are asked for, and reads just those', async () => {
    await exportSome();
    const oneList = [...RANGE, '--rut', RUT, '--direction', 'recibidos'];
    const listed = await run('missing', ...oneList, '--details', 'recibidos', '--json');
    expect(JSON.parse(listed.stdout).totals).toEqual({
      units: 3,
      missing: 3,
      never: 1,
      early: 0,
      details: 2,
      failed: 0,
      notEnded: 0,
    });
    const shown = await run('missing', ...oneList, '--details', 'recibidos');
    expect(shown.stdout).toMatch(
      /never exported +no details +failed +days\n.*\n.* recibidos +1 +2 +0 +2026-11-17/,
    );
    expect((await runMain('missing', '--help')).stdout).toMatch(/also list days whose details were not read/);
    const { code, stdout } = await run('missing', ...oneList, '--details', 'recibidos', '--export', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout).units).toHaveLength(3);
    const again = await run('missing', ...oneList, '--details', 'recibidos');
    expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Nothing is missing/) });
  });
});
