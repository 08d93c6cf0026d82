import { createReadStream } from 'node:fs';
import { extname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type Answer, type CsvDialect, csvRows, jsonRows, plainLines } from '../query/answer.ts';
import type { LakeDatabase } from '../query/lake-database.ts';
import { REFUSED } from '../query/phrases.ts';
import type { AnswerSheet } from '../query/workbook.ts';
import { WrongInputError } from '../system/errors.ts';
import { writePrivateFile } from '../system/private-files.ts';
import { type Language, type Said, textIn } from '../text/language.ts';
import { fileToWrite, flag, oneValue, type Parsed, type Terminal } from './command.ts';
import { SAY as ANSWER } from './phrases/answer.ts';
import { SAY } from './phrases/declared.ts';
import type { Printer } from './printer.ts';

/** The last is of one query alone: the text file of formulario-2181. */
const FORMATS = ['table', 'csv', 'json', 'xlsx', 'parquet', 'dgi-2181'] as const;
/** Formats of answers that do not come from DuckDB. */
const ROWS_FORMATS = ['table', 'csv', 'json', 'xlsx'] as const;
type Format = (typeof FORMATS)[number];

const BINARY: readonly Format[] = ['xlsx', 'parquet'];
export const ROWS_IN_A_TERMINAL = 100;
const LOCALE = 'es-UY';

export const OUTPUT_OPTIONS = {
  format: oneValue('F', ANSWER.format(FORMATS.join(', ')), {
    choices: FORMATS,
  }),
  json: flag(ANSWER.sameAs('json')),
  csv: flag(ANSWER.sameAs('csv')),
  out: fileToWrite(ANSWER.out()),
  locale: oneValue(LOCALE, ANSWER.locale(), { choices: [LOCALE] }),
  raw: flag(ANSWER.raw()),
};

/** Option of files that somebody declares (declared-days.ts). */
export const ACCEPT_OPTION = { accept: oneValue('days', SAY.accept(), { choices: ['days'] }) };

export const ROWS_OUTPUT_OPTIONS = {
  ...OUTPUT_OPTIONS,
  format: oneValue('F', ANSWER.format(ROWS_FORMATS.join(', ')), {
    choices: ROWS_FORMATS,
  }),
};

export interface Output {
  format: Format;
  file: string | undefined;
  dialect: CsvDialect;
  mostRows: number;
}

export interface Subject extends Omit<WorkbookContent, 'sheets'> {
  sheetName: string;
  /** Its sheets, where the answer is not one. */
  sheets?: (answer: Answer) => AnswerSheet[] | Promise<AnswerSheet[]>;
}

/** `isAll`: a terminal shows all rows. Throws WrongInputError. */
export function askedOutput(
  { format, json, csv, out: file, locale, raw }: Parsed<typeof OUTPUT_OPTIONS>,
  isAll: boolean,
  { stdout }: Terminal,
): Output {
  const named = new Set([format, json === true && 'json', csv === true && 'csv'].filter((name) => name));
  if (named.size > 1) throw new WrongInputError(ANSWER.oneFormat());
  const asked = FORMATS.find((known) => named.has(known)) ?? formatByName(file);
  if (locale !== undefined && asked !== 'csv')
    throw new WrongInputError(ANSWER.localeIsForCsv(LOCALE, asked === 'xlsx'));
  if (raw === true && asked !== 'csv') throw new WrongInputError(ANSWER.isForFormat('raw', 'csv'));
  if (file === undefined && BINARY.includes(asked) && stdout.isTTY)
    throw new WrongInputError(ANSWER.notShown(asked));
  const isForPeople = file === undefined && stdout.isTTY && !isAll;
  return {
    format: asked,
    file,
    // What is printed goes to programs.
    dialect: {
      isLocal: locale !== undefined,
      isGuarded: raw !== true && (file !== undefined || locale !== undefined),
    },
    mostRows: isForPeople ? ROWS_IN_A_TERMINAL : Number.POSITIVE_INFINITY,
  };
}

export function askedRowsOutput(options: Parsed<typeof ROWS_OUTPUT_OPTIONS>, terminal: Terminal): Output {
  const output = askedOutput(options, true, terminal);
  if (ROWS_FORMATS.some((format) => format === output.format)) return output;
  throw new WrongInputError(ANSWER.parquetIsForQuery());
}

/** A table where no file is named. Throws WrongInputError for an extension of another format: `.xls` would hold a text. */
function formatByName(file = ''): Format {
  const extension = extname(file).slice(1).toLowerCase();
  if (extension === '' || extension === 'txt') return 'table';
  const format = FORMATS.find((known) => known === extension);
  if (format !== undefined) return format;
  throw new WrongInputError(ANSWER.noSuchExtension(extension));
}

