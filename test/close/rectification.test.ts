import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import v8 from 'node:v8';
import { DuckDBInstance } from '@duckdb/node-api';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { readClose } from '../../lib/close/close-folder.ts';
import { frozenMonth, haveSameRates } from '../../lib/close/frozen-month.ts';
import { briefly, closedMonths, NAMES_OF_LINES, rectificationNotes } from '../../lib/close/rectification.ts';
import { textColumn } from '../../lib/query/answer.ts';
import { itLong } from '../support/campaign.ts';
import { newFolder, sharedFolder } from '../support/lake/lake-folder.ts';
import { endedBy, withDamagedColumn, withFooter } from '../support/lake/parquet-footer.ts';
import { runLine, runMain } from '../support/program/run-main.ts';
import { PROGRAM_FILE, plainEnvironment } from '../support/program/run-program.ts';
import { type MadeRow, madeLakeFolder } from '../support/query/made-lake.ts';
import { detail, issued, RUT, received, SUPPLIER } from '../support/query/made-receipts.ts';
import { readWorkbook } from '../support/query/workbook.ts';

beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-20T12:00:00Z') }));

type Lake = Readonly<Record<string, readonly MadeRow[]>>;

const basic = (net: number, more = {}) => ({
  totales: JSON.stringify({
    moneda: 'UYU',
    mnt_neto_iva_tasa_basica: net,
    mnt_iva_tasa_basica: net * 0.22,
    ...more,
  }),
});
const reduced = (net: number) => ({
  totales: JSON.stringify({ moneda: 'UYU', mnt_neto_iva_tasa_minima: net, mnt_iva_tasa_minima: net * 0.1 }),
});
const dollars = { totales: '{"moneda":"USD","mnt_neto_iva_tasa_basica":100,"mnt_iva_tasa_basica":22}' };
const withheld = (value: number) => ({
  totales: '{"moneda":"UYU"}',
  items: `[{"retenciones_percepciones":[{"codigo":"2183211","tasa":5,"monto_sujeto":1000,"valor":${value}}]}]`,
});

const bought = received('2026-10-05', 'A1', { totales_total: '1220.00' });
const tenPerCent = received('2026-10-06', 'A2', { totales_total: '110.00' });
const exempt = issued('2026-10-07', 'B1', { totales_total: '500.00' });
const inDollars = issued('2026-10-20', 'B2', { totales_total: '122.00' });
const resguardo = received('2026-10-21', 'R1', { tipo_comprobante: 182, totales_total: '0' });
const rejected = issued('2026-10-22', 'B3', { totales_total: '122.00' });
const DETAILS = {
  bought: detail(bought, basic(1000)),
  tenPerCent: detail(tenPerCent, reduced(100)),
  exempt: detail(exempt, { totales: '{"moneda":"UYU","mnt_no_gravado":500}' }),
  inDollars: detail(inDollars, dollars),
  resguardo: detail(resguardo, withheld(50)),
  rejected: detail(rejected, basic(100)),
};
const rate = (fecha: string, valor: string): MadeRow => ({ moneda: 'USD', fecha, valor, fuente: 'x' });
const DECLARED = {
  emitidos: [exempt, inDollars, rejected],
  emitidos_detalle: [DETAILS.exempt, DETAILS.inDollars, DETAILS.rejected],
  recibidos: [bought, tenPerCent, resguardo],
  recibidos_detalle: [DETAILS.bought, DETAILS.tenPerCent, DETAILS.resguardo],
  cotizaciones: [rate('2025-12-31', '39.000000'), rate('2026-10-19', '40.000000')],
} satisfies Lake;

/** The lake with one row instead of another, which has its day and id, or with a new one. */
function having(table: keyof typeof DECLARED, ...rows: readonly MadeRow[]): Lake {
  const others = DECLARED[table].filter(
    (declared) => !rows.some(({ fecha, id }) => fecha === declared.fecha && id === declared.id),
  );
  return { ...DECLARED, [table]: [...others, ...rows] };
}

