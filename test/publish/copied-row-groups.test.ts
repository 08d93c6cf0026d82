import { parquetMetadata } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { dayKey, unitKey } from '../../lib/lake/layout.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { writeWithParquetjsLite } from '../../lib/lake/parquet/parquetjs-lite.ts';
import type { ParquetWriter, Row } from '../../lib/lake/parquet/writer.ts';
import { RECIBIDOS } from '../../lib/lake/tables.ts';
import { publishDay } from '../../lib/publish/publish-day.ts';
import type { Rut } from '../../lib/units/rut.ts';
import { receiptsOfADay } from '../lake/parquet/receipts.ts';
import { someBytes } from '../support/lake/bytes.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';
import { rowsIn } from '../support/lake/text-rows.ts';
import { putRows, RUTS } from '../support/units.ts';

const DAY = '2026-11-19';
const DAY_AFTER = BigInt(Date.parse('2026-11-20T00:00:00Z')) * 1000n;
const KEY = dayKey(RECIBIDOS.name, DAY);
const [A, B, C] = RUTS;
const { columns } = RECIBIDOS;
/** Receipts whose bytes are so many that their row groups are copied. */
const large = (receipts: readonly Row[]) =>
  receipts.map((row, index) => (index === 0 ? { ...row, emisor_razon_social: BULK } : row));
const BULK = Buffer.from(someBytes(100_000)).toString('base64');
/** Copies nothing. */
const decoding: ParquetWriter = (file) => writeWithHyparquet(file);

const keyOf = (rut: Rut) => unitKey(RECIBIDOS.name, DAY, rut);
const put = (
  store: MemoryStore,
  rut: Rut,
  rows: readonly Row[],
  writer?: ParquetWriter,
  groupRows?: number,
) => putRows(store, RECIBIDOS, keyOf(rut), rut, rows, writer, groupRows);

async function published(store: MemoryStore, writer: ParquetWriter = writeWithHyparquet): Promise<Buffer> {
  await store.remove(KEY);
  const { outcome } = await publishDay(store, writer, { table: RECIBIDOS, day: DAY });
  expect(outcome).toBe('written');
  return bytesAt(store, KEY);
}

function bytesAt(store: MemoryStore, key: string): Buffer {
  return Buffer.from(store.objects.get(key)?.bytes ?? []);
}

/** The bytes of each row group. */
function groupsOf(bytes: Buffer): Buffer[] {
  return parquetMetadata(new Uint8Array(bytes).buffer).row_groups.map(({ columns: chunks }) => {
    const places = chunks.flatMap(({ meta_data: metadata }) => {
      const start = Number(metadata?.dictionary_page_offset || metadata?.data_page_offset);
      return [start, start + Number(metadata?.total_compressed_size)];
    });
    return bytes.subarray(Math.min(...places), Math.max(...places));
  });
}

const bounds = (bytes: Buffer) =>
  parquetMetadata(new Uint8Array(bytes).buffer).row_groups.map(({ columns: chunks, num_rows: rowCount }) => [
    rowCount,
    ...chunks.map(({ meta_data: metadata }) => metadata?.statistics),
  ]);

