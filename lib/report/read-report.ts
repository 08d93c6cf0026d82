import { readAudit } from '../audit/read.ts';
import { LAKE } from '../lake/phrases.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { type Answer, countColumn, dateColumn, textColumn } from '../query/answer.ts';
import { heldDays, heldDaysSql } from '../query/held-days.ts';
import type { LakeDatabase } from '../query/lake-database.ts';
import type { Narrowing } from '../query/named-queries.ts';
import { type OpenOptions, openTables } from '../query/open-lake.ts';
import { ask, keepAnswer, QueryError } from '../query/question.ts';
import { WrongInputError } from '../system/errors.ts';
import { shortDay } from '../text/spanish.ts';
import { addDays, type Day, type DayRange } from '../time/days.ts';
import { type AnsweredPart, partSql, REPORT_PARTS, type ReportPart, unreadDetailsSql } from './parts.ts';
import {
  DETAILS,
  daysOf,
  daysOfMoved,
  type FromCompaniesFile,
  type Listings,
  listings,
  listingsSql,
  type ReadPeriod,
  readDays,
} from './read-days.ts';
import { isToLookAt, REPORT_STATES, type ReportDay, type ReportState } from './report-day.ts';
import { columnOf } from './values.ts';

export interface AskedReport extends FromCompaniesFile {
  rut: string;
  name: string | undefined;
  /** First and last day of the month, `YYYY-MM-DD`. */
  from: Day;
  to: Day;
  /** Today in Uruguay. */
  today: Day;
}

/** Everything to check before a month is closed. */
export interface Report extends AskedReport, ReadPeriod {
  lake: string;
  /** When the close that it is compared with was made, local; undefined if it is with none. */
  closedAt: string | undefined;
  parts: readonly AnsweredPart[];
  /** The command that brings all that the month lacks; undefined if no command brings anything. */
  bring: string | undefined;
  /** Parts with receipts whose detail was never read. */
  unreadDetails: readonly string[];
  /** All days of both lists, in order, received first. */
  days: readonly ReportDay[];
  listings: Listings;
}

export interface ReportOptions {
  /** What is called before a part is asked. */
  onPart?: (part: ReportPart) => void;
  /** Values of the UI by year, in place of those in the queries. */
  ui?: Narrowing['ui'];
  signal?: AbortSignal;
  /** DuckDB's limits, where no `database` is given. */
  limits?: OpenOptions['limits'];
  closed?: ClosedMonths;
  /** Gives a database that has the days of these questions about these companies, and is not closed here. */
  database?: (questions: readonly string[], ruts: readonly string[]) => Promise<LakeDatabase>;
}

/** Closes to compare with. */
export interface ClosedMonths {
  ruts: readonly string[];
  /** When each close was made, by RUT. */
  closedAt: ReadonlyMap<string, string>;
  /** The parts in place of `cambios`, which read the answer to `sql` as the table CHANGES. */
  parts: readonly ReportPart[];
  sql: (month: Narrowing) => string;
  /** The most that one of these parts may take. */
  mostBytes: number;
  /** What `sql` reads beside the lake. */
  views: OpenOptions['views'];
}

/** The answer of what is not as closes have it. */
export const CHANGES = 'desde_el_cierre';

/** Asks the lake for one company's month. Throws what readReports throws, and NotInLakeError. */
export async function readReport(
  store: LakeStore,
  { rut, name, ...month }: AskedReport,
  options: ReportOptions = {},
): Promise<Report> {
  const names = name === undefined ? undefined : new Map([[rut, name]]);
  for await (const { report } of readReports(store, { ...month, ruts: [rut], names }, options)) {
    if ('error' in report) throw report.error;
    const hasRows = report.parts.some(({ answer }) => answer !== undefined && answer.rows.length > 0);
    const isRead = hasRows || report.days.some(({ state }) => state !== 'missing');
    if (isRead || (await isInLake(store, rut))) return report;
  }
  throw new NotInLakeError(rut, store.address);
}

/** No run ever exported the company into this lake. */
export class NotInLakeError extends WrongInputError {
  override name = 'NotInLakeError';
  constructor(rut: string, address: string) {
    super(LAKE.notThere(rut, address), { advice: LAKE.whichAre() });
  }
}

