import { ReceiptRows, type SortedRows } from '../../../lib/lake/rows/receipt-rows.ts';
import { RECIBIDOS, type Table } from '../../../lib/lake/tables.ts';
import { parseExactJson } from '../../../lib/text/exact-json.ts';
import { RUT } from '../../support/api/api-client.ts';

/** Rows made from receipts as the API writes them: JSON texts, or values that are written as JSON here. */
export function rowsOf(receipts: readonly unknown[], table: Table = RECIBIDOS): ReceiptRows {
  const rows = new ReceiptRows(table, RUT);
  for (const receipt of receipts) {
    const text = typeof receipt === 'string' ? receipt : JSON.stringify(receipt);
    rows.append(Object(parseExactJson(text)));
  }
  return rows;
}

/** The rows by column name, without what is null. */
export function records(rows: SortedRows, { columns }: Table = RECIBIDOS): Record<string, unknown>[] {
  const all = columns.map(({ name }, index) => ({ name, values: rows.values(index, 0, rows.rowCount) }));
  return Array.from({ length: rows.rowCount }, (_, row) =>
    Object.fromEntries(
      all.flatMap(({ name, values }) => (values[row] === null ? [] : [[name, values[row]] as const])),
    ),
  );
}

/** The one row that this receipt becomes, without what is null and without its id and RUT. */
export function recordOf(receipt: unknown, table: Table = RECIBIDOS): Record<string, unknown> {
  const { id, rut, ...others } = records(rowsOf([receipt], table).sorted(), table)[0] ?? {};
  return others;
}
