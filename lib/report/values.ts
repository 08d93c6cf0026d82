import { type Answer, type AnswerColumn, sumOf } from '../query/answer.ts';
import { withWrittenValues } from '../query/written-values.ts';
import { amountText, momentText, shortDay } from '../text/spanish.ts';
import { isDay } from '../time/days.ts';

/** The values of an answer: its columns and sums, and how they are written. */

export function columnOf({ columns, rows }: Answer, name: string): (string | null)[] {
  const index = columns.findIndex((column) => column.name === name);
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
export function totalsByCurrency(answer: Answer, columns: readonly string[] = ['Total']) {
  const counts = columnOf(answer, 'Cantidad');
  const amounts = columns.map((name) => columnOf(answer, name));
  const rowsOf = Map.groupBy(columnOf(answer, 'Moneda').entries(), ([, currency]) => currency);
  return [...rowsOf]
    .map(([currency, rows]) => ({
      currency,
      receipts: rows.reduce((sum, [row]) => sum + Number(counts[row]), 0),
      total: sumOf(rows.flatMap(([row]) => amounts.map((column) => column[row]))),
    }))
    .sort((one, other) => other.receipts - one.receipts);
}

export function receiptsWithoutCurrency(answer: Answer): number {
  return totalsByCurrency(answer).find(({ currency }) => currency === null)?.receipts ?? 0;
}

/** The answer as people read it. A total whose currency is not known is left out: it may be a sum of several. */
export function inWords(answer: Answer): Answer {
  const { columns, rows } = withWrittenValues(answer);
  const place = (name: string) => columns.findIndex((column) => column.name === name);
  const [currency, count, total] = [place('Moneda'), place('Cantidad'), place('Total')];
  // Other answers have one receipt a row, whose amount is no sum.
  if (currency === -1 || count === -1 || total === -1) return { columns, rows };
  return { columns, rows: rows.map((row) => (row[currency] === null ? row.with(total, null) : row)) };
}

/** Columns of counts. Other whole numbers identify things and get no thousands separators. */
const COUNTS = /^(Cantidad|Comprobantes|Sin monto|Sin desglose|Sin detalle|Sin tipo de cambio|Por revisar)$/;

/** The same with days and numbers as they are written in Uruguay: for pages and terminals. */
export function asWritten(answer: Answer): Answer {
  const { columns, rows } = inWords(answer);
  const written = ({ name, type }: AnswerColumn, value: string) => {
    if (type === 'DATE' && isDay(value)) return shortDay(value);
    if (type.startsWith('TIMESTAMP')) return momentText(value);
    return type.startsWith('DECIMAL') || COUNTS.test(name) ? amountText(value) : value;
  };
  const cell = (value: string | null, place: number) => {
    const column = columns[place];
    return value === null || column === undefined ? value : written(column, value);
  };
  return { columns, rows: rows.map((row) => row.map(cell)) };
}
