import { type Answer, type AnswerColumn, textColumn } from '../query/answer.ts';
import type { FailedReport, Report } from './read-report.ts';
import { readDaysCommand } from './read-report.ts';
import type { ReportTexts } from './texts/english.ts';
import { columnOf, sumsByCurrency, totalsByCurrency } from './values.ts';
import { pendingAnswers, type Verdict, verdictOf } from './verdict.ts';

/** One company's month in a line: what an office looks at first. */
export interface MonthSummary {
  rut: string;
  name: string | null;
  state: Verdict['state'] | 'failed';
  sentence: string;
  /** Reads the days that are missing. */
  command: string | null;
  rejected: number;
  pendingAnswers: number;
  /** Null until the month is over. */
  changesSinceClose: number | null;
  /** By currency, credit notes subtracted; a currency that is not known has no sum. */
  sales: CurrencySums;
  purchases: CurrencySums;
  /** VAT as stated by the details that were read. */
  salesVat: CurrencySums;
  purchasesVat: CurrencySums;
  /** Receipts that these VAT sums lack. */
  withoutVat: number;
  /** What to look into. */
  concerns: readonly string[];
}

/** A decimal by currency. */
type CurrencySums = Readonly<Record<string, string>>;

export function summaryOf(report: Report, texts: ReportTexts): MonthSummary {
  const { rut, name, parts } = report;
  const { state, sentence, concerns } = verdictOf(report, texts);
  const answerOf = (id: string) => parts.find(({ part }) => part.id === id)?.answer;
  const sums = (id: string): CurrencySums => {
    const totals = totalsByCurrency(answerOf(id) ?? NOTHING);
    return Object.fromEntries(
      totals.flatMap(({ currency, total }) => (currency === null ? [] : [[currency, total]])),
    );
  };
  const vat = answerOf('iva') ?? NOTHING;
  const vatOf = (book: string) => sumsByCurrency(ofBook(vat, book), ['IVA mínima', 'IVA básica']);
  return {
    rut,
    name: name ?? null,
    state,
    sentence,
    command: readDaysCommand(report) ?? null,
    rejected: answerOf('rechazados')?.rows.length ?? 0,
    pendingAnswers: pendingAnswers(parts).pending,
    changesSinceClose: answerOf('cambios')?.rows.length ?? null,
    sales: sums('ventas'),
    purchases: sums('compras'),
    salesVat: vatOf('Ventas'),
    purchasesVat: vatOf('Compras'),
    withoutVat: columnOf(vat, 'Sin desglose').reduce((sum, count) => sum + Number(count ?? 0), 0),
    concerns: concerns.map(({ text }) => text),
  };
}

/** A company whose month could not be read or written. */
export function failedSummary({ rut, name, error }: FailedReport): MonthSummary {
  const sentence = error instanceof Error ? error.message : String(error);
  return {
    ...{ rut, name: name ?? null, state: 'failed', sentence, command: null, rejected: 0, pendingAnswers: 0 },
    ...{ changesSinceClose: null, sales: {}, purchases: {}, salesVat: {}, purchasesVat: {}, withoutVat: 0 },
    concerns: [],
  };
}

const NOTHING: Answer = { columns: [], rows: [] };

function ofBook({ columns, rows }: Answer, book: string): Answer {
  const books = columnOf({ columns, rows }, 'Libro');
  return { columns, rows: rows.filter((_, row) => books[row] === book) };
}

const countColumn = (name: string): AnswerColumn => ({
  ...textColumn(name),
  type: 'INTEGER',
  isNumber: true,
});

/** The companies as a table, one row each, with words in the language of the texts. */
export function officeAnswer(summaries: readonly MonthSummary[], { office, states }: ReportTexts): Answer {
  const { columns } = office;
  const names = { ...states, failed: office.failed };
  return {
    columns: [
      textColumn(columns.rut),
      textColumn(columns.name),
      textColumn(columns.state),
      textColumn(columns.sales),
      textColumn(columns.purchases),
      textColumn(columns.salesVat),
      textColumn(columns.purchasesVat),
      countColumn(columns.withoutVat),
      countColumn(columns.rejected),
      countColumn(columns.pendingAnswers),
      countColumn(columns.changes),
      textColumn(columns.missing),
    ],
    rows: summaries.map((each) => [
      each.rut,
      each.name,
      names[each.state],
      sumsText(each.sales),
      sumsText(each.purchases),
      sumsText(each.salesVat),
      sumsText(each.purchasesVat),
      String(each.withoutVat),
      String(each.rejected),
      String(each.pendingAnswers),
      each.changesSinceClose === null ? null : String(each.changesSinceClose),
      each.command ?? (each.state === 'complete' || each.state === 'open' ? null : each.sentence),
    ]),
  };
}

function sumsText(sums: CurrencySums): string {
  return Object.entries(sums)
    .map(([currency, sum]) => `${currency} ${sum}`)
    .join('; ');
}

/** One company's month with all its rows, for other programs. Columns have Spanish names, amounts are texts. */
export function reportJson(report: Report, texts: ReportTexts) {
  const { from, to, today, lake, days, damaged, isLagging, parts } = report;
  const rowsOf = ({ columns, rows }: Answer) =>
    rows.map((row) => Object.fromEntries(columns.map(({ name }, index) => [name, row[index] ?? null])));
  return {
    month: from.slice(0, 7),
    ...{ from, to, today, lake },
    ...summaryOf(report, texts),
    days: days.map(({ direction, day, state, receipts }) => ({ direction, day, state, receipts })),
    damaged,
    isLagging: isLagging ?? null,
    /** Null where it can be asked only once the month is over. */
    parts: Object.fromEntries(
      parts.map(({ part, answer }) => [part.id, answer === undefined ? null : rowsOf(answer)]),
    ),
  };
}