let out: string;
let declaredLake: string;
const MONTH = ['--rut', RUT, '--month', '2026-10'];
const ACCEPTED = ['--accept', 'days'];
beforeAll(async () => {
  [declaredLake, out] = [sharedFolder(), sharedFolder()];
  await madeLakeFolder(DECLARED, declaredLake);
  const words = ['close', ...MONTH, '--out', out, '--lake', declaredLake, ...ACCEPTED];
  const { code, stderr } = await runMain(...words);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
});

const closeOfTwo = (lake: string, closes: string) => [
  ...['close', '--month', '2026-10', '--out', closes, '--lake', lake, '--rut', RUT, '--rut', SUPPLIER],
  ...['--accept', 'days,gaps,rejected,details'],
];
let ofTwo: readonly [lake: string, closes: string] | undefined;

/** A lake of two companies, and a copy of their closes for the running test. */
async function closedOfTwo(): Promise<readonly [lake: string, closes: string]> {
  if (ofTwo === undefined) {
    ofTwo = [sharedFolder(), sharedFolder()];
    const ofSupplier = { ...issued('2026-10-05', 'A1'), rut: SUPPLIER };
    await madeLakeFolder({ ...DECLARED, emitidos: [...DECLARED.emitidos, ofSupplier] }, ofTwo[0]);
    expect(await runMain(...closeOfTwo(...ofTwo))).toMatchObject({ code: 0 });
  }
  const closes = newFolder();
  cpSync(ofTwo[1], closes, { recursive: true });
  return [ofTwo[0], closes];
}

type Row = Readonly<Record<string, string | number | null>>;

async function changesIn(lake: string, close = out): Promise<{ rows: Row[]; stderr: string }> {
  const words = ['--named', 'changes-since-close', ...MONTH, '--lake', lake, '--close', close, '--json'];
  const { code, stdout, stderr } = await runMain('query', ...words);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
  return { rows: JSON.parse(stdout), stderr };
}

const lateResguardo = received('2026-10-30', 'R2', { tipo_comprobante: 182, totales_total: '0' });
const taxedOtherwise =
  '{"moneda":"UYU","mnt_no_gravado":20.48,"mnt_neto_iva_tasa_basica":73.38,"mnt_iva_tasa_basica":16.14}';
/** A late e-Resguardo, 10 % that became 22 % and exempt, a rejection, another rate, and a text that is too long for a page. */
const CHANGED: Lake = {
  emitidos: [
    { ...exempt, otros: JSON.stringify('x'.repeat(200 - 'otros: ""'.length)) },
    { ...inDollars, otros: JSON.stringify('x'.repeat(201 - 'otros: ""'.length)) },
    { ...rejected, estado_dgi_codigo: 'BE' },
  ],
  emitidos_detalle: DECLARED.emitidos_detalle,
  recibidos: [...DECLARED.recibidos, lateResguardo],
  recibidos_detalle: [
    DETAILS.bought,
    detail(tenPerCent, { totales: taxedOtherwise }),
    DETAILS.resguardo,
    detail(lateResguardo, withheld(70)),
  ],
  cotizaciones: [rate('2026-10-19', '41.500000')],
};

/** Names of a page that are not those of the answer with a capital letter. */
const TITLES = new Map([
  ['libro-iva-ventas', 'Libro ventas'],
  ['libro-iva-compras', 'Libro compras'],
  ['posicion-iva', 'Posición'],
  ['formulario-2181', 'Formulario 2181'],
  ['tipo_comprobante', 'Tipo'],
  ['numero', 'Número'],
  ['documento', 'RUT o documento'],
  ['linea', 'Línea'],
  ['codigo', 'Código'],
  ['id', 'id'],
]);
const titleOf = (name: string) => TITLES.get(name) ?? name.slice(0, 1).toUpperCase() + name.slice(1);

/** Rows of the answer as a part of the page has them, with numbers as texts. */
function shown(rows: readonly Row[]): Row[] {
  const textOf = (name: string, value: string | number | null) => {
    if (name === 'tabla') return titleOf(String(value));
    return typeof value === 'number' ? value.toFixed({ diferencia: 2, tasa: 3 }[name]) : value;
  };
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [titleOf(name), textOf(name, value)])),
  );
}

