import { amountText } from '../coverage/texts.ts';
import { type Answer, amountColumn, countColumn, textColumn, textObjectsOf } from '../query/answer.ts';
import { answerOf } from './parts.ts';
import { type FailedReport, type Report, readDaysCommand } from './read-report.ts';
import type { ReportTexts } from './texts/english.ts';
import { columnOf, countIn, totalsByCurrency } from './values.ts';
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
  /** VAT as stated by the details that were read: of sales, and of received e-Facturas, e-Tickets and all others. */
  salesVat: CurrencySums;
  invoicesVat: CurrencySums;
  ticketsVat: CurrencySums;
  otherVat: CurrencySums;
  /** Receipts that these VAT sums lack. */
  withoutVat: number;
  /** What to look into. */
  concerns: readonly string[];
}

/** A decimal by currency, the one with the most receipts first. */
type CurrencySums = Readonly<Record<string, string>>;

/** The sums of a summary, in the order of their columns. */
const SUMS = ['sales', 'purchases', 'salesVat', 'invoicesVat', 'ticketsVat', 'otherVat'] as const;
type SumName = (typeof SUMS)[number];

/** Its counts, in that order. */
const COUNTS = ['withoutVat', 'rejected', 'pendingAnswers', 'changesSinceClose'] as const;

export function summaryOf(report: Report, texts: ReportTexts): MonthSummary {
  const { rut, name, parts } = report;
  const { state, sentence, concerns } = verdictOf(report, texts);
  const vatOf = (concept: string) =>
    sumsOf(ofConcept(answerOf(parts, 'posicion') ?? NOTHING, concept), ['IVA mínima', 'IVA básica']);
  return {
    rut,
    name: name ?? null,
    state,
    sentence,
    command: readDaysCommand(report) ?? null,
    rejected: answerOf(parts, 'rechazados')?.rows.length ?? 0,
    pendingAnswers: pendingAnswers(parts).pending,
    changesSinceClose: answerOf(parts, 'cambios')?.rows.length ?? null,
    sales: sumsOf(answerOf(parts, 'ventas')),
    purchases: sumsOf(answerOf(parts, 'compras')),
    salesVat: vatOf('IVA de ventas'),
    invoicesVat: vatOf('IVA de e-Facturas recibidas'),
    ticketsVat: vatOf('IVA de e-Tickets recibidos'),
    otherVat: vatOf('IVA de otros recibidos'),
    withoutVat: countIn(answerOf(parts, 'iva'), 'Sin desglose'),
    concerns: concerns.map(({ text }) => text),
  };
}

/** A company whose month could not be read or written. */
export function failedSummary({ rut, name, error }: FailedReport): MonthSummary {
  const sentence = error instanceof Error ? error.message : String(error);
  return {
    ...{ rut, name: name ?? null, state: 'failed', sentence, command: null, rejected: 0, pendingAnswers: 0 },
    ...{ changesSinceClose: null, sales: {}, purchases: {}, salesVat: {}, invoicesVat: {}, ticketsVat: {} },
    ...{ otherVat: {}, withoutVat: 0, concerns: [] },
  };
}

const NOTHING: Answer = { columns: [], rows: [] };

function ofConcept({ columns, rows }: Answer, concept: string): Answer {
  const concepts = columnOf({ columns, rows }, 'Concepto');
  return { columns, rows: rows.filter((_, row) => concepts[row] === concept) };
}

/** The known sums of currencies that are known. */
function sumsOf(answer: Answer = NOTHING, columns?: readonly string[]): CurrencySums {
  const known = totalsByCurrency(answer, columns).flatMap(({ currency, total }) =>
    currency === null || total === null ? [] : [[currency, total] as const],
  );
  return Object.fromEntries(known);
}

/** The sums that are shown: VAT of other receipts is rare. */
export function shownSums(summaries: readonly MonthSummary[]): readonly SumName[] {
  const hasOther = summaries.some(({ otherVat }) => Object.values(otherVat).some((sum) => /[1-9]/.test(sum)));
  return SUMS.filter((name) => hasOther || name !== 'otherVat');
}

/** What a company's month lacks: the command that reads it, else a sentence; null for one that is whole. */
export function lackOf({ state, command, sentence }: MonthSummary): string | null {
  return command ?? (state === 'complete' || state === 'open' ? null : sentence);
}

/** Stands between the sums of a cell. */
export const SUM_END = '; ';

/** The companies as a table, one row each, with these sums and with words in the language of the texts. */
export function officeAnswer(
  summaries: readonly MonthSummary[],
  sums: readonly SumName[],
  { office, states, forms }: ReportTexts,
): Answer {
  const { columns } = office;
  const names = { ...states, failed: office.failed };
  return {
    columns: [
      ...[columns.rut, columns.name, columns.state, ...sums.map((sum) => columns[sum])].map(textColumn),
      ...COUNTS.map((count) => countColumn(columns[count])),
      textColumn(columns.missing),
    ],
    rows: summaries.map((each) => [
      ...[each.rut, each.name, names[each.state]],
      ...sums.map((sum) =>
        Object.entries(each[sum])
          .map(([currency, amount]) => `${currency} ${amountText(amount, forms)}`)
          .join(SUM_END),
      ),
      ...COUNTS.map((count) => each[count]?.toString() ?? null),
      lackOf(each),
    ]),
  };
}

/** Their sums, a row a company and currency. */
export function amountsAnswer(
  summaries: readonly MonthSummary[],
  { office: { columns }, headings }: ReportTexts,
): Answer {
  const sums = shownSums(summaries);
  return {
    columns: [
      ...[columns.rut, columns.name, headings.Moneda ?? 'Moneda'].map(textColumn),
      ...sums.map((sum) => amountColumn(columns[sum])),
    ],
    rows: summaries.flatMap((each) => {
      const currencies = new Set(sums.flatMap((sum) => Object.keys(each[sum])));
      return [...currencies].map((currency) => [
        ...[each.rut, each.name, currency],
        ...sums.map((sum) => each[sum][currency] ?? null),
      ]);
    }),
  };
}

/** One company's month with all its rows, for other programs. Columns have Spanish names, amounts are texts. */
export function reportJson(report: Report, texts: ReportTexts) {
  const { from, to, today, lake, days, damaged, isLagging, parts } = report;
  return {
    month: from.slice(0, 7),
    ...{ from, to, today, lake },
    ...summaryOf(report, texts),
    days: days.map(({ direction, day, state, receipts }) => ({ direction, day, state, receipts })),
    damaged,
    isLagging: isLagging ?? null,
    /** Null where it can be asked only once the month is over. */
    parts: Object.fromEntries(
      parts.map(({ part, answer }) => [part.id, answer === undefined ? null : textObjectsOf(answer)]),
    ),
  };
}
