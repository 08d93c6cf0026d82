import { DIRECTIONS } from '../api/directions.ts';
import { type DayState, isMarked } from '../coverage/day.ts';
import { readCoverage } from '../coverage/read-coverage.ts';
import { type LakeSource, readAgainCommand, sourceOfFolder } from '../lake/source.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { RECEIPT_TABLES } from '../lake/tables.ts';
import { PROGRAM } from '../program.ts';
import { lagNote } from '../publish/publish-days.ts';
import { type Answer, type AnswerColumn, textColumn } from '../query/answer.ts';
import { openTables } from '../query/open-lake.ts';
import { ask } from '../query/question.ts';
import { addDays, type Day } from '../time/days.ts';
import {
  type AnsweredPart,
  type PartId,
  partSql,
  REPORT_PARTS,
  type ReportDay,
  unreadDetailsSql,
} from './parts.ts';
import type { ReportTexts } from './texts/english.ts';
import { columnOf } from './values.ts';

export interface AskedReport {
  rut: string;
  name: string | undefined;
  /** First and last day of the month, `YYYY-MM-DD`. */
  from: Day;
  to: Day;
  /** Today in Uruguay. */
  today: Day;
}

/** Everything to check before a month is closed. */
export interface Report extends AskedReport {
  lake: string;
  /** The source in the lake's mark. */
  source: LakeSource | undefined;
  parts: readonly AnsweredPart[];
  /** The command that reads the details of the month's issued receipts: their currencies are nowhere else. */
  readDetails: string;
  /** Parts with issued receipts whose detail, and so their currency, was never read. */
  unreadDetails: readonly string[];
  /** All days of both lists, in order, received first. */
  days: readonly ReportDay[];
  /** Whether the tables lag behind the units; undefined if that can't be told. */
  isLagging: boolean | undefined;
  /** Why objects of the audit could not be read. Days that only they have count as missing. */
  damaged: readonly string[];
}

export interface ReportOptions {
  /** Called before a part is asked. */
  onPart?: (id: PartId) => void;
  signal?: AbortSignal;
}

/** Asks the lake for one company's month. Throws what openTables, ask and readCoverage throw. */
export async function readReport(
  store: LakeStore,
  asked: AskedReport,
  options: ReportOptions = {},
): Promise<Report> {
  const { rut, from, to, today } = asked;
  const names = asked.name === undefined ? undefined : new Map([[rut, asked.name]]);
  const isOver = today > to;
  // Future days are not missing.
  const lastDay = isOver ? to : addDays(today, -1);
  const days = { from, to: lastDay, today };
  const coverage = await readCoverage(store, { ...days, directions: DIRECTIONS, ruts: [rut], names });
  const reportDays: ReportDay[] = [];
  let { name } = asked;
  for await (const company of coverage.companies) {
    name ??= company.name;
    for (const { direction, days: ofList } of company.calendars) {
      reportDays.push(...ofList.map((day) => ({ ...day, direction })));
    }
  }
  // Checked before the tables are asked: they may catch up meanwhile, but never lag unnoticed.
  const isLagging = await isMonthLagging(store, asked);
  const answers = await answersOf(store, asked, isOver, options);
  const source = await sourceOfFolder(store);
  const readAgain = readAgainCommand(PROGRAM, store.address, source);
  return {
    ...asked,
    name,
    lake: store.address,
    source,
    readDetails: `${readAgain} --rut ${rut} --from ${from} --to ${[from, lastDay].sort().at(-1)} --details emitidos`,
    ...answers,
    days: reportDays,
    damaged: coverage.damaged,
    isLagging,
  };
}

/** Undefined if it can't be told: a caller who may query the tables may lack permission to list units. */
async function isMonthLagging(store: LakeStore, { from, to }: AskedReport): Promise<boolean | undefined> {
  try {
    return (await lagNote(store, RECEIPT_TABLES, { from, to })) !== undefined;
  } catch {
    return undefined;
  }
}

/** All parts from one database, which sees one moment of the lake. Until the month is over, some are not asked. */
async function answersOf(
  store: LakeStore,
  asked: AskedReport,
  isOver: boolean,
  { onPart, signal }: ReportOptions,
): Promise<Pick<Report, 'parts' | 'unreadDetails'>> {
  const { rut, from, to } = asked;
  const unreadSql = unreadDetailsSql(rut, from, to);
  const questions = REPORT_PARTS.map((part) => ({
    part,
    sql: isOver || part.isOfClosedMonth !== true ? partSql(part, { ruts: [rut], from, to }) : undefined,
  }));
  const database = await openTables(
    store,
    [unreadSql, ...questions.flatMap(({ sql }) => sql ?? [])],
    {},
    { signal },
  );
  try {
    const parts: AnsweredPart[] = [];
    for (const { part, sql } of questions) {
      signal?.throwIfAborted();
      onPart?.(part.id);
      parts.push({ part, answer: sql === undefined ? undefined : await ask(database, sql) });
    }
    const unreadDetails = columnOf(await ask(database, unreadSql), 'parte').flatMap((id) => id ?? []);
    return { parts, unreadDetails };
  } finally {
    database.close();
  }
}

const dateColumn = (name: string): AnswerColumn => ({ ...textColumn(name), type: 'DATE' });
const countColumn = (name: string): AnswerColumn => ({
  ...textColumn(name),
  type: 'INTEGER',
  isNumber: true,
});

/** All days, as a sheet of the workbook. */
export function daysAnswer(days: readonly ReportDay[], texts: ReportTexts): Answer {
  return {
    columns: [textColumn('Lista'), dateColumn('Fecha'), textColumn('Estado'), countColumn('Comprobantes')],
    rows: days.map(({ direction, day, state, receipts }) => [
      direction,
      day,
      texts.dayStates[state],
      receipts === null ? null : String(receipts),
    ]),
  };
}

/** The days that need a look. Consecutive days are one row. */
export function troubleAnswer(days: readonly ReportDay[], texts: ReportTexts): Answer {
  const runs: { direction: string; state: DayState; from: Day; to: Day; count: number }[] = [];
  for (const { direction, state, day } of days.filter((one) => isMarked(one.state))) {
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
      texts.dayStates[state],
    ]),
  };
}
