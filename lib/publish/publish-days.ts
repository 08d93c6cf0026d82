import { closeRun } from '../audit/close.ts';
import { isOver, plannedDays, type RunPlan, readPlans, removePlan, type StoredPlan } from '../audit/plan.ts';
import { unitsFolder } from '../lake/layout.ts';
import type { ParquetWriter } from '../lake/parquet/writer.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { DETAIL_TABLE_OF, TABLE_OF, type Table } from '../lake/tables.ts';
import { forEachConcurrent, Mutex } from '../system/concurrency.ts';
import { messageOf } from '../system/errors.ts';
import { plural } from '../text/terminal.ts';
import { isWithin, type Period } from '../time/days.ts';
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
  /** A run that wrote its last unit before the publication begins. */
  endedRunId?: string;
  /** Asked before each day. Once true, no further day begins. */
  isTimeUp?: () => boolean;
  onDayEnd?: OnDayEnd;
}

/** Called for each day that was looked at; `dayCount`: how many there are in all. */
export type OnDayEnd = (day: TableDay, dayCount: number) => void;

/**
 * Publishes all days of the plans, newest first. A day that fails does not affect the others. Once its days are
 * published, the plan of a run that was over when the publication began is removed, and its audit is complete. Throws
 * DamagedObjectError at the end if a plan can't be read.
 */
export async function publishLagging(
  store: LakeStore,
  writer: ParquetWriter,
  { nowMs, endedRunId, isTimeUp, onDayEnd }: PublishAllOptions,
): Promise<Publication> {
  const unreadable: Error[] = [];
  const plans = await readPlans(store, (error) => unreadable.push(error));
  const daysOf = new Map<StoredPlan, readonly TableDay[]>();
  for (const plan of plans) daysOf.set(plan, await writtenDays(store, plan));
  const byName = Map.groupBy([...daysOf.values()].flat(), nameOf);
  const newestFirst = [...byName].sort(([a], [b]) => (a < b ? 1 : -1)).flatMap(([, [first]]) => first ?? []);
  const published = new Set<string>();
  const onPublished = (day: TableDay) => void published.add(nameOf(day));
  const publication = await publishDays(store, writer, newestFirst, { isTimeUp, onDayEnd, onPublished });
  for (const [plan, days] of daysOf) {
    if (!days.every((day) => published.has(nameOf(day)))) continue;
    if (plan.run.id !== endedRunId && !isOver(plan, nowMs)) continue;
    const [first] = plannedTableDays(plan);
    try {
      // Nothing else would say then which of its units failed, and which of its receipts came late.
      const damaged = await closeRun({ store, writer }, plan.run, plan);
      await removePlan(store, plan);
      if (first !== undefined) {
        publication.problems.push(
          ...damaged.map((reason): DayProblem => ({ ...first, isOfAudit: true, reason })),
        );
      }
    } catch (error) {
      if (first === undefined) throw error;
      publication.problems.push({ ...first, isStillRecorded: true, reason: messageOf(error) });
    }
  }
  if (unreadable[0] !== undefined) throw unreadable[0];
  return publication;
}

function nameOf({ table, day }: TableDay): string {
  return `${day} ${table.name}`;
}

/** A run may have read details, whatever its plan says of lists. */
function plannedTableDays(plan: RunPlan): TableDay[] {
  return plannedDays(plan).flatMap(({ direction, days }) =>
    days.flatMap((day) => [
      { table: TABLE_OF[direction], day },
      { table: DETAIL_TABLE_OF[direction], day },
    ]),
  );
}

/** The days of a plan, without tables that have no unit at all: most lakes have no details. */
async function writtenDays(store: LakeStore, plan: RunPlan): Promise<TableDay[]> {
  const days = plannedTableDays(plan);
  const tables = [...new Set(days.map(({ table }) => table))];
  const areWritten = await Promise.all(tables.map((table) => hasUnits(store, table)));
  return days.filter(({ table }) => areWritten[tables.indexOf(table)]);
}

async function hasUnits(store: LakeStore, { name }: Table): Promise<boolean> {
  for await (const _key of store.list(unitsFolder(name))) return true;
  return false;
}

export interface PublishDaysOptions {
  isTimeUp?: () => boolean;
  forgottenRut?: string;
  /** Called for each day that is up to date. */
  onPublished?: (day: TableDay) => void;
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
    if (await isPublished(day)) onPublished?.(day);
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
  const plans = await readPlans(store, () => undefined);
  const planned = (await Promise.all(plans.map((plan) => writtenDays(store, plan)))).flat();
  const within = planned.filter(({ table, day }) => tables.includes(table) && isWithin(range, day));
  // Several runs may have planned the same day.
  const byName = Map.groupBy(within, nameOf);
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
