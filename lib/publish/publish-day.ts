import { dayKey, rutOfUnit, unitsFolder } from '../lake/layout.ts';
import { mergeBatches } from '../lake/parquet/merge-objects.ts';
import type { RowBatch } from '../lake/parquet/reader.ts';
import type { ParquetWriter } from '../lake/parquet/writer.ts';
import { isRace, type LakeStore } from '../lake/store/store.ts';
import type { Table } from '../lake/tables.ts';
import type { Day } from '../time/days.ts';
import {
  asDamagedDay,
  DayDamagedError,
  DayObject,
  footerOf,
  type PublishedUnit,
  shortFingerprint,
} from './day-object.ts';
import { openedAhead, openUnit, UnitDamagedError, type UnitToAdd } from './unit-object.ts';

/** Each time that another process replaces the object first, the day is planned again. */
const MAX_ATTEMPTS = 10;

export interface TableDay {
  table: Table;
  day: Day;
}

/** A unit that could not be added to its day. The day keeps the company's previous rows, if any. */
export interface DayProblem extends TableDay {
  /** Absent if the problem is the day's own object. */
  rut?: string;
  /** The day's object was damaged, and has been made again. */
  isMadeAnew?: true;
  /** The day is up to date, but its record that it lags could not be removed: it will be looked at again. */
  isStillRecorded?: true;
  reason: string;
}

export interface PublishedDay {
  /** False: the object was up to date. */
  isWritten: boolean;
  problems: readonly DayProblem[];
}

export interface PublishOptions {
  /** A company to remove from the day. */
  forgottenRut?: string;
  /** Runs the work of large days one at a time. Absent: no day waits for another. */
  whenLarge?: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

const MADE_ANEW = 'It was rebuilt from its units.';

/** Bytes of units from which a day counts as large. */
const LARGE_BYTES = 2 ** 20;

/**
 * Brings a table's object of one issue date up to date with its units: rows by RUT and id, each unit once. Reads only
 * units that changed since it was written. Safe to repeat, and to run twice at once; the same units give the same
 * bytes. Throws NewerObjectError and what the store throws; the object is then unchanged.
 */
export async function publishDay(
  store: LakeStore,
  writer: ParquetWriter,
  { table, day }: TableDay,
  { forgottenRut, whenLarge = (work) => work() }: PublishOptions = {},
): Promise<PublishedDay> {
  const damaged: UnitDamagedError[] = [];
  let damagedDay: string | undefined;
  let isWritten = false;
  for (let attempt = 1; ; attempt += 1) {
    let before: DayObject | undefined;
    try {
      // Opened before the units are listed, so that a newer object is never replaced with older units.
      before = await DayObject.open(store, table, day);
      damagedDay ??= before?.damage;
      if (damagedDay !== undefined) before?.distrust(damagedDay);
      const merge = new DayMerge(store, { table, day }, before, damaged);
      await merge.plan(forgottenRut);
      const problems = [
        ...(damagedDay === undefined
          ? []
          : [{ table, day, isMadeAnew: true as const, reason: `${damagedDay} ${MADE_ANEW}` }]),
        ...merge.problems,
      ];
      if (!merge.hasNews) return { isWritten, problems };
      if (merge.isEmpty) {
        await store.remove(dayKey(table.name, day));
        isWritten = true;
        // Another process may just have added a unit. Then the next attempt makes the object again.
        continue;
      }
      if (merge.byteCount > LARGE_BYTES) await whenLarge(() => merge.write(writer));
      else await merge.write(writer);
      return { isWritten: true, problems };
    } catch (error) {
      if (error instanceof UnitDamagedError) damaged.push(error);
      else if (error instanceof DayDamagedError && damagedDay === undefined) {
        damagedDay = error.message;
        // A file that cannot be opened cannot be replaced either, and nothing can read it.
        if (before === undefined) await store.remove(dayKey(table.name, day));
      } else if (!isRace(error) || attempt >= MAX_ATTEMPTS) throw error;
    } finally {
      await before?.close();
    }
  }
}

/** The companies whose units are not in the day's object as they are now. Throws what publishDay throws. */
export async function laggingRuts(store: LakeStore, { table, day }: TableDay): Promise<string[]> {
  const before = await DayObject.open(store, table, day).catch((error: unknown) => {
    if (error instanceof DayDamagedError) return undefined;
    throw error;
  });
  await before?.close();
  const merge = new DayMerge(store, { table, day }, before, []);
  await merge.plan();
  return merge.changedUnits.map(({ rut }) => rut);
}

const KEPT =
  '. The table keeps its rows. Put it back (in a bucket, restore its previous version), or export that day again. To ' +
  'remove a company: forget --rut.';
const LOST =
  ', and the day that had its rows is damaged, so the table no longer has them. Restore a previous version, or export ' +
  'that day again.';

/** One attempt at a day. */
class DayMerge {
  readonly problems: DayProblem[] = [];
  /** Of all units together. */
  byteCount = 0;
  private readonly store: LakeStore;
  private readonly tableDay: TableDay;
  private readonly before: DayObject | undefined;
  private readonly damaged: readonly UnitDamagedError[];
  /** By RUT: units to copy from the old object, and units to read. */
  private readonly sources = new Map<string, PublishedUnit | UnitToAdd>();
  private hasForgotten = false;

