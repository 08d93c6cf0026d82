import type { Direction } from '../api/directions.ts';
import { type ListTally, moveTally, newTally } from '../api/list/page-request.ts';
import type { ListHabits } from '../api/list/reading.ts';
import { widthDays } from '../api/range/asked-days.ts';
import { ExportHistory } from '../audit/history.ts';
import { forEachConcurrent } from '../concurrency/for-each-concurrent.ts';
import { Mutex } from '../concurrency/mutex.ts';
import { unitKey } from '../lake/layout.ts';
import { ReceiptRows } from '../lake/rows/receipt-rows.ts';
import type { StoredObject } from '../lake/store/store.ts';
import { TABLE_OF } from '../lake/tables.ts';
import { systemClock } from '../time/clock.ts';
import type { DayRange } from '../time/day-ranges.ts';
import type { ListToRead, PausedReading } from './range-plan.ts';
import { listsOf, type ReadingWork, readCompany } from './read-company.ts';
import { loadStaged, saveStaged, stagedListKey } from './staged-lists.ts';
import { rowCountOf } from './stored-rows.ts';
import { exportUnit } from './unit.ts';
import type { UnitTools } from './unit-tools.ts';
import type { Unit, UnitResult } from './units.ts';

/** Objects that are looked up at a time before a list is read. */
const LOOKUPS_AT_ONCE = 16;

/** A list that came empty and is not believed: it is wider than any that was proved to be answered. */
export interface EmptyList {
  direction: Direction;
  days: DayRange;
}

export interface CompanyOptions {
  onUnitEnd?: (result: UnitResult) => void;
  /** Whether lists that came empty and are not to be believed yet are handed back, not asked for in parts. */
  areEmptyListsLeft?: boolean;
  /** Lists that an earlier call found empty: they are believed once a list as wide was proved to be answered. */
  emptyLists?: readonly EmptyList[];
  /** Requests of an earlier call that none of its units accounted for. */
  leftover?: ListTally;
}

export interface CompanyExport {
  results: UnitResult[];
  /** Units that were not finished: time was up, the signal came, or their list is among `emptyLists`. */
  remaining: Unit[];
  emptyLists: EmptyList[];
  /** Requests that no unit accounted for, since none was finished. */
  leftover: ListTally;
}

