import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newDetailWorld } from '../support/export/detail-world.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { writeCompanies } from '../support/program/companies-file.ts';
import { runMain, runUntil } from '../support/program/run-main.ts';
import { sharedSandbox } from '../support/sandbox.ts';

const DAY = '2026-11-19';

const sandbox = await sharedSandbox({
  now: '2026-11-20T03:00:00',
  companyCount: 2,
  receiptsPerDay: 30,
  behaviour: { lateArrivals: false },
});

function words(lake: string, ...more: string[]): string[] {
  const ruts = sandbox.companies.flatMap(({ rut }) => ['--rut', rut]);
  return ['export', '--api', sandbox.url, '--date', DAY, '--lake', lake, ...ruts, ...more];
}

describe('export --details', () => {
  it('reads those receipts whole, and says so', async () => {
    const lake = newFolder();
    const { code, stdout } = await runMain(...words(lake, '--details', 'emitidos'));
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('Details: 60 in the lake, 60 of them read now; 0 could not be read.'),
    });

    const again = await runMain(...words(lake, '--details', 'emitidos', '--details', 'recibidos', '--json'));
    const report = JSON.parse(again.stdout);
    expect(report.units).toMatchObject([
      { direccion: 'emitidos', detalle: 'completo', detalles: 30, detalles_leidos: 0, detalles_sin_leer: 0 },
      { direccion: 'recibidos', detalle: 'completo', detalles: 30, detalles_leidos: 30 },
      { direccion: 'emitidos', detalle: 'completo', detalles_leidos: 0 },
      { direccion: 'recibidos', detalle: 'completo', detalles_leidos: 30 },
    ]);

    const audit = await runMain(
      'query',
      'SELECT direccion, detalle, sum(detalles), sum(detalles_leidos) FROM exportaciones GROUP BY ALL ORDER BY ALL',
      ...['--lake', lake, '--format', 'csv'],
    );
    expect(audit.stdout.split('\r\n').slice(1).join('\n')).toBe(
      'emitidos,completo,120,60\nrecibidos,completo,60,60\nrecibidos,,,\n',
    );
  });

  it('tells, when it is interrupted, which details are kept, and does not read these again', async () => {
    const world = await newDetailWorld(30);
    const folder = newFolder();
    const companies = writeCompanies(folder, [{ rut: '219999830019', token: 'one' }]);
    const where = ['--api', world.address, '--companies', companies, '--lake', join(folder, 'lake')];
    const interruption = new AbortController();
    world.beforeDetail = async () => {
      if (world.asked.length === 20) interruption.abort(new DOMException('Ctrl-C', 'AbortError'));
    };
    const what = ['--date', DAY, '--direction', 'emitidos', '--details', 'emitidos'];
    const { code, stderr } = await runUntil(interruption.signal, 'export', ...where, ...what);
    expect(code).toBe(130);
    const [, kept = '', next = ''] =
      /^Kept 0 of 1 company-day, and (\d+) details of others, which need not be read again\. .*\n {2}npm run -s cfe-lake -- (.*)$/m.exec(
        stderr,
      ) ?? [];
    expect(Number(kept)).toBeGreaterThan(0);
    world.asked.length = 0;
    expect((await runMain(...next.split(' '))).code).toBe(0);
    expect(world.asked).toHaveLength(30 - Number(kept));
  });

  it('exits with 1 when details failed, though the list was exported', async () => {
    const world = await newDetailWorld(3);
    world.answerFor = () => ({ status: 401, body: '{}' });
    const folder = newFolder();
    const companies = writeCompanies(folder, [{ rut: '219999830019', token: 'one' }]);
    const { code, stdout } = await runMain(
      ...['export', '--api', world.address, '--companies', companies, '--lake', join(folder, 'lake')],
      ...['--date', DAY, '--direction', 'emitidos', '--details', 'emitidos'],
    );
    expect(code).toBe(1);
    expect(stdout).toMatch(/Details failed: 1\n +2026-11-19 emitidos of 219999830019: .*refused the token/);
    expect(stdout).toMatch(/total +1 +1 +0 +0 +0 +3/);
  });
});