describe('what differs from what was declared', () => {
  it('stands on the page of the month, with the sums, and counts lines and receipts', async () => {
    const lake = await madeLakeFolder(CHANGED);
    const report = ['report', ...MONTH, '--lake', lake];
    const { stdout } = await runMain(...report, '--close', out, '--json');
    const { parts, changesSinceClose, concerns, closedAt } = JSON.parse(stdout);
    expect(closedAt).toBe('2026-11-20T09:00:00');
    const { rows } = await changesIn(lake);
    const rowsOfPart = (name: string) =>
      rows.filter(({ parte }) => parte === name).map(({ rut, parte, ...row }) => row);
    const cells = rowsOfPart('declarado').filter(
      ({ cambio, campo }) => cambio === 'cambio' || !NAMES_OF_LINES.includes(String(campo)),
    );
    expect(new Set(cells.map(({ tabla }) => tabla)).size).toBe(5);
    expect(parts.rectificacion).toMatchObject(shown(cells));
    const sum = {
      Tabla: 'Libro ventas',
      Moneda: 'UYU',
      Campo: 'iva_basica',
      Declarado: '22.00',
      Actual: null,
    };
    expect(parts.sumas).toContainEqual({ ...sum, Diferencia: '-22.00' });
    expect(shown(rowsOfPart('suma'))).toMatchObject(parts.sumas);
    const others = rowsOfPart('otro cambio').map(
      ({ concepto, linea, codigo, tasa, moneda, diferencia, ...row }) => ({
        ...row,
        actual: row.id === inDollars.id ? null : (row.actual ?? null),
      }),
    );
    expect(parts.cambios).toMatchObject(shown(others));
    expect(concerns).toEqual(
      expect.arrayContaining([
        `${cells.length} datos declarados que difieren`,
        `${others.length} otros cambios desde el cierre`,
      ]),
    );
    const lines = cells
      .filter(({ moneda }) => moneda !== 'todas')
      .map(({ campo, declarado, actual, diferencia, ...line }) => JSON.stringify(line));
    expect(changesSinceClose).toBe(new Set(lines).size + others.length);
    const page = join(newFolder(), 'page.html');
    await runMain(...report, '--close', out, '--html', page);
    expect(readFileSync(page, 'utf8')).toContain('Rectificación');
    expect(readFileSync(page, 'utf8')).not.toContain('Nada difiere de lo declarado.');
    await runMain(...report, '--html', page);
    expect(readFileSync(page, 'utf8')).toContain('Como cierre se toma el 01/11/2026');
  });

  it('has no late e-Boleta, which is told apart', async () => {
    const slip = issued('2026-10-31', 'C1', { tipo_comprobante: 151 });
    const emitidos_detalle = [...DECLARED.emitidos_detalle, detail(slip, basic(82))];
    const lake = await madeLakeFolder({ ...having('emitidos', slip), emitidos_detalle });
    const page = join(newFolder(), 'page.html');
    const report = ['report', ...MONTH, '--lake', lake, '--close', out];
    const { parts, changesSinceClose } = JSON.parse((await runMain(...report, '--json')).stdout);
    const cambios = [{ Tabla: 'Emitidos', Cambio: 'aparecio', Campo: null, id: String(slip.id) }];
    expect(parts).toMatchObject({ rectificacion: [], sumas: [], cambios });
    expect(changesSinceClose).toBe(1);
    await runMain(...report, '--html', page);
    expect(readFileSync(page, 'utf8')).toContain('Nada difiere de lo declarado.');
  });

  it('has notes and SQL that fit', async () => {
    const file = join(newFolder(), 'changes.xlsx');
    const words = ['query', '--named', 'changes-since-close', ...MONTH, '--lake', declaredLake];
    await runMain(...words, '--close', out, '--out', file);
    const notes = readWorkbook(readFileSync(file)).find(({ name }) => name === 'Notas');
    const text = [...(notes?.cells.values() ?? [])].map(({ value }) => value).join('\n');
    expect(text).toContain('Lo que difiere de lo declarado en el cierre de 2026-10.');
    expect(text).not.toContain('movido');
    const shown = await runMain(...words, '--close', out, '--sql');
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('FULL JOIN') });
    expect((await runMain(...words)).stderr).toContain('The close is taken to be 2026-11-01');
  });
});

