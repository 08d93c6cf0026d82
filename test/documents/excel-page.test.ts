import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { centsText, rowsBy, sumOf, type TextRow, unordered } from '../support/query/exact-sums.ts';
import { openLakeDatabase } from '../support/query/lake-database.ts';
import { type Known, sharedQueriedLake } from '../support/query/queried-lake.ts';
import { currencyOf, isPurchaseSlip, isTrade, signed } from '../support/query/receipt-kinds.ts';

const PAGE = readFileSync(new URL('../../docs/excel-power-bi.md', import.meta.url), 'utf8');

/** The code block that follows the first mention of this text after the heading SQL. */
function blockAfter(text: string): string {
  const sql = PAGE.slice(PAGE.indexOf('\n# SQL\n'));
  return /^```\w*\n([\s\S]*?)^```$/m.exec(sql.slice(sql.indexOf(text)))?.[1] ?? '';
}

const lake = await sharedQueriedLake();

async function totalsOf(sql: string): Promise<TextRow[]> {
  const database = await openLakeDatabase(lake.folder);
  try {
    const reader = await database.connection.runAndReadAll(
      `SELECT rut, moneda, count(*), sum(total) FROM (${sql}) GROUP BY ALL`,
    );
    return reader.getRows().map((row) => row.map((value) => (value === null ? null : String(value))));
  } finally {
    database.close();
  }
}

function expectedOf(direction: Known['receipt']['direction']): TextRow[] {
  const trade = lake.known.filter(
    ({ receipt }) =>
      receipt.direction === direction &&
      receipt.day >= '2026-11-01' &&
      isTrade(receipt) &&
      !isPurchaseSlip(receipt),
  );
  return rowsBy(
    trade,
    (known) => [known.receipt.rut, currencyOf(known)],
    (members) => [
      String(members.length),
      centsText(sumOf(members.map(({ receipt }) => signed(receipt, receipt.total)))),
    ],
  );
}

it.each([
  ['`compras.sql`', 'recibidos'],
  ['`ventas.sql`', 'emitidos'],
] as const)(
  'docs/excel-power-bi.md: %s gives each amount its sign and its currency',
  async (file, direction) => {
    const totals = await totalsOf(blockAfter(file));
    expect(totals.length).toBeGreaterThan(5);
    expect(unordered(totals)).toEqual(unordered(expectedOf(direction)));
  },
);
