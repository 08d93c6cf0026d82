import fc from 'fast-check';
import { afterAll, expect, inject, it } from 'vitest';
import { DECLARED, differencesSql, FROZEN_ROWS, type FrozenColumns } from '../../lib/close/differences.ts';
import { FROZEN_TABLES } from '../../lib/close/frozen-month.ts';
import { NAMES_OF_LINES } from '../../lib/close/rectification.ts';
import { namedQuery, narrowed } from '../../lib/query/named-queries.ts';
import { ask } from '../../lib/query/question.ts';
import { campaign } from '../support/campaign.ts';
import { type Rates, type Stated, TYPES } from '../support/close/declared-oracle.ts';
import {
  COLUMNS,
  differencesOf,
  GONE,
  keyOf,
  type Month,
  NEW,
  NEW_IN_LIST,
} from '../support/close/differences-oracle.ts';
import { tablesOf } from '../support/close/stated-rows.ts';
import { openLakeDatabase } from '../support/query/lake-database.ts';
import type { MadeRow } from '../support/query/made-lake.ts';

/** Random months, and what becomes of their receipts: the whole answer is that of plain code. */

const [RUTS, OTHER_RUT] = [['211003420017', '219999830019'], '214844360018'];
const MONTH = { from: '2026-10-01', to: '2026-10-31' } as const;
const isOfMonth = ({ rut, fecha }: Stated) => RUTS.includes(rut) && MONTH.from <= fecha && fecha <= MONTH.to;

const cents = fc.option(fc.constantFrom(0n, 1n, -1n, 10_000n, 12_345n, 999_999_999n), { nil: null });
const unreadable = fc.constantFrom<unknown>('1,5', '', { valor: 1 }, [1], true).map((json) => ({ json }));
const amount = fc.oneof({ weight: 9, arbitrary: cents }, unreadable);
const currency = fc.constantFrom('UYU', 'UYU', 'USD', null);
const name = fc.constantFrom('Uno', '', null);
const others = fc.constantFrom('{"a":1}', '{}', null);
const FIELDS = {
  fecha: fc.constantFrom('2026-09-30', '2026-10-01', '2026-10-01', '2026-10-16', '2026-10-31', '2026-11-01'),
  type: fc.constantFrom(...TYPES, 151, 182, 182, 182, 182),
  serie: fc.constantFrom('A', 'A', 'B', 'B', '', null),
  numero: fc.constantFrom(1, 2, 3, 1, 2, 3, null),
  documento: fc.constantFrom(
    '214844360018',
    '218617380010',
    '14844360018',
    '014844360018',
    '12345678',
    '21.484436.001-8',
    null,
  ),
  nombre: name,
  moneda: currency,
  total: cents,
  estado: fc.constantFrom('AE', 'AE', 'BE', 'CE', 'NE', '', 'ae'),
  isGone: fc.constantFrom(false, false, false, true),
  hasDetail: fc.constantFrom(true, true, true, false),
  isOutdated: fc.constantFrom(false, false, true),
  currency,
  rate: fc.constantFrom(
    40_125n,
    41_000n,
    null,
    0n,
    -40_000n,
    1_000n,
    { json: '40,50' },
    { json: {} },
    { json: '1e-7' },
  ),
  amounts: fc.record({
    no_gravado: amount,
    exportacion: amount,
    neto_minima: amount,
    iva_minima: amount,
    neto_basica: amount,
    iva_basica: amount,
  }),
  detailTotal: fc.constantFrom(null, null, 10_000n),
  detailStatus: fc.constantFrom(null, null, null, '', 'AE', 'BE', 'NE', 'be', { json: ['BE'] }),
  strayStatus: fc.constantFrom(
    ...Array(8).fill(null),
    ...[{ codigo: 'BE' }, 'BE', { codigo: 'AE' }, { codigo: 'be' }, { codigo: 1 }, 'VIGENTE', ['BE']].map(
      (json) => ({ json }),
    ),
  ),
  documentType: fc.constantFrom('2', '3', 'RUT', null),
  withheld: fc.array(
    fc.oneof(
      {
        weight: 9,
        arbitrary: fc.record({
          codigo: fc.constantFrom('2183211', '2181410'),
          tasa: fc.constantFrom(5_000n, 7_000n),
          sujeto: fc.constantFrom(100n, 10_001n),
          valor: fc.constantFrom(5n, 701n),
        }),
      },
      unreadable,
    ),
    { maxLength: 4 },
  ),
  withheldInAll: fc.constantFrom(null, null, 0n, 5n, 701n, 706n, 10n, { json: '5,00' }),
  signed: fc.constantFrom('2026-10-01T10:00:00', '2026-10-02T10:00:00', null),
  note: others,
  detailNote: others,
  readAt: fc.constantFrom('2026-11-03T03:00:00', '2026-11-04T03:00:00'),
};
type Field = keyof typeof FIELDS;
/** Each company counts its receipts by itself, and so does each list. */
const receipt: fc.Arbitrary<Stated> = fc.record({
  ...FIELDS,
  rut: fc.constantFrom(...RUTS, ...RUTS, OTHER_RUT),
  direction: fc.constantFrom('emitidos', 'recibidos'),
  id: fc.constantFrom(2, 10),
});
const rates = fc
  .dictionary(
    fc.constantFrom('2026-09-25', '2026-09-30', '2026-10-15', '2026-10-25', '2026-11-02'),
    fc.constantFrom(39_900_000n, 42_500_000n),
  )
  .map((days): Rates => new Map([['USD', new Map(Object.entries(days))]]));