it('a change of rules is said in notes and on the page; a terminal leaves out what says again which line it is', async () => {
  const close = await readClose(join(out, RUT, '2026-10'));
  const frozen = await frozenMonth([close]);
  frozen.remove();
  const older = { ...close, index: { ...close.index, version: '0.0.9' } };
  expect(haveSameRates([close, older])).toBe(true);
  const rule = () => 'Cambió la regla.';
  expect(rectificationNotes(frozen, [rule])).toContain('Cambió la regla.');
  const [declared] = closedMonths(frozen, [rule]).parts;
  expect(declared?.about).toMatch(/líneas del formulario 2181\. Cambió la regla\.$/);

  const columns = ['rut', 'parte', 'cambio', 'campo', 'declarado'].map(textColumn);
  const rows = [
    [RUT, 'declarado', 'cambio', 'documento', '1'],
    [RUT, 'declarado', 'aparecio', 'documento', '2'],
    [RUT, 'declarado', 'aparecio', 'total', '3'],
    [RUT, 'declarado', 'cambio', 'total_pesos', '4'],
    [RUT, 'otro cambio', 'aparecio', null, '5'],
  ];
  expect(briefly({ columns, rows }).rows).toEqual([
    ['cambio', 'documento', '1'],
    ['aparecio', 'total', '3'],
    ['aparecio', null, '5'],
  ]);
});

/** What somebody may put in the place of a file of a close, with its hash. */
const FOREIGN = {
  'rows of another company': (file) => changed(file, `* REPLACE ('${SUPPLIER}' AS rut)`),
  'a column of another type': (file) => changed(file, '* REPLACE (CAST(numero AS BIGINT) AS numero)'),
  // Any question of them would take hours.
  'more rows than it has bytes': (file) =>
    withFooter(readFileSync(file), ({ row_groups }) => {
      for (const group of row_groups) group.num_rows = 2_000_000_000n;
    }),
  'rows below zero': (file) =>
    withFooter(readFileSync(file), ({ row_groups: [group, ...others] }) => {
      for (const same of [group, ...others]) Object.assign(same ?? {}, { num_rows: -2_000_000_000n });
    }),
  'a number of no precision': (file) =>
    withFooter(readFileSync(file), ({ schema: [, column] }) => {
      Object.assign(column ?? {}, { converted_type: 'DECIMAL', logical_type: undefined });
    }),
  'a footer of lists that claim more than there is': (file) =>
    endedBy(readFileSync(file), Buffer.alloc(201, Buffer.from('f9c093de0f', 'hex')).fill(0x19, 0, 1)),
  'a receipt of another month': (file) =>
    changed(file, '* REPLACE (CAST(fecha + INTERVAL 1 MONTH AS DATE) AS fecha)'),
  'a receipt of the month before': (file) =>
    changed(file, '* REPLACE (CAST(fecha - INTERVAL 1 MONTH AS DATE) AS fecha)'),
  'a receipt twice': (file) => changed(file, '*, unnest([1, 2]) AS others'),
  'a hundred columns more': (file) =>
    changed(file, `*, ${Array.from({ length: 100 }, (_, index) => `true AS c${index}`)}`),
  'a column of lists': (file) => changed(file, '*, [1, 2] AS others'),
  'a text that takes more than all of it should': (file) =>
    changed(file, "*, repeat('x', 24000000) AS others"),
  'as much text in a column that is a word of SQL': (file) =>
    changed(file, "*, repeat('x', 24000000) AS null"),
  'a page of numbers that is damaged': (file) => withDamagedColumn(readFileSync(file), 'numero'),
  'a column that is SQL': (file) => changed(file, '*, 1 AS "rut AS x, y"'),
} satisfies Readonly<Record<string, (file: string) => Buffer | Promise<Buffer>>>;

