import { readFile } from 'node:fs/promises';
import type { LakeStore } from '../lake/store/store.ts';
import { COTIZACIONES, RECEIPT_TABLES, type Table } from '../lake/tables.ts';
import type { Answer } from '../query/answer.ts';
import { form2181 } from '../query/form-2181.ts';
import type { LakeDatabase } from '../query/lake-database.ts';
import { type Narrowing, namedQuery, narrowed } from '../query/named-queries.ts';
import { openTables } from '../query/open-lake.ts';
import { answerFile, ask, QueryError } from '../query/question.ts';
import { workbookNotes } from '../query/spanish-notes.ts';
import { bookOf, companySheets } from '../query/vat-book.ts';
import { workbookOf } from '../query/workbook.ts';
import { withWrittenValues } from '../query/written-values.ts';
import { type AskedReports, type Report, readReports } from '../report/read-report.ts';
import { reportHtml } from '../report/report-page.ts';
import { verdictOf } from '../report/verdict.ts';
import { addDays, type DayRange, localDateTime } from '../time/days.ts';
import { type CloseFiles, writeClose } from './close-folder.ts';
import { type OpenPoint, openPoints, type PointName } from './points.ts';

const BOOKS = ['libro-iva-ventas', 'libro-iva-compras', 'posicion-iva'];
const FORM = 'formulario-2181';
/** As far as a rate counts. */
const RATE_DAYS = 35;

/** What reconcile said of a list of the tax authority. */
export interface ReconciledList {
  /** The name of its file in the close. */
  name: string;
  isEqual: boolean;
  /** In Spanish. */
  text: string;
  json: string;
}

export interface AskedClose extends AskedReports {
  /** The folder of all closes. */
  out: string;
  accepted: ReadonlySet<PointName>;
  ui: Narrowing['ui'];
  version: string;
  madeAt: string;
  reconcile: (rut: string) => Promise<readonly ReconciledList[]>;
  signal: AbortSignal;
}

export type ClosedCompany = { rut: string; name: string | null } & (
  | {
      state: 'closed';
      folder: string;
      accepted: readonly OpenPoint[];
      lists: readonly string[];
      leftOut: string | null;
    }
  | { state: 'refused'; points: readonly OpenPoint[] }
  | { state: 'failed'; error: unknown }
);

/**
 * Closes a month, company by company, from one moment of the lake: the report's page, the VAT books, the position, form
 * 2181, what reconcile said, and the month's rows as they are. One that fails stops no other. Throws what readReports
 * throws.
 */
export async function* closeMonth(
  store: LakeStore,
  asked: AskedClose,
): AsyncGenerator<{ closed: ClosedCompany; companyCount: number }> {
  const { from, to, ruts = [], ui, signal } = asked;
  const sqlOf = (name: string, of: readonly string[]) =>
    narrowed(namedQuery(name).sql, { ruts: of, from, to, ui });
  let opened: Promise<LakeDatabase> | undefined;
  const database = (questions: readonly string[]) => {
    const more = [...BOOKS, FORM].map((name) => sqlOf(name, ruts));
    const frozen = FROZEN.map((table) => frozenSql(table, '', asked));
    opened ??= openTables(store, [...questions, ...more, ...frozen], {}, { signal });
    return opened;
  };
  const answers = new Map<string, Answer | undefined>();
  const answerTo = async (name: string, rut: string): Promise<Answer> => {
    const open = await database([]);
    if (!answers.has(name)) answers.set(name, await ask(open, sqlOf(name, ruts)).catch(undefinedIfAsked));
    // What fails for all together is asked for each alone.
    const answer = answers.get(name) ?? (await ask(open, sqlOf(name, [rut])));
    return { columns: answer.columns, rows: answer.rows.filter(([of]) => of === rut) };
  };
  try {
    for await (const { report, companyCount } of readReports(store, asked, { ui, signal, database })) {
      const { rut, name = null } = report;
      let closed: ClosedCompany;
      try {
        if ('error' in report) throw report.error;
        closed = { rut, name, ...(await closeCompany(report, asked, await database([]), answerTo)) };
      } catch (error) {
        signal.throwIfAborted();
        closed = { rut, name, state: 'failed', error };
      }
      yield { closed, companyCount };
    }
  } finally {
    (await opened)?.close();
  }
}