  constructor(
    store: LakeStore,
    tableDay: TableDay,
    before: DayObject | undefined,
    damaged: readonly UnitDamagedError[],
  ) {
    this.store = store;
    this.tableDay = tableDay;
    this.before = before;
    this.damaged = damaged;
  }

  get changedUnits(): UnitToAdd[] {
    return [...this.sources.values()].filter((source) => 'rut' in source);
  }

  get hasNews(): boolean {
    return this.hasForgotten || this.changedUnits.length > 0;
  }

  get isEmpty(): boolean {
    return this.sources.size === 0;
  }

  /** Lists the units, and finds those that changed. */
  async plan(forgottenRut?: string): Promise<void> {
    const { table, day } = this.tableDay;
    const kept = this.before?.units ?? new Map<string, PublishedUnit>();
    const sources = new Map<string, PublishedUnit | UnitToAdd>();
    const listed = new Set<string>();
    for await (const { key, byteCount, fingerprint } of this.store.listFingerprints(
      unitsFolder(table.name, day),
    )) {
      const rut = rutOfUnit(key);
      if (rut === undefined || rut === forgottenRut) continue;
      listed.add(rut);
      this.byteCount += byteCount;
      const old = kept.get(rut);
      const isDamage = ({ unit }: UnitDamagedError) => unit.rut === rut && unit.fingerprint === fingerprint;
      const reason = this.damaged.find(isDamage)?.message;
      if (reason !== undefined) this.addProblem(rut, reason);
      if (old !== undefined && (reason !== undefined || old.fingerprint === shortFingerprint(fingerprint))) {
        sources.set(rut, old);
      } else if (reason === undefined) sources.set(rut, { rut, fingerprint, byteCount });
    }
    for (const [rut, old] of kept) {
      if (rut === forgottenRut) this.hasForgotten = true;
      else if (!listed.has(rut)) {
        sources.set(rut, old);
        this.addProblem(rut, this.goneReason(rut, KEPT));
      }
    }
    for (const rut of this.before?.unreadableRuts ?? []) {
      if (listed.has(rut) || rut === forgottenRut) continue;
      this.addProblem(rut, this.goneReason(rut, LOST));
    }
    const byRut = [...sources].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [rut, source] of byRut) this.sources.set(rut, source);
  }

  private addProblem(rut: string, reason: string): void {
    this.problems.push({ ...this.tableDay, rut, reason });
  }

  private goneReason(rut: string, consequence: string): string {
    const { table, day } = this.tableDay;
    return `The unit of ${rut} in ${table.name}, day ${day}, is gone from ${this.store.address}${consequence}`;
  }

  async write(writer: ParquetWriter): Promise<void> {
    const { table, day } = this.tableDay;
    let units: ReadonlyMap<string, PublishedUnit> = new Map();
    const batches = this.batches((written) => {
      units = written;
    });
    const bytes = mergeBatches({ batches, columns: table.columns, metadata: () => footerOf(units) }, writer);
    const options = { metadata: {}, expected: this.before };
    await this.store.replace(dayKey(table.name, day), bytes, options).catch(asDamagedDay);
  }

  /** The rows of all units, by RUT. Throws if a unit gives another number of rows than it has. */
  private async *batches(onEnd: (units: Map<string, PublishedUnit>) => void): AsyncGenerator<RowBatch> {
    const { table, day } = this.tableDay;
    const old = this.before?.rowsByCompany();
    const opened = openedAhead(this.changedUnits, (unit) => openUnit(this.store, table, day, unit));
    const taken = new Map<string, PublishedUnit>();
    try {
      for (const [rut, source] of this.sources) {
        if (!('rut' in source)) {
          yield* old?.of(rut, source.rowCount) ?? [];
          taken.set(rut, source);
          continue;
        }
        const { value: unit } = await opened.next();
        if (unit === undefined || unit.rut !== rut) throw new TypeError(`${rut} was not opened in its turn`);
        let rowCount = 0;
        for await (const batch of unit.batches()) {
          rowCount += batch.rowCount;
          yield batch;
        }
        if (rowCount !== unit.rowCount) {
          throw new TypeError(`${rowCount} of ${unit.rowCount} rows of ${rut} were taken into ${day}`);
        }
        taken.set(rut, { fingerprint: shortFingerprint(unit.fingerprint), rowCount });
      }
      onEnd(taken);
    } finally {
      await opened.return(undefined);
      await old?.close();
    }
  }
}