describe('a day of few large units', () => {
  it('has their row groups, byte for byte, with the same bounds, behind the zeros of its version', async () => {
    const store = new MemoryStore(() => 0);
    const receipts = receiptsOfADay(1_200);
    await put(store, B, large(receipts.slice(0, 700)), writeWithHyparquet, 350);
    await put(store, A, large(receipts.slice(700)));
    await put(store, C, [
      { ...receipts[0], totales_total: -(10n ** 13n), emisor_razon_social: 'ñ'.repeat(40) },
      ...large(receipts.slice(1, 900)),
    ]);
    const day = await published(store);
    const units = [A, B, C].map((rut) => bytesAt(store, keyOf(rut)));
    expect(groupsOf(day)).toEqual(units.flatMap(groupsOf));
    expect(bounds(day)).toEqual(units.flatMap(bounds));
    expect(day.indexOf(groupsOf(day)[0] ?? '')).toBeGreaterThan(4);
    const rows = await rowsIn(store, KEY, RECIBIDOS);
    await published(store, decoding);
    expect(await rowsIn(store, KEY, RECIBIDOS)).toEqual(rows);
    expect((await published(store)).equals(day)).toBe(true);
  });

  it('is what decoding and encoding makes of one unit, byte for byte', async () => {
    const store = new MemoryStore(() => 0);
    await put(store, A, receiptsOfADay(100));
    expect((await published(store)).equals(await published(store, decoding))).toBe(true);
  });

  it('has no bounds of amounts that a float does not hold, rather than wrong ones', async () => {
    const store = new MemoryStore(() => 0);
    const [first, second, ...others] = receiptsOfADay(100);
    const exact = { ...first, totales_total: 10n ** 16n + 1n };
    await put(store, A, [exact, { ...second, totales_total: -(10n ** 17n) + 1n }, ...others]);
    const day = await published(store);
    expect(groupsOf(day)).toEqual(groupsOf(bytesAt(store, keyOf(A))));
    const boundsOfUnit = bounds(bytesAt(store, keyOf(A))).flat();
    const inexact = 1 + columns.findIndex(({ name }) => name === 'totales_total');
    expect(bounds(day).flat()).toEqual(boundsOfUnit.with(inexact, { null_count: 0n }));
  });

  it.each<[string, (store: MemoryStore, receipts: Row[]) => Promise<void>]>([
    ['another writer', (store, receipts) => put(store, B, receipts, writeWithParquetjsLite)],
    [
      'a column less, from before that was added',
      (store, receipts) =>
        put(store, B, receipts, (file) => writeWithHyparquet({ ...file, columns: columns.slice(0, -1) })),
    ],
  ])('decodes those of %s', async (_what, putOther) => {
    const store = new MemoryStore(() => 0);
    const receipts = receiptsOfADay(40);
    await put(store, A, large(receipts.slice(0, 20)));
    await putOther(store, large(receipts.slice(20)));
    const day = await published(store);
    const rows = await rowsIn(store, KEY, RECIBIDOS);
    expect(rows).toHaveLength(40);
    expect(groupsOf(day)[0]).toEqual(groupsOf(bytesAt(store, keyOf(A)))[0]);
    expect(groupsOf(await published(store, decoding))).toHaveLength(1);
    expect(await rowsIn(store, KEY, RECIBIDOS)).toEqual(rows);
  });

  it('is left as it is where a row group is another company’s or day’s, or ids do not ascend', async () => {
    const receipts = receiptsOfADay(40);
    const others = large(receipts.slice(20));
    const nextDay = others.map((row) => ({ ...row, fecha_emision: DAY_AFTER }));
    const twice = others.toSpliced(10, 0, ...others.slice(9, 10));
    for (const [rut, rows] of [
      [B, others.toReversed()] as const,
      [B, twice] as const,
      [B, nextDay] as const,
      [C, others] as const,
    ]) {
      const store = new MemoryStore(() => 0);
      await put(store, A, large(receipts.slice(0, 20)));
      await putRows(store, RECIBIDOS, keyOf(B), rut, rows, writeWithHyparquet, 10);
      expect(await publishDay(store, writeWithHyparquet, { table: RECIBIDOS, day: DAY })).toMatchObject({
        outcome: 'left',
        problems: [{ rut: B }],
      });
    }
  });
});

it('decodes a day of small units into one row group, and copies those of one unit', async () => {
  const store = new MemoryStore(() => 0);
  const receipts = receiptsOfADay(300);
  await put(store, A, receipts.slice(0, 200), writeWithHyparquet, 100);
  expect(groupsOf(await published(store))).toEqual(groupsOf(bytesAt(store, keyOf(A))));
  await put(store, B, receipts.slice(200));
  expect(groupsOf(await published(store))).toHaveLength(1);
});
