import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { CfeLakeError } from '../system/errors.ts';
import { type Day, microsOfDay } from '../time/days.ts';
import { dayKey } from './layout.ts';
import { DamagedObjectError, readFileMetadata, readIntact, readRowGroups } from './parquet/reader.ts';
import type { RowBatch } from './parquet/writer.ts';
import { ReceiptRows } from './rows/receipt-rows.ts';
import {
  type LakeStore,
  type ObjectBytes,
  readObject,
  type StoredObject,
  undefinedIfMissing,
} from './store/store.ts';
import { indexOfColumn, indexOfIssueDate, type Table } from './tables.ts';

/** A stored object has columns that this program does not know. Rewriting it would lose them. */
export class NewerObjectError extends CfeLakeError {
  override name = 'NewerObjectError';
  constructor(key: string, address: string, columnNames: readonly string[]) {
    super(
      `${key} in ${address} has columns that this version does not know (${columnNames.join(', ')}): a newer one ` +
        'wrote it.',
      { advice: 'Update this program (git pull && npm ci); nothing was replaced.' },
    );
  }
}

interface ObjectPlace {
  key: string;
  address: string;
}

/**
 * The table's columns that a stored object lacks, because it was written before they were added. Throws
 * DamagedObjectError or NewerObjectError if it can't be read as that table.
 */
export function lackingColumns(
  { columns }: Table,
  storedNames: readonly string[],
  { key, address }: ObjectPlace,
): ReadonlySet<string> {
  const lacking = columns.filter(({ name }) => !storedNames.includes(name));
  const missing = lacking.find(({ required }) => required === true);
  if (missing !== undefined) {
    const reason = `it has no column ${missing.name}, so another program wrote it`;
    throw new DamagedObjectError(`${key} in ${address}`, reason);
  }
  const unknown = storedNames.filter((stored) => !columns.some(({ name }) => name === stored));
  if (unknown.length > 0) throw new NewerObjectError(key, address, unknown);
  return new Set(lacking.map(({ name }) => name));
}

/**
 * Sees that an open object can be read as that table and rewritten without loss. Returns the table's columns that it
 * lacks. Throws DamagedObjectError and NewerObjectError.
 */
export async function expectRewritable(
  file: ObjectBytes,
  table: Table,
  place: ObjectPlace,
): Promise<ReadonlySet<string>> {
  const { columnNames } = await readFileMetadata(file);
  return lackingColumns(table, columnNames, place);
}

/** The rows of an object of the lake. */
export interface LoadedRows {
  rows: ReceiptRows;
  /** Columns that the object lacks, since they are newer than it. The rows are null there. */
  lacking: ReadonlySet<string>;
}

/** Whose rows an object has to have. */
export interface RowsOwner {
  rut: string;
  day: Day;
}

/** Throws DamagedObjectError for a row of another company, or of another day. */
export function ownerCheck(table: Table, { rut, day }: RowsOwner, object: string) {
  const rutIndex = indexOfColumn(table.columns, 'rut');
  const dateIndex = indexOfIssueDate(table);
  const isOfDay = microsOfDay(day);
  return ({ columns }: Pick<RowBatch, 'columns'>, row: number): void => {
    const date = columns[dateIndex]?.[row];
    if (columns[rutIndex]?.[row] !== rut)
      throw new DamagedObjectError(object, `it has a row that does not belong to ${rut}`);
    if (typeof date === 'bigint' && !isOfDay(date))
      throw new DamagedObjectError(object, `it has a row of another day than ${day}`);
  };
}

/**
 * The rows of an object, exactly as they were written. Damaged rows, taken for an earlier reading, would be reported as
 * changes and kept as vanished receipts, and so would another company's or day's. Throws DamagedObjectError.
 */
export async function loadUnit(
  store: LakeStore,
  key: string,
  table: Table,
  owner: RowsOwner,
): Promise<LoadedRows> {
  return await readObject(store, key, async (file) => {
    await readIntact(file);
    const lacking = await expectRewritable(file, table, { key, address: store.address });
    const rows = new ReceiptRows(table, owner.rut);
    const check = ownerCheck(table, owner, file.name);
    for await (const batch of readRowGroups(file, table.columns)) {
      for (let row = 0; row < batch.rowCount; row += 1) {
        check(batch, row);
        rows.appendValues(batch.columns.map((column) => column[row] ?? null));
      }
    }
    return { rows, lacking };
  });
}

/** How many rows an object has, so that lists can be planned without opening it. */
export const ROW_COUNT = 'cfe-lake.row-count';

/** The rows of an object, if its writer counted them. */
export function rowCountOf(stored: StoredObject): number | undefined {
  const text = stored.metadata[ROW_COUNT];
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** The writes are kept beside the object, not in it: the same receipts give the same bytes, whichever run wrote them. */
const WRITES = 'cfe-lake.writes';
/** Two or three runs may export a unit at the same time. The metadata of an object has little room. */
const RUNS_KEPT = 4;

/** How many receipts a unit's object differs in from the one before it. */
export interface UnitChange {
  appeared: number;
  changed: number;
  vanished: number;
  rejected: number;
  /** There was none before it. */
  isFirstReading: boolean;
}

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));
const WritesSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.array(
    v.object({
      corrida: v.string(),
      nuevas: Count,
      cambiadas: Count,
      desaparecidas: Count,
      // Left out where they say nothing.
      rechazadas: v.optional(Count, 0),
      primera_lectura: v.optional(v.boolean(), false),
    }),
  ),
);

