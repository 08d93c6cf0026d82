import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DIRECTIONS, type Direction } from '../../lib/api/directions.ts';
import { openApiSession } from '../../lib/export/company-session.ts';
import { exportRun } from '../../lib/export/run.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { type LakeDatabase, openLakeDatabase } from '../../lib/query/lake-database.ts';
import { namedQueries } from '../../lib/query/named-queries.ts';
import type { SandboxReceipt } from '../../lib/sandbox/generator/receipt.ts';
import { type Sandbox, startSandbox } from '../../lib/sandbox/sandbox.ts';
import { centsText, millisText, Sums, scaled } from '../support/decimal-sums.ts';

/** Two months, and a day so long ago that no query looks at it. */
const DAYS = ['2024-03-05', '2026-10-30', '2026-11-18', '2026-11-19'];
const TODAY = '2026-11-21';
const FIRST_DAY = '2025-11-01';
const NOT_SALES = new Set([24, 51, 52, 53, 81, 82]);

/** A detail as it is sent; of the inner names only those that the queries use. */
interface Wire {
  totales: Record<string, number | string | undefined>;
  items: Record<string, number | string | undefined>[];
  referencias: unknown[];
  fecha_vencimiento?: string;
}
interface Known {
  receipt: SandboxReceipt;
  /** Undefined where the API gave none. */
  wire: Wire | undefined;
}

let sandbox: Sandbox;
let database: LakeDatabase;
let folder: string;
/** What the lake should know, in the days that the queries look at. */
let known: Known[];
/** Issued receipts whose detail is answered with 404. */
const withoutDetail = new Set<string>();
const agent = new Agent();
const dispatcher = agent.compose((dispatch) => (options, handler) => {
  const isUnknown = withoutDetail.has(options.path.split('/').at(-1) ?? '');
  return dispatch(isUnknown ? { ...options, path: options.path.replace(/\d+$/, '1') } : options, handler);
});

beforeAll(async () => {
  sandbox = await startSandbox({ now: '2026-11-20T03:00:00', seed: 8 });
  folder = await mkdtemp(join(tmpdir(), 'cfe-lake-'));
  const receipts = sandbox.companies.flatMap(({ rut }) =>
    DIRECTIONS.flatMap((direction) => DAYS.flatMap((day) => [...sandbox.truth(rut, direction, day)])),
  );
  for (const { id, index } of receipts) if (index % 40 === 7) withoutDetail.add(String(id));
  known = receipts
    .filter(({ day }) => day >= FIRST_DAY)
    .map((receipt) => ({
      receipt,
      wire: withoutDetail.has(String(receipt.id)) ? undefined : wireOf(sandbox.detail(receipt)),
    }));
  const results = await exportRun({
    run: { id: 'run', day: '2026-11-20' },
    companies: sandbox.companies.map(({ rut, token }) => ({
      rut,
      tokens: { current: async () => token, renew: async () => token },
    })),
    directions: DIRECTIONS,
    days: DAYS,
    details: { directions: DIRECTIONS, maxPerUnit: 10_000 },
    session: openApiSession({ address: new URL(sandbox.url), dispatcher }),
    store: new FolderStore(folder),
    writer: writeWithHyparquet,
    maxInFlight: 8,
    companiesAtOnce: 4,
  });
  expect(results.filter(({ estado, detalle }) => estado === 'fallido' || detalle === 'fallido')).toEqual([]);
  expect(withoutDetail.size).toBeGreaterThan(20);
  database = await openLakeDatabase(folder);
});
afterAll(async () => {
  database.close();
  await agent.destroy();
  await sandbox.close();
  await rm(folder, { recursive: true });
});

/** Amounts with 17 digits stay texts: a number would round them. */
function wireOf(text: string): Wire {
  const safe = text.replace(
    /("(?:[^"\\]|\\.)*")|(-?\d[\d.]*)/g,
    (_, string, number) => string ?? (number.length > 15 ? `"${number}"` : number),
  );
  return JSON.parse(safe);
}

