import { type Answer, sumOf } from '../query/answer.ts';

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

/** Values of queries that are written otherwise, by their column. */
const VALUES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Días: { '61 o mayor': '61 o más' },
  'e-Ticket': { 'bajo el limite': 'por debajo del límite', 'sobre el limite': 'por encima del límite' },
  Situación: { desaparecido: 'ya no figura' },
  Cambio: {
    aparecio: 'apareció',
    reaparecio: 'reapareció',
    desaparecio: 'desapareció',
    movido: 'cambió de fecha',
    cambio: 'cambió',
  },
};

/** The answer as people read it. A total whose currency is not known is left out: it may be a sum of several. */
export function inWords({ columns, rows }: Answer): Answer {
  const [currency, count, total] = ['Moneda', 'Cantidad', 'Total'].map((name) =>
    columns.findIndex((column) => column.name === name),
  );
  // Other answers have one receipt a row, whose amount is no sum.
  const areSums = [currency, count, total].every((place) => place !== -1);
  return {
    columns,
    rows: rows.map((row) =>
      row.map((value, place) => {
        if (areSums && place === total && row[currency ?? -1] === null) return null;
        return value === null ? null : (VALUES[columns[place]?.name ?? '']?.[value] ?? value);
      }),
    ),
  };
}
