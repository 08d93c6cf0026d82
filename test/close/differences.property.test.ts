import fc from 'fast-check';
import { afterAll, expect, inject, it } from 'vitest';
import { DECLARED, differencesSql, FROZEN_ROWS, type FrozenColumns } from '../../lib/close/differences.ts';
import { FROZEN_TABLES } from '../../lib/close/frozen-month.ts';
import { NAMES_OF_LINES } from '../../lib/close/rectification.ts';
import { namedQuery, narrowed } from '../../lib/query/named-queries.ts';
import { ask } from '../../lib/query/question.ts';
import { campaign } from '../support/campaign.ts';
import { declaredOf, type Rates, type Stated, TYPES } from '../support/close/declared-oracle.ts';
import { detailRow, listRow, tablesOf } from '../support/close/stated-rows.ts';
import { scaled } from '../support/query/exact-sums.ts';
import { openLakeDatabase } from '../support/query/lake-database.ts';
import type { MadeRow } from '../support/query/made-lake.ts';

/** Random months, and what becomes of their receipts: every cell of a declared table that differs is told, and no other. */

const RUTS = ['211003420017', '219999830019'];
const MONTH = { from: '2026-10-01', to: '2026-10-31' } as const;

const day = fc.constantFrom('2026-10-01', '2026-10-02', '2026-10-16', '2026-10-31');
const cents = fc.option(fc.constantFrom(0n, 1n, 10_000n, 12_345n, 999_999_999n), { nil: null });
const document = fc.constantFrom('214844360018', '218617380010', '12345678', null);
const currency = fc.constantFrom('UYU', 'UYU', 'USD', null);
const FIELDS = {
  fecha: day,
  type: fc.constantFrom(...TYPES),
  serie: fc.constantFrom('A', 'B'),
  numero: fc.integer({ min: 1, max: 3 }),
  documento: document,
  nombre: fc.constantFrom('Uno', 'Dos', null),
  moneda: currency,
  total: cents,
  estado: fc.constantFrom('AE', 'AE', 'BE', 'NE'),
  isGone: fc.constantFrom(false, false, false, true),
  hasDetail: fc.constantFrom(true, true, true, false),
  isOutdated: fc.constantFrom(false, false, false, true),
  currency,
  rate: fc.constantFrom(40_125n, 41_000n, null),
  amounts: fc.record({
    no_gravado: cents,
    exportacion: cents,
    neto_minima: cents,
    iva_minima: cents,
    neto_basica: cents,
    iva_basica: cents,
  }),
  detailTotal: fc.constantFrom(null, null, 10_000n),
  documentType: fc.constantFrom('2', '3', null),
  withheld: fc.array(
    fc.record({
      codigo: fc.constantFrom('2183211', '2181410'),
      tasa: fc.constantFrom(5_000n, 7_000n),
      sujeto: fc.constantFrom(100n, 10_001n),
      valor: fc.constantFrom(5n, 701n),
    }),
    { maxLength: 3 },
  ),
};
const receipt: fc.Arbitrary<Omit<Stated, 'id'>> = fc.record({
  ...FIELDS,
  rut: fc.constantFrom(...RUTS),
  direction: fc.constantFrom('emitidos' as const, 'recibidos' as const),
});
const rates = fc
  .dictionary(
    fc.constantFrom('2026-09-25', '2026-09-30', '2026-10-15'),
    fc.constantFrom(39_900_000n, 42_500_000n),
  )
  .map((days): Rates => new Map([['USD', new Map(Object.entries(days))]]));
const change = fc.oneof(
  fc.record({ kind: fc.constant('come' as const), receipt }),
  fc.record({ kind: fc.constant('go' as const), at: fc.nat() }),
  fc.record({
    kind: fc.constant('field' as const),
    at: fc.nat(),
    field: fc.constantFrom(...(Object.keys(FIELDS) as (keyof typeof FIELDS)[])),
    receipt,
  }),
);

interface Month {
  before: readonly Stated[];
  after: readonly Stated[];
  rates: readonly [Rates, Rates];
}

const month = fc
  .record({
    receipts: fc.array(receipt, { maxLength: 9 }),
    changes: fc.array(change, { maxLength: 4 }),
    ratesBefore: rates,
    ratesAfter: fc.option(rates, { nil: undefined, freq: 3 }),
  })
  .map(({ receipts, changes, ratesBefore, ratesAfter }): Month => {
    const before = receipts.map((one, index) => ({ ...one, id: index + 1 }));
    let after: Stated[] = before;
    for (const [index, one] of changes.entries()) {
      const at = 'at' in one ? one.at % Math.max(1, after.length) : 0;
      if (one.kind === 'come') after = [...after, { ...one.receipt, id: 101 + index }];
      else if (one.kind === 'go') after = after.filter((_, place) => place !== at);
      else
        after = after.map((own, place) =>
          place === at ? { ...own, [one.field]: one.receipt[one.field] } : own,
        );
    }
    return { before, after, rates: [ratesBefore, ratesAfter ?? ratesBefore] };
  });

