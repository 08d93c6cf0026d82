import { addDays, DAY_MS, type Day } from '../time/days.ts';
import type { Rut } from '../units/rut.ts';
import type { Direction } from '../units/unit.ts';
import { unitKey } from './layout.ts';
import { readRowGroups } from './parquet/reader.ts';
import { type LakeStore, readObject, undefinedIfMissing } from './store/store.ts';
import { TABLE_OF } from './tables.ts';

/** How many rows show that they are dates, and in how many days they are looked for. */
const MOST_ROWS = 20;
const MOST_DAYS = 70;

/** Some of the newest rows that the lake has of a company until a day: how many, and whether any has a time. */
export async function storedDates(
  store: LakeStore,
  rut: Rut,
  direction: Direction,
  lastDay: Day,
): Promise<{ rowCount: number; hasTimes: boolean }> {
  const table = TABLE_OF[direction];
  const columns = table.columns.filter(({ name }) => name === 'fecha_emision');
  const seen = { rowCount: 0, hasTimes: false };
  for (let age = 0; age < MOST_DAYS && seen.rowCount < MOST_ROWS && !seen.hasTimes; age += 1) {
    const key = unitKey(table.name, addDays(lastDay, -age), rut);
    const read = readObject(store, key, async (file) => {
      for await (const group of readRowGroups(file, columns)) {
        seen.rowCount += group.rowCount;
        const [times = []] = group.columns;
        seen.hasTimes ||= times.some(
          (time) => typeof time === 'bigint' && time % (BigInt(DAY_MS) * 1000n) > 0n,
        );
      }
    });
    await read.catch(undefinedIfMissing);
  }
  return seen;
}
