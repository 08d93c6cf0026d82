import { readAudit, runDaysOf } from '../audit/read.ts';
import { dayKey, rutOfUnit, unitsFolder } from '../lake/layout.ts';
import { DamagedObjectError } from '../lake/parquet/reader.ts';
import { inRowGroups, type ParquetWriter, type RowBatch } from '../lake/parquet/writer.ts';
import { FolderStore } from '../lake/store/folder.ts';
import { isRace, type LakeStore } from '../lake/store/store.ts';
import { footerOf, type PublishedUnit, shiftOf } from '../lake/stored-rows.ts';
import { DETAIL_TABLE_OF, TABLE_OF, type Table } from '../lake/tables.ts';
import type { Mutex } from '../system/concurrency.ts';
import { CfeLakeError } from '../system/errors.ts';
import type { Day } from '../time/days.ts';
import { DIRECTIONS } from '../units/unit.ts';
import { DayObject, shortFingerprint } from './day-object.ts';
import { openedAhead, openUnit, type UnitToAdd } from './unit-object.ts';

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
  /** The day's object was damaged, and has been rebuilt. */
  isRebuilt?: true;
  /** The day is up to date, but its record that it lags could not be removed: it will be looked at again. */
  isStillRecorded?: true;
  /** The day is up to date, but something of the audit of a run that planned it can't be read. */
  isOfAudit?: true;
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
  large?: Mutex;
}

const REBUILT = 'It was rebuilt from its units.';
const EMPTIED = 'The day has no units and never had rows: it was replaced by an empty one.';

/** Bytes of units from which a day counts as large. */
const LARGE_BYTES = 2 ** 20;

/** A unit is damaged and cannot be added to its day. */
class UnitDamagedError extends CfeLakeError {
  override name = 'UnitDamagedError';
  readonly unit: UnitToAdd;
  constructor(unit: UnitToAdd, reason: string) {
    super(reason);
    this.unit = unit;
  }
}

/**
 * Brings a table's object of one issue date up to date with its units: rows by RUT and id, each unit once. Reads only
 * units that changed since it was written. Safe to repeat, and to run twice at once; the same units give the same
 * bytes. Throws NewerObjectError and what the store throws; the object is then unchanged.
 */
export async function publishDay(
  store: LakeStore,
  writer: ParquetWriter,
  { table, day }: TableDay,
  { forgottenRut, large }: PublishOptions = {},
): Promise<PublishedDay> {
  const key = dayKey(table.name, day);
  const damaged: UnitDamagedError[] = [];
  let damagedDay: string | undefined;
  let isWritten = false;
  for (let attempt = 1; ; attempt += 1) {
    let before: DayObject | undefined;
    try {
      // Opened before the units are listed, so that a newer object is never replaced with older units.
      before = await DayObject.open(store, table, day, damagedDay);
      damagedDay ??= before?.damage;
      const plan = await planOf(store, { table, day }, before, damaged, forgottenRut);
      const hasSource = plan.sources.length > 0;
      const isBeyondRepair = !hasSource && before?.damage !== undefined;
      if (isBeyondRepair) {
        const kept = await whyNotEmptied(store, { table, day }, before?.unreadableRuts ?? []);
        const reason = `${damagedDay} ${kept}`;
        if (kept !== undefined) return { isWritten, problems: [{ table, day, reason }, ...plan.problems] };
        // A bucket keeps versions.
        const aside = `${key}.${shortFingerprint(before?.version ?? '')}.damaged`;
        if (store instanceof FolderStore) await store.copy(key, aside);
      } else if (plan.hasNews && !hasSource) {
        await store.remove(key);
        isWritten = true;
        // Another process may just have added a unit. Then the next attempt rebuilds the object.
        continue;
      }
      const problems = [...plan.problems];
      if (damagedDay !== undefined) {
        const reason = `${damagedDay} ${isBeyondRepair ? EMPTIED : REBUILT}`;
        problems.unshift({ table, day, isRebuilt: true, reason });
      }
      if (!plan.hasNews && !isBeyondRepair) return { isWritten, problems };
      const old = before;
      const write = () => writeDay(store, writer, { table, day }, old, plan);
      if (large !== undefined && plan.byteCount > LARGE_BYTES) await large.runExclusive(write);
      else await write();
      return { isWritten: true, problems };
    } catch (error) {
      if (error instanceof UnitDamagedError) damaged.push(error);
      // Without the advice, which is for units: a day can be made again from them.
      else if (error instanceof DamagedObjectError && damagedDay === undefined)
        damagedDay = error.whatHappened;
      else if (!isRace(error) || attempt >= MAX_ATTEMPTS) throw error;
    } finally {
      await before?.close();
    }
  }
}

/** The companies whose units are not in the day's object as they are now. Throws what publishDay throws. */
export async function laggingRuts(store: LakeStore, { table, day }: TableDay): Promise<string[]> {
  const before = await DayObject.open(store, table, day);
  await before?.close();
  const { changedUnits } = await planOf(store, { table, day }, before, []);
  return changedUnits.map(({ rut }) => rut);
}

const KEPT =
  '. The table keeps its rows. Put it back (in a bucket, restore its previous version), or export that day again. To ' +
  'remove a company: forget --rut.';
const LOST =
  ', and the day that had its rows is damaged, so the table no longer has them. Restore a previous version, or export ' +
  'that day again.';

/** What a day's object should hold now, and how that differs from what it holds. */
interface DayPlan {
  /** By RUT: units to copy from the old object, and units to read. */
  sources: readonly (readonly [rut: string, source: PublishedUnit | UnitToAdd])[];
  changedUnits: readonly UnitToAdd[];
  hasNews: boolean;
  problems: readonly DayProblem[];
  /** Of all units together. */
  byteCount: number;
}

