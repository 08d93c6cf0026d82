import { createHash } from 'node:crypto';
import { CfeLakeError } from '../errors.ts';
import { lackingColumns } from '../export/stored-rows.ts';
import { dayKey } from '../lake/layout.ts';
import { DamagedObjectError } from '../lake/parquet/errors.ts';
import type { RunOfRows } from '../lake/parquet/merge-objects.ts';
import { readFileMetadata, readRowGroups } from '../lake/parquet/reader.ts';
import type { Value } from '../lake/parquet/writer.ts';
import { type LakeStore, type ObjectBytes, ObjectMissingError } from '../lake/store/store.ts';
import type { Table } from '../lake/tables.ts';
import { isDamage } from './unit-object.ts';

/**
 * Which units a day object holds, in its footer: of each its company, a mark of its bytes and the number of its rows,
 * some 27 bytes.
 */

const UNITS = 'cfe-lake.units';

/** A unit as a day object took it in. */
export interface PublishedUnit {
  /** See `shortFingerprint`. */
  fingerprint: string;
  rowCount: number;
}

/** By RUT. */
export type PublishedUnits = ReadonlyMap<string, PublishedUnit>;

const UNIT = /^(\d{12})([\w-]{12})(\d{1,9})$/;

/** 72 bits of what a store tells of an object's bytes. */
export function shortFingerprint(fingerprint: string): string {
  return createHash('sha256').update(fingerprint).digest('base64url').slice(0, 12);
}

/** The footer's pairs; the same units give the same, in whatever order they came. */
export function footerOf(units: PublishedUnits): Record<string, string> {
  const sorted = [...units].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    [UNITS]: sorted.map(([rut, { fingerprint, rowCount }]) => `${rut}${fingerprint}${rowCount}`).join(' '),
  };
}

/** Undefined where no publication wrote it. */
export function unitsInFooter(metadata: Readonly<Record<string, string>>): PublishedUnits | undefined {
  const text = metadata[UNITS];
  if (text === undefined) return undefined;
  const units = new Map<string, PublishedUnit>();
  for (const word of text.split(' ')) {
    const [, rut, fingerprint, rowCount] = UNIT.exec(word) ?? [];
    if (rut === undefined || fingerprint === undefined) return undefined;
    units.set(rut, { fingerprint, rowCount: Number(rowCount) });
  }
  return units;
}

const NO_UNITS: PublishedUnits = new Map();
const NOT_PUBLISHED = 'it does not say which units it holds';

/** The rows of a day object can't be had. */
export class DayDamagedError extends CfeLakeError {
  override name = 'DayDamagedError';
}

/** What a table has of one issue date. */
export class DayObject {
  readonly version: string;
  private readonly file: ObjectBytes;
  private readonly table: Table;
  /** Those that it says it holds, whether or not their rows can be read. */
  private readonly named: PublishedUnits;
  private distrusted: string | undefined;

  private constructor(file: ObjectBytes, table: Table, named: PublishedUnits, damage?: string) {
    this.file = file;
    this.table = table;
    this.named = named;
    this.version = file.version;
    this.distrusted = damage;
  }

  /**
   * Undefined when the day has none. Throws DayDamagedError where it can't even be opened, and a NewerObjectError where
   * it has columns that this version would lose.
   */
  static async open(store: LakeStore, table: Table, fecha: string): Promise<DayObject | undefined> {
    const key = dayKey(table.name, fecha);
    const file = await store.open(key).catch((error: unknown) => {
      if (error instanceof ObjectMissingError) return undefined;
      return asDamagedDay(error);
    });
    if (file === undefined) return undefined;
    try {
      const { columnNames, metadata } = await readFileMetadata(file);
      const units = unitsInFooter(metadata);
      if (units === undefined) throw new DamagedObjectError(file.name, NOT_PUBLISHED);
      lackingColumns(table, columnNames, { key, address: store.address });
      return new DayObject(file, table, units);
    } catch (error) {
      if (isDamage(error)) return new DayObject(file, table, NO_UNITS, error.message);
      await file.close();
      throw error;
    }
  }

  /** Whose rows can be taken from it: of a damaged one, nobody's. */
  get units(): PublishedUnits {
    return this.distrusted === undefined ? this.named : NO_UNITS;
  }

  /** Companies whose rows it had, and which can't be read any more. */
  get unreadableRuts(): string[] {
    return this.distrusted === undefined ? [] : [...this.named.keys()];
  }

  /** Why nothing is taken from it: it is to be made anew, in its place. */
  get damage(): string | undefined {
    return this.distrusted;
  }

  distrust(reason: string): void {
    this.distrusted ??= reason;
  }

  /** The rows of these companies, one company after the other; to be asked for by rising RUT. */
  rowsByCompany(): CompanyRows {
    return new CompanyRows(readRowGroups(this.file, this.table.columns), this.table, this.file.name);
  }

  async close(): Promise<void> {
    await this.file.close();
  }
}

/** Goes through the rows of a day object once. */
export class CompanyRows {
  private readonly runs: AsyncGenerator<RunOfRows>;
  private readonly name: string;
  private readonly rutIndex: number;
  private run: RunOfRows | undefined;
  private row = 0;

  constructor(runs: AsyncGenerator<RunOfRows>, table: Table, name: string) {
    this.runs = runs;
    this.name = name;
    this.rutIndex = table.columns.findIndex((column) => column.name === 'rut');
  }

  /** Throws DayDamagedError, also when there are not as many as the footer says. */
  async *of(rut: string, rowCount: number): AsyncGenerator<RunOfRows> {
    let found = 0;
    for (let run = await this.current(); run !== undefined; run = await this.current()) {
      const ruts = run.columns[this.rutIndex] ?? [];
      while (this.row < run.rowCount && isBefore(ruts[this.row], rut)) this.row += 1;
      const start = this.row;
      while (this.row < run.rowCount && ruts[this.row] === rut) this.row += 1;
      if (this.row > start) {
        found += this.row - start;
        yield partOf(run, start, this.row);
      }
      if (this.row < run.rowCount) break;
    }
    if (found !== rowCount) {
      const reason = `it has ${found} rows of ${rut} where it says ${rowCount}`;
      return asDamagedDay(new DamagedObjectError(this.name, reason));
    }
  }

  async close(): Promise<void> {
    await this.runs.return(undefined);
  }

  private async current(): Promise<RunOfRows | undefined> {
    while (this.run === undefined || this.row >= this.run.rowCount) {
      // Not in memory beside the next.
      this.run = undefined;
      const next = await this.runs.next().catch(asDamagedDay);
      if (next.done === true) return undefined;
      this.run = next.value;
      this.row = 0;
    }
    return this.run;
  }
}

/** Throws it, as what it means for the day. */
export function asDamagedDay(error: unknown): never {
  throw isDamage(error) ? new DayDamagedError(error.message) : error;
}

function isBefore(value: Value | undefined, rut: string): boolean {
  return typeof value === 'string' && value < rut;
}

function partOf(run: RunOfRows, start: number, end: number): RunOfRows {
  if (start === 0 && end === run.rowCount) return run;
  return { rowCount: end - start, columns: run.columns.map((column) => column.slice(start, end)) };
}
