import type { Direction } from '../api/directions.ts';
import { type ListTally, moveTally, newTally } from '../api/list/page-request.ts';
import type { Rut } from '../companies/company.ts';
import { forEachConcurrent } from '../concurrency.ts';
import { unitKey } from '../lake/layout.ts';
import { ReceiptRows } from '../lake/rows/receipt-rows.ts';
import type { StoredObject } from '../lake/store/store.ts';
import { TABLE_OF } from '../lake/tables.ts';
import { type Day, type DayRange, isWithin, widthDays } from '../time/days.ts';
import { dayName, type Unit, type UnitResult } from '../units.ts';
import type { ExportTools, ListAccount } from './export-tools.ts';
import { isEmptyProved } from './reading/list-width.ts';
import type { ListToRead, StagedRange } from './reading/range-plan.ts';
import type { EmptyDays, PausedList } from './reading/read-days.ts';
import { listsOf, type ReadOutcome, readCompany } from './reading/read-units.ts';
import { loadStaged, saveStaged, stagedListKey } from './staged-lists.ts';
import { rowCountOf } from './stored-rows.ts';
import { exportUnit } from './unit.ts';

/** Objects that are looked up at a time before a list is read. */
const LOOKUPS_AT_ONCE = 16;

/** The objects of units by `dayName`, as they were before the API was read; undefined where there was none. */
type StoredUnits = Map<string, StoredObject | undefined>;

/** An empty list that is not believed yet. */
export interface EmptyList extends EmptyDays {
  direction: Direction;
  stored: Readonly<StoredUnits>;
}

export interface CompanyOptions {
  onUnitEnd?: (result: UnitResult) => void;
  /**
   * Which empty lists are handed back: those that can't be believed and would have to be read in parts, or also those
   * that only earlier runs have shown to be answered. None when absent.
   */
  emptyListsLeft?: 'unproved' | 'unshown';
  /** Lists that an earlier call found empty. They are believed if a list as wide is known to be answered by now. */
  emptyLists?: readonly EmptyList[];
  /** Requests of an earlier call that were counted with none of its units. */
  leftover?: ListTally;
}

export interface CompanyExport {
  results: UnitResult[];
  /** Units that were not finished: time was up, the signal was aborted, or their list is among `emptyLists`. */
  remaining: Unit[];
  emptyLists: EmptyList[];
  /** Requests that are counted with no unit, since none was finished. */
  leftover: ListTally;
}

/** Exports the units of one company. A unit that fails does not touch the others. */
export async function exportCompany(
  units: readonly Unit[],
  tools: ExportTools,
  options: CompanyOptions = {},
): Promise<CompanyExport> {
  const [first] = units;
  const leftover = { ...(options.leftover ?? newTally()) };
  if (first === undefined || tools.isTimeUp()) {
    return { results: [], remaining: [...units], emptyLists: [], leftover };
  }
  const job = new CompanyJob(first.rut, units, tools, options);
  await job.findStored();
  const lists = await job.listsToRead();
  moveTally(await readCompany(first.rut, lists, tools, job), leftover);
  await job.removeUsedStaging();
  // Counted with the unit that ended last, if there is one.
  const last = job.results.at(-1);
  if (last !== undefined) moveTally(leftover, last);
  const { results, emptyLists } = job;
  return { results, remaining: units.filter((unit) => !job.hasEnded(unit)), emptyLists, leftover };
}

/** The units of one company on their way from their lists to the lake. */
class CompanyJob {
  readonly results: UnitResult[] = [];
  readonly emptyLists: EmptyList[] = [];
  private readonly rut: Rut;
  private readonly units: readonly Unit[];
  private readonly tools: ExportTools;
  private readonly options: CompanyOptions;
  private readonly ended = new Set<string>();
  private readonly stored: StoredUnits;
  /** The units of each list that an earlier invocation staged, by the object's key. */
  private readonly stagedUnits = new Map<string, readonly Unit[]>();

  constructor(rut: Rut, units: readonly Unit[], tools: ExportTools, options: CompanyOptions) {
    this.rut = rut;
    this.units = units;
    this.tools = tools;
    this.options = options;
    this.stored = new Map(options.emptyLists?.flatMap(({ stored }) => [...stored]));
  }

  hasEnded(unit: Unit): boolean {
    return this.ended.has(dayName(unit));
  }

  /**
   * Finds the units' objects before the API is read, so that an object is always replaced with newer data. Those of
   * lists that an earlier call read were found then.
   */
  async findStored(): Promise<void> {
    const unknown = this.units.filter((unit) => !this.stored.has(dayName(unit)));
    await forEachConcurrent(unknown, LOOKUPS_AT_ONCE, async (unit) => {
      const key = unitKey(TABLE_OF[unit.direction].name, unit.day, unit.rut);
      try {
        this.stored.set(dayName(unit), await this.tools.store.find(key));
      } catch (error) {
        await this.onUnit(unit, { error }, this.newAccount(1));
      }
    });
  }