const database = await openLakeDatabase('.');
afterAll(() => database.close());

const literal = (value: string | number | undefined) =>
  value === undefined ? 'NULL' : `'${String(value).replaceAll("'", "''")}'`;

async function fill(rows: Readonly<Record<string, readonly MadeRow[]>>, prefix: string): Promise<void> {
  for (const { name, columns, partition } of FROZEN_TABLES) {
    const names = [...columns.map((column) => column.name), partition];
    const table = `${prefix}${name}`;
    await database.connection.run(
      `CREATE OR REPLACE TEMP TABLE ${table} AS SELECT * FROM memory.main.${name}`,
    );
    const values = (rows[name] ?? []).map((row) => `(${names.map((column) => literal(row[column]))})`);
    if (values.length > 0)
      await database.connection.run(`INSERT INTO ${table} (${names}) VALUES ${values.join(', ')}`);
  }
}

async function told({ before, after, rates: [ratesBefore, ratesAfter] }: Month) {
  const columns: Record<string, FrozenColumns[string]> = {};
  const describe = async (name: string, as: string) => {
    const { rows } = await ask(database, `DESCRIBE ${as}`);
    columns[name] = rows.map(([column, type]) => ({ name: column ?? '', type: type ?? '' }));
  };
  await fill(tablesOf(before, ratesBefore), '');
  for (const { query, view } of DECLARED) {
    const sql = narrowed(namedQuery(query).sql, { ruts: RUTS, ...MONTH });
    await database.connection.run(`CREATE OR REPLACE TEMP TABLE ${view} AS ${sql}`);
    await describe(query, view);
  }
  await fill(tablesOf(before, ratesBefore), FROZEN_ROWS);
  // The close is older than this column.
  await database.connection.run(`ALTER TABLE ${FROZEN_ROWS}recibidos DROP COLUMN fecha_firma`);
  for (const { name } of FROZEN_TABLES) await describe(name, `${FROZEN_ROWS}${name}`);
  await fill(tablesOf(after, ratesAfter), '');
  const answer = await ask(database, differencesSql({ ruts: RUTS, ...MONTH }, columns));
  const names = answer.columns.map(({ name }) => name);
  return answer.rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at] ?? null])));
}

type Told = Readonly<Record<string, string | null>>;

const KEYS = ['rut', 'fecha', 'concepto', 'linea', 'codigo', 'tasa', 'moneda', 'id'];
/** Cells that have no difference: all others are amounts or counts. */
const TEXTS = [...NAMES_OF_LINES, 'nota', 'tipo_cambio'];
/** A cell's place and values, as one text. */
function cellText(tabla: string, row: Told): string {
  const documento = tabla === 'formulario-2181' ? row.documento : null;
  const values = [...KEYS.map((name) => row[name]), documento, row.campo, row.declarado, row.actual];
  return [tabla, ...values.map((value) => value ?? '·')].join(' ');
}

function expectedCells({
  before,
  after,
  rates: [ratesBefore, ratesAfter],
}: Month): (Told & { tabla: string })[] {
  const [declared, now] = [declaredOf(before, ratesBefore), declaredOf(after, ratesAfter)];
  return [...declared].flatMap(([tabla, was]) => {
    const is = now.get(tabla) ?? new Map();
    return [...new Set([...was.keys(), ...is.keys()])].flatMap((key) => {
      const [old, current] = [was.get(key) ?? {}, is.get(key) ?? {}];
      return Object.keys({ ...old, ...current }).flatMap((campo) => {
        const [declarado, actual] = [old[campo] ?? null, current[campo] ?? null];
        const cambio = was.has(key) ? (is.has(key) ? 'cambio' : 'desaparecio') : 'aparecio';
        return declarado === actual ? [] : [{ tabla, ...JSON.parse(key), campo, declarado, actual, cambio }];
      });
    });
  });
}

const textOf = (value: string | number | undefined) => (value === undefined ? null : String(value));

