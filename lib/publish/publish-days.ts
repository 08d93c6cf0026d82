import { forEachConcurrent, Mutex, STORING } from '../concurrency.ts';
import { messageOf } from '../errors.ts';
import { isEnded, type LagRecord, readLagRecords, removeRecord } from '../lake/lag-record.ts';
import type { ParquetWriter } from '../lake/parquet/writer.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { TABLE_OF, type Table } from '../lake/tables.ts';
import { plural } from '../text/terminal.ts';
import { isWithin, type Period } from '../time/days.ts';
import { dayName, type Unit, type UnitResult } from '../units.ts';
import { type DayProblem, laggingRuts, publishDay, type TableDay } from './publish-day.ts';

/** Days published at a time. Large ones go one at a time. */
const DAYS_AT_ONCE = 6;

export interface Publication {
  /** Days whose object was replaced, and days that were up to date. */
  written: number;
  unchanged: number;
  /** Days that could not be published, and units that could not be added to theirs. */
  problems: DayProblem[];
  failedDays: number;
  /** Days for which there was no time. */
  remaining: number;
}

export interface PublishAllOptions {
  nowMs: number;
  endedRunId?: string;
  /** Asked before each day. Once true, no further day begins. */
  isTimeUp?: () => boolean;
  onDayEnd?: OnDayEnd;
}

/** Called for each day that was looked at; `dayCount`: how many there are in all. */
export type OnDayEnd = (day: TableDay, dayCount: number) => void;

/** Publishes all days recorded as lagging, newest first. A day that fails does not affect the others. */
export async function publishLagging(
  store: LakeStore,
  writer: ParquetWriter,
  { nowMs, endedRunId, isTimeUp, onDayEnd }: PublishAllOptions,
): Promise<Publication> {
  const records = await readLagRecords(store);
  const waiting = new Map<LagRecord, number>(records.map((record) => [record, record.days.length]));
  const recordsOf = Map.groupBy(
    records.flatMap((record) => record.days.map((day) => ({ record, day }))),
    ({ record, day }) => `${day} ${record.table.name}`,
  );
  const newestFirst = [...recordsOf].sort(([a], [b]) => (a < b ? 1 : -1));
  const days = newestFirst.flatMap(([, [first]]) =>
    first === undefined ? [] : [{ table: first.record.table, day: first.day }],
  );
  for (const [record, count] of waiting) if (count === 0) await removeIfEnded(record);
  return await publishDays(store, writer, days, {
    isTimeUp,
    onDayEnd,
    onPublished: async ({ table, day }) => {
      for (const { record } of recordsOf.get(`${day} ${table.name}`) ?? []) {
        const left = (waiting.get(record) ?? 0) - 1;
        waiting.set(record, left);
        if (left === 0) await removeIfEnded(record);
      }
    },
  });

  async function removeIfEnded(record: LagRecord): Promise<void> {
    if (isEnded(record, endedRunId, nowMs)) await removeRecord(store, record);
  }
}

export interface PublishDaysOptions {
  isTimeUp?: () => boolean;
  forgottenRut?: string;
  /** Called for each day that is up to date, to remove the record that it lags. */
  onPublished?: (day: TableDay) => Promise<void>;
  onDayEnd?: OnDayEnd;
}

/** Publishes these days, in order, some at a time. A day that fails does not affect the others. */
export async function publishDays(
  store: LakeStore,
  writer: ParquetWriter,
  days: readonly TableDay[],
  { isTimeUp, forgottenRut, onPublished, onDayEnd }: PublishDaysOptions = {},
): Promise<Publication> {
  const publication: Publication = { written: 0, unchanged: 0, problems: [], failedDays: 0, remaining: 0 };
  const large = new Mutex();
  const whenLarge = <Result>(work: () => Promise<Result>) => large.runExclusive(work);
  await forEachConcurrent(days, DAYS_AT_ONCE, async (day) => {
    if (isTimeUp?.() === true) {
      publication.remaining += 1;
      return;
    }
    if (await isPublished(day)) {
      await onPublished?.(day).catch((error: unknown) => {
        publication.problems.push({ ...day, isStillRecorded: true, reason: messageOf(error) });
      });
    }
    onDayEnd?.(day, days.length);
  });
  return publication;

  async function isPublished(day: TableDay): Promise<boolean> {
    try {
      const { isWritten, problems } = await publishDay(store, writer, day, { forgottenRut, whenLarge });
      publication[isWritten ? 'written' : 'unchanged'] += 1;
      publication.problems.push(...problems);
      return true;
    } catch (error) {
      publication.failedDays += 1;
      publication.problems.push({ ...day, reason: messageOf(error) });
      return false;
    }
  }
}

