import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { LakeStore } from '../lake/store/store.ts';
import { COTIZACIONES, type Table } from '../lake/tables.ts';
import type { Answer } from '../query/answer.ts';
import { form2181 } from '../query/form-2181.ts';
import type { LakeDatabase } from '../query/lake-database.ts';
import { companyCondition, type Narrowing, namedQuery, narrowed, uiValues } from '../query/named-queries.ts';
import { openTables } from '../query/open-lake.ts';
import { answerFile, ask, keepAnswer, QueryError } from '../query/question.ts';
import { workbookNotes } from '../query/spanish-notes.ts';
import { bookOf, companySheets } from '../query/vat-book.ts';
import { workbookOf } from '../query/workbook.ts';
import { withWrittenValues } from '../query/written-values.ts';
import { lackOfFigures } from '../report/read-days.ts';
import { type AskedReports, type Report, readReports } from '../report/read-report.ts';
import { reportHtml } from '../report/report-page.ts';
import { hasNoReceipts, verdictOf } from '../report/verdict.ts';
import type { Localized } from '../text/language.ts';
import { type DayRange, localDateTime } from '../time/days.ts';
import { type Close, type CloseFiles, newestClose, writeClose } from './close-folder.ts';
import { DECLARED, type DeclaredTable, differencesSql, MOST_DIFFERENCE_BYTES } from './differences.ts';
import { daysKept, FROZEN_TABLES, frozenMonth, readBack } from './frozen-month.ts';
import { type OpenPoint, openPoints, type PointName } from './points.ts';

const FORM = 'formulario-2181';

/** What reconcile said of a list of the tax authority. */
export interface ReconciledList {
  /** The name of its file in the close. */
  name: string;
  isEqual: boolean;
  /** A sentence in Spanish. */
  text: string;
  json: string;
  /** The same for people. */
  html: string;
}

export interface AskedClose extends AskedReports {
  /** The folder of all closes. */
  out: string;
  accepted: ReadonlySet<PointName>;
  /** Whether a company is closed again that has a close which differs. */
  isAgain: boolean;
  ui: Narrowing['ui'];
  version: string;
  madeAt: string;
  /** Compares with the report's days and the database's rows, so that all of a close is of one moment. */
  reconcile: (report: Report, database: LakeDatabase) => Promise<readonly ReconciledList[]>;
  signal: AbortSignal;
}

/** What is not as in the newest close. */
export interface Changes {
  /** The folder of that close. */
  since: string;
  /** The answer of differencesSql about one company. */
  differences: Answer;
  /** What else differs. */
  others: readonly ({ name: 'points' | 'lists' | 'ui' } | { name: 'verdict'; then: string; now: string })[];
}

export type ClosedCompany = { rut: string; name: string | null; changes?: Changes } & (
  | {
      state: 'closed';
      folder: string;
      accepted: readonly OpenPoint[];
      lists: readonly string[];
      leftOut: Localized | null;
      /** How many issued receipts form 2181 has not, as the tax authority did not accept them. */
      notAccepted: number;
      /** Whether the company has no receipt of the month. */
      isEmpty: boolean;
    }
  /** The newest close says the same. */
  | { state: 'same'; folder: string }
  /** The newest close says something else, and stays. */
  | { state: 'left'; folder: string }
  | { state: 'refused'; points: readonly OpenPoint[] }
  | { state: 'failed'; error: unknown }
);

/** The table of what differs from the newest closes. */
const DIFFERENCES = 'diferencias';

/**
 * Closes a month, company by company, from one moment of the lake: the report's page, the declared tables, form 2181,
 * what reconcile said, and the month's rows as they are. One that fails stops no other. Throws what readReports throws.
 */