async function changed(file: string, columns: string): Promise<Buffer> {
  const path = join(newFolder(), 'changed.parquet');
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`COPY (SELECT ${columns} FROM '${file}') TO '${path}' (COMPRESSION zstd)`);
  connection.closeSync();
  instance.closeSync();
  return readFileSync(path);
}

/** Puts other bytes in the place of a file of a close that an older version made. */
function withOtherFile(folder: string, name: string, bytes: Buffer, version = '0.0.9'): void {
  const [file, index] = [`${name}.parquet`, 'cierre.json'].map((fileName) => join(folder, fileName));
  if (file === undefined || index === undefined) throw new Error('both are named');
  const about = JSON.parse(readFileSync(index, 'utf8'));
  about.version = version;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  about.files[`${name}.parquet`] = { bytes: bytes.length, sha256 };
  for (const path of [file, index]) chmodSync(path, 0o600);
  writeFileSync(file, bytes);
  writeFileSync(index, JSON.stringify(about));
}

describe('a close that is asked', () => {
  const query = (...words: string[]) => runMain('query', '--close', out, '--month', '2026-10', ...words);

  it('gives the answers and the rows that it keeps, whatever the lake says now', async () => {
    const none = ['--lake', newFolder()];
    const withheldSql = 'SELECT concepto, retenido FROM posicion_iva WHERE retenido > 0';
    const stdout = 'concepto,retenido\r\nRetenciones sufridas,50.00\n';
    expect(await query(withheldSql, '--csv', ...none)).toMatchObject({ code: 0, stdout });
    const joined = 'SELECT count(*) AS n FROM recibidos JOIN recibidos_detalle USING (id)';
    const rows = await query(joined, '--csv', ...none);
    expect(rows.stdout).toBe('n\r\n3\n');
    const rates = await query('SELECT min(fecha) AS d FROM cotizaciones', '--csv', ...none);
    expect(rates.stdout).toBe('d\r\n2025-12-31\n');
    const named = await query('--named', 'sales-by-month', '--json', ...none);
    expect(JSON.parse(named.stdout)).toContainEqual(expect.objectContaining({ moneda: 'USD', total: 122 }));
    const form = join(newFolder(), '2181.txt');
    await query('--named', 'formulario-2181', '--rut', RUT, '--format', 'dgi-2181', '--out', form, ...none);
    const declared = readFileSync(join(out, RUT, '2026-10', 'formulario-2181.txt'), 'latin1');
    expect(readFileSync(form, 'latin1')).toBe(declared);
    const book = join(newFolder(), 'libro.xlsx');
    await query('--named', 'libro-iva-ventas', '--out', book, ...none);
    const frozen = readWorkbook(readFileSync(join(out, RUT, '2026-10', 'libro-iva-ventas.xlsx')));
    expect(readWorkbook(readFileSync(book))[0]).toEqual(frozen[0]);
  });

  it('takes at most two gigabytes of memory, whatever somebody put there', async () => {
    const { stdout } = await query("SELECT current_setting('memory_limit') AS limit", '--json');
    const [{ limit }] = JSON.parse(stdout);
    expect(limit).toMatch(/ MiB$|^[12]\.\d GiB$/);
  });

  it('is the one that a folder holds, and who has none is named', async () => {
    const closeFolder = join(out, RUT, '2026-10');
    const counted = await runLine(
      `query "SELECT count(*) AS n FROM resguardos" --close ${closeFolder} --csv`,
    );
    expect(counted.stdout).toBe('n\r\n1\n');
    const audit = await runMain('query', 'SELECT count(*) FROM exportaciones', '--close', closeFolder);
    expect(audit).toMatchObject({ code: 2, stderr: expect.stringContaining('the table exportaciones') });
    expect((await query('SELECT 1', '--from', '2026-10-01')).code).toBe(2);
    const ofOther = ['report', '--rut', SUPPLIER, ...MONTH.slice(2), '--lake', declaredLake];
    const report = await runMain(...ofOther, '--close', out);
    expect(report).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`no close of 2026-10 of ${SUPPLIER}`),
    });
  });

  it('has the rates of its own company', async () => {
    const [lake, closes] = [newFolder(), newFolder()];
    const other = '219999830019';
    const ofOther = (row: MadeRow): MadeRow => ({ ...row, rut: other });
    const both = {
      ...DECLARED,
      emitidos: [...DECLARED.emitidos, ofOther(inDollars)],
      emitidos_detalle: [...DECLARED.emitidos_detalle, ofOther(DETAILS.inDollars)],
    };
    const close = (rut: string) =>
      runMain('close', '--month', '2026-10', '--rut', rut, '--out', closes, '--lake', lake, ...ACCEPTED);
    await madeLakeFolder(both, lake);
    expect((await close(RUT)).code).toBe(0);
    await madeLakeFolder({ ...both, cotizaciones: [rate('2026-10-19', '41.500000')] }, lake);
    expect((await close(other)).code).toBe(0);

    const asked = ['query', '--close', closes, '--month', '2026-10', '--json'];
    const { stdout, stderr } = await runMain(...asked, '--named', 'changes-since-close', '--lake', lake);
    const rows: Row[] = JSON.parse(stdout);
    expect(new Set(rows.map(({ rut }) => rut))).toEqual(new Set([RUT]));
    const sum = { parte: 'suma', campo: 'total_pesos', diferencia: 183 };
    expect(rows).toContainEqual(expect.objectContaining(sum));
    expect(stderr).not.toContain('Since version');
    const inPesos = 'SELECT rut, total_pesos FROM libro_iva_ventas WHERE moneda = $$USD$$';
    const pesos = await runMain(...asked, inPesos);
    expect(JSON.parse(pesos.stdout)).toEqual([
      { rut: RUT, total_pesos: 4880 },
      { rut: other, total_pesos: 5063 },
    ]);
    const limits = ['--named', 'e-tickets-sin-identificar'];
    expect(await runMain(...asked, ...limits)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--rut RUT'),
    });
    expect((await runMain(...asked, ...limits, '--rut', RUT)).code).toBe(0);
  });

  it('tells of rules that are not what they were, by the version that made a close, and is refused once it was altered', async () => {
    const [lake, closes] = await closedOfTwo();
    const words = ['--named', 'changes-since-close', '--close', closes, '--month', '2026-10', '--lake', lake];
    const told = async () => (await runMain('query', ...words)).stderr.replaceAll(/\s+/g, ' ');
    expect(await told()).not.toContain('Since version');
    const versions = Object.entries({ [RUT]: '0.0\n9', [SUPPLIER]: '0.0.8' });
    for (const [rut, version] of versions) {
      const folder = join(closes, rut, '2026-10');
      // Another version may have had room for fewer digits.
      const older = "* REPLACE ('X' AS serie, CAST(total_pesos AS DECIMAL(20, 2)) AS total_pesos)";
      const book = await changed(join(folder, 'libro-iva-ventas.parquet'), older);
      withOtherFile(folder, 'libro-iva-ventas', book, version);
    }
    vi.stubEnv('TMPDIR', newFolder());
    const stderr = await told();
    for (const [rut, version] of versions)
      expect(stderr).toContain(
        `Since version ${version.replace('\n', '\\n')}, which made the close, the rule of libro-iva-ventas changed: ` +
          `the same rows have another answer (RUT ${rut}).`,
      );
    expect(readdirSync(process.env.TMPDIR ?? '')).toEqual([]);
    const file = join(closes, RUT, '2026-10', 'recibidos.parquet');
    chmodSync(file, 0o600);
    writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from('x')]));
    const altered = await runMain('query', 'SELECT 1', '--close', dirname(file));
    expect(altered).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not as the close wrote it'),
    });
  });

  it('is refused by its name where its index vouches for what no close writes, and no other company’s then is', async () => {
    const [lake, closes] = await closedOfTwo();
    const folder = join(closes, RUT, '2026-10');
    withOtherFile(folder, 'emitidos', Buffer.from('PAR1 nothing of a table PAR1'));
    for (const words of [['SELECT 1'], ['--named', 'changes-since-close', '--lake', lake]])
      expect(await runMain('query', ...words, '--close', closes, '--month', '2026-10')).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(new RegExp(`A Parquet file of\\s+${folder}\\s+is none`)),
      });
    const cause = expect.any(Error);
    await expect(frozenMonth([await readClose(folder)])).rejects.toMatchObject({ cause });
    const { code, stdout } = await runMain(...closeOfTwo(lake, closes), '--json');
    const { companies }: { companies: Row[] } = JSON.parse(stdout);
    expect({ code, companies }).toMatchObject({
      code: 1,
      companies: [
        { rut: RUT, state: 'failed', error: expect.stringContaining(`A Parquet file of ${folder}`) },
        { rut: SUPPLIER, state: 'same' },
      ],
    });
    const alone = ['close', ...MONTH, '--out', closes, '--lake', lake, ...ACCEPTED, '--json'];
    const state = 'failed';
    expect(JSON.parse((await runMain(...alone)).stdout)).toMatchObject({ companies: [{ rut: RUT, state }] });
  });

  it.each([
    ...Object.entries(FOREIGN).map(([what, bytesOf]) => ['emitidos', what, bytesOf] as const),
    ['libro-iva-ventas', 'a line twice', FOREIGN['a receipt twice']] as const,
    ['cotizaciones', 'a rate twice', FOREIGN['a receipt twice']] as const,
  ])('is refused where its index vouches, of %s, for %s', async (table, _what, foreignBytes) => {
    const [, closes] = await closedOfTwo();
    const folder = join(closes, RUT, '2026-10');
    withOtherFile(folder, table, await foreignBytes(join(folder, `${table}.parquet`)));
    const both = await Promise.all([folder, join(closes, SUPPLIER, '2026-10')].map(readClose));
    await expect(frozenMonth(both)).rejects.toThrow(`A Parquet file of ${folder} is none`);
  });

  it('may be large: ten thousand receipts, and 64 MB of texts', async () => {
    const [, closes] = await closedOfTwo();
    const folder = join(closes, RUT, '2026-10');
    const texts = "unnest([md5(concat(x, id)) || repeat('x', 4000) for x in range(6000)]) AS otros";
    const large = `* REPLACE (unnest(range(6000)) AS id, ${texts})`;
    withOtherFile(folder, 'emitidos', await changed(join(folder, 'emitidos.parquet'), large));
    const frozen = await frozenMonth([await readClose(folder)]);
    frozen.remove();
    expect(frozen.ruts).toEqual([RUT]);
  });
});

