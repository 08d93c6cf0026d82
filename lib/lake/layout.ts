import { type Day, isDay } from '../time/days.ts';
import { isTwelveDigits, type Rut } from '../units/rut.ts';
import { RECEIPT_TABLES, TABLES, type Table } from './tables.ts';

/** Keys of the lake's objects. A partition is part of the key, as `name=value`: Athena and DuckDB read it there. */

// Only what the program wrote is the lake. Synchronisers and people put files beside it, often with the same rows:
// `dia-PC-DE-ANA.parquet`, `dia (1).parquet`, `fecha=2026-10-15 (1)/dia.parquet`. So names are told apart to the letter.
const DAY = String.raw`\d{4}-\d\d-\d\d`;
const RUT = String.raw`\d{12}`;
const LIST = '(?:recibidos|emitidos)';
/** Of a run by hand, or of the schedule. */
const RUN_ID = String.raw`\d{14}-(?:[0-9a-f]{8}|nocturna)`;

const TABLE_OBJECT = new RegExp(
  `^(?:(${LIST}(?:_detalle)?|cotizaciones)/fecha=(${DAY})/dia|(exportaciones|cambios)/fecha_corrida=(${DAY})/${RUN_ID})\\.parquet$`,
);

/** Table and day of an object that a table reads; undefined for any other key. */
export function tableObject(key: string): { table: Table; day: Day } | undefined {
  const [, list, issued, ofRuns, began] = TABLE_OBJECT.exec(key) ?? [];
  const [name, day] = [list ?? ofRuns, issued ?? began ?? ''];
  const table = TABLES.find((known) => known.name === name);
  return table === undefined || !isDay(day) ? undefined : { table, day };
}

/** Names of objects in the folders that readers list, besides those that a table reads. */
const LISTED_OBJECTS = [
  // A damaged day that publish put aside.
  `${LIST}(?:_detalle)?/fecha=${DAY}/dia\\.parquet\\.[\\w-]+\\.damaged`,
  `unidades/${LIST}(?:_detalle)?/fecha=${DAY}/${RUT}\\.parquet`,
  // What partKey makes of the names in lib/audit.
  `\\.open-runs/${DAY}/${RUN_ID}/exportaciones/${RUT}(?:-${RUT})?-[0-9a-f]{8}-[0-9a-f]{4}\\.parquet`,
  `\\.open-runs/${DAY}/${RUN_ID}/cambios/${RUT}-${LIST}-${DAY}-[0-9a-f]{32}\\.parquet`,
].map((pattern) => new RegExp(`^${pattern}$`));

const LISTED_FOLDERS = new RegExp(`^(?:${TABLES.map(({ name }) => name).join('|')}|unidades|\\.open-runs)/`);

/**
 * Whether the program writes an object of this name. Of folders that no reader lists, nothing is said. The stores' lists
 * leave out what it does not write.
 */
export function isWritten(key: string): boolean {
  if (!LISTED_FOLDERS.test(key)) return true;
  return tableObject(key) !== undefined || LISTED_OBJECTS.some((pattern) => pattern.test(key));
}

/** Hidden entries, which Athena skips too, and the marks of folders in a bucket: nobody takes them for a part of the lake. */
export function isHidden(key: string): boolean {
  return /\/(?:[._][^/]*)?$/.test(key);
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

/** No folder for each day: on a disk, one costs as much as a file. */
export function markKey(table: string, day: Day, name: string): string {
  return `${LAGGING_FOLDER}/${table}/${day}-${name}`;
}

const MARK = new RegExp(String.raw`^\.lagging/(\w+)/(${DAY})-.+$`);

/** Table and day of a mark's key; undefined for any other key. */
export function markOf(key: string): { table: Table; day: Day } | undefined {
  const [, tableName, day = ''] = MARK.exec(key) ?? [];
  const table = RECEIPT_TABLES.find((known) => known.name === tableName);
  return table === undefined || !isDay(day) ? undefined : { table, day };
}

/** Is put to learn the time of the store (marks.ts). */
export const STORE_CLOCK_KEY = `${LAGGING_FOLDER}/clock`;

/** Of runs that are not closed: parts of `exportaciones` and `cambios`. These never expire. */
export const OPEN_RUNS_FOLDER = '.open-runs';

export function openRunFolder({ day, id }: { day: Day; id: string }): string {
  return `${OPEN_RUNS_FOLDER}/${day}/${id}`;
}

/** The lock of a folder's one writer, and what that one is writing (store/folder-lock.ts). A bucket has none. */
export const LOCK_FOLDER = '.lock';

/** Which runs are under way (lib/run/shares.ts). */
export const RUNS_FOLDER = '.runs';

/** Names the run that has this share. */
export function runKey(share: string): string {
  return `${RUNS_FOLDER}/${share}`;
}

/** Folder of what is known about the service that the receipts come from. */
export const SOURCE_FOLDER = '.source';

/** The companies of the last full run: one that disappears is reported. */
export const COMPANIES_KEY = `${SOURCE_FOLDER}/companies.json`;

/** The lake's mark: which service that is (source.ts). */
export const SOURCE_KEY = `${SOURCE_FOLDER}/source.json`;
