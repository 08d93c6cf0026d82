import { createHash } from 'node:crypto';
import type { Day } from '../time/days.ts';
import { dayKey } from './layout.ts';
import { readFileMetadata } from './parquet/reader.ts';
import { type LakeStore, readObject, undefinedIfMissing } from './store/store.ts';
import type { Table } from './tables.ts';

/**
 * The footer of a day object lists its units, in some 27 bytes each: the company, a fingerprint of the unit's bytes and
 * the number of its rows.
 */

const UNITS = 'cfe-lake.units';

/** A unit as a day object holds it. */
export interface PublishedUnit {
  /** A store's fingerprint of the unit's object, shortened. */
  fingerprint: string;
  rowCount: number;
}

/** By RUT. */
export type PublishedUnits = ReadonlyMap<string, PublishedUnit>;

const UNIT = /^(\d{12})([\w-]{12})(\d{1,9})$/;

/** The footer's pairs. They do not depend on the order of the units. */
export function footerOf(units: PublishedUnits): Record<string, string> {
  const sorted = [...units].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    [UNITS]: sorted.map(([rut, { fingerprint, rowCount }]) => `${rut}${fingerprint}${rowCount}`).join(' '),
  };
}

/** Places at which the pages of a day may begin. */
const SHIFTS = 4096;

/**
 * By how many bytes the pages of a day are shifted. An engine reads an object in several requests, and may so get parts
 * of two versions. They hardly ever have a column at the same place, so that it fails rather than mix them.
 * `versions`: the RUT and short fingerprint of each unit, by RUT.
 */
export function shiftOf(versions: readonly string[]): number {
  return createHash('sha256').update(versions.join(' ')).digest().readUInt16LE() % SHIFTS;
}

/** Undefined if the object was not published by this program. */
export function unitsInFooter(metadata: Readonly<Record<string, string>>): PublishedUnits | undefined {
  const text = metadata[UNITS];
  if (text === undefined) return undefined;
  const units = new Map<string, PublishedUnit>();
  // A day may have no unit: one that was damaged and never had any.
  for (const word of text === '' ? [] : text.split(' ')) {
    const [, rut, fingerprint, rowCount] = UNIT.exec(word) ?? [];
    if (rut === undefined || fingerprint === undefined) return undefined;
    units.set(rut, { fingerprint, rowCount: Number(rowCount) });
  }
  return units;
}

/** The units of a day, by its object's footer alone; none if there is no such object. Throws DamagedObjectError. */
export async function publishedUnits(store: LakeStore, table: Table, day: Day): Promise<PublishedUnits> {
  const read = await readObject(store, dayKey(table.name, day), readFileMetadata).catch(undefinedIfMissing);
  return (read && unitsInFooter(read.metadata)) ?? new Map();
}
