import { isMarkOver, listMarks, type Mark, storeTime } from '../lake/marks.ts';
import type { ParquetWriter } from '../lake/parquet/writer.ts';
import { FolderStore } from '../lake/store/folder.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { RECEIPT_TABLES, type Table } from '../lake/tables.ts';
import { forEachConcurrent, Mutex } from '../system/concurrency.ts';
import { messageOf } from '../system/errors.ts';
import { plural } from '../text/terminal.ts';
import { type Day, isWithin, type Period } from '../time/days.ts';
import { type DayProblem, laggingRuts, publishDay, type TableDay } from './publish-day.ts';

/** Days published at a time. Large ones go one at a time. */
const DAYS_AT_ONCE = 6;
const REMOVED_AT_ONCE = 16;

export interface Publication {
  /** Days whose object was replaced, and days that were up to date. */
  written: number;
  unchanged: number;
  /** Why days could not be published, and which had to be rebuilt. */
  problems: DayProblem[];
  failedDays: number;
  /** Days for which there was no time. */
  remaining: number;
}

export interface PublishAllOptions {
  /** Whether units are written meanwhile, as by a run of this process: the marks of all but past ones then stay. */
  areUnitsWritten?: boolean;
  /** Says, before each day, whether time is up: once it is, no further day begins. */
  isTimeUp?: () => boolean;
  onDayEnd?: OnDayEnd;
}

/** What is called for each day that was looked at; `dayCount`: how many there are in all. */
export type OnDayEnd = (day: TableDay, dayCount: number) => void;

/**
 * Publishes all days that have marks, newest first. A day that fails does not affect the others, and keeps its marks.
 * Those of a published day are removed if nobody writes under them any more when the publication begins; all of them by
 * the one writer of a folder.
 */
export async function publishLagging(
  store: LakeStore,
  writer: ParquetWriter,
  { areUnitsWritten = false, isTimeUp, onDayEnd }: PublishAllOptions = {},
): Promise<Publication> {
  const isOnlyWriter = !areUnitsWritten && store instanceof FolderStore && store.isLocked;
  const marks = Map.groupBy(await listMarks(store), nameOf);
  const isUntimed = isOnlyWriter || marks.size === 0;
  const beganMs = isUntimed ? Promise.resolve(Number.POSITIVE_INFINITY) : storeTime(store);
  // Before any unit is listed. Without it days are published, and fail for the marks that stay.
  await Promise.allSettled([beganMs]);
  return await publishDays(store, writer, daysOf(marks).reverse(), {
    isTimeUp,
    onDayEnd,
    onPublished: async (day) => {
      const listedAtMs = await beganMs;
      const pastMarks = (marks.get(nameOf(day)) ?? []).filter((mark) => isMarkOver(mark, listedAtMs));
      await forEachConcurrent(pastMarks, REMOVED_AT_ONCE, ({ key }) => store.remove(key));
    },
  });
}

/** Each once, the oldest first. */
function daysOf(marks: ReadonlyMap<string, readonly Mark[]>): TableDay[] {
  return [...marks]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, marksOfDay]) => marksOfDay.slice(0, 1))
    .map(({ table, day }) => ({ table, day }));
}

function nameOf({ table, day }: TableDay): string {
  return `${day} ${table.name}`;
}

export interface PublishDaysOptions {
  isTimeUp?: () => boolean;
  forgottenRut?: string;
  /** What is called for each day that is up to date. If it fails, so does its day. */
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
  await forEachConcurrent(days, DAYS_AT_ONCE, async (day) => {
    if (isTimeUp?.() === true) {
      publication.remaining += 1;
      return;
    }
    try {
      const { outcome, problems } = await publishDay(store, writer, day, { forgottenRut, large });
      publication.problems.push(...problems);
      if (outcome === 'left') publication.failedDays += 1;
      else {
        await onPublished?.(day);
        publication[outcome] += 1;
      }
    } catch (error) {
      publication.failedDays += 1;
      publication.problems.push({ ...day, reason: messageOf(error) });
    }
    onDayEnd?.(day, days.length);
  });
  return publication;
}

/** Days of the tables that lack what their units hold, though no mark says so: somebody removed or replaced them. */
export async function unmarkedLags(store: LakeStore, days: readonly Day[]): Promise<TableDay[]> {
  const asked = days.flatMap((day) => RECEIPT_TABLES.map((table) => ({ table, day })));
  const lagging = await laggingDays(store, asked);
  const marked = new Set((await listMarks(store)).map(nameOf));
  return lagging.filter((day) => !marked.has(nameOf(day)));
}

async function laggingDays(
  store: LakeStore,
  asked: readonly TableDay[],
  onUnit?: Parameters<typeof laggingRuts>[2],
): Promise<TableDay[]> {
  const lagging = new Set<TableDay>();
  await forEachConcurrent(asked, DAYS_AT_ONCE, async (day) => {
    if ((await laggingRuts(store, day, onUnit)).length > 0) lagging.add(day);
  });
  return asked.filter((day) => lagging.has(day));
}

/** The most days to check, and bytes of their units: a note is not worth a long wait. */
const MOST_NOTED_DAYS = 62;
const MOST_NOTED_BYTES = 2 ** 32;

/** Of units with more bytes all days may lag. */
async function laggingOf(
  store: LakeStore,
  looked: readonly TableDay[],
  signal: AbortSignal | undefined,
): Promise<readonly TableDay[]> {
  let leftBytes = MOST_NOTED_BYTES;
  try {
    return await laggingDays(store, looked, ({ byteCount }) => {
      signal?.throwIfAborted();
      leftBytes -= byteCount;
      if (leftBytes < 0) throw new RangeError('the units have too many bytes for a note');
    });
  } catch (error) {
    if (leftBytes < 0) return looked;
    throw error;
  }
}

/**
 * A note that names the days within the range that lag behind their units; undefined if none does. Of marked days beyond
 * the last `mostDays` it says that they may.
 */
export async function lagNote(
  store: LakeStore,
  tables: readonly Table[],
  range: Period,
  { signal, mostDays = MOST_NOTED_DAYS }: { signal?: AbortSignal | undefined; mostDays?: number } = {},
): Promise<string | undefined> {
  const marks = Map.groupBy(await listMarks(store), nameOf);
  const asked = daysOf(marks).filter(({ table, day }) => tables.includes(table) && isWithin(range, day));
  const looked = asked.slice(-mostDays);
  const lagging = (await laggingOf(store, looked, signal)).map(({ table, day }) => `${table.name} ${day}`);
  const unlookedDays = asked.length - looked.length;
  if (lagging.length === 0 && unlookedDays === 0) return undefined;
  const named =
    lagging.length === 0
      ? plural(unlookedDays, 'day')
      : `${lagging.slice(0, 3).join(', ')}${lagging.length > 3 ? ', …' : ''}`;
  return (
    `This answer may lack some of what was exported: ${named} may lag behind. An export is running, or was ` +
    'interrupted; publish, or the next export, brings the tables up to date.'
  );
}
