import { type ListTally, moveTally, newTally } from '../api/list/page-request.ts';
import { unitKey } from '../lake/layout.ts';
import type { StoredObject } from '../lake/store/store.ts';
import { rowCountOf } from '../lake/stored-rows.ts';
import { TABLE_OF } from '../lake/tables.ts';
import { forEachConcurrent } from '../system/concurrency.ts';
import type { Day } from '../time/days.ts';
import type { Direction } from '../units/direction.ts';
import type { Rut } from '../units/rut.ts';
import { dayName, type Unit, type UnitResult } from '../units/unit.ts';
import type { ExportTools, ListAccount } from './export-tools.ts';
import type { PausedList } from './reading/company-lists.ts';
import type { ListToRead, StagedRange } from './reading/plan.ts';
import { listsOf, type ReadOutcome, readCompany } from './reading/read-company.ts';
import { loadStaged, saveStaged, stagedListKey } from './staged-lists.ts';
import { exportUnit } from './unit.ts';

/** Objects that are looked up at a time before a list is read. */
const LOOKUPS_AT_ONCE = 16;

export interface CompanyOptions {
  onUnitEnd?: (result: UnitResult) => void;
  /** Requests of an earlier call that were counted with none of its units. */
  uncounted?: ListTally;
}

export interface CompanyExport {
  results: UnitResult[];
  /** Units that were not finished: time was up, or the signal was aborted. */
  remaining: Unit[];
  /** Requests that are counted with no unit, since none was finished. */
  uncounted: ListTally;
}

/** Exports the units of one company. A unit that fails does not touch the others. */
export async function exportCompany(
  units: readonly Unit[],
  tools: ExportTools,
  options: CompanyOptions = {},
): Promise<CompanyExport> {
  const [first] = units;
  const uncounted = { ...(options.uncounted ?? newTally()) };
  if (first === undefined || tools.isTimeUp()) {
    return { results: [], remaining: [...units], uncounted };
  }
  const job = new CompanyJob(first.rut, units, tools, options);
  await job.findStored();
  const lists = await job.listsToRead();
  moveTally(await readCompany(first.rut, lists, tools, job), uncounted);
  await job.removeUsedStaging();
  // Counted with the unit that ended last, if there is one.
  const last = job.results.at(-1);
  if (last !== undefined) moveTally(uncounted, last);
  return { results: job.results, remaining: units.filter((unit) => !job.hasEnded(unit)), uncounted };
}

/** The units of one company on their way from their lists to the lake. */
class CompanyJob {
  readonly results: UnitResult[] = [];
  private readonly rut: Rut;
  private readonly units: readonly Unit[];
  private readonly tools: ExportTools;
  private readonly options: CompanyOptions;
  private readonly ended = new Set<string>();
  /** The objects of units by `dayName`, as they were before the API was read; undefined where there was none. */
  private readonly stored = new Map<string, StoredObject | undefined>();
  /** Results of units that are read again, since their list turned out to lack rows. */
  private readonly replaced = new Map<string, UnitResult>();
  /** The units of each list that an earlier invocation staged, by the object's key. */
  private readonly stagedUnits = new Map<string, readonly Unit[]>();

  constructor(rut: Rut, units: readonly Unit[], tools: ExportTools, options: CompanyOptions) {
    this.rut = rut;
    this.units = units;
    this.tools = tools;
    this.options = options;
  }

  hasEnded(unit: Unit): boolean {
    return this.ended.has(dayName(unit));
  }

  /** Finds the units' objects before the API is read, so that an object is always replaced with newer data. */
  async findStored(): Promise<void> {
    await forEachConcurrent(this.units, LOOKUPS_AT_ONCE, async (unit) => {
      try {
        await this.findObject(unit);
      } catch (error) {
        await this.onUnit(unit, { error }, { tally: newTally(), startedAtMs: this.tools.clock.now() });
      }
    });
  }

  /** The lists of the units that have not ended, with what is known about them. */
  async listsToRead(): Promise<ListToRead[]> {
    const lists: ListToRead[] = [];
    for (const { direction, days } of listsOf(this.units.filter((unit) => !this.hasEnded(unit)))) {
      lists.push({
        direction,
        days,
        knownRows: this.knownRows(direction, days),
        staged: await this.stagedRanges(direction, days),
      });
    }
    return lists;
  }

  async onUnit(unit: Unit, read: ReadOutcome, list: ListAccount): Promise<void> {
    const stored = this.stored.get(dayName(unit));
    const result = await exportUnit({ unit, read, stored, list }, this.tools);
    if (result === undefined) return;
    this.ended.add(dayName(unit));
    const first = this.replaced.get(dayName(unit));
    this.results.push(first === undefined ? result : both(first, result));
    if (first === undefined) this.options.onUnitEnd?.(result);
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

  async onDisproved(direction: Direction, days: readonly Day[]): Promise<void> {
    for (const day of days) {
      const unit = { rut: this.rut, direction, day };
      const index = this.results.findIndex((result) => dayName(result) === dayName(unit));
      const [result] = index < 0 ? [] : this.results.splice(index, 1);
      if (result !== undefined) this.replaced.set(dayName(unit), result);
      this.ended.delete(dayName(unit));
      await this.findObject(unit);
    }
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

  private async findObject(unit: Unit): Promise<void> {
    const key = unitKey(TABLE_OF[unit.direction].name, unit.day, unit.rut);
    this.stored.set(dayName(unit), await this.tools.store.find(key));
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
      // Some of its days were read alone since, because it has rows of no day: the others are read again without it.
      const { isAmbiguous, undated } = list.sink;
      const isDividedAlready = (isAmbiguous || undated.length > 0) && needed.length < olderVersions.size;
      if (!isDividedAlready) staged.push({ paused: list, needed });
    }
    return staged;
  }

  private storedOn(direction: Direction, day: Day): StoredObject | undefined {
    return this.stored.get(dayName({ direction, day }));
  }
}

/** The result of a unit that was read twice: what the second reading gave, and the requests of both. */
function both(first: UnitResult, second: UnitResult): UnitResult {
  return {
    ...second,
    startedAt: first.startedAt,
    pages: first.pages + second.pages,
    requests: first.requests + second.requests,
    retries: first.retries + second.retries,
  };
}
