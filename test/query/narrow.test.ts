import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { BEYOND_A_CLOSE } from '../../lib/close/frozen-question.ts';
import type { LakeDatabase } from '../../lib/query/lake-database.ts';
import {
  type Narrowing,
  namedQueries,
  namedQuery,
  narrowed,
  narrowingText,
} from '../../lib/query/named-queries.ts';
import { campaign } from '../support/campaign.ts';
import type { TextRow } from '../support/query/exact-sums.ts';
import { openLakeDatabase } from '../support/query/lake-database.ts';
import { type MadeRow, madeLakeFolder } from '../support/query/made-lake.ts';
import { type QueriedLake, sharedQueriedLake, TODAY } from '../support/query/queried-lake.ts';

const RUT = '219999830019';
const OTHER = '214844360018';
const OCTOBER = { from: '2026-10-01', to: '2026-10-31' } as const;

const RECEIPTS = ['recibidos', 'emitidos', 'recibidos_detalle', 'emitidos_detalle'];

const queries = namedQueries();
const narrowable = queries.filter(({ name }) => !BEYOND_A_CLOSE.includes(name));
/** `npm test` tries each narrowing with every second query, beginning with the first or the second in turn. */
const EVERY = campaign({ quick: 4, long: 1 });

const NARROWINGS: readonly { what: string; narrowing: Narrowing; kept: string; today?: string }[] = [
  {
    what: 'a month',
    narrowing: { ruts: [], ...OCTOBER },
    kept: "fecha BETWEEN '2026-10-01' AND '2026-10-31'",
  },
  { what: 'a company', narrowing: { ruts: [RUT] }, kept: `rut = '${RUT}'` },
  {
    what: 'two companies from a day on',
    narrowing: { ruts: [RUT, OTHER], from: '2026-10-31' },
    kept: `rut IN ('${RUT}', '${OTHER}') AND fecha >= '2026-10-31'`,
  },
  {
    what: 'a company and a day long ago',
    narrowing: { ruts: [RUT], from: '2024-03-05', to: '2024-03-05' },
    kept: `rut = '${RUT}' AND fecha = '2024-03-05'`,
    today: '2024-03-20',
  },
];

async function rowsOf({ connection }: LakeDatabase, sql: string, today: string): Promise<TextRow[]> {
  const reader = await connection.runAndReadAll(sql.replaceAll('current_date', `DATE '${today}'`));
  return reader.getRows().map((row) => row.map((value) => (value === null ? null : String(value))));
}

describe('a named query that is narrowed', () => {
  let lake: QueriedLake;
  let whole: LakeDatabase;
  beforeAll(async () => {
    lake = await sharedQueriedLake();
    whole = await databaseOf('true');
  });
  afterAll(() => whole.close());

  /** A database with only these receipts of the lake. They are in tables, as queries of a view would read all files. */
  async function databaseOf(kept: string): Promise<LakeDatabase> {
    const database = await openLakeDatabase(lake.folder);
    for (const table of RECEIPTS) {
      await database.connection.run(
        `CREATE TEMP TABLE ${table} AS SELECT * FROM memory.main.${table} WHERE ${kept}`,
      );
    }
    return database;
  }

  it.each(NARROWINGS.map((narrowing, index) => ({ ...narrowing, index })))(
    'to $what answers as of a lake with no other receipts',
    async ({ index, narrowing, kept, today = TODAY }) => {
      const part = await databaseOf(kept);
      onTestFinished(() => part.close());
      let rowCount = 0;
      for (const { name, sql } of narrowable.filter((_, place) => (place + index) % EVERY === 0)) {
        const answer = await rowsOf(whole, narrowed(sql, narrowing), today);
        expect(answer, name).toEqual(await rowsOf(part, sql, today));
        rowCount += answer.length;
      }
      expect(rowCount).toBeGreaterThan(30);
    },
  );

  it.each(queries)('$name leaves no other period and no other company', ({ sql }) => {
    const text = narrowed(sql, { ruts: [RUT], ...OCTOBER });
    expect(text).not.toMatch(/current_date - INTERVAL/);
    const body = text.replaceAll(/^ *--.*$/gm, '');
    expect(body).not.toMatch(/date_trunc\('month', current_date\)/);
    const scans = body.match(/\b(FROM|JOIN) (recibidos|emitidos|cambios|exportaciones)(_detalle)?\b/g) ?? [];
    expect(body.match(/\brut = '219999830019'/g)?.length).toBeGreaterThanOrEqual(scans.length);
  });

  it.each(queries)('$name stays as it is when it is narrowed to nothing', ({ sql }) => {
    expect(narrowed(sql, { ruts: [] })).toBe(sql);
    expect(narrowingText({ ruts: [] })).toBeUndefined();
  });

  it.each(queries)('$name may be asked up to the last day that can be written', ({ sql }) => {
    const text = narrowed(sql, { ruts: [], from: '2026-10-01', to: '9999-12-31' });
    expect(text).not.toMatch(/DATE '(?!\d{4}-\d\d-\d\d')/);
  });

  it('says so in words', () => {
    expect(narrowingText({ ruts: [RUT], ...OCTOBER })).toBe(
      `Narrowed to rut ${RUT}; 2026-10-01 to 2026-10-31, in place of the period that is named.`,
    );
    expect(narrowingText({ ruts: [], from: '2026-10-01' })).toContain('2026-10-01 to now');
  });
});

