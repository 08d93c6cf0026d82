import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { itLong } from '../support/campaign.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { withDamagedColumn } from '../support/lake/parquet-footer.ts';
import { runMain, runUntil } from '../support/program/run-main.ts';
import { madeLakeFolder } from '../support/query/made-lake.ts';
import { detail, issued, received } from '../support/query/made-receipts.ts';
import { sharedQueriedLake, TODAY } from '../support/query/queried-lake.ts';
import { readWorkbook } from '../support/query/workbook.ts';

const RUT = '219999830019';
const MONTH = '2026-10';
const ALL = 'days,gaps,rejected,details';

const lake = await sharedQueriedLake();
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(`${TODAY}T12:00:00Z`) }));

async function closed(out: string, ...more: string[]) {
  const words = ['close', '--month', MONTH, '--out', out, '--lake', lake.folder, '--json', ...more];
  const { code, stdout, stderr } = await runMain(...words);
  const companies: { rut: string; state: string; folder?: string; points?: { name: string }[] }[] =
    stdout === '' ? [] : JSON.parse(stdout).companies;
  return { code, stderr, companies };
}

async function asked(...words: string[]): Promise<string> {
  return (await runMain('query', ...words, '--lake', lake.folder)).stdout;
}

describe('cfe-lake close', () => {
  it('refuses a month with open points, names them, and writes nothing', async () => {
    const out = newFolder();
    const { code, companies } = await closed(out, '--rut', RUT);
    expect({ code, states: companies.map(({ state }) => state) }).toEqual({ code: 1, states: ['refused'] });
    expect(new Set(companies[0]?.points?.map(({ name }) => name))).toEqual(new Set(ALL.split(',')));
    expect(readdirSync(out)).toEqual([]);
    const partly = await closed(out, '--rut', RUT, '--accept', 'rejected,gaps');
    expect({ code: partly.code, points: partly.companies[0]?.points?.map(({ name }) => name) }).toEqual({
      code: 1,
      points: ['days', 'details'],
    });
    const wrong = await closed(out, '--rut', RUT, '--accept', 'rejectd');
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('rejected') });
    const early = await runMain('close', '--month', '2026-11', '--out', out, '--lake', lake.folder);
    expect(early).toMatchObject({ code: 2, stderr: expect.stringContaining('is not over') });
  });

  it('has what ten commands would give by hand, read-only, with the hashes of all files', async () => {
    const out = newFolder();
    const { code, companies } = await closed(out, '--rut', RUT, '--accept', ALL);
    const folder = join(out, RUT, MONTH);
    expect({ code, folders: companies.map((company) => company.folder) }).toEqual({
      code: 0,
      folders: [folder],
    });
    const names = readdirSync(folder).sort();
    expect(names).toEqual([
      'cierre.json',
      'cotizaciones.parquet',
      'emitidos.parquet',
      'emitidos_detalle.parquet',
      'formulario-2181.parquet',
      'formulario-2181.txt',
      'informe.html',
      'libro-iva-compras.parquet',
      'libro-iva-compras.xlsx',
      'libro-iva-ventas.parquet',
      'libro-iva-ventas.xlsx',
      'posicion-iva.parquet',
      'posicion-iva.xlsx',
      'recibidos.parquet',
      'recibidos_detalle.parquet',
      'resguardos.parquet',
      'resguardos.xlsx',
    ]);
    const index = JSON.parse(readFileSync(join(folder, 'cierre.json'), 'utf8'));
    for (const name of names) {
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o400);
      if (name === 'cierre.json') continue;
      const bytes = readFileSync(join(folder, name));
      expect(index.files[name], name).toEqual({
        bytes: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      });
    }
    expect(index).toMatchObject({ month: MONTH, rut: RUT, state: 'incomplete' });
    expect(new Set(index.accepted.map(({ name }: { name: string }) => name))).toEqual(
      new Set(ALL.split(',')),
    );
    expect(index.read).toHaveLength(62);
    const last = "fecha = DATE '2026-10-31' AND direccion = 'emitidos'";
    const audit = `SELECT CAST(max(inicio) AS VARCHAR) AS t FROM exportaciones WHERE ${last} AND rut = '${RUT}'`;
    const [{ t }] = JSON.parse(await asked(audit, '--format', 'json'));
    const lastRead = { direction: 'emitidos', day: '2026-10-31', readAt: t.replace(' ', 'T').slice(0, 19) };
    expect(index.read).toContainEqual(expect.objectContaining(lastRead));
    // The point "details" was accepted.
    expect(index.form2181).toEqual({
      lineCount: expect.any(Number),
      leftOut: expect.stringContaining('are in no line'),
      notAccepted: expect.any(Number),
    });
    const notAccepted = "SELECT sum(comprobantes) AS n FROM formulario_2181 WHERE nota = 'sin aceptar'";
    const inForm = JSON.parse(await asked(notAccepted, '--close', folder, '--format', 'json'));
    expect(index.form2181.notAccepted).toBe(Number(inForm[0].n));

    const byHand = newFolder();
    const ofMonth = ['--rut', RUT, '--month', MONTH];
    for (const name of ['libro-iva-ventas', 'libro-iva-compras', 'posicion-iva', 'resguardos']) {
      const [file, answer] = ['xlsx', 'parquet'].map((ending) => join(byHand, `${name}.${ending}`));
      if (file === undefined || answer === undefined) throw new Error('both are named');
      await asked('--named', name, ...ofMonth, '--out', file, '--accept', 'days');
      await asked('--named', name, ...ofMonth, '--out', answer);
      expect(readFileSync(join(folder, `${name}.parquet`)).equals(readFileSync(answer)), name).toBe(true);
      expect(readWorkbook(readFileSync(join(folder, `${name}.xlsx`))), name).toEqual(
        readWorkbook(readFileSync(file)),
      );
    }
    const form = join(byHand, '2181.txt');
    const toForm = ['--format', 'dgi-2181', '--force', '--out', form, '--accept', 'days'];
    await asked('--named', 'formulario-2181', ...ofMonth, ...toForm);
    expect(readFileSync(join(folder, 'formulario-2181.txt')).equals(readFileSync(form))).toBe(true);
    const page = join(byHand, 'page.html');
    await runMain('report', ...ofMonth, '--html', page, '--lake', lake.folder);
    const kept = readFileSync(join(folder, 'informe.html'), 'utf8');
    const plain = readFileSync(page, 'utf8')
      .replace(/\n?<details class="card section" id="programa"[\s\S]*?<\/details>/, '')
      .replace(/<p>Lo que falta se trae de una vez:.*?<\/p>/, '')
      .replace(' · al ', ' · cierre, al ');
    expect(kept.replace(/<p><b>Se aceptó al cerrar:.*?<\/p>/, '')).toBe(plain);
    for (const table of ['recibidos', 'emitidos', 'recibidos_detalle', 'emitidos_detalle']) {
      const file = join(byHand, `${table}.parquet`);
      const where = `WHERE rut = '${RUT}' AND fecha BETWEEN DATE '2026-10-01' AND DATE '2026-10-31'`;
      await asked(`SELECT * FROM ${table} ${where} ORDER BY fecha, id`, '--out', file);
      expect(readFileSync(join(folder, `${table}.parquet`)).equals(readFileSync(file)), table).toBe(true);
    }
  });

  it('is made of each company alone where what is asked of all together fails, and again', async () => {
    const sound = '218617380010';
    const withholding = received(`${MONTH}-06`, 'R1', { tipo_comprobante: 182 });
    const folder = await madeLakeFolder({
      emitidos: [issued(`${MONTH}-05`, 'A2'), { ...issued(`${MONTH}-05`, 'A1'), rut: sound }],
      recibidos: [withholding, { ...withholding, rut: sound }],
      recibidos_detalle: [detail(withholding, { items: '{' })],
    });
    const out = newFolder();
    const ruts = ['--rut', '211003420017', '--rut', sound];
    vi.stubEnv('TMPDIR', newFolder());
    const words = ['close', '--month', MONTH, '--out', out, '--lake', folder, ...ruts, '--accept', ALL];
    for (const state of ['closed', 'nothing differs']) {
      const { stdout } = await runMain(...words);
      expect(readdirSync(process.env.TMPDIR ?? '')).toEqual([]);
      expect(stdout).toMatch(/^211003420017: failed. Conversion Error: Malformed JSON/m);
      expect(stdout).toMatch(new RegExp(`^${sound}: ${state}`, 'm'));
    }
  });

  it('tells on one line what its index says, whoever wrote that', async () => {
    const folder = await madeLakeFolder({ emitidos: [issued(`${MONTH}-05`, 'A2')] });
    const out = newFolder();
    const close = ['close', '--month', MONTH, '--out', out, '--lake', folder, '--accept', ALL];
    const words = [...close, '--rut', '211003420017'];
    await runMain(...words);
    const file = join(out, '211003420017', MONTH, 'cierre.json');
    const index = JSON.parse(readFileSync(file, 'utf8'));
    chmodSync(file, 0o600);
    writeFileSync(file, JSON.stringify({ ...index, sentence: 'Uno.\nDos.\u001b[31m' }));
    const { stdout } = await runMain(...words);
    expect(stdout).toMatch(/“Uno\.\\nDos\.\\u001b\[31m” Now: “/);
  });

  it('is made of the next companies where one’s rows cannot be read', async () => {
    const others = ['218617380010', '219999830019'];
    const rows = [
      issued(`${MONTH}-05`, 'A2'),
      ...others.map((rut) => ({ ...issued(`${MONTH}-06`, 'A1'), rut })),
    ];
    const folder = await madeLakeFolder({
      emitidos: rows,
      emitidos_detalle: rows.map((row) => ({ ...detail(row, { medios_pago: '[]' }), rut: row.rut ?? '' })),
    });
    const day = join(folder, `emitidos_detalle/fecha=${MONTH}-05/dia.parquet`);
    // Nothing but the rows themselves has it.
    writeFileSync(day, withDamagedColumn(readFileSync(day), 'medios_pago'));
    const out = newFolder();
    const words = ['close', '--month', MONTH, '--out', out, '--lake', folder, '--accept', ALL];
    const { stdout } = await runMain(...words, ...rows.flatMap(({ rut }) => ['--rut', String(rut)]));
    expect(stdout).toMatch(/^211003420017.*: failed\. An object of the lake may be damaged/m);
    for (const rut of others) {
      expect(stdout).toMatch(new RegExp(`^${rut}.*: closed`, 'm'));
      const { form2181 } = JSON.parse(readFileSync(join(out, rut, MONTH, 'cierre.json'), 'utf8'));
      expect(form2181.leftOut).toContain('in no line');
    }
  });

  it('says how many issued receipts the form has not, as the tax authority did not accept them', async () => {
    const rows = ['CE', 'NE'].map((estado_dgi_codigo, at) =>
      issued(`${MONTH}-05`, `A${at + 1}`, { estado_dgi_codigo }),
    );
    const totales = '{"moneda":"UYU","mnt_neto_iva_tasa_basica":78,"mnt_iva_tasa_basica":22}';
    const emitidos_detalle = rows.map((row) => detail(row, { totales }));
    const folder = await madeLakeFolder({ emitidos: rows, emitidos_detalle });
    const words = ['close', '--month', MONTH, '--rut', '211003420017', '--lake', folder, '--accept', 'days'];
    const told = await runMain(...words, '--out', newFolder(), '--lang', 'es');
    expect(told.stdout).toMatch(
      /: cerrada, .*; formulario 2181: no lleva 2 comprobantes emitidos que la DGI no aceptó \(observados o sin respuesta\)$/m,
    );
    const { code, stdout } = await runMain(...words, '--out', newFolder(), '--json');
    expect({ code, companies: JSON.parse(stdout).companies }).toMatchObject({
      code: 0,
      companies: [{ state: 'closed', leftOut: null, notAccepted: 2 }],
    });
  });

  it.each([
    ['thirteen lists', Array.from({ length: 13 }, () => 1)],
    ['two lists of 51 MB in all', [26, 25].map((megabytes) => megabytes * 2 ** 20)],
  ])('reads no list of a company that has %s', async (_what, sizes) => {
    const [out, lists] = [newFolder(), newFolder()];
    for (const [index, bytes] of sizes.entries()) {
      const path = join(lists, `${RUT}-${index}.csv`);
      writeFileSync(path, '');
      truncateSync(path, bytes);
    }
    const words = ['--rut', RUT, '--lists', lists, '--accept', ALL];
    const { code, companies } = await closed(out, ...words);
    const error = expect.stringContaining('at most 12 are read, of 50 MB');
    expect({ code, companies }).toMatchObject({ code: 1, companies: [{ state: 'failed', error }] });
  });

  itLong('keeps no more of a company’s lists than 200 MB, and closes the others', async () => {
    const [out, lists] = [newFolder(), newFolder()];
    const heading = 'Fecha;Tipo;Serie;Numero;RUT Emisor;Monto Total\n';
    const text = heading + '31/10/2026;111;A;1;214844360018;5,00\n'.repeat(149_000);
    for (const list of [1, 2]) writeFileSync(join(lists, `${RUT}-${list}.csv`), text);
    const { code, companies } = await closed(out, '--lists', lists, '--accept', `${ALL},lists`);
    const ofRut = companies.filter(({ rut }) => rut === RUT);
    const error = expect.stringContaining('is too much to keep: 200 MB');
    expect({ code, ofRut }).toMatchObject({ code: 1, ofRut: [{ state: 'failed', error }] });
    const others = new Set(companies.filter(({ rut }) => rut !== RUT).map(({ state }) => state));
    expect(others).toEqual(new Set(['closed']));
  });

  it('keeps what reconcile says of the lists that are named by RUT', async () => {
    const out = newFolder();
    const lists = newFolder();
    const text = 'CFE Emitidos\nFecha;Tipo;Serie;Numero;RUT Receptor;Monto Total\n31/10/2026;111;A;1;;5,00\n';
    writeFileSync(join(lists, `${RUT}-emitidos.csv`), text);
    // One of a company that is not asked for, and one of none.
    for (const name of ['214844360018.csv', '21484436001.csv']) writeFileSync(join(lists, name), 'no list');
    const refused = await closed(out, '--rut', RUT, '--lists', lists, '--accept', ALL);
    expect(refused.companies[0]?.points?.map(({ name }) => name)).toEqual(['lists']);
    expect(refused.stderr).toContain(
      `not used: ${join(lists, '21484436001.csv')}. The name of a list begins`,
    );
    await closed(out, '--rut', RUT, '--lists', lists, '--accept', `${ALL},lists`);
    const kept = JSON.parse(readFileSync(join(out, RUT, MONTH, 'conciliacion-emitidos.json'), 'utf8'));
    expect(kept).toMatchObject({ rut: RUT, direction: 'emitidos', isEqual: false, there: 1 });
    const page = readFileSync(join(out, RUT, MONTH, 'conciliacion-emitidos.html'), 'utf8');
    expect(page.match(/<tr>/g)?.length).toBe(kept.differences.length + 1);
    const report = readFileSync(join(out, RUT, MONTH, 'informe.html'), 'utf8');
    expect(report).toMatch(/<b>Se aceptó al cerrar:<\/b> [^<]*; Lista de emitidos: /);
  });
});

describe('a close that does not end', () => {
  it('leaves nothing where it is interrupted', async () => {
    const out = newFolder();
    mkdirSync(join(out, 'x'));
    const stop = AbortSignal.abort();
    const words = ['close', '--month', MONTH, '--out', out, '--lake', lake.folder, '--accept', ALL];
    const { code } = await runUntil(stop, ...words);
    expect(code).not.toBe(0);
    expect(readdirSync(out)).toEqual(['x']);
  });
});
