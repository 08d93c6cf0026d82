import { type Answer, type AnswerColumn, sumOf } from '../query/answer.ts';
import { withHeadings, withWrittenValues } from '../query/written-values.ts';
import { amountText, momentText, shortDay } from '../text/spanish.ts';
import { isDay } from '../time/days.ts';

/** The values of an answer: its columns and sums, and how they are written. */

/** Throws a TypeError where rows have no such column: a count that is not there would pass for 0. */
export function columnOf({ columns, rows }: Answer, name: string): (string | null)[] {
  const index = columns.findIndex((column) => column.name === name);
  if (index === -1 && rows.length > 0) throw new TypeError(`there is no column ${name}`);
  return rows.map((row) => row[index] ?? null);
}

/** The sum of a column of counts; 0 without an answer. */
export function countIn(answer: Answer | undefined, name: string): number {
  return answer === undefined
    ? 0
    : columnOf(answer, name).reduce((sum, count) => sum + Number(count ?? 0), 0);
}

/**
 * Exact totals of these columns by currency (null: not known), the one with the most receipts first. Null where no amount
 * is known.
 */
export function totalsByCurrency(answer: Answer, columns: readonly string[] = ['total']) {
  const counts = columnOf(answer, 'comprobantes');
  const amounts = columns.map((name) => columnOf(answer, name));
  const rowsOf = Map.groupBy(columnOf(answer, 'moneda').entries(), ([, currency]) => currency);
  return [...rowsOf]
    .map(([currency, rows]) => ({
      currency,
      receipts: rows.reduce((sum, [row]) => sum + Number(counts[row]), 0),
      total: sumOf(rows.flatMap(([row]) => amounts.map((column) => column[row]))),
    }))
    .sort((a, b) => b.receipts - a.receipts);
}

export function receiptsWithoutCurrency(answer: Answer): number {
  return totalsByCurrency(answer).find(({ currency }) => currency === null)?.receipts ?? 0;
}

/** The answer as people read it, under headings. */
export function inWords(answer: Answer): Answer {
  return withHeadings(withWrittenValues(withoutMixedTotals(answer)));
}

/** A total whose currency is not known is left out: it may be a sum of several. */
function withoutMixedTotals({ columns, rows }: Answer): Answer {
  const place = (name: string) => columns.findIndex((column) => column.name === name);
  const [currency, count, total] = [place('moneda'), place('comprobantes'), place('total')];
  // Other answers have one receipt a row, whose amount is no sum.
  if (currency === -1 || count === -1 || total === -1) return { columns, rows };
  return { columns, rows: rows.map((row) => (row[currency] === null ? row.with(total, null) : row)) };
}

/** Columns of counts. Other whole numbers identify things and get no thousands separators. */
const COUNTS = /^(comprobantes|cantidad|sin_monto|sin_desglose|sin_detalle|sin_cambio|por_revisar)$/;

/** The same with days and numbers as they are written in Uruguay: for pages and terminals. */
export function asWritten(answer: Answer): Answer {
  const { columns, rows } = inWords(answer);
  const written = ({ name, type }: AnswerColumn, value: string) => {
    if (type === 'DATE' && isDay(value)) return shortDay(value);
    if (type.startsWith('TIMESTAMP')) return momentText(value);
    return type.startsWith('DECIMAL') || COUNTS.test(name) ? amountText(value) : value;
  };
  const cell = (value: string | null, place: number) => {
    const column = answer.columns[place];
    return value === null || column === undefined ? value : written(column, value);
  };
  return { columns, rows: rows.map((row) => row.map(cell)) };
}
