import { dayKey, rutOfUnit, unitsFolder } from '../lake/layout.ts';
import { writeWithHyparquet } from '../lake/parquet/hyparquet.ts';
import { DamagedObjectError } from '../lake/parquet/reader.ts';
import { inRowGroups, type ParquetWriter, type RowBatch } from '../lake/parquet/writer.ts';
import { isRace, type LakeStore } from '../lake/store/store.ts';
import { footerOf, type PublishedUnit, paddingOf, shortFingerprint } from '../lake/stored-rows.ts';
import type { Table } from '../lake/tables.ts';
import type { Mutex } from '../system/concurrency.ts';
import { CfeLakeError } from '../system/errors.ts';
import type { Day } from '../time/days.ts';
import { type DayObject, openDay } from './day-object.ts';
import { areCopied, type OpenUnit, openedAhead, openUnit, type UnitToAdd } from './unit-object.ts';

/** Each time that another process replaces the object or a unit first, the day is listed again. */
const MAX_ATTEMPTS = 10;

export interface TableDay {
  table: Table;
  day: Day;
}

/** Why a day is not published: it stays as it is, unless its object was damaged and has been rebuilt. */
export interface DayProblem extends TableDay {
  /** Whose unit is at fault, if one is. */
  rut?: string;
  isRebuilt?: true;
  reason: string;
}

export interface PublishedDay {
  /** left: the object lags behind its units; `problems` say why. */
  outcome: 'written' | 'unchanged' | 'left';
  problems: readonly DayProblem[];
}

export interface PublishOptions {
  /** A company to remove from the day. */
  forgottenRut?: string;
  /** Runs the work of large days one at a time. Without it no day waits for another. */
  large?: Mutex;
}

const REBUILT = 'It was rebuilt from its units.';
const NOTHING_TO_REBUILD_FROM =
  'It stays, since there are no units to rebuild it from. Restore them, or export that day again; if it never had ' +
  'any, remove the object.';
const PUT_IT_BACK =
  'Put it back (in a bucket, restore its previous version), or export that day again. To remove a company: forget --rut.';

/** Bytes of units from which a day counts as large. */
const LARGE_BYTES = 2 ** 20;

/** Units can't be added to their day. */
class DamagedUnitsError extends CfeLakeError {
  override name = 'DamagedUnitsError';
  readonly reasons: ReadonlyMap<string, string>;
  constructor(reasons: ReadonlyMap<string, string>) {
    super([...reasons.values()].join(' '));
    this.reasons = reasons;
  }
}

/**
 * Rebuilds a table's object of one issue date from its units, if they are others than its footer says: rows by RUT and
 * id, each unit once. If a unit is damaged or gone, the object stays as it is. Safe to repeat, and to run twice at once;
 * the same units give the same bytes. Throws NewerObjectError and what the store throws; the object is then unchanged.
 */
export async function publishDay(
  store: LakeStore,
  writer: ParquetWriter,
  { table, day }: TableDay,
  { forgottenRut, large }: PublishOptions = {},
): Promise<PublishedDay> {
  const problemsOf = (reasons: Iterable<readonly [rut: string, reason: string]>): DayProblem[] =>
    [...reasons].map(([rut, reason]) => ({ table, day, rut, reason }));
  let isRemoved = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      // Opened before the units are listed, so that a newer object is never replaced with older units.
      const before = await openDay(store, table, day);
      const units = await unitsOf(store, { table, day }, { forgottenRut });
      const listed = new Set<string>(units.map(({ rut }) => rut));
      const gone = [...(before?.units.keys() ?? [])].filter(
        (rut) => rut !== forgottenRut && !listed.has(rut),
      );
      if (gone.length > 0) {
        const reasonOf = (rut: string) =>
          `The unit of ${rut} in ${table.name}, day ${day}, is gone from ${store.address}. ${PUT_IT_BACK}`;
        return { outcome: 'left', problems: problemsOf(gone.map((rut) => [rut, reasonOf(rut)])) };
      }
      const damage = before?.damage;
      if (units.length === 0 && damage !== undefined)
        return {
          outcome: 'left',
          problems: [{ table, day, reason: `${damage} ${NOTHING_TO_REBUILD_FROM}` }],
        };
      if (isUpToDate(before, units)) return { outcome: isRemoved ? 'written' : 'unchanged', problems: [] };
      if (units.length === 0) {
        await store.remove(dayKey(table.name, day));
        isRemoved = true;
        // Another process may just have added a unit. Then the next attempt rebuilds the object.
        continue;
      }
      const write = () => writeDay(store, writer, { table, day }, before, units);
      const byteCount = units.reduce((sum, unit) => sum + unit.byteCount, 0);
      if (large !== undefined && byteCount > LARGE_BYTES) await large.runExclusive(write);
      else await write();
      const reason = `${damage} ${REBUILT}`;
      return { outcome: 'written', problems: damage ? [{ table, day, isRebuilt: true, reason }] : [] };
    } catch (error) {
      if (error instanceof DamagedUnitsError) return { outcome: 'left', problems: problemsOf(error.reasons) };
      if (!isRace(error) || attempt >= MAX_ATTEMPTS) throw error;
    }
  }
}

