import { valueText } from '../lake/parquet/column-values.ts';
import { WrongInputError } from '../system/errors.ts';
import { ExactNumber } from '../text/exact-json.ts';
import { tableOrRecords } from '../text/text-table.ts';

export interface AnswerColumn {
  name: string;
  /** DuckDB's type: `DECIMAL(17,2)`, `DATE`. */
  type: string;
}

const NUMBER = /^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL\(\d+,\d+\))$/;

export function isNumber({ type }: AnswerColumn): boolean {
  return NUMBER.test(type);
}

export function isBoolean({ type }: AnswerColumn): boolean {
  return type === 'BOOLEAN';
}

/** An answer. Every value is the text that DuckDB gives for it, so numbers are exact. */
export interface Answer {
  columns: readonly AnswerColumn[];
  rows: readonly (readonly (string | null)[])[];
}

// Columns of answers that do not come from DuckDB.

export function textColumn(name: string): AnswerColumn {
  return { name, type: 'VARCHAR' };
}

export function dateColumn(name: string): AnswerColumn {
  return { name, type: 'DATE' };
}

export function countColumn(name: string): AnswerColumn {
  return { name, type: 'INTEGER' };
}

export function amountColumn(name: string): AnswerColumn {
  return { name, type: 'DECIMAL(38,2)' };
}

/** The sum of amounts with two decimals, to the cent; null if none is known. */
export function sumOf(amounts: readonly (string | null | undefined)[]): string | null {
  const cents = amounts.flatMap((amount) => (amount == null ? [] : BigInt(amount.replace('.', ''))));
  return cents.length === 0
    ? null
    : valueText(
        'decimal(17,2)',
        cents.reduce((sum, amount) => sum + amount),
      );
}

/** The answer as a table for people; row by row where the terminal is too narrow for its columns. */
export function plainTable(answer: Answer, terminalColumns?: number): string {
  return [...plainLines(answer, terminalColumns)].join('\n');
}

/** Its lines. */
export function plainLines({ columns, rows }: Answer, terminalColumns?: number): Iterable<string> {
  const body = rows.map((row) => row.map((value) => value ?? ''));
  const alignments = columns.map((column) => (isNumber(column) ? 'right' : 'left'));
  const names = columns.map(({ name }) => name);
  return tableOrRecords(names, body, alignments, terminalColumns);
}

/** Its columns that are shown. */
export function withColumns(
  { columns, rows }: Answer,
  isShown: (column: AnswerColumn, place: number) => boolean,
): Answer {
  const places = columns.flatMap((column, place) => (isShown(column, place) ? place : []));
  const kept = <Value>(values: readonly Value[]) => places.flatMap((place) => values.slice(place, place + 1));
  return { columns: kept(columns), rows: rows.map(kept) };
}

/** The answer without the columns that say nothing in any row. */
export function withoutEmpty(answer: Answer): Answer {
  return withColumns(answer, (_, place) => answer.rows.some((row) => row[place] !== null));
}

/** The totals that posicion-iva has among its rows, apart from them. */
export function totalsApart({ columns, rows }: Answer): { lines: Answer; totals: Answer } {
  const place = columns.findIndex(({ name }) => name === 'moneda');
  const rowsThatAre = (isTotal: boolean) => ({
    columns,
    rows: rows.filter((row) => (row[place] === 'todas') === isTotal),
  });
  return { lines: rowsThatAre(false), totals: rowsThatAre(true) };
}

/** The rows as objects by column name, their values as text. */
export function textObjectsOf({ columns, rows }: Answer): Record<string, string | null>[] {
  return rows.map((row) => Object.fromEntries(columns.map(({ name }, index) => [name, row[index] ?? null])));
}

/**
 * The answer as a JSON array of objects, a row at a time. Numbers keep all their digits: JSON does not limit them, though
 * some readers do. Throws WrongInputError if two columns have the same name.
 */
export function* jsonRows({ columns, rows }: Answer): Generator<string, void, undefined> {
  assertNamedOnce(columns);
  let before = '[';
  for (const row of rows) {
    const members = columns.map(
      (column, index) =>
        `${JSON.stringify(column.name)}:${jsonValue(row[index] ?? null, isNumber(column) || isBoolean(column))}`,
    );
    yield `${before}{${members.join(',')}}`;
    before = ',\n';
  }
  yield rows.length === 0 ? '[]' : ']';
}

/** A value of a row by name. A whole number past 2^53 is an ExactNumber; decimals, days and all else are text. */
export type LakeValue = number | ExactNumber | boolean | string | null;

export type LakeRow = Readonly<Record<string, LakeValue>>;

/** The rows as objects by column name. Throws WrongInputError if two columns have the same name. */
export function objectsOf({ columns, rows }: Answer): LakeRow[] {
  assertNamedOnce(columns);
  const entries = (row: Answer['rows'][number]) =>
    columns.map((column, index) => [column.name, lakeValue(column, row[index] ?? null)] as const);
  return rows.map((row) => Object.fromEntries(entries(row)));
}

