import { type Day, isDay } from '../time/days.ts';
import { isTwelveDigits, type Rut } from '../units/rut.ts';
import { TABLES, type Table } from './tables.ts';

/** Keys of the lake's objects. A partition is part of the key, as `name=value`: Athena and DuckDB read it there. */

/** No character that has a meaning in a path or a pattern. */
const TABLE_OBJECT = /^(\w+)\/(\w+)=(\d{4}-\d\d-\d\d)\/[0-9A-Za-z][\w.-]*\.parquet$/;

/** Table and day of an object that a table reads; undefined for any other key. */
export function tableObject(key: string): { table: Table; day: Day } | undefined {
  const [, name, partition, day = ''] = TABLE_OBJECT.exec(key) ?? [];
  const table = TABLES.find((known) => known.name === name && known.partition === partition);
  return table === undefined || !isDay(day) ? undefined : { table, day };
}

/** The units, which no table points at. */
export const UNITS_FOLDER = 'unidades';

/** All units of a table, or those of one issue date. */
export function unitsFolder(table: string, day?: Day): string {
  const folder = `${UNITS_FOLDER}/${table}`;
  return day === undefined ? folder : `${folder}/fecha=${day}`;
}

/** The one object of a unit: a company's receipts of one issue date. */
export function unitKey(table: string, day: Day, rut: Rut): string {
  return `${unitsFolder(table, day)}/${rut}.parquet`;
}

/** The company of a unit's key; undefined for any other key. */
export function rutOfUnit(key: string): Rut | undefined {
  const rut = /^unidades\/\w+\/fecha=\d{4}-\d\d-\d\d\/(\d{12})\.parquet$/.exec(key)?.[1];
  return isTwelveDigits(rut) ? rut : undefined;
}

/** The day object: all companies' units of one issue date. */
export function dayKey(table: string, day: Day): string {
  return `${table}/fecha=${day}/dia.parquet`;
}

/** Marks of the days that may lag behind their units (marks.ts). These never expire. */
export const LAGGING_FOLDER = '.lagging';

export function laggingFolder(table: string, day: Day): string {
  return `${LAGGING_FOLDER}/${table}/${day}`;
}

/** Of runs that are not closed: parts of `exportaciones` and `cambios`. These never expire. */
export const OPEN_RUNS_FOLDER = '.open-runs';

export function openRunFolder({ day, id }: { day: Day; id: string }): string {
  return `${OPEN_RUNS_FOLDER}/${day}/${id}`;
}

/** What an invocation could not finish. */
export const STAGING_FOLDER = '.staging';

/** Lists that one invocation could not read to their end. */
export function stagedListsFolder(runId: string, rut: Rut, direction: string): string {
  return `${STAGING_FOLDER}/${runId}/${rut}/${direction}`;
}

/** Details read so far of a unit whose object is not complete: numbered parts, only ever added. */
export function stagedDetailsFolder(table: string, { rut, day }: { rut: Rut; day: Day }): string {
  return `${STAGING_FOLDER}/detalle/${table}/${day}/${rut}`;
}

/** The company of a staged list or detail; undefined for any other key. */
export function rutOfStaged(key: string): Rut | undefined {
  const rut = /^\.staging\/(?:detalle\/\w+\/\d{4}-\d\d-\d\d|[\w-]+)\/(\d{12})\//.exec(key)?.[1];
  return isTwelveDigits(rut) ? rut : undefined;
}

/** The lock of a folder's one writer, and what that one is writing (store/folder-lock.ts). A bucket has none. */
export const LOCK_FOLDER = '.lock';

/** Leases: which companies may be exported now (lib/run/leases.ts). */
export const LEASES_FOLDER = '.leases';

export function leaseKey(number: number): string {
  return `${LEASES_FOLDER}/${number}`;
}

/** Key of the mark that a run of this rank is waiting for a lease. */
export function waitingKey(rank: string): string {
  return `${LEASES_FOLDER}/waiting-${rank}`;
}

/** Folder of what is known about the service that the receipts come from. */
export const SOURCE_FOLDER = '.source';

/** The companies of the last full run: one that disappears is reported. */
export const COMPANIES_KEY = `${SOURCE_FOLDER}/companies.json`;

/** The lake's mark: which service that is (source.ts). */
export const SOURCE_KEY = `${SOURCE_FOLDER}/source.json`;
