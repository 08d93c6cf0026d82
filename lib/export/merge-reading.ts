import { stageChanges } from '../audit/write.ts';
import { localMicros } from '../lake/rows/fields.ts';
import { CONTENT_HASH, type SortedRows } from '../lake/rows/receipt-rows.ts';
import type { StoredObject } from '../lake/store/store.ts';
import { loadUnit, type UnitChange } from '../lake/stored-rows.ts';
import { indexOfColumn, TABLE_OF } from '../lake/tables.ts';
import type { Unit } from '../units/unit.ts';
import { type Comparison, changeRows, compareReadings, sortedReading } from './changes.ts';
import type { ExportTools } from './export-tools.ts';
import { type ReadUnit, readUnitAlone, union } from './reading/read-company.ts';

/** The new content of a unit's object, and the counts for the audit. */
export interface MergedReading {
  rows: SortedRows;
  sha256: string;
  /** The name of the write of these rows; undefined if no changes were staged with it. */
  write?: string;
  /** Receipts that the API lists. */
  listedCount: number;
  /** Values that did not fit their column. */
  conversionErrors: number;
  /** Whether the list was proved to hold just these receipts at one moment. */
  isStable: boolean;
  /** Unknown members of the list's pages, as in ReadUnit. */
  unknownMembers: readonly string[];
  /** Compared with what was stored. */
  change: UnitChange;
}

/** A reading, sorted once, and how it differs from what is stored. */
interface ComparedReading extends ReadUnit {
  sorted: SortedRows;
  comparison: Comparison;
}

/**
 * Merges a new reading with the stored one, so that no receipt is lost. If one is gone, the list is read once more;
 * if it is still gone, its row is kept, marked with the time when it was last stored as listed. Changes are staged for
 * `cambios`, bound to the write of the unit that they come with.
 */
export async function mergeReading(
  unit: Unit,
  read: ReadUnit,
  stored: StoredObject | undefined,
  tools: ExportTools,
): Promise<MergedReading> {
  const table = TABLE_OF[unit.direction];
  const sorted = sortedReading(unit, read.rows);
  const sha256 = sorted.contentHash();
  const noChange = { appeared: 0, changed: 0, vanished: 0, rejected: 0, isFirstReading: false };
  if (stored === undefined) {
    const rejected = rejectedIds(unit, sorted).size;
    const change = { ...noChange, rejected, isFirstReading: sorted.rowCount > 0 };
    return { rows: sorted, sha256, ...countsOf(read, sorted), change };
  }
  if (stored.metadata[CONTENT_HASH] === sha256) {
    return { rows: sorted, sha256, ...countsOf(read, sorted), change: noChange };
  }
  const { rows: olderRows, lacking } = await loadUnit(tools.store, stored.key, table, unit);
  const older = olderRows.sorted();
  // A column that the table has gained is no change of the receipts, and neither is that its values, if the API gave
  // them before, move there from `otros`.
  const ignoredColumns = lacking.size === 0 ? lacking : new Set([...lacking, 'otros']);
  const compared = (reading: ReadUnit, sortedRows = sortedReading(unit, reading.rows)): ComparedReading => ({
    ...reading,
    sorted: sortedRows,
    comparison: compareReadings(table, older, sortedRows, ignoredColumns),
  });
  let latest = compared(read, sorted);
  if (latest.comparison.vanished.length > 0 && !isDoubtful(read)) {
    const second = compared(await readUnitAlone(unit, tools));
    // If the second lacks receipts that the first has, neither can be relied on, and both are kept.
    const isSuperset = compareReadings(table, sorted, second.sorted).vanished.length === 0;
    latest = isSuperset
      ? second
      : compared({ ...second, rows: union([second.rows, read.rows]), isStable: false });
  }
  const { comparison } = latest;
  // What a reading may lack is kept as it was, and not called gone.
  const [kept, vanished] = isDoubtful(latest) ? [comparison.vanished, []] : [[], comparison.vanished];
  const differences = { ...comparison, vanished };
  const rowsOfChanges = changeRows(
    tools.run,
    unit,
    { table, older, newer: latest.sorted, comparison: differences },
    localMicros(tools.clock.now()),
  );
  const write =
    rowsOfChanges.length === 0
      ? undefined
      : await stageChanges(tools, tools.run, unit, stored, rowsOfChanges);
  const change = {
    ...noChange,
    appeared: comparison.appeared.length,
    changed: comparison.changed.length,
    vanished: vanished.length,
    rejected: rejectedIds(unit, latest.sorted).difference(rejectedIds(unit, older)).size,
  };
  const gone = [...vanished, ...comparison.stillVanished];
  for (const { row } of kept) latest.rows.appendValues(older.valuesOf(row));
  for (const { row } of gone) {
    latest.rows.appendVanished(older.valuesOf(row), localMicros(stored.storedAtMs));
  }
  const rows = kept.length + gone.length === 0 ? latest.sorted : latest.rows.sorted();
  const counts = countsOf(latest, latest.sorted);
  return { rows, sha256: rows.contentHash(), write, ...counts, change };
}

/** Whether receipts that the reading lacks may be there all the same. */
function isDoubtful({ isPartial, unknownMembers }: ReadUnit): boolean {
  return isPartial || unknownMembers.length > 0;
}

function countsOf({ rows, isStable, unknownMembers }: ReadUnit, sorted: SortedRows) {
  return { listedCount: sorted.rowCount, conversionErrors: rows.conversionErrors, isStable, unknownMembers };
}

/** The status that a rejection has; in emitidos, the tax authority's. */
const REJECTED = 'BE';

function rejectedIds({ direction }: Unit, rows: SortedRows): Set<bigint> {
  const name = direction === 'recibidos' ? 'estado_codigo' : 'estado_dgi_codigo';
  const statuses = rows.values(indexOfColumn(TABLE_OF[direction].columns, name), 0, rows.rowCount);
  return new Set(statuses.flatMap((status, row) => (status === REJECTED ? [rows.id(row)] : [])));
}
