import { dayKey, rutOfUnit, unitsFolder } from '../lake/layout.ts';
import { mergeRuns, type RunOfRows } from '../lake/parquet/merge-objects.ts';
import type { ParquetWriter } from '../lake/parquet/writer.ts';
import { isRace, type LakeStore } from '../lake/store/store.ts';
import type { Table } from '../lake/tables.ts';
import {
  asDamagedDay,
  DayDamagedError,
  DayObject,
  footerOf,
  type PublishedUnit,
  shortFingerprint,
} from './day-object.ts';
import { openedAhead, openUnit, UnitDamagedError, type UnitToTakeIn } from './unit-object.ts';

/** Others write at the same time; each time they won, the day is looked at anew. */
const MAX_ATTEMPTS = 10;

/** One object of a table. */
export interface TableDay {
  table: Table;
  fecha: string;
}

/** What could not be taken in; the day keeps the company's rows of before, if it had any. */
export interface DayProblem extends TableDay {
  /** Absent: the day's own object. */
  rut?: string;
  /** The day's object was damaged, and is right again. */
  isMadeAnew?: true;
  reason: string;
}

export interface PublishedDay {
  /** Whether the object was replaced, or was right as it was. */
  isWritten: boolean;
  problems: readonly DayProblem[];
}

export interface PublishOptions {
  /** A company that is to be in the day no more. */
  forgottenRut?: string;
  /** What is large is done with nothing else of that kind; absent: at once. */
  whenLarge?: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

const MADE_ANEW = 'It was made anew of its units.';

/** Units together of which a day is large. */
const LARGE_BYTES = 2 ** 20;

/**
 * Makes a table's object of one issue date what its units are: rows by RUT and id, each unit once. Only units that
 * changed since it was written are read. To do it again, or twice at once, does no harm; the same units give the same
 * bytes. Throws NewerObjectError or what the store throws; then the object is as it was.
 */
export async function publishDay(
  store: LakeStore,
  writer: ParquetWriter,
  { table, fecha }: TableDay,
  { forgottenRut, whenLarge = (work) => work() }: PublishOptions = {},
): Promise<PublishedDay> {
  const damaged: UnitDamagedError[] = [];
  let damagedDay: string | undefined;
  let isWritten = false;
  for (let attempt = 1; ; attempt += 1) {
    let before: DayObject | undefined;
    try {
      // Before its units are listed: so what replaces it is never made of older ones.
      before = await DayObject.open(store, table, fecha);
      damagedDay ??= before?.damage;
      if (damagedDay !== undefined) before?.distrust(damagedDay);
      const publication = new Publication(store, { table, fecha }, before, damaged);
      await publication.plan(forgottenRut);
      const problems = [
        ...(damagedDay === undefined
          ? []
          : [{ table, fecha, isMadeAnew: true as const, reason: `${damagedDay} ${MADE_ANEW}` }]),
        ...publication.problems,
      ];
      if (!publication.hasNews) return { isWritten, problems };
      if (publication.isEmpty) {
        await store.remove(dayKey(table.name, fecha));
        isWritten = true;
        // Somebody may have published another company's unit meanwhile, and that went with it.
        continue;
      }
      if (publication.byteCount > LARGE_BYTES) await whenLarge(() => publication.write(writer));
      else await publication.write(writer);
      return { isWritten: true, problems };
    } catch (error) {
      if (error instanceof UnitDamagedError) damaged.push(error);
      else if (error instanceof DayDamagedError && damagedDay === undefined) {
        damagedDay = error.message;
        // What can't even be opened can't be replaced either, and nobody reads it: a file of a folder.
        if (before === undefined) await store.remove(dayKey(table.name, fecha));
      } else if (!isRace(error) || attempt >= MAX_ATTEMPTS) throw error;
    } finally {
      await before?.close();
    }
  }
}

/** Whether a day's object is not what its units are. Throws what publishDay throws. */
export async function isLagging(store: LakeStore, { table, fecha }: TableDay): Promise<boolean> {
  const before = await DayObject.open(store, table, fecha).catch((error: unknown) => {
    if (error instanceof DayDamagedError) return undefined;
    throw error;
  });
  await before?.close();
  const publication = new Publication(store, { table, fecha }, before, []);
  await publication.plan();
  return publication.hasNews;
}

/** One attempt at a day. */
class Publication {
  readonly problems: DayProblem[] = [];
  /** Of the units, in the lake. */
  byteCount = 0;
  private readonly store: LakeStore;
  private readonly day: TableDay;
  private readonly before: DayObject | undefined;
  private readonly damaged: readonly UnitDamagedError[];
  /** By RUT: kept as they were, or to be taken in. */
  private readonly sources = new Map<string, PublishedUnit | UnitToTakeIn>();
  private hasForgotten = false;