describe('a query that looks at neighbours, narrowed to October', () => {
  async function october(
    name: string,
    rows: Readonly<Record<string, readonly MadeRow[]>>,
  ): Promise<TextRow[]> {
    const database = await openLakeDatabase(await madeLakeFolder(rows));
    onTestFinished(() => database.close());
    return await rowsOf(database, narrowed(namedQuery(name).sql, { ruts: [RUT], ...OCTOBER }), TODAY);
  }

  const issued = {
    rut: RUT,
    tipo_comprobante: 111,
    serie: 'A',
    estado_dgi_codigo: 'AE',
    totales_total: '10.00',
  };

  it('numbering-gaps has the run that ends in October, and knows the numbers on either side', async () => {
    const receipts = [
      { numero: 100, fecha: '2026-09-29' },
      { numero: 104, fecha: '2026-10-02' },
      // Sent late, from a contingency book.
      { numero: 103, fecha: '2026-11-09' },
      { numero: 105, fecha: '2026-10-31' },
      { numero: 108, fecha: '2026-11-01' },
    ].map((row, index) => ({ ...issued, id: index + 1, ...row }));
    const others = receipts.map((row) => ({ ...row, rut: OTHER, id: row.id + 100 }));
    const answer = await october('numbering-gaps', { emitidos: [...receipts, ...others] });
    // 101 and 102 end with 103, which is dated in November.
    expect(answer).toEqual([]);
    const without = receipts.filter(({ numero }) => numero !== 103);
    expect(await october('numbering-gaps', { emitidos: without })).toEqual([
      [RUT, '111', 'A', 'falta', '101', '103', '3', '2026-09-29', '2026-10-02'],
    ]);
  });

  it('duplicate-supplier-invoices has what repeats a receipt of September', async () => {
    const received = { rut: RUT, emisor_ruc: OTHER, tipo_comprobante: 111, serie: 'A', moneda: 'UYU' };
    const receipts = [
      { numero: 1, fecha: '2026-09-25', totales_total: '100.00' },
      { numero: 2, fecha: '2026-10-03', totales_total: '100.00' },
      { numero: 3, fecha: '2026-10-30', totales_total: '200.00' },
      { numero: 4, fecha: '2026-11-05', totales_total: '200.00' },
    ].map((row, index) => ({ ...received, id: index + 1, ...row }));
    const answer = await october('duplicate-supplier-invoices', { recibidos: receipts });
    expect(answer.map((row) => [row[8], row[11]])).toEqual([['2', '1']]);
  });

  it('daily-report has what was signed in October, whatever its issue date', async () => {
    const receipts = [
      { numero: 1, fecha: '2026-09-30', fecha_firma: '2026-10-01T00:00:00' },
      { numero: 2, fecha: '2026-10-01', fecha_firma: '2026-09-30T23:59:59' },
      { numero: 3, fecha: '2026-12-15', fecha_firma: '2026-10-31T23:59:59' },
      { numero: 4, fecha: '2026-10-31', fecha_firma: '2026-11-01T00:00:00' },
    ].map((row, index) => ({ ...issued, id: index + 1, ...row }));
    const answer = await october('daily-report', { emitidos: receipts });
    expect(answer.map((row) => [row[1], row[3]])).toEqual([
      ['2026-10-01', '2026-09-30'],
      ['2026-10-31', '2026-12-15'],
    ]);
  });

  it('changes-since-close has what November noticed of receipts of October', async () => {
    const change = {
      rut: RUT,
      direccion: 'recibidos',
      cambio: 'cambio',
      campo: 'estado_codigo',
      antes: 'AE',
    };
    const changes = [
      { id: 1, fecha: '2026-10-05', fecha_corrida: '2026-11-02' },
      { id: 2, fecha: '2026-09-30', fecha_corrida: '2026-11-02' },
      { id: 3, fecha: '2026-11-01', fecha_corrida: '2026-11-02' },
      { id: 4, fecha: '2026-10-05', fecha_corrida: '2026-10-31' },
      { id: 5, fecha: '2026-10-31', fecha_corrida: '2026-11-20', rut: OTHER },
    ].map((row) => ({
      ...change,
      despues: 'BE',
      momento: `${row.fecha_corrida}T03:00:00`,
      corrida: 'r',
      ...row,
    }));
    const answer = await october('changes-since-close', { cambios: changes });
    expect(answer.map((row) => row[7])).toEqual(['1']);
  });
});