/**
 * The run's own change of the unit's object, in an invocation that ran out of time before ending the unit or was
 * killed before its audit; undefined if the run did not write it. It is stored with the object in one atomic step, so
 * one is never there without the other.
 */
export function changeByRun(stored: StoredObject | undefined, runId: string): UnitChange | undefined {
  const write = writesOf(stored).find(({ corrida }) => corrida === runId);
  return (
    write && {
      appeared: write.nuevas,
      changed: write.cambiadas,
      vanished: write.desaparecidas,
      rejected: write.rechazadas,
      isFirstReading: write.primera_lectura,
    }
  );
}

/** The metadata of the object that replaces `stored`: all changes of this run, and those of others. */
export function metadataOfWrite(
  stored: StoredObject | undefined,
  runId: string,
  change: UnitChange,
): Record<string, string> {
  const earlierWrites = writesOf(stored).filter(({ corrida }) => corrida !== runId);
  const { appeared, changed, vanished, rejected, isFirstReading } = change;
  const write = {
    corrida: runId,
    nuevas: appeared,
    cambiadas: changed,
    desaparecidas: vanished,
    ...(rejected > 0 && { rechazadas: rejected }),
    ...(isFirstReading && { primera_lectura: true }),
  };
  return { [WRITES]: JSON.stringify([write, ...earlierWrites].slice(0, RUNS_KEPT)) };
}

/** Both together. */
export function addedChanges(a: UnitChange, b: UnitChange | undefined): UnitChange {
  return {
    appeared: a.appeared + (b?.appeared ?? 0),
    changed: a.changed + (b?.changed ?? 0),
    vanished: a.vanished + (b?.vanished ?? 0),
    rejected: a.rejected + (b?.rejected ?? 0),
    isFirstReading: a.isFirstReading || b?.isFirstReading === true,
  };
}

/** A store without metadata has none: on one machine, a run has one invocation. */
function writesOf(stored: StoredObject | undefined): v.InferOutput<typeof WritesSchema> {
  const parsed = v.safeParse(WritesSchema, stored?.metadata[WRITES]);
  return parsed.success ? parsed.output : [];
}

/**
 * The footer of a day object lists its units, in some 27 bytes each: the company, a fingerprint of the unit's bytes and
 * the number of its rows.
 */

const UNITS = 'cfe-lake.units';

/** A unit as a day object holds it. */
export interface PublishedUnit {
  /** A store's fingerprint of the unit's object, shortened. */
  fingerprint: string;
  rowCount: number;
}

/** The units of a day object, by RUT. */
export type PublishedUnits = ReadonlyMap<string, PublishedUnit>;

const UNIT = /^(\d{12})([\w-]{12})(\d{1,9})$/;

/** The footer's pairs. They do not depend on the order of the units. */
export function footerOf(units: PublishedUnits): Record<string, string> {
  const sorted = [...units].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    [UNITS]: sorted.map(([rut, { fingerprint, rowCount }]) => `${rut}${fingerprint}${rowCount}`).join(' '),
  };
}

/** A store's fingerprint, shortened to 72 bits. */
export function shortFingerprint(fingerprint: string): string {
  return createHash('sha256').update(fingerprint).digest('base64url').slice(0, 12);
}

/** Places at which the pages of a day may begin. */
const PADDINGS = 4096;

/**
 * How far the pages of a day are shifted, by its units' RUTs and short fingerprints: an engine that reads parts of two
 * versions of the object hardly ever finds a column at the same place in both, and fails rather than mix them.
 */
export function paddingOf(fingerprints: readonly string[]): number {
  return createHash('sha256').update(fingerprints.join(' ')).digest().readUInt16LE() % PADDINGS;
}

/** The units of an object, if this program published it. */
export function unitsInFooter(metadata: Readonly<Record<string, string>>): PublishedUnits | undefined {
  const text = metadata[UNITS];
  if (text === undefined) return undefined;
  const units = new Map<string, PublishedUnit>();
  // A day may have no unit: one that was damaged and never had any.
  for (const word of text === '' ? [] : text.split(' ')) {
    const [, rut, fingerprint, rowCount] = UNIT.exec(word) ?? [];
    if (rut === undefined || fingerprint === undefined) return undefined;
    units.set(rut, { fingerprint, rowCount: Number(rowCount) });
  }
  return units;
}

/** The units of a day, by its object's footer alone; none if there is no such object. Throws DamagedObjectError. */
export async function publishedUnits(store: LakeStore, table: Table, day: Day): Promise<PublishedUnits> {
  const read = await readObject(store, dayKey(table.name, day), readFileMetadata).catch(undefinedIfMissing);
  return (read && unitsInFooter(read.metadata)) ?? new Map();
}