/** Whether the audit has the company, at any time. */
async function isInLake(store: LakeStore, rut: string): Promise<boolean> {
  let isKnown = false;
  await readAudit(store, { ruts: new Set([rut]), columns: ['state'] }, () => {
    isKnown = true;
  });
  return isKnown;
}

/** A month of several companies. */
export interface AskedReports extends Omit<AskedReport, 'rut' | 'name'> {
  /** By default all companies that the audit has on these days. */
  ruts?: readonly string[];
  /** Companies that are told of besides these, even if nothing was exported of them. */
  alsoRuts?: readonly string[] | undefined;
  /** Names by RUT. Others come from the audit. */
  names?: ReadonlyMap<string, string>;
}

/** A company whose month could not be asked for. */
export interface FailedReport {
  rut: string;
  name: string | undefined;
  error: unknown;
}

/**
 * Asks the lake for a month of companies, in the order of their RUTs. What fails for all together is asked for each
 * alone, so that one company's rows stop no other's. Throws what openTables and readCoverage throw.
 */
export async function* readReports(
  store: LakeStore,
  { ruts, alsoRuts, names, companiesFile, ...month }: AskedReports,
  options: ReportOptions = {},
): AsyncGenerator<{ report: Report | FailedReport; companyCount: number }> {
  const { from, to, today } = month;
  const isOver = today > to;
  const read = await readDays(store, { ...month, ruts, alsoRuts, names, companiesFile });
  const lastDay = isOver ? to : addDays(today, -1);
  let answers: ((rut: string) => Answers) | undefined;
  try {
    answers = await answersOf(store, ruts ?? [], month, isOver, options);
  } catch (error) {
    if (!(error instanceof QueryError) || read.ruts.length === 1) throw error;
  }
  const companyCount = read.ruts.length;
  const { companies, period } = await read.afterTables();
  for (const company of companies) {
    const { rut, name } = company;
    let companyAnswers: Answers;
    try {
      companyAnswers = (answers ?? (await answersOf(store, [rut], month, isOver, options)))(rut);
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      yield { report: { rut, name, error }, companyCount };
      continue;
    }
    const { parts, unreadDetails, listings } = companyAnswers;
    const days = daysOf(company, period, companyAnswers.heldCount);
    const marked = days.filter(isToLookAt).map(({ day }) => day);
    // Whatever is read also brings the tables up to date.
    const areTablesBehind = unreadDetails.length > 0 || period.isLagging === true;
    const toRead = [
      ...marked,
      ...daysOfMoved(listings),
      ...(areTablesBehind ? [from, [from, lastDay].sort().at(-1)] : []),
    ].sort();
    const report = {
      ...period,
      rut,
      name,
      lake: store.address,
      closedAt: options.closed?.closedAt.get(rut),
      bring:
        toRead[0] && `${period.readAgain} --rut ${rut} --from ${toRead[0]} --to ${toRead.at(-1)}${DETAILS}`,
      parts,
      unreadDetails,
      days,
      listings,
    };
    yield { report, companyCount };
  }
}

interface Answers extends Pick<Report, 'parts' | 'unreadDetails' | 'listings'> {
  /** How many listed receipts of that day the tables have. */
  heldCount(direction: string, day: Day): number;
}

/**
 * All parts from one database, which sees one moment of the lake: each is asked once, for all companies. Until the month
 * is over, some are not asked.
 */
