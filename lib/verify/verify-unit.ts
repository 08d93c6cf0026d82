import type { ApiClient } from '../api/client.ts';
import { type ListTally, newTally } from '../api/list/page-request.ts';
import { readLegacyList } from '../api/unpaged.ts';
import { compareReadings } from '../export/changes.ts';
import { RangeSink } from '../export/reading/range-sink.ts';
import type { ReadUnit } from '../export/reading/read-units.ts';
import { type LoadedRows, loadUnit } from '../export/stored-rows.ts';
import type { Unit } from '../export/units.ts';
import { unitKey } from '../lake/layout.ts';
import { DamagedObjectError } from '../lake/parquet/reader.ts';
import { ReceiptRows } from '../lake/rows/receipt-rows.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { type Column, DETAIL_TABLE_OF, TABLE_OF, type Table } from '../lake/tables.ts';
import { type DifferenceExample, examplesOf } from './examples.ts';

export interface VerifyTools {
  store: LakeStore;
  /** Examples of differences to name per unit. */
  maxExamples: number;
  signal?: AbortSignal;
}

/** A unit as the API lists it. `ignored`: columns that cannot be compared. */
export type ListedUnit = ReadUnit & { ignored: ReadonlySet<string> };

/** How a unit of the lake compares with the API's list now. Counts are receipts. */
export interface UnitVerification extends Unit {
  equal: number;
  /** Listed by the API, not in the lake. */
  missing: number;
  /** Only in the lake, or there twice. */
  extra: number;
  /** In both, with different values. */
  different: number;
  /** Only in the lake and marked as gone from the list: neither missing nor extra. */
  vanished: number;
  examples: DifferenceExample[];
  /** Columns that could not be compared: the legacy list lacks them. */
  notCompared: readonly string[];
  /** Whether the API's list was proved to hold just these receipts at one moment. */
  isStable: boolean;
  /** Why the unit could not be compared; all counts are then 0. */
  error?: string;
  /** Which object of the unit (list or details) is damaged. What can still be read is compared. */
  damaged?: string;
}

const NOTHING = { equal: 0, missing: 0, extra: 0, different: 0, vanished: 0, examples: [], notCompared: [] };

/** Whether the lake holds exactly what the API lists for this unit. */
export function isEqual({ missing, extra, different, error, damaged }: UnitVerification): boolean {
  return missing + extra + different === 0 && error === undefined && damaged === undefined;
}

/**
 * Compares a unit, receipt by receipt and column by column, with what `list` returns. A failure is a result. Throws
 * when aborted.
 */
export async function verifyUnit(
  unit: Unit,
  list: () => Promise<ListedUnit>,
  tools: VerifyTools,
): Promise<UnitVerification> {
  try {
    return await compareUnit(unit, list, tools);
  } catch (error) {
    tools.signal?.throwIfAborted();
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof DamagedObjectError)
      return { ...unit, ...NOTHING, isStable: false, damaged: message };
    return { ...unit, ...NOTHING, isStable: false, error: message };
  }
}

async function compareUnit(
  unit: Unit,
  list: () => Promise<ListedUnit>,
  tools: VerifyTools,
): Promise<UnitVerification> {
  const table = TABLE_OF[unit.direction];
  const { rows: stored, damage } = await storedRows(tools.store, unit, table);
  // Read only to check it: the list has nothing to compare details with.
  const details = await storedRows(tools.store, unit, DETAIL_TABLE_OF[unit.direction]);
  const listed = await list();
  const lake = stored.sorted();
  const api = listed.rows.sorted();
  const { appeared, changed, vanished, stillVanished } = compareReadings(table, lake, api);
  const isCompared = (column: number) => !listed.ignored.has(table.columns[column]?.name ?? '');
  const different = changed
    .map((change) => ({ ...change, columns: change.columns.filter(isCompared) }))
    .filter(({ columns, isBack }) => columns.length > 0 || isBack);
  const found = { table, lake, api, missing: appeared, extra: vanished, different };
  const repeated = repeatedIds(stored, lake.rowCount);
  return {
    ...unit,
    equal: api.rowCount - appeared.length - different.length,
    missing: appeared.length,
    extra: vanished.length + repeated.length,
    different: different.length,
    vanished: stillVanished.length,
    examples: examplesOf({ ...found, repeated }, tools.maxExamples),
    notCompared: [...listed.ignored],
    isStable: listed.isStable,
    damaged: (damage ?? details.damage)?.message,
  };
}

/** The unit's rows in the lake; none if it has no object. Throws DamagedObjectError. */
async function storedRows(
  store: LakeStore,
  unit: Unit,
  table: Table,
): Promise<Pick<LoadedRows, 'rows' | 'damage'>> {
  const key = unitKey(table.name, unit.day, unit.rut);
  const stored = await store.find(key);
  return stored === undefined
    ? { rows: new ReceiptRows(table, unit.rut), damage: undefined }
    : await loadUnit(store, key, table, unit.rut);
}

/** Reads the unit from the unpaged legacy list, to be compared. */
export async function listedByLegacy(
  unit: Unit,
  client: ApiClient,
  signal: AbortSignal | undefined,
): Promise<ListedUnit> {
  const table = TABLE_OF[unit.direction];
  const { rows, absent } = await readLegacyUnit(unit, table, client, newTally(), signal);
  // Fields that the contract doesn't name may differ between the two kinds of list.
  return { rows, isStable: true, ignored: new Set([...absent, 'otros']) };
}

/** Ids that come more than once, once for each repetition. */
function repeatedIds(rows: ReceiptRows, differentIds: number): bigint[] {
  if (rows.rowCount === differentIds) return [];
  const seen = new Set<bigint>();
  const repeated: bigint[] = [];
  for (let row = 0; row < rows.rowCount; row += 1) {
    const id = rows.id(row);
    if (seen.has(id)) repeated.push(id);
    seen.add(id);
  }
  return repeated;
}

export interface LegacyReading {
  rows: ReceiptRows;
  /** Columns that cannot be compared: no receipt of the legacy list has their field. */
  absent: ReadonlySet<string>;
}

/**
 * Reads a unit's deprecated, unpaged list. It is one request, so no fault in paging can hide a receipt. The contract
 * does not say which fields its receipts have (§4.6), so fields that no receipt has are reported.
 */
async function readLegacyUnit(
  { rut, direction, day }: Unit,
  table: Table,
  client: ApiClient,
  tally: ListTally,
  signal?: AbortSignal,
): Promise<LegacyReading> {
  const filters = { FechaDesde: day, FechaHasta: day };
  const { items, ids } = await readLegacyList(client, direction, filters, tally, signal);
  const context = { rut, direction, day };
  const asked = { from: day, to: day, nextDay: 'notAsked' } as const;
  const sink = new RangeSink(context, asked);
  sink.add({ pageNumber: 1, items, ids }, 0);
  return { rows: sink.rowsOf(day), absent: absentColumns(table.columns, items) };
}

function absentColumns(columns: readonly Column[], items: readonly unknown[]): ReadonlySet<string> {
  const absent = new Map(columns.flatMap(({ name, path }) => (path ? [[name, path.split('.')]] : [])));
  for (const item of items) {
    if (absent.size === 0) break;
    for (const [name, path] of absent) if (isBrought(item, path)) absent.delete(name);
  }
  return new Set(absent.keys());
}

/** Whether the receipt has this path. It counts as present if a part of it is null. */
function isBrought(receipt: unknown, path: readonly string[]): boolean {
  let value = receipt;
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return true;
    if (!Object.hasOwn(value, name)) return false;
    value = (value as Record<string, unknown>)[name];
  }
  return true;
}