/** The answer as texts; the queries' own day is put in place of today. */
async function answerOf(name: string): Promise<(string | null)[][]> {
  const query = namedQueries().find((candidate) => candidate.name === name);
  if (query === undefined) throw new Error(`there is no query ${name}`);
  expect(query.sql).toMatch(/current_date/);
  const sql = query.sql.replaceAll('current_date', `DATE '${TODAY}'`);
  const reader = await database.connection.runAndReadAll(sql);
  return reader.getRows().map((row) => row.map((value) => (value === null ? null : String(value))));
}

function isSale({ tipo_comprobante: type, estado_dgi: verdict }: SandboxReceipt): boolean {
  return !NOT_SALES.has(type % 100) && verdict !== 'BE';
}

function sign({ tipo_comprobante: type }: SandboxReceipt): bigint {
  return type % 10 === 2 ? -1n : 1n;
}

function of(direction: Direction): Known[] {
  return known.filter(({ receipt }) => receipt.direction === direction);
}

function currencyOf({ wire }: Known): string {
  return String(wire?.totales.moneda ?? null);
}

/** Rows in any order, null as text. */
function unordered(rows: readonly (readonly (string | null)[])[]): string[] {
  return rows.map((row) => row.map(String).join(' | ')).sort();
}

describe('the named queries', () => {
  it('each say in their first line what they ask, and warn of inner names', () => {
    const queries = namedQueries();
    expect(queries.map(({ name }) => name)).toEqual([
      'credit-notes-without-reference',
      'items-sold',
      'receivables-by-due-date',
      'sales-by-month',
      'vat-by-month',
    ]);
    for (const { summary, sql } of queries) {
      expect(summary).toMatch(/^[A-Z].*\.$/);
      const text = sql.replaceAll('\n-- ', ' ');
      expect(text).toMatch(
        /inner names? .* not (all )?in the API's contract: check (it|them) with the real service/i,
      );
      expect(sql).not.toMatch(/\b(double|float|as real)\b/i);
    }
  });

  it('sales by month, type and currency', async () => {
    const sums = new Sums(1);
    for (const one of of('emitidos')) {
      const { receipt } = one;
      if (!isSale(receipt)) continue;
      const { rut, day, tipo_comprobante: type, total } = receipt;
      const key = [rut, `${day.slice(0, 7)}-01`, String(type), currencyOf(one)];
      sums.add(key, [total === null ? null : sign(receipt) * total]);
    }
    const expected = sums.rows(([total]) => [centsText(total)]);
    const answer = await answerOf('sales-by-month');
    expect(unordered(answer)).toEqual(unordered(expected));
    expect(answer.some(([, , , currency]) => currency === null)).toBe(true);
    // One receipt has an amount that no double holds.
    expect(answer.some(([, , , , , total]) => /^\d{15}\.\d\d$/.test(total ?? ''))).toBe(true);
    expect(answer.some(([, , type, , , total]) => type === '112' && total?.startsWith('-'))).toBe(true);
  });

  it('items sold', async () => {
    const sums = new Sums(2);
    const receiptsOf = new Map<string, Set<bigint>>();
    for (const one of of('emitidos')) {
      const { receipt, wire } = one;
      if (!isSale(receipt) || wire === undefined) continue;
      for (const { indicador_facturacion: indicator, codigo, nombre, unidad_medida, ...line } of wire.items) {
        if (indicator === 6 || indicator === 7) continue;
        const key = [receipt.rut, codigo, nombre, unidad_medida, currencyOf(one)].map(String);
        sums.add(key, [sign(receipt) * scaled(line.cantidad, 3), sign(receipt) * scaled(line.monto, 2)]);
        const ids = receiptsOf.get(key.join('\t')) ?? new Set();
        receiptsOf.set(key.join('\t'), ids.add(receipt.id));
      }
    }
    const expected = sums.rows(
      ([quantity, amount]) => [millisText(quantity), centsText(amount), '0'],
      (key) => String(receiptsOf.get(key.join('\t'))?.size),
    );
    expect(expected.length).toBeGreaterThan(100);
    expect(unordered(await answerOf('items-sold'))).toEqual(unordered(expected));
  });

  it('VAT by month', async () => {
    const fields = [
      'mnt_no_gravado',
      'mnt_neto_iva_tasa_minima',
      'mnt_iva_tasa_minima',
      'mnt_neto_iva_tasa_basica',
      'mnt_iva_tasa_basica',
    ];
    const sums = new Sums(fields.length);
    const unknown = new Map<string, number>();
    for (const one of known) {
      const { receipt, wire } = one;
      if (NOT_SALES.has(receipt.tipo_comprobante % 100) || receipt.estado_dgi === 'BE') continue;
      const currency = currencyOf(one);
      const key = [receipt.rut, receipt.direction, `${receipt.day.slice(0, 7)}-01`, currency];
      sums.add(
        key,
        fields.map((field) => (wire === undefined ? null : sign(receipt) * scaled(wire.totales[field], 2))),
      );
      if (wire === undefined) unknown.set(key.join('\t'), (unknown.get(key.join('\t')) ?? 0) + 1);
    }
    const expected = sums
      .rows((amounts) => amounts.map(centsText))
      .map((row) => [...row, String(unknown.get(row.slice(0, 4).join('\t')) ?? 0)]);
    expect(unordered(await answerOf('vat-by-month'))).toEqual(unordered(expected));
    expect([...unknown.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(20);
  });

  it('receivables by due date', async () => {
    const sums = new Sums(1);
    for (const one of of('emitidos')) {
      const { receipt, wire } = one;
      const due = wire?.fecha_vencimiento?.slice(0, 10);
      if (due === undefined || !isSale(receipt) || (receipt.total ?? 0n) === 0n) continue;
      sums.add([receipt.rut, due, currencyOf(one)], [sign(receipt) * (receipt.total_pagar ?? 0n)]);
    }
    const expected = sums.rows(([amount]) => [centsText(amount)]);
    expect(expected.length).toBeGreaterThan(10);
    const answer = await answerOf('receivables-by-due-date');
    expect(unordered(answer)).toEqual(unordered(expected));
    expect(answer).toEqual(answer.toSorted((a, b) => (a.slice(0, 3).join() < b.slice(0, 3).join() ? -1 : 1)));
  });

  it('credit notes without a reference', async () => {
    const expected = known
      .filter(({ receipt: { tipo_comprobante: type }, wire }) => {
        return type % 10 === 2 && type % 100 !== 82 && wire?.referencias.length === 0;
      })
      .map(({ receipt }) => [receipt.rut, receipt.direction, receipt.day, String(receipt.id)]);
    expect(new Set(expected.map(([, direction]) => direction)).size).toBe(2);
    const answer = await answerOf('credit-notes-without-reference');
    expect(unordered(answer.map((row) => [row[0], row[1], row[2], row[9]].map(String)))).toEqual(
      unordered(expected),
    );
  });
});

describe('functions that Athena has, in DuckDB', () => {
  it.each([
    [`'{"a":617.5}', '$.a'`, '617.5'],
    [`'{"a":123456789012345.67}', '$.a'`, '123456789012345.67'],
    [`'{"a":"ñ"}', '$.a'`, 'ñ'],
    [`'{"a":true}', '$.a'`, 'true'],
    [`'{"a":null}', '$.a'`, null],
    [`'{"b":1}', '$.a'`, null],
    [`'{"a":{"b":1}}', '$.a'`, null],
    [`'{"a":[1]}', '$.a'`, null],
    [`'{"a":[1]}', '$.a[0]'`, '1'],
    [`NULL, '$.a'`, null],
  ])('json_extract_scalar(%s)', async (words, expected) => {
    const reader = await database.connection.runAndReadAll(`SELECT json_extract_scalar(${words})`);
    expect(reader.getRows()).toEqual([[expected]]);
  });
});