/** Lists the units, and finds those that changed. */
async function planOf(
  store: LakeStore,
  { table, day }: TableDay,
  before: DayObject | undefined,
  damaged: readonly UnitDamagedError[],
  forgottenRut?: string,
): Promise<DayPlan> {
  const kept = before?.units ?? new Map<string, PublishedUnit>();
  const unsorted = new Map<string, PublishedUnit | UnitToAdd>();
  const problems: DayProblem[] = [];
  const addProblem = (rut: string, reason: string) => problems.push({ table, day, rut, reason });
  const goneReason = (rut: string, consequence: string) =>
    `The unit of ${rut} in ${table.name}, day ${day}, is gone from ${store.address}${consequence}`;
  const listed = new Set<string>();
  let bytes = 0;
  let hasForgotten = false;
  for await (const { key, byteCount, fingerprint } of store.listFingerprints(unitsFolder(table.name, day))) {
    const rut = rutOfUnit(key);
    if (rut === undefined || rut === forgottenRut) continue;
    listed.add(rut);
    bytes += byteCount;
    const old = kept.get(rut);
    const isDamage = ({ unit }: UnitDamagedError) => unit.rut === rut && unit.fingerprint === fingerprint;
    const reason = damaged.find(isDamage)?.message;
    if (reason !== undefined) addProblem(rut, reason);
    if (old !== undefined && (reason !== undefined || old.fingerprint === shortFingerprint(fingerprint))) {
      unsorted.set(rut, old);
    } else if (reason === undefined) unsorted.set(rut, { rut, fingerprint, byteCount });
  }
  for (const [rut, old] of kept) {
    if (rut === forgottenRut) hasForgotten = true;
    else if (!listed.has(rut)) {
      unsorted.set(rut, old);
      addProblem(rut, goneReason(rut, KEPT));
    }
  }
  for (const rut of before?.unreadableRuts ?? []) {
    if (!listed.has(rut) && rut !== forgottenRut) addProblem(rut, goneReason(rut, LOST));
  }
  const sources = [...unsorted].sort(([a], [b]) => (a < b ? -1 : 1));
  const changedUnits = sources.map(([, source]) => source).filter((source) => 'rut' in source);
  const hasNews = hasForgotten || changedUnits.length > 0;
  return { sources, changedUnits, hasNews, problems, byteCount: bytes };
}

/**
 * Why a damaged day without units must stay: it may hold the only rows of units that are gone. `ruts`: companies that
 * its footer names.
 */
async function whyNotEmptied(
  store: LakeStore,
  { table, day }: TableDay,
  ruts: readonly string[],
): Promise<string | undefined> {
  const direction = DIRECTIONS.find((known) => [TABLE_OF[known], DETAIL_TABLE_OF[known]].includes(table));
  const isOfList = DIRECTIONS.some((known) => TABLE_OF[known] === table);
  const question = {
    runDays: runDaysOf(day),
    days: { from: day, to: day },
    columns: ['state', 'receipts', 'detailState'],
  } as const;
  const having = new Set(ruts);
  const { damaged } = await readAudit(store, question, (row) => {
    const hadRows = row.direction === direction && row.state === 'exportado' && (row.receipts ?? 0) > 0;
    if (hadRows && (isOfList || row.detailState === 'completo')) having.add(row.rut);
  });
  const [rut] = [...having].sort();
  if (rut !== undefined) {
    return `It stays: it has no units to be rebuilt from, but ${rut} had rows on that day. Restore the units, or export that day again.`;
  }
  return (
    damaged[0] &&
    `It stays: whether the day ever had rows is not known, because the audit is damaged. ${damaged[0]}`
  );
}

async function writeDay(
  store: LakeStore,
  writer: ParquetWriter,
  { table, day }: TableDay,
  before: DayObject | undefined,
  plan: DayPlan,
): Promise<void> {
  const units = new Map<string, PublishedUnit>();
  const { columns } = table;
  const rows = inRowGroups(batchesOf(store, { table, day }, before, plan, units), columns.length);
  const versions = plan.sources.map(
    ([rut, source]) => rut + ('rut' in source ? shortFingerprint(source.fingerprint) : source.fingerprint),
  );
  const bytes = writer({ columns, rows, metadata: () => footerOf(units), shiftBytes: shiftOf(versions) });
  await store.replace(dayKey(table.name, day), bytes, { metadata: {}, expected: before });
}

/** The rows of all units, by RUT; fills `taken` with the rows that came. */
async function* batchesOf(
  store: LakeStore,
  { table, day }: TableDay,
  before: DayObject | undefined,
  { sources, changedUnits }: DayPlan,
  taken: Map<string, PublishedUnit>,
): AsyncGenerator<RowBatch> {
  const old = before?.rowsByCompany();
  const opened = openedAhead(changedUnits, (unit) => openUnit(store, table, day, unit));
  try {
    for (const [rut, source] of sources) {
      if (!('rut' in source)) {
        yield* old?.of(rut, source.rowCount) ?? [];
        taken.set(rut, source);
        continue;
      }
      let rowCount = 0;
      try {
        const { value: unit } = await opened.next();
        if (unit === undefined) throw new TypeError(`${rut} was not opened in its turn`);
        for await (const batch of unit.batches()) {
          rowCount += batch.rowCount;
          yield batch;
        }
      } catch (error) {
        throw error instanceof DamagedObjectError ? new UnitDamagedError(source, error.message) : error;
      }
      taken.set(rut, { fingerprint: shortFingerprint(source.fingerprint), rowCount });
    }
  } finally {
    await opened.return(undefined);
    await old?.close();
  }
}
