import {
  type Answer,
  amountColumn,
  countColumn,
  textColumn,
  textObjectsOf,
  totalsApart,
} from '../query/answer.ts';
import type { AnswerSheet } from '../query/workbook.ts';
import { withHeadings } from '../query/written-values.ts';
import { amountText } from '../text/spanish.ts';
import { answerOf } from './parts.ts';
import type { FailedReport, Report } from './read-report.ts';
import { columnOf, countIn, receiptsWithoutCurrency, totalsByCurrency } from './values.ts';
import { pendingAnswers, VERDICTS, type Verdict, verdictOf } from './verdict.ts';

/** One company's month in a line: what an office looks at first. */
export interface MonthSummary {
  rut: string;
  name: string | null;
  state: Verdict['state'] | 'failed';
  sentence: string;
  /** Brings all that is missing. */
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
  /** Sales and purchases that the sums lack, since only their details name the currency. */
  withoutCurrency: number;
  /** Receipts that these VAT sums lack. */
  withoutVat: number;
  /** What to look into. */
  concerns: readonly string[];
}

/** A decimal by currency, the one with the most receipts first. */
type CurrencySums = Readonly<Record<string, string>>;

/** Of several companies. */
export const OFFICE = {
  title: 'Empresas',
  about:
    'Una fila por empresa. Los importes van por moneda y las notas de crédito restan. El IVA sale de los detalles leídos; no se indica cuál es deducible.',
};

/** The sums of a summary, in the order of their columns. */
const SUMS = {
  sales: 'Ventas',
  purchases: 'Compras',
  salesVat: 'IVA de ventas',
  invoicesVat: 'IVA de e-Facturas recibidas',
  ticketsVat: 'IVA de e-Tickets recibidos',
  otherVat: 'IVA de otros recibidos',
} as const;
type SumName = keyof typeof SUMS;
const SUM_NAMES = ['sales', 'purchases', 'salesVat', 'invoicesVat', 'ticketsVat', 'otherVat'] as const;

/** Its counts, in that order. */
const COUNTS = [
  ['withoutCurrency', 'Sin moneda conocida'],
  ['withoutVat', 'Sin desglose de IVA'],
  ['rejected', 'Rechazados'],
  ['pendingAnswers', 'Sin respuesta'],
  ['changesSinceClose', 'Cambios desde el cierre'],
] as const;

export function summaryOf(report: Report): MonthSummary {
  const { rut, name, parts } = report;
  const { state, sentence, concerns } = verdictOf(report);
  const { lines } = totalsApart(answerOf(parts, 'posicion') ?? NOTHING);
  const vatOf = (concept: string) => sumsOf(ofConcept(lines, concept), ['iva_minima', 'iva_basica']);
  return {
    rut,
    name: name ?? null,
    state,
    sentence,
    command: report.bring ?? null,
    rejected: answerOf(parts, 'rechazados')?.rows.length ?? 0,
    pendingAnswers: pendingAnswers(parts).pending,
    changesSinceClose: changesIn(report),
    sales: sumsOf(answerOf(parts, 'ventas')),
    purchases: sumsOf(answerOf(parts, 'compras')),
    salesVat: vatOf(SUMS.salesVat),
    invoicesVat: vatOf(SUMS.invoicesVat),
    ticketsVat: vatOf(SUMS.ticketsVat),
    otherVat: vatOf(SUMS.otherVat),
    withoutCurrency:
      receiptsWithoutCurrency(answerOf(parts, 'ventas') ?? NOTHING) +
      receiptsWithoutCurrency(answerOf(parts, 'compras') ?? NOTHING),
    withoutVat: countIn(answerOf(parts, 'iva'), 'sin_desglose'),
    concerns: concerns.map(({ text }) => text),
  };
}

/** With the lines of declared tables that differ, where a close was compared with. */
function changesIn({ parts }: Report): number | null {
  const changes = answerOf(parts, 'cambios');
  const { columns, rows } = totalsApart(answerOf(parts, 'rectificacion') ?? NOTHING).lines;
  const ofCell = ['campo', 'declarado', 'actual', 'diferencia'];
  const lines = rows.map((row) =>
    row.filter((_, at) => !ofCell.includes(columns[at]?.name ?? '')).join('\n'),
  );
  return changes === undefined ? null : changes.rows.length + new Set(lines).size;
}