export async function* closeMonth(
  store: LakeStore,
  asked: AskedClose,
): AsyncGenerator<{ closed: ClosedCompany; companyCount: number }> {
  const { from, to, ui, signal } = asked;
  let { frozen, unreadable } = await newestCloses(asked);
  const closes = frozen?.closes ?? [];
  // The lake of one moment, and what it declares: each table's answer is kept as `ahora_VIEW`.
  let database: LakeDatabase | undefined;
  // After a question that failed, a database answers no other: each company is then asked in one of its own.
  let canAnswer = (_rut: string) => false;
  const openDatabase = async (questions: readonly string[], ruts: readonly string[]) => {
    database?.close();
    canAnswer = () => false;
    const compared = closes.filter(({ index }) => ruts.length === 0 || ruts.includes(index.rut));
    const comparedRuts = compared.map(({ index }) => index.rut);
    // Alone, so that another company's close, whatever is in it, is not read.
    if ((frozen?.ruts ?? []).join() !== comparedRuts.join()) {
      frozen?.remove();
      frozen = compared.length === 0 ? undefined : await frozenMonth(compared, signal);
    }
    const nowSql = (table: DeclaredTable) => narrowed(namedQuery(table.query).sql, { ruts, from, to });
    const sqls = [
      ...questions,
      ...DECLARED.map(nowSql),
      ...FROZEN_TABLES.map((table) => rowsSql(table, ruts, asked)),
    ];
    database = await openTables(store, sqls, {}, { signal, views: frozen?.views });
    for (const table of DECLARED) await keepAnswer(database, nowName(table), nowSql(table));
    if (frozen !== undefined) {
      const now = (table: DeclaredTable) =>
        `SELECT * FROM ${nowName(table)} WHERE true${companyCondition('', comparedRuts)}`;
      const sql = differencesSql({ ruts: comparedRuts, from, to }, frozen.columns, now);
      await keepAnswer(database, DIFFERENCES, sql);
    }
    canAnswer = (rut) => ruts.length === 0 || ruts.includes(rut);
    return database;
  };
  try {
    for await (const { report, companyCount } of readReports(store, asked, {
      ui,
      signal,
      database: openDatabase,
    })) {
      const { rut, name = null } = report;
      let closed: ClosedCompany;
      try {
        if ('error' in report) throw report.error;
        if (unreadable.has(rut)) throw unreadable.get(rut);
        const newest = closes.find(({ index }) => index.rut === rut);
        const lake = database !== undefined && canAnswer(rut) ? database : await openDatabase([], [rut]);
        closed = { rut, name, ...(await closeCompany(report, asked, lake, newest)) };
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof QueryError) canAnswer = () => false;
        closed = { rut, name, state: 'failed', error };
      }
      yield { closed, companyCount };
    }
  } finally {
    database?.close();
    frozen?.remove();
  }
}

/** The newest closes of the companies, and why those of others can't be read. */
async function newestCloses({ out, from, ruts, signal }: AskedClose) {
  const closes: Close[] = [];
  const unreadable = new Map<string, unknown>();
  for (const rut of ruts ?? (await readdir(out).catch(() => []))) {
    try {
      const close = await newestClose(out, rut, from.slice(0, 7));
      if (close !== undefined) closes.push(close);
    } catch (error) {
      unreadable.set(rut, error);
    }
  }
  if (closes.length === 0) return { frozen: undefined, unreadable };
  try {
    return { frozen: await frozenMonth(closes, signal), unreadable };
  } catch {
    const readable: Close[] = [];
    for (const close of closes) {
      try {
        (await frozenMonth([close], signal)).remove();
        readable.push(close);
      } catch (error) {
        signal.throwIfAborted();
        unreadable.set(close.index.rut, error);
      }
    }
    return { frozen: readable.length === 0 ? undefined : await frozenMonth(readable, signal), unreadable };
  }
}

/** How many lines of the books and resguardos say that they are not complete, but for a rate. */
function notedSql(rut: string): string {
  // The tables of which each row is of one receipt.
  const notes = DECLARED.filter(({ list }) => list !== undefined).map(
    (table) => `SELECT nota FROM ${nowName(table)} WHERE rut = '${rut}'`,
  );
  return `SELECT count(*) FROM (${notes.join(' UNION ALL ')}) WHERE nota <> 'sin tipo de cambio'`;
}

function nowName({ view }: DeclaredTable): string {
  return `ahora_${view}`;
}