/** Exports the units of one company. A unit that fails does not touch the others. */
export async function exportCompany(
  units: readonly Unit[],
  tools: UnitTools,
  {
    onUnitEnd,
    areEmptyListsLeft = false,
    emptyLists: earlierEmptyLists = [],
    leftover: earlier = newTally(),
  }: CompanyOptions = {},
): Promise<CompanyExport> {
  const [first] = units;
  if (first === undefined || tools.isTimeUp?.() === true) {
    return { results: [], remaining: [...units], emptyLists: [], leftover: { ...earlier } };
  }
  const { rut } = first;
  const { store, writer, run, habits } = tools;
  const history = tools.history ?? new ExportHistory(store, run);
  const detailMutex = tools.detailMutex ?? new Mutex();
  const results: UnitResult[] = [];
  const ended = new Set<string>();
  const emptyLists: EmptyList[] = [];
  const storedByUnit = new Map<string, StoredObject | undefined>();

  const newAccount = (days = 1) => ({
    tally: newTally(),
    startedAtMs: (tools.clock ?? systemClock).now(),
    widthDays: days,
  });
  const onUnit: ReadingWork['onUnit'] = async (unit, read, list) => {
    const stored = storedByUnit.get(nameOf(unit));
    const result = await exportUnit({ unit, read, stored, list }, { ...tools, history, detailMutex });
    if (result === undefined) return;
    ended.add(nameOf(unit));
    results.push(result);
    onUnitEnd?.(result);
  };
  const believeEmpty = async (direction: Direction, days: DayRange): Promise<void> => {
    const table = TABLE_OF[direction];
    const read = () => ({ rows: new ReceiptRows(table, rut), isStable: true });
    const isOfList = ({ direccion, fecha }: Unit) =>
      direccion === direction && days.from <= fecha && fecha <= days.to;
    for (const unit of units.filter(isOfList)) await onUnit(unit, read(), newAccount(widthDays(days)));
  };

  // Found before the API is read: so what replaces an object is always the newer reading.
  await forEachConcurrent(units, LOOKUPS_AT_ONCE, async (unit) => {
    try {
      storedByUnit.set(
        nameOf(unit),
        await store.find(unitKey(TABLE_OF[unit.direccion].name, unit.fecha, rut)),
      );
    } catch (error) {
      await onUnit(unit, { error }, newAccount());
    }
  });
  const unproved = new Set<Direction>();
  for (const { direction, days } of earlierEmptyLists) {
    if (isEmptyProved(habits[direction], days)) await believeEmpty(direction, days);
    else unproved.add(direction);
  }
  const lists: ListToRead[] = [];
  const stagedKeys = new Map<string, readonly Unit[]>();
  for (const list of listsOf(units.filter((unit) => !ended.has(nameOf(unit))))) {
    const { direction } = list;
    const asUnit = (fecha: string): Unit => ({ rut, direccion: direction, fecha });
    const storedOn = (day: string) => storedByUnit.get(nameOf(asUnit(day)));
    const paused: PausedReading[] = [];
    const owner = { runId: run.id, rut, direction };
    for (const staged of tools.mayHaveStaged === true ? await loadStaged(store, owner) : []) {
      // Whatever was stored since the reading began is newer than it.
      const days = [...staged.olderVersions].flatMap(([day, version]) =>
        list.days.includes(day) && storedOn(day)?.version === version ? [day] : [],
      );
      paused.push({ list: staged.list, days, tally: staged.tally });
      stagedKeys.set(stagedListKey(owner, staged.list.asked), days.map(asUnit));
    }
    const knownRows = new Map<string, number>();
    for (const day of list.days) {
      const stored = storedOn(day);
      const rows = stored && rowCountOf(stored);
      if (rows !== undefined) knownRows.set(day, rows);
    }
    lists.push({ ...list, knownRows, paused, isWidthUnproved: unproved.has(direction) });
  }
  const leftover = await readCompany(rut, lists, tools, {
    onUnit,
    onPaused: async (direction, list, days, tally) => {
      const olderVersions = new Map(
        days.map((fecha) => [fecha, storedByUnit.get(nameOf({ rut, direccion: direction, fecha }))?.version]),
      );
      await saveStaged(store, writer, { runId: run.id, rut, direction }, { list, olderVersions, tally });
    },
    onUnproved: async (direction, days) => {
      await tools.learnHabits?.();
      if (isEmptyProved(habits[direction], days)) {
        await believeEmpty(direction, days);
        return 'leave';
      }
      if (!areEmptyListsLeft) return 'ask';
      emptyLists.push({ direction, days });
      return 'leave';
    },
  });
  for (const [key, of] of stagedKeys)
    if (of.every((unit) => ended.has(nameOf(unit)))) await store.remove(key);
  moveTally({ ...earlier }, leftover);
  accountFor(leftover, results);
  return { results, remaining: units.filter((unit) => !ended.has(nameOf(unit))), emptyLists, leftover };
}

function nameOf({ direccion, fecha }: Unit): string {
  return `${direccion} ${fecha}`;
}

/** Whether lists as wide are answered by now, and have their last day. */
function isEmptyProved({ provedWidthDays = 1, upperBound }: ListHabits, days: DayRange): boolean {
  return widthDays(days) <= provedWidthDays && upperBound === 'inclusive';
}

/** Counts the requests that no unit accounted for with the one that ended last, if one did. */
function accountFor(leftover: ListTally, results: readonly UnitResult[]): void {
  const last = results.at(-1);
  if (last === undefined) return;
  last.solicitudes += leftover.requests;
  last.reintentos += leftover.retries;
  last.paginas += leftover.pages;
  Object.assign(leftover, newTally());
}