/** The companies whose units are not in the day's object as they are now. Throws what publishDay and `onUnit` throw. */
export async function laggingRuts(
  store: LakeStore,
  { table, day }: TableDay,
  onUnit?: (unit: UnitToAdd) => void,
): Promise<string[]> {
  const before = await openDay(store, table, day);
  const units = await unitsOf(store, { table, day }, { onUnit });
  return units.filter((unit) => !isPublished(before, unit)).map(({ rut }) => rut);
}

/** The units of a day, as they are listed: by RUT. */
async function unitsOf(
  store: LakeStore,
  { table, day }: TableDay,
  {
    forgottenRut,
    onUnit,
  }: { forgottenRut?: string | undefined; onUnit?: ((unit: UnitToAdd) => void) | undefined } = {},
): Promise<UnitToAdd[]> {
  const units: UnitToAdd[] = [];
  for await (const { key, ...listed } of store.listFingerprints(unitsFolder(table.name, day))) {
    const rut = rutOfUnit(key);
    if (rut === undefined || rut === forgottenRut) continue;
    const unit = { rut, ...listed };
    onUnit?.(unit);
    units.push(unit);
  }
  return units;
}

function isPublished(day: DayObject | undefined, { rut, fingerprint }: UnitToAdd): boolean {
  return day?.units.get(rut)?.fingerprint === shortFingerprint(fingerprint);
}

function isUpToDate(day: DayObject | undefined, units: readonly UnitToAdd[]): boolean {
  return (day?.units.size ?? 0) === units.length && units.every((unit) => isPublished(day, unit));
}

async function writeDay(
  store: LakeStore,
  writer: ParquetWriter,
  { table, day }: TableDay,
  before: DayObject | undefined,
  units: readonly UnitToAdd[],
): Promise<void> {
  const { columns } = table;
  const opened = openedAhead(units, async (listed) => {
    // A unit that can't be opened fails when its turn comes.
    const unit = await openUnit(store, table, day, listed).catch((fault: unknown) => ({ fault }));
    return { ...listed, unit, close: async () => void ('fault' in unit || (await unit.close())) };
  });
  const taken = new Map<string, PublishedUnit>();
  const damaged = new Map<string, string>();

  /** What `read` makes of each unit. A damaged one does not hide the next; the day is not written then. */
  async function* ofEach<Read extends { rowCount: number }>(
    read: (unit: OpenUnit) => AsyncIterable<Read>,
  ): AsyncGenerator<Read> {
    for await (const { rut, fingerprint, unit } of opened) {
      let rowCount = 0;
      try {
        if ('fault' in unit) throw unit.fault;
        for await (const rows of read(unit)) {
          rowCount += rows.rowCount;
          yield rows;
        }
      } catch (error) {
        if (!(error instanceof DamagedObjectError)) throw error;
        damaged.set(rut, error.message);
      }
      taken.set(rut, { fingerprint: shortFingerprint(fingerprint), rowCount });
    }
    if (damaged.size > 0) throw new DamagedUnitsError(damaged);
  }

  const isCopied = writer === writeWithHyparquet && areCopied(units);
  const rows = isCopied
    ? ofEach((unit) => unit.rowGroups())
    : inRowGroups(
        ofEach((unit): AsyncIterable<RowBatch> => unit.batches()),
        columns.length,
      );
  const paddingBytes = paddingOf(units.map(({ rut, fingerprint }) => rut + shortFingerprint(fingerprint)));
  const bytes = writer({ columns, rows, metadata: () => footerOf(taken), paddingBytes });
  await store.replace(dayKey(table.name, day), bytes, { metadata: {}, expected: before });
}