/** A receipt, and what becomes of it. */
const course = fc.record({
  receipt,
  other: receipt,
  fields: fc.oneof(
    fc.subarray(Object.keys(FIELDS) as Field[], { maxLength: 4 }),
    // A line tells one of them, with the values of another.
    fc.subarray<Field>(['nombre', 'note', 'detailNote', 'moneda', 'currency']),
  ),
  isGone: fc.constantFrom(false, false, false, false, true),
});
const month = fc
  .record({
    courses: fc.uniqueArray(course, {
      selector: (course) => keyOf(course.receipt),
      minLength: 20,
      maxLength: 50,
      size: 'max',
    }),
    come: fc.array(receipt, { maxLength: 4 }),
    ratesBefore: rates,
    ratesAfter: fc.option(rates, { nil: undefined, freq: 3 }),
    isOld: fc.boolean(),
  })
  .map(({ courses, come, ratesBefore, ratesAfter = ratesBefore, isOld }): Month => {
    const stay = courses.flatMap(({ receipt: before, other, fields, isGone }) => {
      const changed = Object.fromEntries(fields.map((field) => [field, other[field]]));
      return isGone ? [] : { ...before, ...changed };
    });
    const after = new Map([...stay, ...come].map((receipt) => [keyOf(receipt), receipt]));
    return {
      before: courses.map((course) => course.receipt),
      after: [...after.values()],
      rates: [ratesBefore, ratesAfter],
      isOld,
    };
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

async function differencesTold({ before, after, rates: [ratesBefore, ratesAfter], isOld }: Month) {
  const columns: Record<string, FrozenColumns[string]> = {};
  const keep = async (name: string, view: string) => {
    columns[name] = (await ask(database, `SELECT * FROM ${view} LIMIT 0`)).columns;
  };
  await fill(tablesOf(before, ratesBefore), '');
  for (const { query, view } of DECLARED) {
    const sql = narrowed(namedQuery(query).sql, { ruts: RUTS, ...MONTH });
    const { column, number, value } = GONE;
    const gone = `, CASE numero WHEN ${number} THEN '${value}' END AS ${column}`;
    const others = `* ${query === NEW.query ? `EXCLUDE (${NEW.column})` : ''}${query === GONE.query ? gone : ''}`;
    const all = `SELECT ${isOld ? others : '*'} FROM (${sql})`;
    await database.connection.run(`CREATE OR REPLACE TEMP TABLE ${view} AS ${all}`);
    await keep(query, view);
  }
  await fill(tablesOf(before.filter(isOfMonth), ratesBefore), FROZEN_ROWS);
  const { list, column } = NEW_IN_LIST;
  if (isOld) await database.connection.run(`ALTER TABLE ${FROZEN_ROWS}${list} DROP COLUMN ${column}`);
  for (const { name } of FROZEN_TABLES) await keep(name, `${FROZEN_ROWS}${name}`);
  await fill(tablesOf(after, ratesAfter), '');
  return await ask(database, differencesSql({ ruts: RUTS, ...MONTH }, columns));
}

it('tells each cell of a declared table that differs, the sums that follow, and other changes once', async () => {
  const seen = new Set<unknown>();
  await fc.assert(
    fc.asyncProperty(fc.noBias(month), async (random) => {
      const { columns, rows } = await differencesTold(random);
      expect(columns.map(({ name }) => name)).toEqual(COLUMNS);
      const answer = rows.map((row) =>
        Object.fromEntries(COLUMNS.map((name, at) => [name, row[at] ?? null])),
      );
      const { before, after } = random;
      const ofMonth = { before: before.filter(isOfMonth), after: after.filter(isOfMonth) };
      expect(answer).toEqual(differencesOf({ ...random, ...ofMonth }));
      // What the page leaves out of a line never hides the line.
      const lines = Map.groupBy(answer, ({ campo, declarado, actual, diferencia, ...line }) =>
        JSON.stringify(line),
      );
      for (const members of lines.values())
        expect(
          members.some(({ cambio, campo }) => cambio === 'cambio' || !NAMES_OF_LINES.includes(campo ?? '')),
        ).toBe(true);
      for (const { parte } of answer) seen.add(parte);
    }),
    { numRuns: campaign({ quick: 12, long: 100 }), seed: inject('seed') },
  );
  expect(seen.size).toBe(3);
});