/** Asks, and writes the answer to the output. Throws what `ask` throws, and CfeLakeError where it can't be written. */
export async function answerTo(
  output: Output,
  database: LakeDatabase,
  sql: string,
  subject: Subject,
  terminal: Terminal,
): Promise<void> {
  const { answerFile, askWithin, whatNodeHolds } = await import('../query/question.ts');
  if (output.format !== 'parquet') {
    const answer = await askWithin(database, sql, whatNodeHolds());
    if (answer.isCut)
      throw new WrongInputError(REFUSED.tooLarge(answer.rows.length), { advice: ANSWER.askForParquet() });
    return await writeAnswer(output, answer, subject, terminal);
  }
  const { path, rowCount } = await answerFile(database, sql);
  await write(output, createReadStream(path), rowCount, terminal);
}

/** Writes an answer in memory, in any format but Parquet. Throws WrongInputError. */
export async function writeAnswer(
  output: Output,
  answer: Answer,
  { sheetName, sheets, ...properties }: Subject,
  terminal: Terminal,
): Promise<void> {
  const { format, dialect, mostRows } = output;
  const { stdout, stderr } = terminal;
  const count = answer.rows.length;
  if (format === 'xlsx') {
    const asked = (await sheets?.(answer)) ?? [{ name: sheetName, answer }];
    await write(output, await workbookBytes({ sheets: asked, ...properties }, stderr), count, terminal);
  } else if (format === 'csv') {
    let guardedCount = 0;
    const rows = csvRows(answer, dialect, () => {
      guardedCount += 1;
    });
    await write(output, inPieces(rows), count, terminal);
    if (guardedCount > 0) stderr.say(ANSWER.guarded(guardedCount));
  } else {
    const columns = output.file === undefined ? stdout.columns : undefined;
    const isJson = format === 'json';
    const rows = isJson ? jsonRows(answer) : tableLines(answer, mostRows, columns, stdout.language);
    await write(output, inPieces(rows), count, terminal);
  }
}

const PIECE_LENGTH = 2 ** 16;

/** A text as pieces, of many rows each: a string holds no more than 512 MiB, and a write for each row takes long. */
function* inPieces(rows: Iterable<string>): Generator<string, void, undefined> {
  let piece = '';
  for (const row of rows) {
    piece += row;
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}\n`;
}

/** The answer's first rows as a table for people, and how many it has. */
function* tableLines(
  answer: Answer,
  mostRows: number,
  columns: number | undefined,
  language: Language,
): Generator<string, void, undefined> {
  const first = { ...answer, rows: answer.rows.slice(0, mostRows) };
  for (const line of plainLines(first, columns)) yield `${line}\n`;
  yield `(${textIn(ANSWER.shown(answer.rows.length, mostRows), language)})`;
}

export interface WorkbookContent {
  sheets: readonly AnswerSheet[];
  notes: readonly string[];
  /** Why its figures are not to be relied upon. */
  warning?: string | undefined;
}

/** Remarks on what a spreadsheet can't hold go to stderr. Throws WorkbookTooLargeError. */
async function workbookBytes(
  { sheets, notes, warning }: WorkbookContent,
  stderr: Printer,
): Promise<Uint8Array> {
  const { MOST_CHARACTERS, MOST_DIGITS, workbookOf } = await import('../query/workbook.ts');
  const { bytes, remarks } = await workbookOf(sheets, notes, warning);
  const { longNumbers, longTexts } = remarks;
  if (longNumbers > 0) stderr.say(ANSWER.longNumbers(longNumbers, MOST_DIGITS));
  if (longTexts > 0) stderr.say(ANSWER.longTexts(longTexts, MOST_CHARACTERS));
  return bytes;
}

/** Writes a workbook that no query asked for, and says so. Throws CfeLakeError where it can't be written. */
export async function writeWorkbook(
  file: string,
  workbook: WorkbookContent,
  content: Said,
  printer: Printer,
  stderr: Printer,
): Promise<void> {
  await writePrivateFile(file, await workbookBytes(workbook, stderr));
  printer.write(`${printer.textOf(ANSWER.wrote(file, printer.textOf(content)))}\n`);
}

/** Writes content of this many rows. Throws CfeLakeError where they can't be written. */
export async function write(
  { format, file }: Output,
  content: string | Uint8Array | Iterable<string> | AsyncIterable<Uint8Array>,
  rowCount: number,
  { stdout, signal }: Terminal,
): Promise<void> {
  const isWhole = typeof content === 'string' || content instanceof Uint8Array;
  const pieces = heard(isWhole ? [content] : content, signal);
  if (file !== undefined) {
    await writePrivateFile(file, pieces);
    stdout.write(`${stdout.textOf(ANSWER.wrote(file, stdout.textOf(ANSWER.rows(rowCount))))}\n`);
    return;
  }
  for await (const piece of pieces) {
    if (typeof piece !== 'string') stdout.writeBytes(piece);
    else if (format === 'csv') stdout.writeData(piece);
    else stdout.write(piece);
  }
}

/** The pieces until the signal, which is heard between two of them. */
async function* heard(
  pieces: Iterable<string | Uint8Array> | AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<string | Uint8Array, void, undefined> {
  for await (const piece of pieces) {
    await setImmediate();
    signal.throwIfAborted();
    yield piece;
  }
}
