import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { filesIn, sharedFolder } from '../support/lake/lake-folder.ts';
import { writeCompanies } from '../support/program/companies-file.ts';
import { runLine, runMain } from '../support/program/run-main.ts';
import { endOf, runProgram, startProgram } from '../support/program/run-program.ts';
import { newSandbox } from '../support/sandbox.ts';

const IDLE_RUT = '214198620015';

let folder: string;
let sandbox: Sandbox;
let before: string;
beforeAll(async () => {
  before = process.cwd();
  folder = sharedFolder();
  process.chdir(folder);
  // One company has none.
  const receiptsPerDay = (rut: string) => (rut === IDLE_RUT ? 0 : 60);
  sandbox = await startSandbox({ now: '2026-11-20T03:00:00', receiptsPerDay });
});
afterAll(async () => {
  process.chdir(before);
  await sandbox.close();
});

it('npm start exports, shows progress and a table, asks one question and says how to ask the next', async () => {
  // Yours, which it leaves alone.
  writeCompanies(folder, sandbox.companies);
  const { code, stdout, stderr } = await runProgram(['demo'], folder);
  expect(code).toBe(0);
  expect(stderr).toMatch(/ \d{3} details so far/);
  expect(stdout).toMatch(/total +(56|58|60|62) +\d{3}\n/);
  const table = stdout.slice(0, stdout.indexOf('\nRun ')).split('\n');
  expect(Math.max(...table.map(({ length }) => length))).toBeLessThanOrEqual(80);
  // First the page, then the question.
  const page = join(folder, 'report-sandbox.html');
  expect(stdout).toMatch(/\nWrote \S*report-sandbox\.html: [\s\S]*\nproveedor +comprobantes/);
  const html = await readFile(page, 'utf8');
  expect(html).toMatch(/<html lang="es[\s\S]*Ferretería “El Tornillo Flojo”/);
  // Whole, with its VAT in pesos, something to look at, and nothing to bring.
  expect(stdout).toMatch(/report-sandbox\.html: El mes se leyó completo/);
  expect(html).toMatch(/IVA de ventas<[\s\S]*>\d{3}\.\d{3},\d\d</);
  expect(html).toMatch(/\d+ respuestas? pendientes?/);
  expect(html).not.toMatch(/sin desglose de IVA|desconocida|✕|<code>/);
  expect(stdout).toMatch(/npm run -s cfe-lake -- query/);
  expect(await readdir(join(folder, 'lake-sandbox'))).toEqual(
    expect.arrayContaining(['emitidos', 'exportaciones', 'recibidos']),
  );
});

describe('export and query', () => {
  it('prints one JSON document, and the lake answers with the same numbers', async () => {
    const { code, stdout } = await runLine(`export --api ${sandbox.url} --date 2026-11-19 --json --lake one`);
    expect(code).toBe(0);
    const report = JSON.parse(stdout);
    expect(report.units).toHaveLength(8);
    expect(report.units[0]).toMatchObject({
      rut: expect.stringMatching(/^\d{12}$/),
      direccion: 'emitidos',
      fecha: '2026-11-19',
      estado: expect.stringMatching(/^(exportado|vacio)$/),
      error: null,
    });

    const rows = 'FROM recibidos SELECT id UNION ALL FROM emitidos SELECT id';
    const sql = `SELECT estado, count(*) AS n, (SELECT count(*) FROM (${rows})) AS filas FROM exportaciones`;
    const asked = await runLine(`query "${sql} GROUP BY ALL ORDER BY ALL" --lake one --format json`);
    const { filas } = report.totals;
    expect(JSON.parse(asked.stdout)).toEqual([
      { estado: 'exportado', n: 6, filas },
      { estado: 'vacio', n: 2, filas },
    ]);
  });

  it('exits with 1 when some units failed, having exported the others', async () => {
    const [first, ...others] = sandbox.companies;
    const companies = [{ ...first, token: 'expired' }, ...others];
    writeCompanies(folder, companies);
    const { code, stdout } = await runLine(
      `export --api ${sandbox.url} --date 2026-11-19 --companies companies.json --lake two`,
    );
    expect(code).toBe(1);
    expect(stdout).toMatch(/Failed: 2/);
    expect(stdout).toMatch(/refused the token/);
    expect(stdout).not.toMatch(/expired/);
  });

  it('leaves every object whole when it is interrupted', async () => {
    const slow = await newSandbox({
      now: '2026-11-20T03:00:00',
      receiptsPerDay: 40,
      behaviour: { latencyMs: 30 },
    });
    const child = startProgram(
      ['export', '--api', slow.url, '--from', '2026-11-17', '--to', '2026-11-19', '--lake', 'three'],
      folder,
    );
    child.stderr?.once('data', () => child.kill('SIGINT'));
    const { code: interrupted, stderr } = await endOf(child);
    expect(interrupted).toBe(130);
    expect(stderr.trimEnd().split('\n').at(-1)).toBe('Interrupted: unfinished work is as it was before.');
    // Not of those that an earlier run exported and this one did not read again: missing does not know them.
    const [, kept, words = ''] =
      /^Kept (\d+) of 24 company-days\. .* never exported before, or failed:\n.* -- (.*)$/m.exec(stderr) ??
      [];
    expect(words).toBe(`missing --from 2026-11-17 --to 2026-11-19 --api ${slow.url} --lake three --export`);
    slow.behave({ latencyMs: 0 });
    const { stdout: rest } = await runMain(...words.split(' '), '--json');
    expect(JSON.parse(rest).totals.unidades).toBe(24 - Number(kept));
    const { code, stdout } = await runLine(
      'query "SELECT count(*) = count(DISTINCT id) AS whole FROM recibidos" --lake three --format csv',
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'whole\r\ntrue\n' });
    // Its audit is closed anyway.
    expect(filesIn(join(folder, 'three')).filter((file) => file.startsWith('.open-runs/'))).toEqual([]);
  });
});