it.each([
  ['in more than Node can hold', 'emitidos', 'unnest(range(5000, 8000)) AS id', 'does not fit into memory'],
  [
    'by more than a number holds',
    'posicion-iva',
    "CAST('-9223372036854775808' AS BIGINT) AS comprobantes",
    'Out of Range',
  ],
])('stops no other company where one’s close differs %s', async (_how, table, replaced, said) => {
  const [lake, closes] = await closedOfTwo();
  const folder = join(closes, RUT, '2026-10');
  withOtherFile(folder, table, await changed(join(folder, `${table}.parquet`), `* REPLACE (${replaced})`));
  const ofNode = v8.getHeapStatistics();
  const small = vi.spyOn(v8, 'getHeapStatistics');
  small.mockReturnValue({ ...ofNode, heap_size_limit: 2 ** 20 });
  const { code, stdout } = await runMain(...closeOfTwo(lake, closes), '--json');
  const error = expect.stringContaining(said);
  const companies = [
    { rut: RUT, state: 'failed', error },
    { rut: SUPPLIER, state: 'same' },
  ];
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 1, companies });
});

const TELLS_MEMORY = new URL('../support/program/tells-memory.ts', import.meta.url).href;

itLong('sixty closes are asked in little memory, however large their indexes are', async () => {
  const folder = newFolder();
  const close = join(out, RUT, '2026-10');
  const index = JSON.parse(readFileSync(join(close, 'cierre.json'), 'utf8'));
  const { length } = JSON.stringify(index);
  const most = { ...index, concerns: [...Array(4_000).fill([]), ' '.repeat(225_000 - length)] };
  for (let number = 10; number < 70; number += 1) {
    const rut = `2190000000${number}`;
    const path = join(folder, rut, '2026-10', 'cierre.json');
    cpSync(close, dirname(path), { recursive: true });
    chmodSync(path, 0o600);
    const files = { ...most.files };
    for (const name of Object.keys(files).filter((fileName) =>
      /^(?!cotizaciones).*\.parquet$/.test(fileName),
    )) {
      const bytes = await changed(join(close, name), `* REPLACE ('${rut}' AS rut)`);
      chmodSync(join(dirname(path), name), 0o600);
      writeFileSync(join(dirname(path), name), bytes);
      files[name] = { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
    }
    writeFileSync(path, JSON.stringify({ ...most, files, rut }));
  }
  const words = ['query', 'SELECT count(*) AS n FROM recibidos', '--close', folder, '--month', '2026-10'];
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--import', TELLS_MEMORY, PROGRAM_FILE, ...words, '--format', 'json'],
    { env: plainEnvironment() },
  );
  expect(JSON.parse(stdout)).toEqual([{ n: 180 }]);
  expect(Number(stderr)).toBeLessThan(400);
});