/** A company whose month could not be read or written. */
export function failedSummary({ rut, name, error }: FailedReport): MonthSummary {
  const sentence = error instanceof Error ? error.message : String(error);
  return {
    rut,
    name: name ?? null,
    state: 'failed',
    sentence,
    command: null,
    rejected: 0,
    pendingAnswers: 0,
    changesSinceClose: null,
    sales: {},
    purchases: {},
    salesVat: {},
    invoicesVat: {},
    ticketsVat: {},
    otherVat: {},
    withoutCurrency: 0,
    withoutVat: 0,
    concerns: [],
  };
}

const NOTHING: Answer = { columns: [], rows: [] };

function ofConcept({ columns, rows }: Answer, concept: string): Answer {
  const concepts = columnOf({ columns, rows }, 'concepto');
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
function shownSums(summaries: readonly MonthSummary[]): readonly SumName[] {
  const hasOther = summaries.some(({ otherVat }) => Object.values(otherVat).some((sum) => /[1-9]/.test(sum)));
  return SUM_NAMES.filter((name) => hasOther || name !== 'otherVat');
}

/** What a company's month lacks: the command that reads it, else a sentence; null for one that is whole. */
export function lackOf({ state, command, sentence }: MonthSummary): string | null {
  return command ?? (state === 'complete' || state === 'open' ? null : sentence);
}

/** Stands between the sums of a cell. */
export const SUM_END = '; ';

/**
 * The companies as a table, one row each. Their sums are written, several in a cell, and aligned like numbers, which are
 * never cut; a workbook has them in a sheet of their own.
 */
export function officeAnswer(
  summaries: readonly MonthSummary[],
  sums: readonly SumName[] = shownSums(summaries),
): Answer {
  const names = { ...VERDICTS, failed: 'Falló' };
  return {
    columns: [
      ...['RUT', 'Empresa', 'Estado'].map(textColumn),
      ...sums.map((sum) => amountColumn(SUMS[sum])),
      ...COUNTS.map(([, name]) => countColumn(name)),
      textColumn('Qué falta'),
    ],
    rows: summaries.map((each) => [
      ...[each.rut, each.name, names[each.state]],
      ...sums.map((sum) =>
        Object.entries(each[sum])
          .map(([currency, amount]) => `${currency} ${amountText(amount)}`)
          .join(SUM_END),
      ),
      ...COUNTS.map(([count]) => each[count]?.toString() ?? null),
      lackOf(each),
    ]),
  };
}

/** A sheet of the companies, and one of their sums, a row a company and currency. */
export function officeSheets(summaries: readonly MonthSummary[], month: string): AnswerSheet[] {
  const sums = shownSums(summaries);
  const amounts = {
    columns: [...['RUT', 'Empresa', 'Moneda'].map(textColumn), ...sums.map((sum) => amountColumn(SUMS[sum]))],
    rows: summaries.flatMap((each) => {
      const currencies = new Set(sums.flatMap((sum) => Object.keys(each[sum])));
      return [...currencies].map((currency) => [
        ...[each.rut, each.name, currency],
        ...sums.map((sum) => each[sum][currency] ?? null),
      ]);
    }),
  };
  return [
    { name: OFFICE.title, above: [OFFICE.title, month], answer: officeAnswer(summaries, []) },
    { name: 'Importes', above: ['Importes', month], answer: amounts },
  ];
}

/** One company's month with all its rows, for other programs. Columns have Spanish names, amounts are texts. */
export function reportJson(report: Report) {
  const { from, to, today, lake, days, damaged, isLagging, parts } = report;
  return {
    month: from.slice(0, 7),
    from,
    to,
    today,
    lake,
    ...summaryOf(report),
    days: days.map(({ direction, day, state, receipts }) => ({ direction, day, state, receipts })),
    damaged,
    isLagging: isLagging ?? null,
    /** Null where it can be asked only once the month is over. */
    parts: Object.fromEntries(
      parts.map(({ part, answer }) => [
        part.id,
        answer === undefined ? null : textObjectsOf(withHeadings(answer)),
      ]),
    ),
  };
}