  constructor(
    store: LakeStore,
    day: TableDay,
    before: DayObject | undefined,
    damaged: readonly UnitDamagedError[],
  ) {
    this.store = store;
    this.day = day;
    this.before = before;
    this.damaged = damaged;
  }

  get hasNews(): boolean {
    return this.hasForgotten || this.changedUnits.length > 0;
  }

  get isEmpty(): boolean {
    return this.sources.size === 0;
  }

  /** Lists the units, and tells those that changed. */
  async plan(forgottenRut?: string): Promise<void> {
    const { table, fecha } = this.day;
    const kept = this.before?.units ?? new Map<string, PublishedUnit>();
    const sources = new Map<string, PublishedUnit | UnitToTakeIn>();
    const listed = new Set<string>();
    for await (const { key, byteCount, fingerprint } of this.store.listFingerprints(
      unitsFolder(table.name, fecha),
    )) {
      const rut = rutOfUnit(key);
      if (rut === undefined || rut === forgottenRut) continue;
      listed.add(rut);
      this.byteCount += byteCount;
      const old = kept.get(rut);
      const isDamage = ({ unit }: UnitDamagedError) => unit.rut === rut && unit.fingerprint === fingerprint;
      const reason = this.damaged.find(isDamage)?.message;
      if (reason !== undefined) this.problems.push({ ...this.day, rut, reason });
      if (old !== undefined && (reason !== undefined || old.fingerprint === shortFingerprint(fingerprint))) {
        sources.set(rut, old);
      } else if (reason === undefined) sources.set(rut, { rut, fingerprint, byteCount });
    }
    for (const [rut, old] of kept) {
      if (rut === forgottenRut) this.hasForgotten = true;
      else if (!listed.has(rut)) {
        sources.set(rut, old);
        this.problems.push({ ...this.day, rut, reason: missingReason(this.day, rut, this.store.address) });
      }
    }
    for (const rut of this.before?.unreadableRuts ?? []) {
      if (listed.has(rut) || rut === forgottenRut) continue;
      this.problems.push({ ...this.day, rut, reason: lostReason(this.day, rut, this.store.address) });
    }
    const byRut = [...sources].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [rut, source] of byRut) this.sources.set(rut, source);
  }

  async write(writer: ParquetWriter): Promise<void> {
    const { table, fecha } = this.day;
    const footer: Record<string, string> = {};
    const runs = this.runs((units) => Object.assign(footer, footerOf(units)));
    const bytes = mergeRuns({ runs, columns: table.columns, key: ['rut', 'id'], metadata: footer }, writer);
    const key = dayKey(table.name, fecha);
    await this.store.replace(key, bytes, { metadata: {}, expected: this.before }).catch(asDamagedDay);
  }

  private get changedUnits(): UnitToTakeIn[] {
    return [...this.sources.values()].filter((source) => 'rut' in source);
  }

  /** The rows of all units, by RUT; throws rather than end when a unit's are not as many as it has. */
  private async *runs(onEnd: (units: Map<string, PublishedUnit>) => void): AsyncGenerator<RunOfRows> {
    const { table, fecha } = this.day;
    const old = this.before?.rowsByCompany();
    const opened = openedAhead(this.changedUnits, (unit) => openUnit(this.store, table, fecha, unit));
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
        for await (const run of unit.runs()) {
          rowCount += run.rowCount;
          yield run;
        }
        if (rowCount !== unit.rowCount) {
          throw new TypeError(`${rowCount} of ${unit.rowCount} rows of ${rut} were taken into ${fecha}`);
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

function missingReason({ table, fecha }: TableDay, rut: string, address: string): string {
  return (
    `The unit of ${rut} in ${table.name}, day ${fecha}, is gone from ${address}; the table keeps its rows. Put it ` +
    'back (in a bucket, its version of before), or export that day again; to take a company out: forget --rut.'
  );
}

function lostReason({ table, fecha }: TableDay, rut: string, address: string): string {
  return (
    `The unit of ${rut} in ${table.name}, day ${fecha}, is gone from ${address}, and the day that had its rows is ` +
    'damaged: the table has them no more. Put a version of before back, or export that day again.'
  );
}
