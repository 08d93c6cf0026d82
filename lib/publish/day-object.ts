import { createHash } from 'node:crypto';
import { dayKey } from '../lake/layout.ts';
import { DamagedObjectError, readFileMetadata, readRowGroups } from '../lake/parquet/reader.ts';
import type { RowBatch, Value } from '../lake/parquet/writer.ts';
import { type LakeStore, type ObjectBytes, undefinedIfMissing } from '../lake/store/store.ts';
import { lackingColumns, type PublishedUnits, unitsInFooter } from '../lake/stored-rows.ts';
import { indexOfColumn, type Table } from '../lake/tables.ts';
import { plural } from '../text/terminal.ts';
import type { Day } from '../time/days.ts';
import { orderCheck } from './unit-object.ts';

/** A store's fingerprint, shortened to 72 bits. */
export function shortFingerprint(fingerprint: string): string {
  return createHash('sha256').update(fingerprint).digest('base64url').slice(0, 12);
}

const NOT_PUBLISHED = 'it does not say which units are in it';

/** The object of a table and issue date. */
export class DayObject {
  readonly version: string;
  /** Why it cannot be used, and has to be made again from units. */
  readonly damage: string | undefined;
  /** The units whose rows can be copied from it; none if it is damaged. */
  readonly units: PublishedUnits;
  /** The companies in its footer if it is damaged, so that their rows can't be read; otherwise none. */
  readonly unreadableRuts: readonly string[];
  private readonly file: ObjectBytes;
  private readonly table: Table;

  /** `named`: the units that its footer lists, readable or not. */
  private constructor(file: ObjectBytes, table: Table, named: PublishedUnits, damage?: string) {
    this.file = file;
    this.table = table;
    this.version = file.version;
    this.damage = damage;
    this.units = damage === undefined ? named : new Map();
    this.unreadableRuts = damage === undefined ? [] : [...named.keys()];
  }

  /**
   * Opens the day's object; undefined if there is none. `knownDamage`: what an earlier reading found. Throws
   * NewerObjectError if it has columns that this version would lose.
   */
  static async open(
    store: LakeStore,
    table: Table,
    day: Day,
    knownDamage?: string,
  ): Promise<DayObject | undefined> {
    const key = dayKey(table.name, day);
    const file = await store.open(key).catch(undefinedIfMissing);
    if (file === undefined) return undefined;
    try {
      const { columnNames, metadata } = await readFileMetadata(file);
      const units = unitsInFooter(metadata);
      if (units === undefined) throw new DamagedObjectError(file.name, NOT_PUBLISHED);
      lackingColumns(table, columnNames, { key, address: store.address });
      return new DayObject(file, table, units, knownDamage);
    } catch (error) {
      if (error instanceof DamagedObjectError)
        return new DayObject(file, table, new Map(), error.whatHappened);
      await file.close();
      throw error;
    }
  }

  /** Its rows by company, to be asked for in order of RUT. */
  rowsByCompany() {
    return companyRows(readRowGroups(this.file, this.table.columns), this.table, this.file.name);
  }

  /** Throws DamagedObjectError if not all rows can be read. */
  async readToEnd(): Promise<void> {
    const rows = this.rowsByCompany();
    for (const [rut, { rowCount }] of this.units) {
      const batches = rows.of(rut, rowCount);
      while ((await batches.next()).done !== true);
    }
    await rows.close();
  }

  async close(): Promise<void> {
    await this.file.close();
  }
}

/** Reads the rows of a day object once, from start to end. */
function companyRows(batches: AsyncGenerator<RowBatch>, table: Table, name: string) {
  const rutIndex = indexOfColumn(table.columns, 'rut');
  let batch: RowBatch | undefined;
  let row = 0;

  async function current(): Promise<RowBatch | undefined> {
    while (batch === undefined || row >= batch.rowCount) {
      // Let go first, so that only one is in memory.
      batch = undefined;
      const next = await batches.next();
      if (next.done === true) return undefined;
      batch = next.value;
      row = 0;
    }
    return batch;
  }

  return {
    /** Throws DamagedObjectError, also if there are not as many rows as the footer says. */
    async *of(rut: string, rowCount: number): AsyncGenerator<RowBatch> {
      const check = orderCheck(table, rut, name);
      let found = 0;
      for (let some = await current(); some !== undefined; some = await current()) {
        const ruts = some.columns[rutIndex] ?? [];
        while (row < some.rowCount && isBefore(ruts[row], rut)) row += 1;
        const start = row;
        while (row < some.rowCount && ruts[row] === rut) row += 1;
        if (row > start) {
          found += row - start;
          const part = partOf(some, start, row);
          check(part);
          yield part;
        }
        if (row < some.rowCount) break;
      }
      if (found !== rowCount) {
        const reason = `it has ${plural(found, 'row')} of ${rut} where it says ${rowCount}`;
        throw new DamagedObjectError(name, reason);
      }
    },
    close: async (): Promise<void> => void (await batches.return(undefined)),
  };
}

function isBefore(value: Value | undefined, rut: string): boolean {
  return typeof value === 'string' && value < rut;
}

function partOf(batch: RowBatch, start: number, end: number): RowBatch {
  if (start === 0 && end === batch.rowCount) return batch;
  return { rowCount: end - start, columns: batch.columns.map((column) => column.slice(start, end)) };
}
