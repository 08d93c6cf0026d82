import { expect, it } from 'vitest';
import { summaryRow } from '../../../lib/export/details/compose-details.ts';
import type { Value } from '../../../lib/lake/parquet/writer.ts';
import { ReceiptRows } from '../../../lib/lake/rows/receipt-rows.ts';
import { DETAIL_TABLE_OF, TABLE_OF } from '../../../lib/lake/tables.ts';
import { isJsonObject, type JsonObject, parseExactJson } from '../../../lib/text/exact-json.ts';
import { DIRECTIONS, type Direction } from '../../../lib/units/unit.ts';
import { summary } from '../../../sandbox/render/summary.ts';
import { startSandbox } from '../../../sandbox/sandbox.ts';
import { ODD_FORMS } from '../../support/lake/odd-forms.ts';

const COMPUTED = { rut: 'RUT', motivo: '410', resumen_sha256: 'hash' };

it.each(DIRECTIONS)('is what the detail’s decoder makes of the list’s object: %s', async (direction) => {
  const sandbox = await startSandbox({ now: '2026-12-20T03:00:00', companyCount: 2, longAmounts: true });
  const receipts = sandbox.companies.flatMap(({ rut }) => [...sandbox.truth(rut, direction, '2026-11-19')]);
  await sandbox.close();
  expect(receipts.length).toBeGreaterThan(200);
  receipts.forEach((receipt, index) => {
    // Every second receipt has a value that does not fit the contract or its column.
    const odd = index % 2 === 0 ? ODD_FORMS[(index / 2) % ODD_FORMS.length] : undefined;
    const wire = parseExactJson(odd?.apply(summary(receipt)) ?? summary(receipt));
    if (!isJsonObject(wire)) throw new TypeError('a summary is an object');
    const decoded = new ReceiptRows(DETAIL_TABLE_OF[direction], 'RUT');
    decoded.append(asHeld(direction, wire), COMPUTED);
    expect(rowOf(direction, wire)).toEqual(decoded.valuesOf(0));
  });
});

it('names with dots, and names that objects have of themselves, are only names', () => {
  const row = rowOf(
    'recibidos',
    JSON.parse(
      '{"id":1,"serie.x":1,"__proto__":{"a":1},"constructor":2,"totales":{"toString":3,"__proto__":4,"total":1.5}}',
    ),
  );
  const value = (name: string) =>
    row[DETAIL_TABLE_OF.recibidos.columns.findIndex((column) => column.name === name)];
  expect(value('id')).toBe(1n);
  expect(value('totales')).toBe('{"__proto__":4,"toString":3,"total":1.5}');
  expect(value('otros')).toBe('{"__proto__":{"a":1},"constructor":2,"serie.x":1}');
});

function rowOf(direction: Direction, wire: JsonObject): Value[] {
  const list = new ReceiptRows(TABLE_OF[direction], 'RUT');
  list.append(wire);
  return summaryRow(direction, list.valuesOf(0), COMPUTED);
}

/**
 * As the list's columns hold it: a null in one of them is no field, and an object that a detail does not have (the
 * status) is a field by path.
 */
function asHeld(direction: Direction, wire: JsonObject): JsonObject {
  const listed = new Set(TABLE_OF[direction].columns.map(({ path = '' }) => path.split('.')[0]));
  const detailed = new Set(DETAIL_TABLE_OF[direction].columns.map(({ path }) => path));
  const fields = Object.entries(wire).flatMap(([name, value]): [string, unknown][] => {
    if (value === null && listed.has(name)) return [];
    if (!isJsonObject(value)) return [[name, value]];
    const held = Object.entries(value).filter(([, member]) => member !== null);
    if (listed.has(name) && !detailed.has(name)) {
      return held.map(([inner, member]) => [`${name}.${inner}`, member]);
    }
    return held.length === 0 ? [] : [[name, Object.fromEntries(held)]];
  });
  return Object.fromEntries(fields);
}
