import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { writeWithHyparquet } from '../../../lib/lake/parquet/hyparquet.ts';
import { type ParquetInput, readFileMetadata } from '../../../lib/lake/parquet/reader.ts';
import {
  type ParquetWriter,
  ROW_GROUP_ROWS,
  ROW_GROUP_TEXT_BYTES,
} from '../../../lib/lake/parquet/writer.ts';
import { EMITIDOS, type Table } from '../../../lib/lake/tables.ts';
import { campaign } from '../../support/campaign.ts';
import { mergeObjects } from '../../support/lake/merge-objects.ts';
import { readRows } from '../../support/lake/read-rows.ts';
import { queryFile } from './duckdb.ts';
import { ALL_WRITERS, bytesOf, column, type Row } from './files.ts';

const { columns: COLUMNS }: Table = EMITIDOS;
const ID_AND_TEXT = [column('id', 'int64', true), column('rut', 'string', true), column('otros', 'json')];

/** The RUT of the company at this place, in ascending order. */
const rutAt = (place: number): string => String(210000000000 + place * 7);

/** A unit of the company at this place: this many receipts, with ascending ids. */
function unitRows(place: number, count: number): Row[] {
  return Array.from({ length: count }, (_, i) =>
    Object.fromEntries(
      COLUMNS.map(({ name, type }) => {
        if (name === 'rut') return [name, rutAt(place)];
        if (name === 'id') return [name, BigInt(1_000_000 - place * 1000 + i * 3)];
        if ((i + place) % 4 === 0) return [name, null];
        if (type === 'string') return [name, `${name} ${(i * 7) % 11} ñ🧾`];
        if (type === 'json') return [name, JSON.stringify({ i, place })];
        return [name, type === 'int32' ? i * place : BigInt(i * 1_000_003 - place)];
      }),
    ),
  );
}

/** The objects as a store opens them, one at a time. `open` counts those open now. */
function opened(objects: readonly Uint8Array[]) {
  const state = { open: 0, asked: 0, mostOpen: 0 };
  async function* inputs(): AsyncGenerator<ParquetInput> {
    for (const bytes of objects) {
      state.open += 1;
      state.asked += 1;
      state.mostOpen = Math.max(state.mostOpen, state.open);
      try {
        yield bytes;
      } finally {
        state.open -= 1;
      }
    }
  }
  return { state, objects: inputs() };
}

async function merged(
  write: ParquetWriter,
  objects: Iterable<ParquetInput> | AsyncIterable<ParquetInput>,
  columns = COLUMNS,
  metadata: Record<string, string> = {},
): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(mergeObjects({ objects, columns, metadata }, write)));
}

describe.each(ALL_WRITERS)('many objects as one, written by $name', ({ write }) => {
  test('have the rows of all, one object after another, to both readers', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 40 }), { maxLength: 6 }), async (counts) => {
        const units = counts.map((count, place) => unitRows(place, count));
        const objects = await Promise.all(units.map((rows) => bytesOf(write, COLUMNS, rows)));

        const bytes = await merged(write, opened(objects).objects);

        expect(await Array.fromAsync(readRows(bytes, COLUMNS))).toEqual(units.flat());
        expect(await queryFile(bytes, 'FROM FILE')).toEqual(units.flat());
      }),
      { numRuns: campaign({ quick: 6, long: 60 }) },
    );
  });

  test('are the same bytes as one file of the same rows, whichever writer wrote them', async () => {
    const units = [unitRows(0, 30), unitRows(1, 0), unitRows(2, 50)];
    const metadata = { versions: 'abc' };
    const inOne = await bytesOf(write, COLUMNS, units.flat(), metadata);

    for (const other of ALL_WRITERS) {
      const objects = await Promise.all(units.map((rows) => bytesOf(other.write, COLUMNS, rows)));
      expect((await merged(write, objects, COLUMNS, metadata)).equals(inOne)).toBe(true);
      expect((await merged(write, objects, COLUMNS, metadata)).equals(inOne)).toBe(true);
    }
  });

  test('have null in the columns that one lacks, which is older than they are', async () => {
    const older = COLUMNS.filter(({ name }) => name !== 'estado_dgi_codigo' && name !== 'otros');
    const [first, second] = [unitRows(0, 5), unitRows(1, 5)];
    const objects = [await bytesOf(write, older, first), await bytesOf(write, COLUMNS, second)];

    const bytes = await merged(write, objects);

    const expected = [...first.map((row) => ({ ...row, estado_dgi_codigo: null, otros: null })), ...second];
    expect(await Array.fromAsync(readRows(bytes, COLUMNS))).toEqual(expected);
    expect(await queryFile(bytes, 'FROM FILE')).toEqual(expected);
  });

  test('are refused where one lacks a required column', async () => {
    const object = await bytesOf(write, [column('id', 'int64', true)], [{ id: 1n }]);

    await expect(merged(write, [object])).rejects.toThrow('row 0: cannot hold null: it is required');
  });

  test('may be none, or have no rows', async () => {
    const empty = await bytesOf(write, COLUMNS, []);

    for (const objects of [[], [empty, empty]]) {
      expect(await queryFile(await merged(write, objects), 'SELECT count(*) AS n FROM FILE')).toEqual([
        { n: 0n },
      ]);
    }
  });

  test('say in the footer what is known only when all were read', async () => {
    const objects = await Promise.all(
      [3, 4].map((count, place) => bytesOf(write, COLUMNS, unitRows(place, count))),
    );
    const metadata: Record<string, string> = {};
    async function* noted() {
      for (const [index, object] of objects.entries()) {
        metadata[`version ${index}`] = String(object.length);
        yield object;
      }
    }

    const bytes = await merged(write, noted(), COLUMNS, metadata);

    expect((await readFileMetadata(bytes)).metadata).toEqual({
      'version 0': String(objects[0]?.length),
      'version 1': String(objects[1]?.length),
    });
  });
});

