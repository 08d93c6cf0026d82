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
import { amountText, momentText } from '../text/spanish.ts';
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
  /** The sales by currency, credit notes subtracted; a currency that is not known has no sum. */
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
  /** When the month was closed, of the closes that it was compared with. */
  closedAt: string | null;
  /** The position in pesos by concept, and what VAT of sales is more than that of e-Facturas. */
  position: CurrencySums;
  /** What these totals lack, in words. */
  positionLacks: string | null;
}

/** A decimal by currency, the one with the most receipts first. */
type CurrencySums = Readonly<Record<string, string>>;

/** Texts of a page of several companies. */
export const OFFICE = {
  title: 'Empresas',
  about:
    'Una fila por empresa. Las notas de crédito restan. Ventas y compras son las que están en pesos; las otras monedas van aparte. El IVA y las retenciones son los totales en pesos de todas las monedas, según los detalles leídos; qué es deducible lo decide quien firma la declaración. El cierre figura si se da la carpeta de los cierres (--cierre).',
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

export const REJECTED = 'Rechazados';

/** Its counts, in that order. */
const COUNTS = [
  ['withoutCurrency', 'Sin moneda conocida'],
  ['withoutVat', 'Sin desglose de IVA'],
  ['rejected', REJECTED],
  ['pendingAnswers', 'Sin respuesta'],
  ['changesSinceClose', 'Cambios desde el cierre'],
] as const;

export function summaryOf(report: Report): MonthSummary {
  const { rut, name, parts } = report;
  const { state, sentence, concerns } = verdictOf(report);
  const { lines, totals } = totalsApart(answerOf(parts, 'posicion') ?? NOTHING);
  const inPesos = columnOf(totals, 'total_pesos');
  const lacks = columnOf(totals, 'nota').flatMap((lack) => lack?.split(', ') ?? []);
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
    closedAt: report.closedAt ?? null,
    position: Object.fromEntries(
      columnOf(totals, 'concepto').flatMap((concept, row) =>
        inPesos[row] == null ? [] : [[concept ?? '', inPesos[row]] as const],
      ),
    ),
    positionLacks: [...new Set(lacks)].join(', ') || null,
  };
}

/** How many changes there are, with the lines of declared tables that differ, where a close was compared with. */
function changesIn({ parts }: Report): number | null {
  const changes = answerOf(parts, 'cambios');
  const { columns, rows } = totalsApart(answerOf(parts, 'rectificacion') ?? NOTHING).lines;
  const cellColumns = ['campo', 'declarado', 'actual', 'diferencia'];
  const lines = rows.map((row) =>
    row.filter((_, at) => !cellColumns.includes(columns[at]?.name ?? '')).join('\n'),
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
    closedAt: null,
    position: {},
    positionLacks: null,
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
const PESOS = 'UYU';

/** The companies as a table, one row each: what is in pesos in columns of its own, all else in one cell. */
export function officeAnswer(summaries: readonly MonthSummary[]): Answer {
  const names = { ...VERDICTS, failed: 'Falló' };
  // What is due stands last.
  const concepts = [...new Set(summaries.flatMap(({ position }) => Object.keys(position)))].sort(
    (a, b) => Number(a.includes(' menos ')) - Number(b.includes(' menos ')),
  );
  const otherCurrencies = (summary: MonthSummary) =>
    SUM_NAMES.flatMap((sum) =>
      Object.entries(summary[sum]).flatMap(([currency, amount]) =>
        currency === PESOS ? [] : [`${SUMS[sum]}: ${currency} ${amountText(amount)}`],
      ),
    );
  return {
    columns: [
      ...['RUT', 'Empresa', 'Estado', 'Cierre'].map(textColumn),
      ...[SUMS.sales, SUMS.purchases, ...concepts].map(amountColumn),
      textColumn('Le falta'),
      ...COUNTS.map(([, name]) => countColumn(name)),
      // Numbers are never cut.
      countColumn('Otras monedas'),
      textColumn('Qué falta'),
    ],
    rows: summaries.map((summary) => [
      summary.rut,
      summary.name,
      names[summary.state],
      summary.closedAt && momentText(summary.closedAt),
      ...[
        summary.sales[PESOS],
        summary.purchases[PESOS],
        ...concepts.map((concept) => summary.position[concept]),
      ].map((amount) => amount ?? null),
      summary.positionLacks,
      ...COUNTS.map(([count]) => summary[count]?.toString() ?? null),
      otherCurrencies(summary).join(SUM_END) || null,
      lackOf(summary),
    ]),
  };
}

/** A sheet of the companies, and one of their sums, a row a company and currency. */
export function officeSheets(summaries: readonly MonthSummary[], month: string): AnswerSheet[] {
  const sums = shownSums(summaries);
  const amounts = {
    columns: [...['RUT', 'Empresa', 'Moneda'].map(textColumn), ...sums.map((sum) => amountColumn(SUMS[sum]))],
    rows: summaries.flatMap((summary) => {
      const currencies = new Set(sums.flatMap((sum) => Object.keys(summary[sum])));
      return [...currencies].map((currency) => [
        summary.rut,
        summary.name,
        currency,
        ...sums.map((sum) => summary[sum][currency] ?? null),
      ]);
    }),
  };
  return [
    { name: OFFICE.title, above: [OFFICE.title, month], answer: officeAnswer(summaries) },
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
