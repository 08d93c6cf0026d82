import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReceiptRows } from '../../../lib/lake/rows/receipt-rows.ts';
import { RECIBIDOS_DETALLE } from '../../../lib/lake/tables.ts';
import { parseExactJson } from '../../../lib/text/exact-json.ts';
import { campaign } from '../../support/campaign.ts';
import { parsedWithDigits } from '../../support/export/detail-truth.ts';

/** What strings are made of; at full length, of any code points, which fast-check prepares for half a second. */
const STRING_UNIT = campaign({ quick: 'grapheme', long: 'binary' } as const);

function rowOf(text: string): Record<string, unknown> {
  const rows = new ReceiptRows(RECIBIDOS_DETALLE, '219999830019');
  const receipt = parseExactJson(text);
  if (typeof receipt !== 'object' || receipt === null) throw new TypeError('a receipt is an object');
  rows.append(receipt, { motivo: 'why', leido: 5n });
  const [values = []] = [rows.valuesOf(0)];
  return {
    ...Object.fromEntries(RECIBIDOS_DETALLE.columns.map(({ name }, index) => [name, values[index]])),
    conversionErrors: rows.conversionErrors,
  };
}

describe('a JSON column', () => {
  it('holds what came, names in order, every digit of its numbers; long ones as texts', () => {
    const row = rowOf(
      '{"id":7,"totales":{"z":123456789012345678.90,"a":1e2,"m":[0.1,-0,9007199254740993]},"items":[{"ñ":"\\u0000\\"\\ud83e\\uddfe"},null,[]]}',
    );
    expect(row).toMatchObject({
      id: 7n,
      rut: '219999830019',
      totales: '{"a":"1e2","m":[0.1,0,"9007199254740993"],"z":"123456789012345678.90"}',
      items: '[{"ñ":"\\u0000\\"🧾"},null,[]]',
      otros: null,
      motivo: 'why',
      leido: 5n,
      resumen_sha256: null,
      visto_por_ultima_vez: null,
      conversionErrors: 0,
    });
  });

  it.each([
    ['{"id":7,"items":{}}', '{"items":{}}'],
    ['{"id":7,"items":"[]"}', '{"items":"[]"}'],
    ['{"id":7,"totales":[]}', '{"totales":[]}'],
    ['{"id":7,"totales":12345678901234567890}', '{"totales":12345678901234567890}'],
    ['{"id":7,"estado_dgi":"AE"}', '{"estado_dgi":"AE"}'],
    ['{"id":7,"receptor":true}', '{"receptor":true}'],
  ])('leaves what the contract does not say to otros: %s', (text, others) => {
    expect(rowOf(text)).toMatchObject({ items: null, totales: null, otros: others, conversionErrors: 1 });
  });

  it('is null where the field is null or missing', () => {
    expect(rowOf('{"id":7,"totales":null}')).toMatchObject({
      totales: null,
      items: null,
      conversionErrors: 0,
    });
  });

  it('keeps any document, whatever is in it', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue({ stringUnit: STRING_UNIT })),
        fc.array(fc.jsonValue()),
        (totales, items) => {
          const text = JSON.stringify({ id: 7, totales, items });
          const row = rowOf(text);
          const expected = parsedWithDigits(JSON.stringify(JSON.parse(text)));
          expect(parsedWithDigits(String(row.totales))).toEqual(expected.totales);
          expect(parsedWithDigits(String(row.items))).toEqual(expected.items);
          expect(String(row.items).isWellFormed()).toBe(true);
        },
      ),
    );
  });
});