/** Units with these numbers of rows. A row has two short columns and a document of this length. */
function smallUnits(counts: readonly number[], documentLength: number): Promise<Buffer[]> {
  const document = JSON.stringify('x'.repeat(documentLength));
  return Promise.all(
    counts.map((count, place) =>
      bytesOf(writeWithHyparquet, ID_AND_TEXT, {
        rowCount: count,
        values: (columnIndex, start, end) =>
          Array.from({ length: end - start }, (_, i) => {
            if (columnIndex === 0) return BigInt(start + i);
            return columnIndex === 1 ? rutAt(place) : document;
          }),
      }),
    ),
  );
}

describe('the row groups of many objects as one', () => {
  test('are full, and show by their bounds which of them a company is in', async () => {
    const counts = [30_000, 90_000, 10, 60_000, 45_000];
    const bytes = await merged(writeWithHyparquet, await smallUnits(counts, 1), ID_AND_TEXT);

    const groups = await queryFile(
      bytes,
      `SELECT row_group_num_rows AS rows, stats_min_value AS least, stats_max_value AS greatest
       FROM parquet_metadata(FILE) WHERE path_in_schema = 'rut' ORDER BY row_group_id`,
    );
    expect(groups).toEqual([
      { rows: 100_000n, least: rutAt(0), greatest: rutAt(1) },
      { rows: 100_000n, least: rutAt(1), greatest: rutAt(4) },
      { rows: 25_010n, least: rutAt(4), greatest: rutAt(4) },
    ]);
  });

  /** The most rows and bytes of text that were read but not yet passed to the writer. */
  async function mostHeld(counts: readonly number[], documentLength: number) {
    const objects = await smallUnits(counts, documentLength);
    const { state, objects: inputs } = opened(objects);
    const most = { rows: 0, textBytes: 0 };
    let written = 0;
    const counting: ParquetWriter = async function* ({ rows }) {
      if ('rowCount' in rows) throw new Error('row groups are expected');
      for await (const group of rows) {
        if ('bytes' in group) throw new Error('no row group is copied');
        const texts = ID_AND_TEXT.slice(1).flatMap((_, index) => group.values(index + 1, 0, group.rowCount));
        const textBytes = texts.reduce<number>((sum, text) => sum + String(text).length, 0);
        expect(group.rowCount).toBeLessThanOrEqual(ROW_GROUP_ROWS);
        expect(textBytes).toBeLessThanOrEqual(ROW_GROUP_TEXT_BYTES);
        const read = counts.slice(0, state.asked).reduce((sum, count) => sum + count, 0);
        most.rows = Math.max(most.rows, read - written);
        most.textBytes = Math.max(most.textBytes, (read - written) * (rutAt(0).length + documentLength + 2));
        written += group.rowCount;
        yield new Uint8Array();
      }
    };
    await Array.fromAsync(mergeObjects({ objects: inputs, columns: ID_AND_TEXT, metadata: {} }, counting));
    expect(written).toBe(counts.reduce((sum, count) => sum + count, 0));
    expect(state).toEqual({ open: 0, asked: counts.length, mostOpen: 1 });
    return most;
  }

  test('hold no more rows in memory than a row group and an object', async () => {
    const counts = Array.from({ length: 40 }, (_, place) => 5000 + place * 100);

    expect((await mostHeld(counts, 1)).rows).toBeLessThanOrEqual(ROW_GROUP_ROWS + 8900);
  });

  test('nor more text, however long a row is', async () => {
    const counts = Array.from({ length: 24 }, () => 400);

    const most = await mostHeld(counts, 10_000);

    expect(most.textBytes).toBeLessThanOrEqual(ROW_GROUP_TEXT_BYTES + 400 * 10_100);
    expect(most.rows).toBeLessThan(4000);
  });
});

test('many objects are closed when the writing is given up', async () => {
  const objects = await smallUnits([60_000, 60_000, 60_000, 60_000], 1);
  const { state, objects: inputs } = opened(objects);

  for await (const _bytes of mergeObjects(
    { objects: inputs, columns: ID_AND_TEXT, metadata: {} },
    writeWithHyparquet,
  )) {
    break;
  }

  expect(state).toEqual({ open: 0, asked: 2, mostOpen: 1 });
});