function undefinedIfAsked(error: unknown): undefined {
  if (!(error instanceof QueryError)) throw error;
}

async function closeCompany(
  report: Report,
  asked: AskedClose,
  database: LakeDatabase,
  answerTo: (name: string, rut: string) => Promise<Answer>,
) {
  const { rut, name, from, to } = report;
  const { out, accepted, ui, version, madeAt, reconcile } = asked;
  const form = await answerTo(FORM, rut);
  const lists = await reconcile(rut);
  const differing = lists.filter(({ isEqual }) => !isEqual).map(({ text }) => text);
  const points = openPoints(report, form, differing);
  const open = points.filter((point) => !accepted.has(point.name));
  if (open.length > 0) return { state: 'refused', points: open } as const;
  const { bytes: declaration, lineCount, leftOut } = form2181(form, true);
  const listNames = lists.map((list) => list.name);
  async function* files(): CloseFiles {
    yield ['informe.html', reportHtml(report, madeAt)];
    for (const query of BOOKS) {
      const answer = withWrittenValues(await answerTo(query, rut));
      const names = new Map(name === undefined ? [] : [[rut, name]]);
      const sheets = companySheets(answer, bookOf(query) ?? { title: query }, {
        ruts: [rut],
        names,
        from,
        to,
      });
      const notes = workbookNotes(query, { ruts: [rut], from, to, ui });
      yield [`${query}.xlsx`, (await workbookOf(sheets, notes)).bytes];
    }
    // An empty file would say that there is nothing to declare.
    if (lineCount > 0 || leftOut === null) yield [`${FORM}.txt`, declaration];
    for (const list of lists) yield [list.name, list.json];
    for (const table of FROZEN) {
      const { path } = await answerFile(database, frozenSql(table, rut, asked));
      yield [`${table.name}.parquet`, await readFile(path)];
    }
  }
  const { state, sentence, concerns } = verdictOf(report);
  const about = {
    ...{ version, month: from.slice(0, 7), rut, name: name ?? null, lake: report.lake, madeAt },
    ...{ state, sentence, accepted: points, concerns: concerns.map(({ text }) => text) },
    ...{ form2181: { lineCount, leftOut }, lists: listNames },
    read: report.days.map(({ direction, day, state: dayState, receipts, readings }) => {
      const seconds = readings?.lastGood?.startedAtSeconds;
      const readAt = seconds == null ? null : localDateTime(seconds);
      return { direction, day, state: dayState, receipts, readAt };
    }),
  };
  const folder = await writeClose(out, rut, from.slice(0, 7), files(), about);
  return { state: 'closed', folder, accepted: points, lists: listNames, leftOut } as const;
}

/** The tables whose rows a close keeps: of receipts, and of the rates that they may have. */
export const FROZEN: readonly Table[] = [...RECEIPT_TABLES, COTIZACIONES];

/** The rows of a table that a close keeps, of a company or of all; rates are of no company. */
function frozenSql(table: Table, rut: string, { from, to }: DayRange): string {
  const isRates = table === COTIZACIONES;
  const first = isRates ? addDays(from, -RATE_DAYS) : from;
  const ofCompany = rut === '' || isRates ? '' : ` AND rut = '${rut}'`;
  const order = isRates ? 'fecha, moneda' : 'fecha, id';
  return `SELECT * FROM ${table.name} WHERE fecha BETWEEN DATE '${first}' AND DATE '${to}'${ofCompany} ORDER BY ${order}`;
}