async function answersOf(
  store: LakeStore,
  ruts: readonly string[],
  { from, to }: DayRange,
  isOver: boolean,
  { onPart, signal, limits, ui, database: given, closed }: ReportOptions,
): Promise<(rut: string) => Answers> {
  const unreadSql = unreadDetailsSql(ruts, from, to);
  const heldSql = heldDaysSql(ruts, { from, to });
  const ofListings = listingsSql(ruts, { from, to });
  const closedRuts = closed?.ruts.filter((rut) => ruts.length === 0 || ruts.includes(rut)) ?? [];
  const month = (companies: readonly string[]) => ({ ruts: companies, from, to, ui });
  const changesSql =
    closed === undefined || closedRuts.length === 0 ? undefined : closed.sql(month(closedRuts));
  const questions = [
    ...REPORT_PARTS.map((part) => withCloseDay(part, to)),
    ...(changesSql === undefined ? [] : (closed?.parts ?? [])),
  ].map((part) => ({
    part,
    sql: isOver || part.mustMonthBeOver !== true ? partSql(part, month(ruts)) : undefined,
  }));
  const isAsked = (part: ReportPart, rut: string) =>
    part.mustMonthBeOver !== true || (part.table !== undefined) === closedRuts.includes(rut);
  const asked = questions.flatMap(({ part, sql }) => (part.table === undefined ? (sql ?? []) : []));
  const sqls = [unreadSql, heldSql, ofListings, ...asked, ...(changesSql === undefined ? [] : [changesSql])];
  const database =
    given === undefined
      ? await openTables(store, sqls, {}, { signal, limits, views: closed?.views })
      : await given(sqls, ruts);
  try {
    if (changesSql !== undefined) await keepAnswer(database, CHANGES, changesSql);
    const parts: { part: ReportPart; answerOf: ((rut: string) => Answer) | undefined }[] = [];
    for (const { part, sql } of questions) {
      signal?.throwIfAborted();
      onPart?.(part);
      const mostBytes = part.table === undefined ? undefined : closed?.mostBytes;
      const answerOf = sql === undefined ? undefined : byCompany(await ask(database, sql, mostBytes));
      parts.push({ part, answerOf });
    }
    const unreadOf = byCompany(await ask(database, unreadSql));
    const held = heldDays(await ask(database, heldSql));
    const listingsOf = listings(await ask(database, ofListings));
    return (rut) => ({
      heldCount: held.countOf(rut),
      parts: parts.flatMap(({ part, answerOf }) =>
        isAsked(part, rut) ? [{ part, answer: answerOf?.(rut) }] : [],
      ),
      unreadDetails: columnOf(unreadOf(rut), 'parte').flatMap((id) => id ?? []),
      listings: listingsOf(rut),
    });
  } finally {
    if (given === undefined) database.close();
  }
}

/** Says which day is taken for the close, where there is none to compare with. */
function withCloseDay(part: ReportPart, to: Day): ReportPart {
  if (part.mustMonthBeOver !== true) return part;
  return { ...part, about: `${part.about} Como cierre se toma el ${shortDay(addDays(to, 1))}.` };
}

/** The rows of each company, whose RUT is their last value, without it. */
function byCompany({ columns, rows }: Answer): (rut: string) => Answer {
  const rowsOf = Map.groupBy(rows, (row) => row.at(-1));
  return (rut) => ({
    columns: columns.slice(0, -1),
    rows: (rowsOf.get(rut) ?? []).map((row) => row.slice(0, -1)),
  });
}

/** All days, as a sheet of the workbook. */
export function daysAnswer(days: readonly ReportDay[]): Answer {
  return {
    columns: [textColumn('Lista'), dateColumn('Fecha'), textColumn('Estado'), countColumn('Comprobantes')],
    rows: days.map(({ direction, day, state, receipts }) => [
      direction,
      day,
      REPORT_STATES[state],
      receipts === null ? null : String(receipts),
    ]),
  };
}

/** The days that need a look. Consecutive days are one row. */
export function troubleAnswer(days: readonly ReportDay[]): Answer {
  const runs: { direction: string; state: ReportState; from: Day; to: Day; count: number }[] = [];
  for (const { direction, state, day } of days.filter(isToLookAt)) {
    const last = runs.at(-1);
    if (last?.direction === direction && last.state === state && addDays(last.to, 1) === day) {
      last.to = day;
      last.count += 1;
    } else runs.push({ direction, state, from: day, to: day, count: 1 });
  }
  return {
    columns: [
      textColumn('Lista'),
      dateColumn('Desde'),
      dateColumn('Hasta'),
      countColumn('Días'),
      textColumn('Estado'),
    ],
    rows: runs.map(({ direction, state, from, to, count }) => [
      direction,
      from,
      to,
      String(count),
      REPORT_STATES[state],
    ]),
  };
}
