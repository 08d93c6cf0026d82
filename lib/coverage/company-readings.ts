import { DIRECTIONS, type Direction } from '../api/directions.ts';
import { forEachAtOnce } from '../concurrency/for-each-at-once.ts';
import { readRows } from '../lake/parquet/reader.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { dayNumber } from '../time/days.ts';
import { parseReading, READING_COLUMNS } from './parse-reading.ts';
import { ReadingKeeper, type UnitReadings } from './unit-readings.ts';

/** Objects are small: reading them is waiting for answers. */
const OBJECTS_AT_ONCE = 16;

export interface CompanyReadings {
  find(direction: Direction, day: string): UnitReadings | undefined;
}

/**
 * Reads the audit of one company from its objects, for issue dates from `from` to `to`. Memory grows with the
 * units asked about, and not with the runs.
 */
export async function readCompanyAudit(
  store: LakeStore,
  keys: readonly string[],
  { from, to }: { from: string; to: string },
): Promise<CompanyReadings> {
  const units = new Map<string, ReadingKeeper>();
  const [first, last] = [dayNumber(from), dayNumber(to)];
  await forEachAtOnce(keys, OBJECTS_AT_ONCE, async (key) => {
    const file = await store.open(key);
    try {
      for await (const row of readRows(file, READING_COLUMNS)) {
        const { direccion, fecha } = row;
        if (typeof fecha !== 'number' || fecha < first || fecha > last) continue;
        const direction = DIRECTIONS.find((known) => known === direccion);
        if (direction === undefined) continue;
        const keeper = units.get(`${direction} ${fecha}`) ?? new ReadingKeeper();
        units.set(`${direction} ${fecha}`, keeper);
        keeper.add(parseReading(row));
      }
    } finally {
      await file.close();
    }
  });
  return { find: (direction, day) => units.get(`${direction} ${dayNumber(day)}`)?.readings() };
}
