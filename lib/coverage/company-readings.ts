import { DIRECTIONS, type Direction } from '../api/directions.ts';
import { forEachAtOnce } from '../concurrency/for-each-at-once.ts';
import { forEachAuditRow } from '../export/audit-rows.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { dayNumber } from '../time/days.ts';
import { parseReading, READING_COLUMNS } from './parse-reading.ts';
import { ReadingKeeper, type UnitReadings } from './unit-readings.ts';

/** Objects are small: reading them is waiting for answers. */
const OBJECTS_AT_ONCE = 16;

export interface CompanyReadings {
  find(direction: Direction, day: string): UnitReadings | undefined;
  all(): Iterable<KnownUnit>;
  /** Why objects of the audit could not be read, by their keys: what they say is not known. */
  damaged: ReadonlyMap<string, string>;
}

/** What is known of one unit of the company. */
export interface KnownUnit {
  direction: Direction;
  /** Issue date, in days since 1970-01-01. */
  day: number;
  readings: Pick<UnitReadings, 'shown' | 'count'>;
}

/**
 * Reads the audit of one company from its objects, for issue dates from `from` to `to`, and adds it to what is
 * known already. Memory grows with the units asked about, and not with the runs.
 */
export async function readCompanyAudit(
  store: LakeStore,
  keys: readonly string[],
  { from, to }: { from: string; to: string },
  known: Iterable<KnownUnit> = [],
): Promise<CompanyReadings> {
  const [first, last] = [dayNumber(from), dayNumber(to)];
  const units = new Map<string, Pick<KnownUnit, 'direction' | 'day'> & { keeper: ReadingKeeper }>();
  const keeperOf = (direction: Direction, day: number): ReadingKeeper => {
    const name = `${direction} ${day}`;
    const unit = units.get(name) ?? { direction, day, keeper: new ReadingKeeper() };
    units.set(name, unit);
    return unit.keeper;
  };
  for (const { direction, day, readings } of known) {
    if (day >= first && day <= last) {
      units.set(`${direction} ${day}`, { direction, day, keeper: new ReadingKeeper(readings) });
    }
  }
  const damaged = new Map<string, string>();
  await forEachAtOnce(keys, OBJECTS_AT_ONCE, async (key) => {
    const damage = await forEachAuditRow(store, key, READING_COLUMNS, (row) => {
      const { direccion, fecha } = row;
      if (typeof fecha !== 'number' || fecha < first || fecha > last) return;
      const direction = DIRECTIONS.find((known) => known === direccion);
      if (direction !== undefined) keeperOf(direction, fecha).add(parseReading(row));
    });
    if (damage !== undefined) damaged.set(key, damage.message);
  });
  return {
    find: (direction, day) => units.get(`${direction} ${dayNumber(day)}`)?.keeper.readings(),
    all: () =>
      units.values().flatMap(({ direction, day, keeper }) => {
        const readings = keeper.readings();
        return readings === undefined ? [] : [{ direction, day, readings }];
      }),
    damaged,
  };
}
