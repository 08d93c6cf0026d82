import { unitKey } from '../../lib/lake/layout.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { CONTENT_HASH, ReceiptRows } from '../../lib/lake/rows/receipt-rows.ts';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { type Column, RECIBIDOS, RECIBIDOS_DETALLE } from '../../lib/lake/tables.ts';
import type { Day } from '../../lib/time/days.ts';
import type { Rut } from '../../lib/units/rut.ts';
import { report } from './figures.ts';

/** Makes a day's units as exports do, with the receipts of shops: few suppliers, rising numbers, any amounts. */
const options: {
  lake: string;
  table: string;
  day: Day;
  companies: number;
  rowCount: number;
  /** Size of each detail's JSON of lines. */
  jsonBytes?: number;
} = JSON.parse(process.argv[2] ?? '{}');
const { day, companies, rowCount, jsonBytes = 0 } = options;
const table = options.table === RECIBIDOS.name ? RECIBIDOS : RECIBIDOS_DETALLE;
const store = new FolderStore(options.lake);
const dayMicros = BigInt(Date.parse(`${day}T00:00:00Z`)) * 1000n;
let state = 1;

await report(async () => {
  for (let index = 0; index < companies; index += 1) await putUnit(`${210_000_000_000 + index * 37}`);
  return { receipts: companies * rowCount };
});

async function putUnit(rut: Rut): Promise<void> {
  const rows = new ReceiptRows(table, rut);
  for (let row = 0; row < rowCount; row += 1)
    rows.appendValues(table.columns.map((column) => cellOf(column, rut, row)));
  const sorted = rows.sorted();
  const metadata = { [CONTENT_HASH]: sorted.contentHash() };
  const bytes = writeWithHyparquet({ columns: table.columns, rows: sorted, metadata });
  await store.replace(unitKey(table.name, day, rut), bytes, { metadata, expected: undefined });
}

function cellOf({ name, type }: Column, rut: Rut, row: number): string | bigint | number | null {
  if (name === 'id') return BigInt(rut) * 1_000n + BigInt(row * 3);
  if (name === 'rut') return rut;
  if (name === 'numero') return type === 'string' ? String(1_000 + row) : 1_000 + row;
  if (name === 'items' && jsonBytes > 0) return linesOf(jsonBytes);
  if (name === 'otros' || name === 'visto_por_ultima_vez' || type === 'json') return null;
  if (type === 'timestamp') return dayMicros + BigInt(below(86_400) * 1_000_000);
  if (type === 'decimal(17,2)') return BigInt(below(1_000_000));
  if (type === 'string') return `${name.slice(0, 12)} ${below(40)}`;
  return name === 'tipo_comprobante' ? 101 + (row % 3) * 5 : below(5);
}

function linesOf(byteCount: number): string {
  const lines: string[] = [];
  for (let length = 0; length < byteCount; ) {
    const number = below(1_000_000);
    const line = `{"NroLinDet":${lines.length + 1},"NomItem":"Artículo ${number % 5_000}","Cantidad":${1 + (number % 7)},"PrecioUnitario":${number / 100},"MontoItem":${number}}`;
    lines.push(line);
    length += line.length + 1;
  }
  return `[${lines.join(',')}]`;
}

/** A pseudo-random whole number below a limit, the same ones each time. */
function below(limit: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
}
