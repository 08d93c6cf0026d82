import { type Day, isDay } from '../time/days.ts';
import { isTwelveDigits, type Rut } from '../units/rut.ts';
import { RECEIPT_TABLES, TABLES, type Table } from './tables.ts';

/** Keys of the lake's objects. A partition is part of the key, as `name=value`: Athena and DuckDB read it there. */

// Only what the program wrote is the lake. Synchronisers and people put files beside it, often with the same rows:
// `dia-PC-DE-ANA.parquet`, `dia (1).parquet`, `fecha=2026-10-15 (1)/dia.parquet`. So names are told apart to the letter.
const PARTS = {
  table: '(?:recibidos|emitidos)(?:_detalle)?',
  dayTable: '(?:recibidos|emitidos)(?:_detalle)?|cotizaciones',
  runTable: 'exportaciones|cambios',
  direction: 'recibidos|emitidos',
  day: String.raw`\d{4}-\d\d-\d\d`,
  issued: String.raw`\d{4}-\d\d-\d\d`,
  rut: String.raw`\d{12}`,
  ruts: String.raw`\d{12}(?:-\d{12})?`,
  /** The id of a run by hand, or by the schedule. */
  run: String.raw`\d{14}-(?:[0-9a-f]{8}|nocturna)`,
  /** The name of a part of the audit. */
  name: '[0-9a-f]{8}-[0-9a-f]{4}',
  write: '[0-9a-f]{32}',
  word: String.raw`[\w-]+`,
} as const;

type Part = keyof typeof PARTS;
type PartsOf<Template extends string> = Template extends `${string}{${infer Name extends Part}}${infer Rest}`
  ? Name | PartsOf<Rest>
  : never;

/** Makes keys of one form, and reads them. */
function keysLike<const Template extends string>(template: Template) {
  const source = template
    .replaceAll('.', String.raw`\.`)
    .replaceAll(/\{(\w+)\}/g, (_, name: Part) => `(?<${name}>${PARTS[name]})`);
  const form = new RegExp(`^${source}$`);
  return {
    build: (parts: Readonly<Record<PartsOf<Template>, string>>): string =>
      template.replaceAll(/\{(\w+)\}/g, (_, name: PartsOf<Template>) => parts[name]),
    /** The parts of a key of this form. */
    parse: (key: string): Readonly<Partial<Record<Part, string>>> | undefined => form.exec(key)?.groups,
  };
}

const UNIT = keysLike('unidades/{table}/fecha={day}/{rut}.parquet');
const DAY_OBJECT = keysLike('{dayTable}/fecha={day}/dia.parquet');
const MARK = keysLike('.lagging/{table}/{day}-{word}');
/** What a run has in a table of runs, and its parts until then; their keys are made and read in lib/audit/keys.ts. */
export const RUN_OBJECT = keysLike('{runTable}/fecha_corrida={day}/{run}.parquet');
export const AUDIT_PART = keysLike('.open-runs/{day}/{run}/exportaciones/{ruts}-{name}.parquet');
export const CHANGES_PART = keysLike(
  '.open-runs/{day}/{run}/cambios/{rut}-{direction}-{issued}-{write}.parquet',
);
/** The forms of keys in the folders that readers list. */
const LISTED = [
  UNIT,
  DAY_OBJECT,
  RUN_OBJECT,
  // A damaged day that publish put aside.
  keysLike('{table}/fecha={day}/dia.parquet.{word}.damaged'),
  AUDIT_PART,
  CHANGES_PART,
];

/** Table and day of an object that a table reads; undefined for any other key. */
export function tableObject(key: string): { table: Table; day: Day } | undefined {
  const { dayTable, runTable, day = '' } = DAY_OBJECT.parse(key) ?? RUN_OBJECT.parse(key) ?? {};
  const table = TABLES.find(({ name }) => name === (dayTable ?? runTable));
  return table === undefined || !isDay(day) ? undefined : { table, day };
}

const LISTED_FOLDERS = new RegExp(`^(?:${TABLES.map(({ name }) => name).join('|')}|unidades|\\.open-runs)/`);

/** Whether the program writes an object of this name, in folders that readers list: the stores' lists leave out others. */
export function isWritten(key: string): boolean {
  if (!LISTED_FOLDERS.test(key)) return true;
  return LISTED.some((form) => isDay(form.parse(key)?.day ?? ''));
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
  return UNIT.build({ table, day, rut });
}

/** The company of a unit's key; undefined for any other key. */
export function rutOfUnit(key: string): Rut | undefined {
  const { rut } = UNIT.parse(key) ?? {};
  return isTwelveDigits(rut) ? rut : undefined;
}

/** The day object: all companies' units of one issue date. */
export function dayKey(table: string, day: Day): string {
  return DAY_OBJECT.build({ dayTable: table, day });
}

/** Marks of the days that may lag behind their units (marks.ts). These never expire. */
export const LAGGING_FOLDER = '.lagging';

/** No folder for each day: on a disk, one costs as much as a file. */
export function markKey(table: string, day: Day, name: string): string {
  return MARK.build({ table, day, word: name });
}

/** Table and day of a mark's key; undefined for any other key. */
export function markOf(key: string): { table: Table; day: Day } | undefined {
  const { table: tableName, day = '' } = MARK.parse(key) ?? {};
  const table = RECEIPT_TABLES.find(({ name }) => name === tableName);
  return table === undefined || !isDay(day) ? undefined : { table, day };
}

/** An object that is put to learn the time of the store (marks.ts). */
export const STORE_CLOCK_KEY = `${LAGGING_FOLDER}/clock`;

/** The parts of `exportaciones` and `cambios` of runs that are not sealed. These never expire. */
export const OPEN_RUNS_FOLDER = '.open-runs';

export function openRunsFolder(day?: Day): string {
  return day === undefined ? OPEN_RUNS_FOLDER : `${OPEN_RUNS_FOLDER}/${day}`;
}

export function openRunFolder({ day, id }: { day: Day; id: string }): string {
  return `${openRunsFolder(day)}/${id}`;
}

/** The lock of a folder's one writer, and what that one is writing (store/folder-lock.ts). A bucket has none. */
export const LOCK_FOLDER = '.lock';

/** Which runs are under way (lib/run/shares.ts). */
export const RUNS_FOLDER = '.runs';

/** Names the run that has this share. */
export function shareKey(share: string): string {
  return `${RUNS_FOLDER}/${share}`;
}

/** Folder of what is known about the service that the receipts come from. */
export const SOURCE_FOLDER = '.source';

/** The companies of the last full run: one that disappears is reported. */
export const COMPANIES_KEY = `${SOURCE_FOLDER}/companies.json`;

/** The lake's mark: which service that is (source.ts). */
export const SOURCE_KEY = `${SOURCE_FOLDER}/source.json`;