/** Closed, a late receipt, closed again, the first one archived. */
it('a second close is made where something differs, under a new name, and is compared with when the first is archived', async () => {
  const [folder, lake, archive] = [newFolder(), newFolder(), newFolder()];
  await madeLakeFolder(DECLARED, lake);
  const close = async (...more: string[]) => {
    const words = ['close', '--month', '2026-10', '--out', folder, '--lake', lake, '--companies', companies];
    const { code, stdout } = await runMain(...words, '--accept', 'days', ...more);
    vi.setSystemTime(Date.now() + 60_000);
    return { code, stdout: stdout.replaceAll(/\s+/g, ' ') };
  };
  const companies = join(newFolder(), 'companies.json');
  writeFileSync(companies, JSON.stringify({ companies: [{ rut: RUT, token: 'a.b.c', name: 'Uno' }] }), {
    mode: 0o600,
  });
  const [first, second] = ['2026-10', '2026-10-2'].map((name) => join(folder, RUT, name));
  expect(await close()).toEqual({ code: 0, stdout: expect.stringContaining(`closed, in ${first}`) });
  const late = received('2026-10-31', 'A9', { totales_total: '122.00' });
  const withLate = {
    ...having('recibidos', late),
    recibidos_detalle: [...DECLARED.recibidos_detalle, detail(late, basic(100))],
  };
  await madeLakeFolder(withLate, lake);
  const left = await close();
  expect(left).toMatchObject({ code: 1, stdout: expect.stringContaining('not closed again') });
  expect(left.stdout).toContain('122.00');
  expect(left.stdout).toContain(`--rut ${RUT} --month 2026-10 --lake ${lake} --close ${first}`);
  expect(existsSync(second ?? '')).toBe(false);
  expect(await close('--rut', RUT)).toEqual({
    code: 0,
    stdout: expect.stringContaining(`closed, in ${second}`),
  });

  renameSync(first ?? '', join(archive, '2026-10'));
  expect(await close('--again')).toEqual({
    code: 0,
    stdout: expect.stringContaining(`igual al último cierre), ${second}`),
  });
  expect(existsSync(first ?? '')).toBe(false);
  const changes = ['query', '--named', 'changes-since-close', ...MONTH, '--lake', lake, '--csv'];
  expect((await runMain(...changes, '--close', folder)).stdout.trim().split('\n')).toHaveLength(1);
  expect((await runMain(...changes, '--close', join(archive, '2026-10'))).stdout).toContain('122.00');
});
