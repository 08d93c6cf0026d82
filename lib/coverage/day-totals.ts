import type { Unit } from '../export/unit-plan.ts';
import { unitKey } from '../lake/layout.ts';
import { readRowGroups } from '../lake/parquet/reader.ts';
import type { Value } from '../lake/parquet/writer.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { TABLE_OF } from '../lake/tables.ts';

/** Receipts of one type, and in recibidos of one currency: the issued list has none. */
export interface TypeTotal {
  tipo: number | null;
  moneda: string | null;
  receipts: number;
  /** Receipts whose `totales_total` is null; the sum is of the others. */
  withoutTotal: number;
  /** The exact sum of `totales_total`, times 100. Credit notes are not negative in it. */
  total: bigint;
}

/** The columns in the order in which they are read; emitidos has no `moneda`. */
const COLUMN_NAMES = ['tipo_comprobante', 'totales_total', 'visto_por_ultima_vez', 'moneda'];

/**
 * Sums a unit's object up by type, without the receipts that the API no longer lists. A row group is held at a
 * time. Throws ObjectMissingError.
 */
export async function readDayTotals(store: LakeStore, { rut, direccion, fecha }: Unit): Promise<TypeTotal[]> {
  const table = TABLE_OF[direccion];
  const columns = COLUMN_NAMES.flatMap((name) => table.columns.filter((column) => column.name === name));
  const sums = new Map<string, TypeTotal>();
  const file = await store.open(unitKey(table.name, fecha, rut));
  try {
    for await (const { rowCount, columns: values } of readRowGroups(file, columns)) {
      const [types = [], totals = [], lastSeen = [], currencies = []] = values;
      for (let row = 0; row < rowCount; row += 1) {
        if ((lastSeen[row] ?? null) === null) add(sums, types[row], totals[row], currencies[row]);
      }
    }
  } finally {
    await file.close();
  }
  return [...sums.values()].sort(
    (a, b) => (a.tipo ?? 0) - (b.tipo ?? 0) || ((a.moneda ?? '') < (b.moneda ?? '') ? -1 : 1),
  );
}

function add(
  sums: Map<string, TypeTotal>,
  type: Value | undefined,
  total: Value | undefined,
  currency: Value | undefined,
): void {
  const tipo = typeof type === 'number' ? type : null;
  const moneda = typeof currency === 'string' ? currency : null;
  const name = `${tipo} ${moneda}`;
  let sum = sums.get(name);
  if (sum === undefined) {
    sum = { tipo, moneda, receipts: 0, withoutTotal: 0, total: 0n };
    sums.set(name, sum);
  }
  sum.receipts += 1;
  if (typeof total === 'bigint') sum.total += total;
  else sum.withoutTotal += 1;
}