/** The most days to check: the note is not worth a long wait. */
const MOST_DAYS = 62;

/** A note that names the days within the range that lag behind their units; undefined if none does. */
export async function lagNote(
  store: LakeStore,
  tables: readonly Table[],
  range: Period,
): Promise<string | undefined> {
  const records = (await readLagRecords(store)).filter(({ table }) => tables.includes(table));
  const recorded = records.flatMap(({ table, days }) => days.map((day) => ({ table, day })));
  const within = recorded.filter(({ day }) => isWithin(range, day));
  // Several runs may have recorded the same day.
  const byName = Map.groupBy(within, ({ table, day }) => `${table.name} ${day}`);
  const asked = [...byName.values()].flatMap(([first]) => first ?? []);
  const looked = asked.slice(-MOST_DAYS);
  const lagged = new Set<TableDay>();
  await forEachConcurrent(looked, DAYS_AT_ONCE, async (day) => {
    if ((await laggingRuts(store, day)).length > 0) lagged.add(day);
  });
  const lagging = looked.filter((day) => lagged.has(day)).map(({ table, day }) => `${table.name} ${day}`);
  const rest = asked.length - looked.length;
  if (lagging.length === 0 && rest === 0) return undefined;
  const named =
    lagging.length === 0
      ? plural(rest, 'day')
      : `${lagging.slice(0, 3).join(', ')}${lagging.length > 3 ? ', …' : ''}`;
  return (
    `This answer may lack some of what was exported: ${named} may lag behind. An export is running, or was ` +
    'interrupted; publish, or the next export, brings the tables up to date.'
  );
}

/** Days with more rows are left to the end: a list that is still being read may need the memory. */
const MOST_ROWS = 20_000;

/** A day of a table while its units are exported. */
interface UnfinishedDay extends TableDay {
  unitsLeft: number;
  rowCount: number;
  isChanged: boolean;
}

/**
 * Publishes a run's days while others are still read: each one as soon as its last unit has ended, one at a time. It
 * may leave any of them, with or without a reason, to the publication at the run's end, which takes no time for those
 * that are up to date.
 */
export function earlyPublisher(store: LakeStore, writer: ParquetWriter, units: Iterable<Unit>) {
  const days = new Map<string, UnfinishedDay>();
  const mutex = new Mutex();
  let isOver = false;
  for (const unit of units) {
    const name = dayName(unit);
    const day = days.get(name) ?? newDay(unit);
    day.unitsLeft += 1;
    days.set(name, day);
  }
  const publish = async (day: TableDay): Promise<void> => {
    await STORING.next();
    if (!isOver) await publishDay(store, writer, day);
  };

  return {
    /** Must be called once for each unit that has ended. */
    noteEnd(result: UnitResult): void {
      const day = days.get(dayName(result));
      if (day === undefined) return;
      day.unitsLeft -= 1;
      day.rowCount += result.receipts ?? 0;
      day.isChanged ||= result.state === 'exportado';
      if (day.unitsLeft === 0 && day.isChanged && day.rowCount <= MOST_ROWS) {
        // A failure is reported by the publication at the run's end.
        mutex.runExclusive(() => publish(day)).catch(() => undefined);
      }
    },
    /** No further day begins. Resolves when the last one has ended. */
    async end(): Promise<void> {
      isOver = true;
      await mutex.runExclusive(async () => undefined);
    },
  };
}

function newDay({ direction, day }: Unit): UnfinishedDay {
  return { table: TABLE_OF[direction], day, unitsLeft: 0, rowCount: 0, isChanged: false };
}
