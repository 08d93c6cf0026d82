import { isDay } from '../time/days.ts';
import { TABLES, type Table } from './tables.ts';

/** Where objects stand in the lake. The partition is in the key, as `name=value`, for Athena and DuckDB alike. */

/** Nothing that a path or a pattern gives a meaning to. */
const TABLE_OBJECT = /^(\w+)\/(\w+)=(\d{4}-\d\d-\d\d)\/[0-9A-Za-z][\w.-]*\.parquet$/;

/** Table and day of an object that a table is read from; undefined of every other key, whoever put it there. */
export function tableObject(key: string): { table: Table; day: string } | undefined {
  const [, name, partition, day = ''] = TABLE_OBJECT.exec(key) ?? [];
  const table = TABLES.find((known) => known.name === name && known.partition === partition);
  return table === undefined || !isDay(day) ? undefined : { table, day };
}

/** The one object of a unit: a company's receipts of one issue date. */
export function unitKey(table: string, fecha: string, rut: string): string {
  return `${table}/fecha=${fecha}/${rut}.parquet`;
}

/**
 * What runs wrote for `exportaciones` and `cambios` that is not in the tables yet, see lib/audit; no table's folder.
 * Nothing here grows old: it is moved, never dropped.
 */
export const OPEN_RUNS_FOLDER = '.open-runs';

/** What one invocation read of lists that it could not finish; no table's folder. */
export function stagedListsFolder(runId: string, rut: string, direction: string): string {
  return `.staging/${runId}/${rut}/${direction}`;
}

/** Details read so far of a unit whose object is not complete yet: parts that are numbered, and only added to. */
export function stagedDetailsFolder(table: string, { rut, fecha }: { rut: string; fecha: string }): string {
  return `.staging/detalle/${table}/${fecha}/${rut}`;
}

/** What is known of the service that the lake's receipts are from; no table's folder. */
export const SOURCE_FOLDER = '.source';

/** The companies of the last run of all companies: one that is lost since then is told. */
export const COMPANIES_KEY = `${SOURCE_FOLDER}/companies.json`;

/** Which service that is: the lake's mark, see source/mark.ts. */
export const SOURCE_KEY = `${SOURCE_FOLDER}/source.json`;

/** What its lists have proved of it. */
export const HABITS_KEY = `${SOURCE_FOLDER}/habits.json`;
