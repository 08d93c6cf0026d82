import { statSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { claimedRows } from '../lake/parquet/claimed-rows.ts';
import { DamagedObjectError } from '../lake/parquet/reader.ts';
import { openObject } from '../lake/store/folder-files.ts';
import { COTIZACIONES, RECEIPT_TABLES, type Table } from '../lake/tables.ts';
import { emptyTable, type LakeDatabase, openDatabase } from '../query/lake-database.ts';
import { newScratchFolder, removeScratch } from '../query/lake-files.ts';
import { namedQuery, narrowed, RATE_DAYS } from '../query/named-queries.ts';
import { ask, QueryError, quoted } from '../query/question.ts';
import { CfeLakeError, WrongInputError } from '../system/errors.ts';
import type { Localized } from '../text/language.ts';
import { printableLine } from '../text/terminal.ts';
import { addDays, type DayRange, monthOf } from '../time/days.ts';
import { type Close, closeFile, INDEX, newestClose, readClose } from './close-folder.ts';
import { DECLARED, type DeclaredTable, FROZEN_ROWS, type FrozenColumns, pairsSql } from './differences.ts';
import { SAY } from './phrases.ts';

/** The tables whose rows a close keeps: of receipts, and of the rates that they may have. */
export const FROZEN_TABLES: readonly Table[] = [...RECEIPT_TABLES, COTIZACIONES];

/** The days of a month whose rows of a table a close keeps. */
export function daysKept(table: Table, { from, to }: DayRange): DayRange {
  return { from: table === COTIZACIONES ? addDays(from, -RATE_DAYS) : from, to };
}

/** The closes of a month as they were written: a small lake that never changes. */
export interface FrozenMonth extends DayRange {
  closes: readonly Close[];
  ruts: readonly string[];
  columns: FrozenColumns;
  /** Files by the name of the view that shows them: the answers, and the rows under `cierre_TABLE`. */
  views: ReadonlyMap<string, readonly string[]>;
  remove(): void;
}

/** The closes that a folder names: itself, or the newest of a month of these companies (none: of all) below it. */
export async function closesIn(
  folder: string,
  month: string | undefined,
  ruts: readonly string[],
): Promise<Close[]> {
  const names = await readdir(folder);
  if (names.includes(INDEX)) {
    const close = await readClose(folder);
    const { index } = close;
    const isAsked = (month ?? index.month) === index.month && ruts.every((rut) => rut === index.rut);
    if (isAsked) return [close];
    throw new WrongInputError(SAY.otherClose(folder, index.month, index.rut));
  }
  if (month === undefined) {
    throw new WrongInputError(SAY.whichMonth(join(folder, 'RUT', 'YYYY-MM')));
  }
  const asked = ruts.length > 0 ? ruts : names.filter((name) => /^\d{12}$/.test(name)).sort();
  const closes: Close[] = [];
  const rutsLacking: string[] = [];
  for (const rut of asked) {
    const close = await newestClose(folder, rut, month);
    if (close === undefined) rutsLacking.push(rut);
    else closes.push(close);
  }
  const lacking = ruts.length > 0 ? rutsLacking : [];
  if (closes.length > 0 && lacking.length === 0) return closes;
  throw new WrongInputError(SAY.noCloseOfMonth(folder, month, lacking.join(', ')));
}

/**
 * Throws WrongInputError where a file is not as it was written, or is none that the close of this company would write.
 * `types`: of closes that are known to be of this program.
 */
export async function frozenMonth(
  closes: readonly Close[],
  signal?: AbortSignal,
  types: KeptTypes = new Map(),
): Promise<FrozenMonth> {
  const [close] = closes;
  if (close === undefined) throw new TypeError('there is no close');
  const folder = newScratchFolder(tmpdir(), 'cfe-lake-closed-');
  const remove = () => removeScratch(folder);
  const ruts = closes.map(({ index }) => index.rut);
  const filesOf = (name: string) => ruts.map((rut) => join(folder, rut, `${name}.parquet`));
  const views = new Map(KEPT.map(({ name, view }) => [view, filesOf(name)]));
  try {
    for (const kept of closes) await copyFiles(kept, join(folder, kept.index.rut));
    const month = monthOf(`${close.index.month}-01`);
    const columns = await columnsOf({ closes, views }, month, types, signal);
    return { ...month, closes, ruts, columns, views, remove };
  } catch (error) {
    remove();
    // It throws what names the one at fault.
    if (closes.length > 1) for (const suspect of closes) (await frozenMonth([suspect], signal)).remove();
    throw error;
  }
}

/**
 * Reads a close that was just written as all that ask it will. Throws CfeLakeError where they would be refused:
 * what receipts hold may be too much.
 */
export async function readBack(folder: string, signal?: AbortSignal): Promise<void> {
  try {
    (await frozenMonth([await readClose(folder)], signal, OWN_TYPES)).remove();
  } catch (error) {
    if (!(error instanceof ForeignFileError)) throw error;
    const { why } = error;
    throw new CfeLakeError((language) => SAY.unreadable(why(language))(language), {
      advice: SAY.byHand(),
      cause: error,
    });
  }
}

/** By the names of kept files, the types that their columns should have. To ask for them takes half of the reading of a small close. */
type KeptTypes = Map<string, ReadonlyMap<string, string>>;
const OWN_TYPES: KeptTypes = new Map();

/** The files of a close that are asked, the views and keys of their rows, and SQL whose columns have the types of theirs. */
const KEPT: readonly { name: string; view: string; sql: string; key: readonly string[] }[] = [
  ...FROZEN_TABLES.map((table) => {
    const { name } = table;
    const key = ['fecha', table === COTIZACIONES ? 'moneda' : 'id'];
    return { name, view: `${FROZEN_ROWS}${name}`, sql: emptyTable(table), key };
  }),
  ...DECLARED.map(({ query, view, key, kind }) => ({
    name: query,
    view,
    sql: namedQuery(query).sql,
    key: [...key, ...(kind === undefined ? [] : [kind('')])],
  })),
];

/** DuckDB takes some characters of a path for patterns; and what is asked is what was checked. */
async function copyFiles(close: Close, to: string): Promise<void> {
  await mkdir(to);
  for (const name of KEPT.map((kept) => `${kept.name}.parquet`)) {
    const path = join(to, name);
    await writeFile(path, closeFile(close, name));
    const file = await openObject(path, name, close.folder);
    try {
      const mostRows = Math.max(MOST_ROWS_OF_SMALL_FILE, file.byteLength / LEAST_BYTES_OF_ROW);
      if ((await claimedRows(file)) <= mostRows) continue;
      throw foreign({ closes: [close] }, SAY.manyRows(name));
    } catch (error) {
      throw error instanceof DamagedObjectError ? foreign({ closes: [close] }, undefined, error) : error;
    } finally {
      await file.close();
    }
  }
}

/** Rows of receipts take some 20 bytes each. A few bytes may claim so many that any question takes hours. */
const MOST_ROWS_OF_SMALL_FILE = 10_000;
const LEAST_BYTES_OF_ROW = 2;

/** Those of all texts of a file; honest ones are some 20 times the file. */
const MOST_TEXT_BYTES = 64 * 2 ** 20;
const MOST_COMPRESSION = 200;

/** The widest table has 40; each is compared. */
const MOST_COLUMNS = 100;
/** These become a part of SQL. */
const COLUMN_NAME = /^[a-z][a-z0-9_]*$/;
/** The types of columns that another version may have had: a list may have any number of values in a row. */
const SINGLE_VALUE = /^(VARCHAR|INTEGER|BIGINT|DECIMAL\(\d+,\d+\)|DATE|TIMESTAMP|BOOLEAN)$/;

/** Whether a row is another company's, or of days that a close does not keep. */
function straySql(table: Table | undefined, month: DayRange): string {
  const isOfOther = 'rut IS DISTINCT FROM parse_path(filename)[-2]';
  if (table === undefined) return isOfOther;
  const { from, to } = daysKept(table, month);
  const isOfOtherDay = `(fecha BETWEEN DATE '${from}' AND DATE '${to}') IS NOT TRUE`;
  return table === COTIZACIONES ? isOfOtherDay : `${isOfOther} OR ${isOfOtherDay}`;
}

/** The columns of each view. No close has rows of another company, or decides how those of another are compared. */
async function columnsOf(
  frozen: Pick<FrozenMonth, 'closes' | 'views'>,
  month: DayRange,
  typesOf: KeptTypes,
  signal: AbortSignal | undefined,
): Promise<FrozenColumns> {
  const database = await openFrozen(frozen, signal);
  const columns: Record<string, FrozenColumns[string]> = {};
  try {
    for (const { name, view, sql, key } of KEPT) {
      const columnsIn = async (from: string) =>
        (await ask(database, `SELECT * FROM ${from} LIMIT 0`)).columns;
      const types =
        typesOf.get(name) ??
        new Map((await columnsIn(`(\n${sql}\n)`)).map((column) => [column.name, column.type]));
      typesOf.set(name, types);
      columns[name] = await columnsIn(view);
      if (columns[name].length > MOST_COLUMNS) throw foreign(frozen);
      for (const column of columns[name]) {
        const type = types.get(column.name);
        const isOfType =
          type === undefined
            ? SINGLE_VALUE.test(column.type)
            : precisionless(column.type) === precisionless(type);
        if (!COLUMN_NAME.test(column.name) || !isOfType) throw foreign(frozen);
      }
      const texts = columns[name].flatMap((column) =>
        column.type === 'VARCHAR' ? [`coalesce(strlen("${column.name}"), 0)`] : [],
      );
      const table = FROZEN_TABLES.find((frozenTable) => frozenTable.name === name);
      // Rows are joined with their details and rates, and with those of now: of copies, each with each.
      const isOnce = `count(*) = count(DISTINCT (${key}))`;
      const files = (frozen.views.get(view) ?? []).map(quoted);
      // A page that nothing asks for is not decoded.
      const allNames = columns[name].map((column) => `"${column.name}"`);
      const found = await database.connection.runAndReadAll(
        `SELECT filename, bool_or(${straySql(table, month)}) OR NOT ${isOnce}, sum(${['0', ...texts].join(' + ')}), bit_xor(hash(${allNames}))
FROM read_parquet([${files}], filename = true, union_by_name = true) GROUP BY filename`,
      );
      for (const [file, isForeign, textBytes] of found.getRows()) {
        const mostTextBytes = Math.max(MOST_TEXT_BYTES, MOST_COMPRESSION * statSync(String(file)).size);
        if (isForeign === true) throw foreign(frozen, SAY.stray(basename(String(file))));
        if (Number(textBytes ?? 0) > mostTextBytes)
          throw foreign(
            frozen,
            SAY.manyTexts(basename(String(file)), megabytes(Number(textBytes)), megabytes(mostTextBytes)),
          );
      }
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof WrongInputError ? error : foreign(frozen, undefined, error);
  } finally {
    database.close();
  }
  return columns;
}

/** An amount is as exact with any number of digits before its point. */
function precisionless(type: string): string {
  return type.replace(/^DECIMAL\(\d+,/, 'DECIMAL(');
}

/** Of a close whose hashes are right. */
class ForeignFileError extends WrongInputError {
  override name = 'ForeignFileError';
  readonly why: Localized;
  constructor(closes: readonly Close[], why: Localized, cause: unknown) {
    super(SAY.foreign(closes.map(({ folder }) => folder).join(', ')), { cause });
    this.why = why;
  }
}

function foreign(
  { closes }: Pick<FrozenMonth, 'closes'>,
  why = SAY.other(),
  cause?: unknown,
): ForeignFileError {
  return new ForeignFileError(closes, why, cause);
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}

/**
 * A database of the frozen rows, under the names of the lake's tables, and of the frozen answers. Throws WrongInputError
 * where an index vouches for a file that no close wrote.
 */
export async function openFrozen(
  { closes, views }: Pick<FrozenMonth, 'closes' | 'views'>,
  signal?: AbortSignal,
): Promise<LakeDatabase> {
  const tables = FROZEN_TABLES.map(({ name }) => [name, views.get(`${FROZEN_ROWS}${name}`) ?? []] as const);
  const viewsAndTables = new Map([...views, ...tables]);
  return await openDatabase(tmpdir(), [], async () => [], { signal, views: viewsAndTables }).catch(
    (error: unknown) => {
      throw error instanceof QueryError ? foreign({ closes }, undefined, error) : error;
    },
  );
}

/** Closes that were made with the same rates, values of the UI and version: their rows may be asked together. */
function alike(closes: readonly Close[], isVersionOne: boolean): Close[][] {
  const keyOf = ({ index: { files, ui, version } }: Close) =>
    JSON.stringify([files[`${COTIZACIONES.name}.parquet`]?.sha256, ui, isVersionOne && version]);
  return [...Map.groupBy(closes, keyOf).values()];
}

/** Whether all closes were made with the same rates. */
export function haveSameRates(closes: readonly Close[]): boolean {
  return alike(closes, false).length <= 1;
}

/**
 * The declared tables of which the frozen rows, asked today, give another answer than the frozen one, with the version
 * that gave it. Each company is asked with its own rates.
 */
export async function changedRules(frozen: FrozenMonth, signal?: AbortSignal): Promise<Localized[]> {
  const texts: Localized[] = [];
  for (const closes of alike(frozen.closes, true)) {
    const ruts = closes.map(({ index }) => index.rut);
    const frozenAlike = await frozenMonth(closes, signal);
    const database = await openFrozen(frozenAlike, signal);
    const changed: string[] = [];
    try {
      for (const table of DECLARED)
        if ((await ask(database, ruleSql(table, frozenAlike))).rows[0]?.[0] === 'true')
          changed.push(table.query);
    } finally {
      database.close();
      frozenAlike.remove();
    }
    if (changed.length > 0)
      texts.push(
        SAY.rule(printableLine(closes[0]?.index.version ?? ''), changed.join(', '), ruts.join(', ')),
      );
  }
  return texts;
}

function ruleSql(table: DeclaredTable, { columns, ruts, from, to }: FrozenMonth): string {
  const now = narrowed(namedQuery(table.query).sql, { ruts, from, to });
  return `SELECT bool_or(difiere) FROM (${pairsSql(table, columns[table.query] ?? [], now)})`;
}
