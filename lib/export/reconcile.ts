import { ApiError, HttpStatusError, UnauthorizedError } from '../api/errors.ts';
import type { ListTally } from '../api/list/page-request.ts';
import { issueMoment } from '../api/receipt.ts';
import { readDetail } from '../api/unpaged.ts';
import { stageChanges } from '../audit/write.ts';
import { localMicros } from '../lake/rows/fields.ts';
import { CONTENT_HASH, type SortedRows } from '../lake/rows/receipt-rows.ts';
import type { StoredObject } from '../lake/store/store.ts';
import { loadWritten, type UnitChange } from '../lake/stored-rows.ts';
import { indexOfColumn, type Table } from '../lake/tables.ts';
import { anySignal, forEachConcurrent, withScopedSignal } from '../system/concurrency.ts';
import type { Unit } from '../units/unit.ts';
import { type Comparison, changeRows, compareReadings, sortedReading } from './changes.ts';
import { MAX_FAILURES_IN_A_ROW } from './details/read-missing.ts';
import type { ExportTools } from './export-tools.ts';
import { type ReadUnit, readUnitAlone, union } from './reading/read-company.ts';

/** The new content of a unit's object, and the counts for the audit. */
export interface Reconciled {
  rows: SortedRows;
  sha256: string;
  /** The name of the write of these rows; undefined if no changes were staged with it. */
  write?: string;
  /** Receipts that the API lists. */
  listedCount: number;
  /** Values that did not fit their column. */
  misfits: number;
  /** Whether the list was proved to hold just these receipts at one moment. */
  isStable: boolean;
  /** Compared with what was stored. */
  change: UnitChange;
}

/** A reading, sorted once, and how it differs from what is stored. */
interface ComparedReading extends ReadUnit {
  sorted: SortedRows;
  comparison: Comparison;
}

/**
 * Compares a new reading with the stored one, so that no receipt is lost. If one is gone, the list is read once more;
 * if it is still gone, its row is kept, marked with the time when it was last stored as listed. Changes are staged for
 * `cambios`, bound to the write of the unit that they come with.
 */
export async function reconcile(
  unit: Unit,
  table: Table,
  tools: ExportTools,
  tally: ListTally,
  stored: StoredObject | undefined,
  read: ReadUnit,
): Promise<Reconciled> {
  const sorted = sortedReading(unit, read.rows);
  const sha256 = sorted.contentHash();
  const isUnchanged = stored?.metadata[CONTENT_HASH] === sha256;
  if (isUnchanged || stored === undefined) {
    const change = stored === undefined ? firstReading(unit, table, sorted) : NOTHING_CHANGED;
    return { rows: sorted, sha256, ...countsOf(read, sorted), change };
  }
  const { rows: olderRows, lacking } = await loadWritten(tools.store, stored.key, table, unit.rut);
  const older = olderRows.sorted();
  // A column that the table has gained is no change of the receipts, and neither is that its values, if the API gave
  // them before, move there from `otros`.
  const ignoredColumns = lacking.size === 0 ? lacking : new Set([...lacking, 'otros']);
  const compared = (of: ReadUnit, by = sortedReading(unit, of.rows)): ComparedReading => ({
    ...of,
    sorted: by,
    comparison: compareReadings(table, older, by, ignoredColumns),
  });
  let latest = compared(read, sorted);
  if (latest.comparison.vanished.length > 0 && !read.mayLackRows) {
    const second = compared(await readUnitAlone(unit, tools, tally));
    const isSeenAgain = second.comparison.vanished.length < latest.comparison.vanished.length;
    if (isSeenAgain && read.widthDays > 1) {
      tools.disproved.add(unit.direction);
      tools.facts[unit.direction].provedWidthDays = 1;
    }
    // If the second lacks receipts that the first has, neither can be relied on, and both are kept.
    const isSuperset = compareReadings(table, sorted, second.sorted).vanished.length === 0;
    latest = isSuperset
      ? second
      : compared({ ...second, rows: union([second.rows, read.rows]), isStable: false });
  }
  const comparison = latest.mayLackRows ? withoutVanished(latest, older) : latest.comparison;
  const { appeared, changed, vanished, stillVanished } = comparison;
  const movedTo = await findMoved(unit, older, vanished, tools, tally);
  const told = changeRows(
    tools.run,
    unit,
    { table, older, newer: latest.sorted, comparison, movedTo },
    localMicros(tools.clock.now()),
  );
  const write = told.length === 0 ? undefined : await stageChanges(tools, tools.run, unit, stored, told);
  const isAnyKept = latest.comparison.vanished.length > vanished.length;
  const gone = [...vanished, ...stillVanished];
  const rows = withVanished(latest, older, gone, localMicros(stored.storedAtMs), isAnyKept);
  return {
    rows,
    sha256: rows === sorted ? sha256 : rows.contentHash(),
    write,
    ...countsOf(latest, latest.sorted),
    change: {
      appeared: appeared.length,
      changed: changed.length,
      vanished: vanished.length,
      rejected: newlyRejected(unit, table, older, latest.sorted, comparison),
      isFirstReading: false,
    },
  };
}

