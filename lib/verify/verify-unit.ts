import { type Comparison, compareReadings, sortedReading } from '../export/changes.ts';
import type { ListedUnit } from '../export/legacy-unit.ts';
import { unitKey } from '../lake/layout.ts';
import { valueText } from '../lake/parquet/column-values.ts';
import { DamagedObjectError } from '../lake/parquet/reader.ts';
import { LAST_SEEN_COLUMN, ReceiptRows, type SortedRows } from '../lake/rows/receipt-rows.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { loadUnit } from '../lake/stored-rows.ts';
import { DETAIL_TABLE_OF, indexOfColumn, TABLE_OF, type Table } from '../lake/tables.ts';
import { messageOf } from '../system/errors.ts';
import type { Unit } from '../units/unit.ts';

export interface VerifyTools {
  store: LakeStore;
  /** Examples of differences to name per unit. */
  maxExamples: number;
  signal?: AbortSignal;
}

/** How a unit of the lake compares with the API's list now. Counts are receipts. */
export interface UnitVerification extends Unit {
  equal: number;
  /** Listed by the API, not in the lake. */
  missing: number;
  /** Receipts only in the lake, or there twice. */
  extra: number;
  /** Receipts in both, with different values. */
  different: number;
  /** Receipts only in the lake and marked as gone from the list: neither missing nor extra. */
  vanished: number;
  examples: DifferenceExample[];
  /** Columns that could not be compared: the legacy list lacks them. */
  notCompared: readonly string[];
  /** Whether the API's list was proved to hold just these receipts at one moment. */
  isStable: boolean;
  /** Why the unit could not be compared; all counts are then 0. */
  error?: string;
  /** Which object of the unit (list or details) is damaged. Nothing of the unit is compared. */
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
    const message = messageOf(error);
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
  const stored = await storedRows(tools.store, unit, table);
  // Read only to check it: the list has nothing to compare details with.
  await storedRows(tools.store, unit, DETAIL_TABLE_OF[unit.direction]);
  const listed = await list();
  const lake = stored.sorted();
  const api = sortedReading(unit, listed.rows);
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
  };
}

/** The unit's rows in the lake; none if it has no object. Throws DamagedObjectError. */
async function storedRows(store: LakeStore, unit: Unit, table: Table): Promise<ReceiptRows> {
  const key = unitKey(table.name, unit.day, unit.rut);
  const stored = await store.find(key);
  if (stored === undefined) return new ReceiptRows(table, unit.rut);
  return (await loadUnit(store, key, table, unit)).rows;
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

/** Longer texts are cut: an example need not be complete. */
const MAX_TEXT = 80;

export interface DifferenceExample {
  kind: 'missing' | 'extra' | 'twice' | 'different';
  /** The receipt's id, a string because doubles cannot hold it. */
  id: string;
  /** The columns that differ, each with its value in the lake and from the API. */
  fields: { field: string; lake: string | null; api: string | null }[];
}

/** What a comparison found, as indexes of the sorted rows. */
interface Found {
  table: Table;
  lake: SortedRows;
  api: SortedRows;
  missing: Comparison['appeared'];
  extra: Comparison['vanished'];
  different: Comparison['changed'];
  /** Ids that are in the lake more than once. */
  repeated: readonly bigint[];
}

/** The first differences, up to `max`, with some of every kind. */
function examplesOf(found: Found, max: number): DifferenceExample[] {
  const { different, missing, extra, repeated, api, lake } = found;
  const kinds = [
    different.slice(0, max).map((change) => differentExample(found, change)),
    missing.slice(0, max).map(({ row }) => bare('missing', api.id(row))),
    extra.slice(0, max).map(({ row }) => bare('extra', lake.id(row))),
    repeated.slice(0, max).map((id) => bare('twice', id)),
  ];
  const longest = Math.max(...kinds.map(({ length }) => length));
  const inTurn = Array.from({ length: longest }, (_, index) => kinds.flatMap((kind) => kind[index] ?? []));
  return inTurn.flat().slice(0, max);
}

function bare(kind: DifferenceExample['kind'], id: bigint): DifferenceExample {
  return { kind, id: String(id), fields: [] };
}

function differentExample(
  { table, lake, api }: Found,
  { before, after, columns, isBack }: Comparison['changed'][number],
): DifferenceExample {
  const lakeValues = lake.valuesOf(before);
  const apiValues = api.valuesOf(after);
  const lastSeen = indexOfColumn(table.columns, LAST_SEEN_COLUMN);
  const fields = [...columns, ...(isBack ? [lastSeen] : [])].map((index) => {
    const { name = '', type = 'string' } = table.columns[index] ?? {};
    return {
      field: name,
      lake: cut(valueText(type, lakeValues[index] ?? null)),
      api: cut(valueText(type, apiValues[index] ?? null)),
    };
  });
  return { kind: 'different', id: String(api.id(after)), fields };
}

function cut(text: string | null): string | null {
  return text === null || text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`;
}
