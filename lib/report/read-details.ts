import { readAgainCommand } from '../lake/source.ts';
import { PROGRAM } from '../program.ts';
import type { Answer } from '../query/answer.ts';
import { addDays } from '../time/days.ts';
import type { Report } from './read-report.ts';
import { columnOf } from './verdict.ts';

/** The command that reads the details of the month's issued receipts: their currencies are nowhere else. */
export function readDetailsCommand({ rut, from, to, today, lake, source }: Report): string {
  const yesterday = addDays(today, -1);
  const last = [from, to < yesterday ? to : yesterday].sort().at(-1);
  const command = readAgainCommand(PROGRAM, lake, source);
  return `${command} --rut ${rut} --from ${from} --to ${last} --details emitidos`;
}

/** The answer without the totals of rows whose currency is not known: they may be sums of several currencies. */
export function withoutMixedTotals(answer: Answer): Answer {
  const currencies = answer.columns.some(({ name }) => name === 'Moneda')
    ? columnOf(answer, 'Moneda')
    : undefined;
  const total = answer.columns.findIndex(({ name }) => name === 'Total');
  const rows = answer.rows.map((row, index) =>
    currencies?.[index] === null ? row.map((value, column) => (column === total ? null : value)) : row,
  );
  return { ...answer, rows };
}

export function receiptsWithoutCurrency(answer: Answer): number {
  const counts = columnOf(answer, 'Cantidad');
  return columnOf(answer, 'Moneda').reduce(
    (sum, currency, row) => (currency === null ? sum + Number(counts[row]) : sum),
    0,
  );
}
