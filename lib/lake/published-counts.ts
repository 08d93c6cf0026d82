import { addDays, type Day, type DayRange, daysBetween } from '../time/days.ts';
import type { Direction } from '../units/unit.ts';
import { tableObject } from './layout.ts';
import type { LakeStore } from './store/store.ts';
import { publishedUnits } from './stored-rows.ts';
import { TABLE_OF } from './tables.ts';

/** On so many of the lake's newest days a pair may end, and so many of those that end one are compared. */
const NEWEST_DAYS = 70;
const DAYS_COMPARED = 7;
/** How much further apart than wanted its days may be. */
const FURTHER_APART = 8;
/** Among so many of a day's companies is a witness if any is. All days of 10,000 would not fit into memory. */
const MOST_CANDIDATES = 500;

/** A company's first and last day of some that the lake has rows of. */
interface Pair {
  rut: string;
  days: DayRange;
  rowsOnLast: number;
}

/** What the lake has of a run's companies in one direction, by the footers of its day objects. */
export class PublishedCounts {
  private readonly store: LakeStore;
  private readonly direction: Direction;
  private readonly ruts: ReadonlySet<string>;
  private readonly onFault: (fault: unknown) => void;
  private stored: Promise<ReadonlySet<Day>> | undefined;
  private readonly counts = new Map<Day, Promise<ReadonlyMap<string, number>>>();

  /** `onFault` is called with what keeps a day from being one that anything could be compared with. */
  constructor(
    store: LakeStore,
    direction: Direction,
    ruts: readonly string[],
    onFault: (fault: unknown) => void,
  ) {
    this.store = store;
    this.direction = direction;
    this.ruts = new Set(ruts);
    this.onFault = onFault;
  }

  /** The companies, those that had most on the newest days first. */
  async busiestFirst(lastDay: Day): Promise<string[]> {
    const sums = new Map([...this.ruts].map((rut) => [rut, 0]));
    for (const day of (await this.daysUntil(lastDay)).slice(0, DAYS_COMPARED))
      for (const [rut, count] of await this.countsOn(day)) sums.set(rut, (sums.get(rut) ?? 0) + count);
    return [...sums].sort(([, a], [, b]) => b - a).map(([rut]) => rut);
  }

  /** The pair of days this far apart whose company has most rows on the last: one of them is probably of the evening. */
  async pair(widthDays: number, lastDay: Day, failed: ReadonlySet<string>) {
    const pairs: Pair[] = [];
    let compared = 0;
    for (const to of (await this.daysUntil(lastDay)).slice(0, NEWEST_DAYS)) {
      const found = await this.pairsUntil(to, widthDays);
      pairs.push(...found);
      compared += Number(found.length > 0);
      if (compared === DAYS_COMPARED) break;
    }
    const [best] = pairs.sort(
      (a, b) => Number(failed.has(a.rut)) - Number(failed.has(b.rut)) || b.rowsOnLast - a.rowsOnLast,
    );
    return best && { rut: best.rut, days: best.days, rowCount: await this.rowsBetween(best) };
  }

  /** The pairs of all companies with rows on this day, and on the nearest one that is far enough from it. */
  private async pairsUntil(to: Day, widthDays: number): Promise<Pair[]> {
    const last = await this.countsOn(to);
    for (let more = 0; more <= FURTHER_APART && last.size > 0; more += 1) {
      const from = addDays(to, 1 - widthDays - more);
      const first = await this.countsOn(from);
      const onBothDays = [...last].filter(([rut]) => first.has(rut));
      if (onBothDays.length > 0)
        return onBothDays.map(([rut, rowsOnLast]) => ({ rut, days: { from, to }, rowsOnLast }));
    }
    return [];
  }

  private async rowsBetween({ rut, days }: Pair): Promise<number> {
    const counts = await Promise.all(daysBetween(days.from, days.to).map((day) => this.countsOn(day)));
    return counts.reduce((sum, dayCounts) => sum + (dayCounts.get(rut) ?? 0), 0);
  }

  /** The lake's days until this one, the newest first. */
  private async daysUntil(lastDay: Day): Promise<Day[]> {
    return [...(await this.days())].filter((day) => day <= lastDay).sort((a, b) => (a < b ? 1 : -1));
  }

  private days(): Promise<ReadonlySet<Day>> {
    this.stored ??= (async () => {
      const days = new Set<Day>();
      for await (const key of this.store.list(TABLE_OF[this.direction].name)) {
        const day = tableObject(key)?.day;
        if (day !== undefined) days.add(day);
      }
      return days;
    })();
    return this.stored;
  }

  /** How many rows each company of the run has on a day, of those that have any. */
  private countsOn(day: Day): Promise<ReadonlyMap<string, number>> {
    const known = this.counts.get(day) ?? this.readCounts(day);
    this.counts.set(day, known);
    return known;
  }

  private async readCounts(day: Day): Promise<ReadonlyMap<string, number>> {
    if (!(await this.days()).has(day)) return new Map();
    try {
      const units = await publishedUnits(this.store, TABLE_OF[this.direction], day);
      const unitsOfRun = [...units].filter(([rut, { rowCount }]) => this.ruts.has(rut) && rowCount > 0);
      return new Map(unitsOfRun.slice(0, MOST_CANDIDATES).map(([rut, { rowCount }]) => [rut, rowCount]));
    } catch (error) {
      this.onFault(error);
      return new Map();
    }
  }
}
