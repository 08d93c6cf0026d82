import { expect, it } from 'vitest';
import { DIRECTIONS } from '../../../lib/api/directions.ts';
import { parseExactJson } from '../../../lib/exact-json.ts';
import { summaryObject } from '../../../lib/export/details/compose-details.ts';
import { ReceiptRows } from '../../../lib/lake/rows/receipt-rows.ts';
import { TABLE_OF } from '../../../lib/lake/tables.ts';
import { ODD_FORMS, summary } from '../../../lib/sandbox/render/summary.ts';
import { startSandbox } from '../../../lib/sandbox/sandbox.ts';

it.each(DIRECTIONS)('a row of the list gives the API’s object again: %s', async (direction) => {
  const sandbox = await startSandbox({ now: '2026-12-20T03:00:00', companyCount: 2, longAmounts: true });
  const receipts = sandbox.companies.flatMap(({ rut }) => [...sandbox.truth(rut, direction, '2026-11-19')]);
  await sandbox.close();
  const table = TABLE_OF[direction];
  const rows = new ReceiptRows(table, 'RUT');
  const again = new ReceiptRows(table, 'RUT');
  expect(receipts.length).toBeGreaterThan(200);
  receipts.forEach((receipt, index) => {
    // Every second receipt has a value that does not fit the contract or its column.
    const odd = index % 2 === 0 ? ODD_FORMS[(index / 2) % ODD_FORMS.length] : undefined;
    const text = odd?.apply(summary(receipt)) ?? summary(receipt);
    const wire = parseExactJson(text);
    if (typeof wire !== 'object' || wire === null) throw new TypeError('a summary is an object');
    rows.append(wire);
    again.append(summaryObject(table, rows.valuesOf(index)));
    expect(again.valuesOf(index)).toEqual(rows.valuesOf(index));
  });
});

it('names with dots, and names that objects have of themselves, are only names', () => {
  const table = TABLE_OF.recibidos;
  const rows = new ReceiptRows(table, 'RUT');
  rows.append(
    JSON.parse(
      '{"id":1,"serie.x":1,"__proto__":{"a":1},"constructor":2,"totales":{"toString":3,"total":1.5}}',
    ),
  );
  rows.append(summaryObject(table, rows.valuesOf(0)));
  expect(rows.valuesOf(1)).toEqual(rows.valuesOf(0));
});