/** An object has no two members of one name. */
function assertNamedOnce(columns: Answer['columns']): void {
  const names = columns.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new WrongInputError(`Two columns are named ${twice}: name one of them with AS.`);
}

function lakeValue(column: AnswerColumn, text: string | null): LakeValue {
  if (isBoolean(column)) return text === null ? null : text === 'true';
  if (text === null || !isNumber(column) || column.type.startsWith('DECIMAL')) return text;
  const isExact = /^(FLOAT|DOUBLE)$/.test(column.type) || Number.isSafeInteger(Number(text));
  return isExact ? Number(text) : new ExactNumber(text);
}

function jsonValue(text: string | null, isBare: boolean): string {
  if (text === null || (isBare && /^-?(inf|nan)/i.test(text))) return 'null';
  return isBare ? text : JSON.stringify(text);
}

export interface CsvDialect {
  /** Whether the file is for spreadsheets in Uruguay, which open it directly; else it is RFC 4180. */
  isLocal: boolean;
  /** Whether texts that a spreadsheet would run get an apostrophe; else values are unchanged. */
  isGuarded: boolean;
}

/** Tells a spreadsheet that the file is UTF-8. */
const BYTE_ORDER_MARK = '\u{feff}';
/**
 * Full-width signs too: spreadsheets may take them for the others. And what is not seen or moves to another place or line: a
 * spreadsheet may leave it out, and run what follows.
 */
const FORMULA = /^\x20*[=+\-@＝＋－＠[\s--\x20]\p{Cc}\p{Cf}\u{fe0f}\u{3164}]/v;
const PLAIN_NUMBER = /^[-+]?\d+([.,]\d+)?$/;
/** Where a cell may end, and no formula goes on with the number before it. */
const ENDS = '["\\]\\}\\r\\n\\u{85}\\u{2028}\\u{2029}]';
/**
 * Within a cell as it is written, where a spreadsheet with another separator begins one: the number that it may be ends with
 * that separator, not with another, which may be its decimal comma. The sign is looked for first: what is before it is then
 * read once.
 */
const FORMULA_WITHIN = new RegExp(
  `(?=[=+\\-@＝＋－＠])(?:${[';', ',', '\\t', '\\|', '[\\r\\n\\u{85}\\u{2028}\\u{2029}]']
    .map(
      (separator) =>
        `(?<=${separator}["\\s\\p{Cc}\\p{Cf}\\u{fe0f}\\u{3164}]*)(?![\\-+]\\d+(?:[.,]\\d+)?\\s*(?:${separator}|${ENDS}))`,
    )
    .join('|')})`,
  'gv',
);
/** To a program with another separator, all cells of a line may be one, and the comma between two a decimal one. */
const NUMBERS = /^\+?[\d\s.,:-]*$/;
/** It does not go on with a number before it, as an operator or an exponent would. */
const NAME = /^(?!e[\d+-])\p{L}/iu;

/** A row at a time. `onGuarded`: a text got an apostrophe, because a spreadsheet would run what follows as a formula. */
export function* csvRows(
  { columns, rows }: Answer,
  { isLocal, isGuarded }: CsvDialect,
  onGuarded: () => void,
): Generator<string, void, undefined> {
  const separator = isLocal ? ';' : ',';
  const cellOf = (text: string, isAfterNumbers: boolean): string => {
    const exact = quotedCell(text, separator);
    if (!isGuarded || PLAIN_NUMBER.test(text)) return exact;
    const isFormula = FORMULA.test(text) || (isAfterNumbers && !NUMBERS.test(text) && !NAME.test(text));
    const safe = (isFormula ? quotedCell(`'${text}`, separator) : exact).replace(FORMULA_WITHIN, "'");
    if (safe !== exact) onGuarded();
    return safe;
  };
  const numberOf = (text: string) => (isLocal ? text.replace('.', ',') : text);
  const names = columns.map(({ name }) => cellOf(name, false));
  yield `${isLocal ? BYTE_ORDER_MARK : ''}${names.join(separator)}`;
  for (const row of rows) {
    let isAfterNumbers = !isLocal && /^[+-]/.test(row[0] ?? '');
    const cells = columns.map((column, index) => {
      const text = row[index] ?? '';
      if (isNumber(column)) return numberOf(text);
      const cell = cellOf(text, isAfterNumbers);
      isAfterNumbers &&= NUMBERS.test(text);
      return cell;
    });
    yield `\r\n${cells.join(separator)}`;
  }
}

function quotedCell(text: string, separator: string): string {
  return /["\r\n]/.test(text) || text.includes(separator) ? `"${text.replaceAll('"', '""')}"` : text;
}