/** Of a reading that may lack rows: what it lacks is kept as it was, and not called gone. */
function withoutVanished({ rows, comparison }: ComparedReading, older: SortedRows): Comparison {
  for (const { row } of comparison.vanished) rows.appendValues(older.valuesOf(row));
  return { ...comparison, vanished: [] };
}

const NOTHING_CHANGED: UnitChange = {
  appeared: 0,
  changed: 0,
  vanished: 0,
  rejected: 0,
  isFirstReading: false,
};

function firstReading(unit: Unit, table: Table, rows: SortedRows): UnitChange {
  const statuses = rows.values(statusColumn(unit, table), 0, rows.rowCount);
  const rejected = statuses.filter((status) => status === REJECTED).length;
  return { ...NOTHING_CHANGED, rejected, isFirstReading: rows.rowCount > 0 };
}

/** Receipts that are rejected in the newer reading, and in the older one were not, or were not there. */
function newlyRejected(
  unit: Unit,
  table: Table,
  older: SortedRows,
  newer: SortedRows,
  { appeared, changed }: Comparison,
): number {
  const status = statusColumn(unit, table);
  const isRejected = (rows: SortedRows, row: number) => rows.valuesOf(row)[status] === REJECTED;
  const newOnes = appeared.filter(({ row }) => isRejected(newer, row));
  const turned = changed.filter(
    ({ before, after }) => isRejected(newer, after) && !isRejected(older, before),
  );
  return newOnes.length + turned.length;
}

/** The status that a rejection has; in emitidos, the tax authority's. */
const REJECTED = 'BE';

function statusColumn({ direction }: Unit, { columns }: Table): number {
  return indexOfColumn(columns, direction === 'recibidos' ? 'estado_codigo' : 'estado_dgi_codigo');
}

function countsOf({ rows, isStable }: ReadUnit, sorted: SortedRows) {
  return { listedCount: sorted.rowCount, misfits: rows.misfits, isStable };
}

/** The rows of a reading, and those of the older one that are gone from the list, marked as such. */
function withVanished(
  { rows, sorted }: ComparedReading,
  older: SortedRows,
  gone: readonly { row: number }[],
  lastSeenMicros: bigint,
  isAnyKept: boolean,
): SortedRows {
  if (gone.length === 0 && !isAnyKept) return sorted;
  for (const { row } of gone) rows.appendVanished(older.valuesOf(row), lastSeenMicros);
  return rows.sorted();
}

/** The most details to request, so that a day that vanished whole does not cause thousands of requests. */
const MAX_DETAILS = 50;

/**
 * The days on which receipts that vanished from theirs are listed now, by row: a receipt whose issue date was corrected
 * has moved to another day. Requests their details, which state the issue date.
 */
async function findMoved(
  unit: Unit,
  rows: SortedRows,
  vanished: readonly { row: number }[],
  { client, signal, goneDetails }: ExportTools,
  tally: ListTally,
): Promise<Map<number, string>> {
  const movedTo = new Map<number, string>();
  await withScopedSignal((end) =>
    forEachConcurrent(vanished.slice(0, MAX_DETAILS), MAX_FAILURES_IN_A_ROW, async ({ row }) => {
      if (goneDetails.failuresInARow >= MAX_FAILURES_IN_A_ROW) return;
      try {
        const detail = await readDetail(client, unit.direction, rows.id(row), tally, anySignal(signal, end));
        const day = issueMoment(detail)?.day;
        if (day !== undefined && day !== unit.day) movedTo.set(row, day);
        goneDetails.failuresInARow = 0;
      } catch (error) {
        if (!(error instanceof ApiError) || error instanceof UnauthorizedError) throw error;
        // Deleted, or not available now: all that is known is that it vanished.
        const isDeleted = error instanceof HttpStatusError && error.status < 500;
        goneDetails.failuresInARow = isDeleted ? 0 : goneDetails.failuresInARow + 1;
      }
    }),
  );
  return movedTo;
}
