import { expect, it } from 'vitest';
import { writeWithHyparquet } from '../../../lib/lake/parquet/hyparquet.ts';
import { readRowGroups } from '../../../lib/lake/parquet/reader.ts';
import { ReceiptRows, storedContentHash } from '../../../lib/lake/rows/receipt-rows.ts';
import { type Column, RECIBIDOS_DETALLE } from '../../../lib/lake/tables.ts';

const RUT = '219999830019';
const { columns } = RECIBIDOS_DETALLE;

it.each([
  ['one row group', 10, 1],
  ['several row groups of JSON', 1_000_000, 2],
])('is of a file of %s what it was of its rows', async (_name, textLength, groupCount) => {
  const texts = ['[{"a":"ñ€😀"}]', '', `["${'á'.repeat(textLength)}"]`];
  const rows = new ReceiptRows(RECIBIDOS_DETALLE, RUT);
  for (let id = 100; id > 0; id -= 1) {
    const known: Record<string, string | bigint | null> = {
      id: BigInt(id) + 2n ** 53n,
      rut: RUT,
      items: texts[id % 5] ?? null,
      moneda: id % 3 === 0 ? null : 'UYU',
    };
    rows.appendValues(columns.map(({ name }) => known[name] ?? null));
  }
  const sorted = rows.sorted();
  const chunks: Uint8Array[] = [];
  for await (const chunk of writeWithHyparquet({ columns, rows: sorted, metadata: {} })) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  let groups = 0;
  async function* valuesOf(column: Column) {
    groups = 0;
    for await (const group of readRowGroups(bytes, [column])) {
      groups += 1;
      yield group.columns[0] ?? [];
    }
  }
  expect(await storedContentHash(columns, valuesOf)).toBe(sorted.contentHash());
  expect(groups).toBe(groupCount);
});
