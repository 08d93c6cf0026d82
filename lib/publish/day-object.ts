import { dayKey } from '../lake/layout.ts';
import { DamagedObjectError, readFileMetadata } from '../lake/parquet/reader.ts';
import { type LakeStore, type ObjectBytes, readObject, undefinedIfMissing } from '../lake/store/store.ts';
import { lackingColumns, type PublishedUnits, unitsInFooter } from '../lake/stored-rows.ts';
import type { Table } from '../lake/tables.ts';
import type { Day } from '../time/days.ts';

/** The object of a table and issue date, as far as its footer says. */
export interface DayObject {
  version: string;
  /** The units that it has; none if it is damaged. */
  units: PublishedUnits;
  /** Why its footer can't be read. */
  damage: string | undefined;
}

const NOT_PUBLISHED = 'it does not say which units are in it';

/** Reads its footer; undefined if there is none. Throws NewerObjectError if it has columns that this version would lose. */
export async function openDay(store: LakeStore, table: Table, day: Day): Promise<DayObject | undefined> {
  const key = dayKey(table.name, day);
  const read = async (file: ObjectBytes): Promise<DayObject> => {
    const { version, name } = file;
    try {
      const { columnNames, metadata } = await readFileMetadata(file);
      const units = unitsInFooter(metadata);
      if (units === undefined) throw new DamagedObjectError(name, NOT_PUBLISHED);
      lackingColumns(table, columnNames, { key, address: store.address });
      return { version, units, damage: undefined };
    } catch (error) {
      if (!(error instanceof DamagedObjectError)) throw error;
      // Without the advice, which is for units: a day can be made again from them.
      return { version, units: new Map(), damage: error.whatHappened };
    }
  };
  return await readObject(store, key, read).catch(undefinedIfMissing);
}