async function closeCompany(
  report: Report,
  asked: AskedClose,
  database: LakeDatabase,
  newest: Close | undefined,
) {
  const { rut, name, from, to } = report;
  const { accepted, ui, version, madeAt, reconcile } = asked;
  const rowsOf = (name: string) => `SELECT * FROM ${name} WHERE rut = '${rut}'`;
  const ofCompany = (table: DeclaredTable) => rowsOf(nowName(table));
  const form = await ask(database, rowsOf('ahora_formulario_2181'));
  const lists = await reconcile(report, database);
  const differing = lists.filter(({ isEqual }) => !isEqual).map(({ text }) => text);
  const { bytes: declaration, lineCount, leftOut, noRoom, notAccepted } = form2181(form, true);
  const [[noted] = []] = (await ask(database, notedSql(rut))).rows;
  const points = openPoints(report, form, differing, Number(noted), noRoom);
  const { state, sentence, concerns } = verdictOf(report);
  const year = Number(from.slice(0, 4));
  const values = uiValues(ui).filter(([valueYear]) => valueYear <= year);
  const stated = {
    state,
    sentence,
    accepted: points,
    ui: Object.fromEntries(values),
    lists: lists.map((list) => list.name),
  };
  const changes =
    newest &&
    changesSince(newest, await ask(database, rowsOf(DIFFERENCES), MOST_DIFFERENCE_BYTES), stated, lists);
  if (newest !== undefined && changes === undefined) return { state: 'same', folder: newest.folder } as const;
  if (newest !== undefined && !asked.isAgain)
    return { state: 'left', folder: newest.folder, changes } as const;
  const open = points.filter((point) => !accepted.has(point.name));
  const warning = lackOfFigures([report], report)?.text;
  if (open.length > 0) return { state: 'refused', points: open, changes } as const;
  const parquet = async (stem: string, sql: string) =>
    [`${stem}.parquet`, await readFile((await answerFile(database, sql)).path)] as const;
  async function* files(): CloseFiles {
    const leftOpen = points.map(({ text }) => text.replace(/\.$/, ''));
    yield ['informe.html', reportHtml(report, madeAt, leftOpen)];
    for (const table of DECLARED) {
      const { query } = table;
      yield await parquet(query, ofCompany(table));
      const book = bookOf(query);
      if (book === undefined) continue;
      const answer = withWrittenValues(await ask(database, ofCompany(table)));
      const names = new Map([[rut, name ?? '']]);
      const sheets = companySheets(answer, book, { ruts: [rut], names, from, to });
      const notes = workbookNotes(query, { ruts: [rut], from, to, ui });
      yield [`${query}.xlsx`, (await workbookOf(sheets, notes, warning)).bytes];
    }
    // An empty file says that there is nothing to declare: of a month with days to read, nobody knows.
    const isNothing = leftOut === null && points.every((point) => point.name !== 'days');
    if (lineCount > 0 || isNothing) yield [`${FORM}.txt`, declaration];
    for (const { name: file, json, html } of lists) {
      yield [file, json];
      yield [file.replace(/json$/, 'html'), html];
    }
    for (const table of FROZEN_TABLES) yield await parquet(table.name, rowsSql(table, [rut], asked));
  }
  const about = () => ({
    version,
    month: from.slice(0, 7),
    rut,
    name: name ?? null,
    lake: report.lake,
    madeAt,
    ...stated,
    concerns: concerns.map(({ text }) => text),
    form2181: { lineCount, leftOut: leftOut?.('en') ?? null, notAccepted },
    read: report.days.map(({ direction, day, state: dayState, receipts, readings }) => {
      const seconds = readings?.lastGood?.startedAtSeconds;
      const readAt = seconds == null ? null : localDateTime(seconds);
      return { direction, day, state: dayState, receipts, readAt };
    }),
  });
  const folder = await writeClose(asked.out, rut, from.slice(0, 7), files(), about, (part) =>
    readBack(part, asked.signal),
  );
  return {
    state: 'closed',
    folder,
    accepted: points,
    lists: stated.lists,
    leftOut,
    notAccepted,
    isEmpty: hasNoReceipts(report.days),
    changes,
  } as const;
}

/** What the newest close says otherwise; undefined if that is nothing. */
function changesSince(
  { folder, index }: Close,
  differences: Answer,
  stated: Pick<Close['index'], 'state' | 'sentence' | 'accepted' | 'ui' | 'lists'>,
  lists: readonly ReconciledList[],
): Changes | undefined {
  const hashes = lists.map(({ json }) => createHash('sha256').update(json).digest('hex'));
  const differs = (partOf: (side: typeof stated) => unknown) =>
    JSON.stringify(partOf(index)) !== JSON.stringify(partOf(stated));
  const areListsOthers =
    differs((side) => side.lists) || lists.some(({ name }, at) => index.files[name]?.sha256 !== hashes[at]);
  const [then, now] = [index.sentence, stated.sentence];
  const others: Changes['others'] = [
    ...(differs(({ accepted }) => accepted) ? [{ name: 'points' } as const] : []),
    ...(areListsOthers ? [{ name: 'lists' } as const] : []),
    ...(differs(({ state, sentence }) => [state, sentence]) ? [{ name: 'verdict', then, now } as const] : []),
    ...(differs(({ ui }) => ui) ? [{ name: 'ui' } as const] : []),
  ];
  const isAlike = differences.rows.length === 0 && others.length === 0;
  return isAlike ? undefined : { since: folder, differences, others };
}

/** The rows of a table that a close keeps, of companies or of all; rates are of no company. */
function rowsSql(table: Table, ruts: readonly string[], month: DayRange): string {
  const isRates = table === COTIZACIONES;
  const { from, to } = daysKept(table, month);
  const order = isRates ? 'fecha, moneda' : 'fecha, id';
  return `SELECT * FROM ${table.name} WHERE fecha BETWEEN DATE '${from}' AND DATE '${to}'${companyCondition('', isRates ? [] : ruts)} ORDER BY ${order}`;
}
