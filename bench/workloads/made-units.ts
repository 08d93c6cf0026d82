import { unitKey } from '../../lib/lake/layout.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { CONTENT_HASH, ReceiptRows } from '../../lib/lake/rows/receipt-rows.ts';
import type { LakeStore } from '../../lib/lake/store/store.ts';
import type { Column, Table } from '../../lib/lake/tables.ts';
import type { Day } from '../../lib/time/days.ts';
import type { Rut } from '../../lib/units/rut.ts';

/** A unit to make, and the kind of its rows. */
export interface MadeUnit {
  rut: Rut;
  rowCount: number;
  /** Size of each detail's JSON of lines. */
  jsonBytes?: number;
  /** Decides the amounts. */
  seed?: number;
}

/** RUTs in ascending order. */
export function madeRuts(count: number): Rut[] {
  return Array.from({ length: count }, (_, index): Rut => `${210_000_000_000 + index * 37}`);
}

/** Writes a unit as an export does, with the receipts of a shop's day: few suppliers, rising numbers, any amounts. */
export async function putMadeUnit(
  store: LakeStore,
  table: Table,
  fecha: Day,
  { rut, rowCount, jsonBytes = 0, seed = 1 }: MadeUnit,
): Promise<void> {
  const rows = new ReceiptRows(table, rut);
  const random = numbersFrom(seed + Number(rut.slice(-6)));
  const dayMicros = BigInt(Date.parse(`${fecha}T00:00:00Z`)) * 1000n;
  const firstId = BigInt(rut) * 1_000n;
  for (let row = 0; row < rowCount; row += 1) {
    rows.appendValues(table.columns.map((column) => cellOf(column, row)));
  }
  const sorted = rows.sorted();
  const metadata = { [CONTENT_HASH]: sorted.contentHash() };
  const bytes = writeWithHyparquet({ columns: table.columns, rows: sorted, metadata });
  await store.replace(unitKey(table.name, fecha, rut), bytes, {
    metadata,
    expected: await store.find(unitKey(table.name, fecha, rut)),
  });

  function cellOf({ name, type }: Column, row: number): string | bigint | number | null {
    if (name === 'id') return firstId + BigInt(row * 3);
    if (name === 'rut') return rut;
    if (name === 'numero') return type === 'string' ? String(1_000 + row) : 1_000 + row;
    if (name === 'items' && jsonBytes > 0) return linesOf(jsonBytes);
    if (name === 'otros' || name === 'visto_por_ultima_vez' || type === 'json') return null;
    if (type === 'timestamp') return dayMicros + BigInt(Math.floor(random() * 86_400) * 1_000_000);
    if (type === 'decimal(17,2)') return BigInt(Math.floor(random() * 1_000_000));
    if (type === 'string') return `${name.slice(0, 12)} ${Math.floor(random() * 40)}`;
    return name === 'tipo_comprobante' ? 101 + (row % 3) * 5 : Math.floor(random() * 5);
  }

  function linesOf(byteCount: number): string {
    const lines: string[] = [];
    for (let length = 0; length < byteCount; ) {
      const number = Math.floor(random() * 1_000_000);
      const line = `{"NroLinDet":${lines.length + 1},"NomItem":"Artículo ${number % 5_000}","Cantidad":${1 + (number % 7)},"PrecioUnitario":${number / 100},"MontoItem":${number}}`;
      lines.push(line);
      length += line.length + 1;
    }
    return `[${lines.join(',')}]`;
  }
}

/** Pseudo-random numbers in [0, 1), the same ones for the same seed. */
function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