  /** The lists of the units that have not ended, with what is known about them. */
  async listsToRead(): Promise<ListToRead[]> {
    const unproved = await this.believeProvedLists();
    const lists: ListToRead[] = [];
    for (const { direction, days } of listsOf(this.units.filter((unit) => !this.hasEnded(unit)))) {
      lists.push({
        direction,
        days,
        knownRows: this.knownRows(direction, days),
        staged: await this.stagedRanges(direction, days),
        isWidthUnproved: unproved.has(direction),
      });
    }
    return lists;
  }

  async onUnit(unit: Unit, read: ReadOutcome, list: ListAccount): Promise<void> {
    const stored = this.stored.get(dayName(unit));
    const result = await exportUnit({ unit, read, stored, list }, this.tools);
    if (result === undefined) return;
    this.ended.add(dayName(unit));
    this.results.push(result);
    this.options.onUnitEnd?.(result);
  }

  async onPaused(direction: Direction, list: PausedList, days: readonly Day[]): Promise<void> {
    const { rut, tools } = this;
    const olderVersions = new Map(days.map((day) => [day, this.storedOn(direction, day)?.version]));
    const owner = { runId: tools.run.id, rut, direction };
    const isOfList = (unit: Unit) => unit.direction === direction && olderVersions.has(unit.day);
    for (const [key, units] of this.stagedUnits) {
      // The list was divided, and this is a part of it: no unit may be in two.
      if (key !== stagedListKey(owner, list.asked) && units.some(isOfList)) await this.removeStaged(key);
    }
    await saveStaged(tools.store, tools.writer, owner, { list, olderVersions });
  }

  async onUnproved(direction: Direction, { days, asked }: EmptyDays): Promise<'leave' | 'ask'> {
    const { emptyListsLeft } = this.options;
    await this.tools.learnHabits();
    if (emptyListsLeft !== 'unshown' && isEmptyProved(asked, this.tools.habits[direction])) {
      await this.believeEmpty(direction, days);
      return 'leave';
    }
    if (emptyListsLeft === undefined) return 'ask';
    this.emptyLists.push({ direction, days, asked, stored: this.stored });
    return 'leave';
  }

  /** Removes the staged lists whose units have all ended. */
  async removeUsedStaging(): Promise<void> {
    for (const [key, units] of this.stagedUnits) {
      if (units.every((unit) => this.hasEnded(unit))) await this.removeStaged(key);
    }
  }

  private async removeStaged(key: string): Promise<void> {
    this.stagedUnits.delete(key);
    await this.tools.store.remove(key);
  }

  /** Ends the units of earlier empty lists that are believed by now. Returns the directions of the others. */
  private async believeProvedLists(): Promise<ReadonlySet<Direction>> {
    const unproved = new Set<Direction>();
    for (const { direction, days, asked } of this.options.emptyLists ?? []) {
      if (isEmptyProved(asked, this.tools.habits[direction])) await this.believeEmpty(direction, days);
      else unproved.add(direction);
    }
    return unproved;
  }

  private async believeEmpty(direction: Direction, days: DayRange): Promise<void> {
    const isOfList = (unit: Unit) => unit.direction === direction && isWithin(days, unit.day);
    for (const unit of this.units.filter(isOfList)) {
      const read = { rows: new ReceiptRows(TABLE_OF[direction], this.rut), isStable: true };
      await this.onUnit(unit, read, this.newAccount(widthDays(days)));
    }
  }

  /** How many rows each day is known to have had. */
  private knownRows(direction: Direction, days: readonly Day[]): Map<Day, number> {
    const knownRows = new Map<Day, number>();
    for (const day of days) {
      const stored = this.storedOn(direction, day);
      const rowCount = stored && rowCountOf(stored);
      if (rowCount !== undefined) knownRows.set(day, rowCount);
    }
    return knownRows;
  }

  /** The ranges of a list that an earlier invocation staged. A day whose object was replaced since is read again. */
  private async stagedRanges(direction: Direction, days: readonly Day[]): Promise<StagedRange[]> {
    const { rut, tools } = this;
    if (!tools.mayHaveStaged) return [];
    const owner = { runId: tools.run.id, rut, direction };
    const staged: StagedRange[] = [];
    for (const { list, olderVersions } of await loadStaged(tools.store, owner)) {
      const needed = [...olderVersions].flatMap(([day, version]) =>
        days.includes(day) && this.storedOn(direction, day)?.version === version ? [day] : [],
      );
      const units = needed.map((day) => ({ rut, direction, day }));
      this.stagedUnits.set(stagedListKey(owner, list.asked), units);
      // It has rows of no day, and some of its days were read alone since: the others are read again without it.
      const isDividedAlready = list.sink.hasRowsOfNoDay && needed.length < olderVersions.size;
      if (!isDividedAlready) staged.push({ paused: list, needed });
    }
    return staged;
  }

  private storedOn(direction: Direction, day: Day): StoredObject | undefined {
    return this.stored.get(dayName({ direction, day }));
  }

  private newAccount(days: number): ListAccount {
    return { tally: newTally(), startedAtMs: this.tools.clock.now(), widthDays: days };
  }
}