/** Receipts that came, went or changed, as far as no line of a book or resguardo tells it with the same values. */
function expectedReceipts({ before, after }: Month, cells: readonly (Told & { tabla: string })[]): string[] {
  const keyOf = ({ rut, direction, fecha, id }: Stated) => [rut, direction, fecha, id].join(' ');
  const listed = (all: readonly Stated[]) =>
    new Map(all.filter(({ isGone }) => !isGone).map((one) => [keyOf(one), one]));
  const [was, is] = [listed(before), listed(after)];
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((key) => {
    const [old, current] = [was.get(key), is.get(key)];
    const { rut, fecha, id, direction } = old ?? current ?? { id: 0 };
    const of = `${key} ${current?.documento ?? old?.documento ?? null}`;
    const lines = cells.filter((cell) => {
      const list =
        cell.tabla === 'resguardos'
          ? cell.concepto === 'efectuada'
            ? 'emitidos'
            : 'recibidos'
          : cell.tabla === 'libro-iva-ventas'
            ? 'emitidos'
            : 'recibidos';
      return cell.id === String(id) && cell.rut === rut && cell.fecha === fecha && list === direction;
    });
    if (old === undefined || current === undefined)
      return lines.length > 0 ? [] : [`${of} ${old === undefined ? 'aparecio' : 'desaparecio'} `];
    const fieldsOf = (one: Stated): Record<string, string | number> => ({
      ...listRow(one),
      ...(one.hasDetail
        ? Object.fromEntries(
            Object.entries(detailRow(one)).map(([name, value]) => [`detalle:${name}`, value]),
          )
        : {}),
    });
    const [a, b] = [fieldsOf(old), fieldsOf(current)];
    const changed = [...new Set([...Object.keys(a), ...Object.keys(b)])].filter(
      (name) =>
        a[name] !== b[name] &&
        !/:(leido|motivo|rut|id|fecha)$/.test(name) &&
        !lines.some(
          (cell) =>
            cell.cambio === 'cambio' && cell.declarado === textOf(a[name]) && cell.actual === textOf(b[name]),
        ),
    );
    return changed.length === 0 ? [] : [`${of} cambio ${changed.sort().join(', ')}`];
  });
}

const RUNS = campaign({ quick: 12, long: 300 });

it('tells each cell of a declared table that differs, the sums that follow, and other changes once', async () => {
  let [toldCount, quietCount, otherCount] = [0, 0, 0];
  await fc.assert(
    fc.asyncProperty(month, async (random) => {
      const rows = await told(random);
      const of = (parte: string) => rows.filter((row) => row.parte === parte);
      const cells = expectedCells(random);
      expect(
        of('declarado')
          .map((row) => cellText(row.tabla ?? '', row))
          .sort(),
      ).toEqual(cells.map((row) => cellText(row.tabla, row)).sort());
      for (const { campo, declarado, actual, diferencia } of of('declarado')) {
        expect([campo, diferencia === null]).toEqual([campo, TEXTS.includes(campo ?? '')]);
        if (diferencia === null) continue;
        const [a, b, c] = [actual, declarado, diferencia].map((text) => scaled(text ?? '0', 2));
        expect(c).toBe((a ?? 0n) - (b ?? 0n));
      }
      // What the page leaves out of a line never hides the line.
      const lines = Map.groupBy(of('declarado'), (row) =>
        [row.tabla, row.documento, ...KEYS.map((name) => row[name])].join(),
      );
      for (const members of lines.values())
        expect(
          members.some(({ cambio, campo }) => cambio === 'cambio' || !NAMES_OF_LINES.includes(campo ?? '')),
        ).toBe(true);

      const [declared, now] = [
        declaredOf(random.before, random.rates[0]),
        declaredOf(random.after, random.rates[1]),
      ];
      const sumIn = (side: typeof declared, { rut, tabla, moneda, campo }: Told) => {
        const known = [...(side.get(tabla ?? '') ?? [])].flatMap(([key, own]) => {
          const line = JSON.parse(key);
          return line.rut === rut && line.moneda === moneda ? (own[campo ?? ''] ?? []) : [];
        });
        return known.reduce((all, text) => all + scaled(text, 2), 0n);
      };
      for (const row of of('suma')) {
        const differences = of('declarado').filter((cell) =>
          ['rut', 'tabla', 'moneda', 'campo'].every((name) => cell[name] === row[name]),
        );
        const [was, is] = [sumIn(declared, row), sumIn(now, row)];
        expect(
          [row.declarado ?? '0', row.actual ?? '0', row.diferencia ?? ''].map((text) => scaled(text, 2)),
        ).toEqual([was, is, is - was]);
        expect(differences.reduce((all, cell) => all + scaled(cell.diferencia ?? '', 2), 0n)).toBe(is - was);
      }
      const summed = (of: readonly Told[]) =>
        new Set(of.map(({ rut, tabla, moneda, campo }) => [rut, tabla, moneda, campo].join()));
      const amounts = cells.filter(
        ({ tabla, campo, moneda }) =>
          tabla.startsWith('libro') &&
          moneda !== null &&
          /^(no_gr|expo|neto|iva|otros|total)/.test(campo ?? ''),
      );
      expect(summed(of('suma'))).toEqual(summed(amounts));

      const others = of('otro cambio').map(
        ({ rut, tabla, fecha, id, documento, cambio, campo }) =>
          `${rut} ${tabla} ${fecha} ${id} ${documento} ${cambio} ${(campo ?? '').split(', ').sort().join(', ')}`,
      );
      expect(others.sort()).toEqual(expectedReceipts(random, cells).sort());
      [toldCount, otherCount] = [toldCount + cells.length, otherCount + others.length];
      quietCount += cells.length === 0 ? 1 : 0;
    }),
    { numRuns: RUNS, seed: inject('seed') },
  );
  expect(Math.min(toldCount, quietCount, otherCount)).toBeGreaterThan(0);
});
