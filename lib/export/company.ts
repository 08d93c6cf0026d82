import { type ListTally, moveTally, newTally } from '../api/list/page-request.ts';
import { unitKey } from '../lake/layout.ts';
import type { StoredObject } from '../lake/store/store.ts';
import { rowCountOf } from '../lake/stored-rows.ts';
import { TABLE_OF } from '../lake/tables.ts';
import { forEachConcurrent, Mutex } from '../system/concurrency.ts';
import type { Day } from '../time/days.ts';
import type { Rut } from '../units/rut.ts';
import { type Direction, dayName, type Unit, type UnitResult } from '../units/unit.ts';
import type { ExportTools, ListAccount, UnitTools } from './export-tools.ts';
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
  const uncounted = { ...(options.uncounted ?? newTally()) };
  const [first] = units;
  if (first === undefined || tools.isTimeUp()) {
    return { results: [], remaining: [...units], uncounted };
  }
  const job = new CompanyJob(first.rut, units, tools, uncounted, options.onUnitEnd);
  await job.findStored(units);
  const lists = await job.listsToRead();
  moveTally(await readCompany(first.rut, lists, job.tools, job), uncounted);
  await job.removeUsedStaging();
  const results = [...job.results.values()];
  // Counted with the unit that ended last, if there is one.
  const last = results.at(-1);
  if (last !== undefined) moveTally(uncounted, last);
  return { results, remaining: units.filter((unit) => !job.hasEnded(unit)), uncounted };
}

/** The units of one company on their way from their lists to the lake. */
class CompanyJob {
  readonly tools: UnitTools;
  /** Of the units that have ended, by `dayName`. */
  readonly results = new Map<string, UnitResult>();
  private readonly rut: Rut;
  private readonly units: readonly Unit[];
  private readonly uncounted: ListTally;
  private readonly onUnitEnd: CompanyOptions['onUnitEnd'];
  /** When the first reading began of each unit whose end was told: one may end twice. */
  private readonly began = new Map<string, string>();
  /** The units' objects, as they were before the API was read; undefined where there was none. */
  private readonly stored = new Map<string, StoredObject | undefined>();
  /** The units of each list that an earlier invocation staged, by the object's key. */
  private readonly stagedUnits = new Map<string, readonly Unit[]>();

  constructor(
    rut: Rut,
    units: readonly Unit[],
    tools: ExportTools,
    uncounted: ListTally,
    onUnitEnd: CompanyOptions['onUnitEnd'],
  ) {
    this.rut = rut;
    this.units = units;
    const shared = { disproved: new Set<Direction>(), detailMutex: new Mutex() };
    this.tools = { ...tools, ...shared, goneDetails: { failuresInARow: 0 } };
    this.uncounted = uncounted;
    this.onUnitEnd = onUnitEnd;
  }

  hasEnded(unit: Unit): boolean {
    return this.results.has(dayName(unit));
  }

  /** Finds the units' objects before the API is read, so that an object is always replaced with newer data. */
  async findStored(units: readonly Unit[]): Promise<void> {
    const { store, clock } = this.tools;
    await forEachConcurrent(units, LOOKUPS_AT_ONCE, async (unit) => {
      try {
        const key = unitKey(TABLE_OF[unit.direction].name, unit.day, unit.rut);
        this.stored.set(dayName(unit), await store.find(key));
      } catch (error) {
        await this.onUnit(unit, { error }, { tally: newTally(), startedAtMs: clock.now() });
      }
    });
  }

  /** The lists of the units that have not ended, with what is known about them. */
  async listsToRead(): Promise<ListToRead[]> {
    const lists: ListToRead[] = [];
    for (const { direction, days } of listsOf(this.units.filter((unit) => !this.hasEnded(unit)))) {
      const knownRows = new Map(days.flatMap((day) => this.knownRows(direction, day)));
      lists.push({ direction, days, knownRows, staged: await this.stagedRanges(direction, days) });
    }
    return lists;
  }

  async onUnit(unit: Unit, read: ReadOutcome, list: ListAccount): Promise<void> {
    const name = dayName(unit);
    const result = await exportUnit({ unit, read, stored: this.stored.get(name), list }, this.tools);
    if (result === undefined) return;
    const startedAt = this.began.get(name);
    if (startedAt === undefined) this.onUnitEnd?.(result);
    this.began.set(name, startedAt ?? result.startedAt);
    // What another run read in between is later, although it found the first reading's object (audit/late-receipts.ts).
    this.results.set(name, { ...result, startedAt: startedAt ?? result.startedAt });
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
    await saveStaged(tools, owner, { list, olderVersions });
  }

  async onDisproved(direction: Direction, days: readonly Day[]): Promise<void> {
    const units = days.map((day) => ({ rut: this.rut, direction, day }));
    for (const name of units.map(dayName)) {
      const result = this.results.get(name);
      if (result !== undefined) moveTally(result, this.uncounted);
      this.results.delete(name);
    }
    await this.findStored(units);
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

  /** How many rows a day is known to have had, if it is. */
  private knownRows(direction: Direction, day: Day): [Day, number][] {
    const stored = this.storedOn(direction, day);
    const rowCount = stored && rowCountOf(stored);
    return rowCount === undefined ? [] : [[day, rowCount]];
  }

  /** The ranges of a list that an earlier invocation staged. A day whose object was replaced since is read again. */
  private async stagedRanges(direction: Direction, days: readonly Day[]): Promise<StagedRange[]> {
    const { rut, tools } = this;
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
