import { addCounts, type RequestCounts } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import { unitKey } from '../lake/layout.ts';
import type { StoredObject } from '../lake/store/store.ts';
import { storedDates } from '../lake/stored-dates.ts';
import { rowCountOf } from '../lake/stored-rows.ts';
import { TABLE_OF } from '../lake/tables.ts';
import { forEachConcurrent } from '../system/concurrency.ts';
import { type Day, uruguayDay } from '../time/days.ts';
import type { Rut } from '../units/rut.ts';
import { type Direction, dayName, type Unit, type UnitResult } from '../units/unit.ts';
import type { ExportTools } from './export-tools.ts';
import type { DaysToRead } from './reading/plan.ts';
import { daysToReadOf, type ReadingWork, type ReadOutcome, readCompany } from './reading/read-company.ts';
import type { SeenCompany } from './reading/rule.ts';
import { exportUnit } from './unit.ts';

/** Objects that are looked up at a time before a list is read. */
const LOOKUPS_AT_ONCE = 16;

export interface CompanyOptions {
  onUnitEnd?: (result: UnitResult) => void;
  /** Says, at the end and if no unit ended, whether those have failed whose list there was no time to read to its end. */
  areCutUnitsFailed?: () => boolean;
}

export interface CompanyExport {
  results: UnitResult[];
  /** Units that were not finished: time was up, or the signal was aborted. */
  remaining: Unit[];
  /** Those of them whose list there was no time to read to its end. */
  cut: readonly Unit[];
  /** Requests that are counted with no unit, since none was finished. */
  uncounted: RequestCounts;
}

/** Exports the units of one company. A unit that fails does not touch the others. */
export async function exportCompany(
  units: readonly Unit[],
  tools: ExportTools,
  options: CompanyOptions = {},
): Promise<CompanyExport> {
  const [first] = units;
  if (first === undefined || tools.isTimeUp()) {
    return { results: [], remaining: [...units], cut: [], uncounted: tools.client.takeCounts() };
  }
  const job = new CompanyJob(first.rut, units, tools, options.onUnitEnd);
  await job.findStored(units);
  const lists = job.daysToRead();
  await readCompany(first.rut, lists, job.tools, job);
  if (job.results.size === 0 && options.areCutUnitsFailed?.() === true) await job.failCutUnits();
  const results = [...job.results.values()];
  // Counted with the unit that ended last, if there is one.
  const last = results.at(-1);
  if (last !== undefined) addCounts(last, tools.client.takeCounts());
  const uncounted = tools.client.takeCounts();
  return { results, remaining: units.filter((unit) => !job.hasEnded(unit)), cut: job.cut, uncounted };
}

/** Two invocations had no time to read the list of a day to its end, the second one by itself. */
class UnfinishedListError extends ApiError {
  override name = 'UnfinishedListError';
  constructor(unit: Unit) {
    super(unit, 'two invocations had no time to read the list of this day to its end', {
      advice:
        'Nothing was replaced. Raise apiRequestsPerSecond or lower companiesAtOnce, so that a worker may send more; or ' +
        'export this day on a machine with `cfe-lake export --lake s3://…`.',
    });
  }
}

/** The units of one company on their way from their lists to the lake. */
class CompanyJob implements ReadingWork {
  readonly tools: ExportTools;
  /** The results of the units that have ended, by `dayName`. */
  readonly results = new Map<string, UnitResult>();
  readonly cut: Unit[] = [];
  private readonly rut: Rut;
  private readonly units: readonly Unit[];
  private readonly onUnitEnd: CompanyOptions['onUnitEnd'];
  /** The units' objects, as they were before the API was read; undefined where there was none. */
  private readonly stored = new Map<string, StoredObject | undefined>();

  constructor(rut: Rut, units: readonly Unit[], tools: ExportTools, onUnitEnd: CompanyOptions['onUnitEnd']) {
    this.rut = rut;
    this.units = units;
    this.tools = tools;
    this.onUnitEnd = onUnitEnd;
  }

  hasEnded(unit: Unit): boolean {
    return this.results.has(dayName(unit));
  }

  /** Finds the units' objects before the API is read, so that an object is always replaced with newer data. */
  async findStored(units: readonly Unit[]): Promise<void> {
    const { store, storedKeys, clock } = this.tools;
    const keyOf = ({ direction, day, rut }: Unit) => unitKey(TABLE_OF[direction].name, day, rut);
    const known = storedKeys === undefined ? units : units.filter((unit) => storedKeys.has(keyOf(unit)));
    await forEachConcurrent(known, LOOKUPS_AT_ONCE, async (unit) => {
      try {
        this.stored.set(dayName(unit), await store.find(keyOf(unit)));
      } catch (error) {
        await this.onUnit(unit, { error }, clock.now());
      }
    });
  }

  /** The lists of the units that have not ended, with what is known about them. */
  daysToRead(): DaysToRead[] {
    const lists: DaysToRead[] = [];
    for (const { direction, days } of daysToReadOf(this.units.filter((unit) => !this.hasEnded(unit)))) {
      const knownRows = new Map(days.flatMap((day) => this.knownRows(direction, day)));
      lists.push({ direction, days, knownRows });
    }
    return lists;
  }

  async onUnit(unit: Unit, read: ReadOutcome, startedAtMs: number): Promise<void> {
    const name = dayName(unit);
    const result = await exportUnit({ unit, read, stored: this.stored.get(name), startedAtMs }, this.tools);
    if (result === undefined) return;
    this.results.set(name, result);
    this.onUnitEnd?.(result);
  }

  onCut(direction: Direction, days: readonly Day[]): void {
    this.cut.push(...days.map((day) => ({ rut: this.rut, direction, day })));
  }

  async failCutUnits(): Promise<void> {
    for (const unit of this.cut) {
      const error = new UnfinishedListError(unit);
      await this.onUnit(unit, { error }, this.tools.clock.now());
    }
  }

  async storedDates(direction: Direction): Promise<SeenCompany> {
    const { store, clock } = this.tools;
    return await storedDates(store, this.rut, direction, uruguayDay(clock.now()));
  }

  /** How many rows a day is known to have had, if it is. */
  private knownRows(direction: Direction, day: Day): [Day, number][] {
    const stored = this.storedOn(direction, day);
    const rowCount = stored && rowCountOf(stored);
    return rowCount === undefined ? [] : [[day, rowCount]];
  }

  private storedOn(direction: Direction, day: Day): StoredObject | undefined {
    return this.stored.get(dayName({ direction, day }));
  }
}
