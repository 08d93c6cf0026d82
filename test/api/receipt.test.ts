import { describe, expect, it } from 'vitest';
import { isOfOtherCompany } from '../../lib/api/receipt.ts';
import { parseExactJson } from '../../lib/text/exact-json.ts';
import { DIRECTIONS } from '../../lib/units/unit.ts';

const RUT = '021999830019';

describe('whose a receipt is', () => {
  it.each([
    ['its RUT', '"021999830019"', false],
    ['its RUT, with signs', '"UY 0219-99830019 "', false],
    ['its RUT, in full-width digits', '"０２１９９９８３００１９"', false],
    ['its RUT as a number', '21999830019', false],
    ['null', 'null', false],
    ['an empty text', '""', false],
    ['a blank', '" "', false],
    ["another's RUT", '"214844360018"', true],
    ["another's RUT, with signs", '" 2148-4436 0018"', true],
    ["another's RUT, in full-width digits", '"２１４８４４３６００１８"', true],
    ["another's RUT, in Arabic digits", '"٢١٤٨٤٤٣٦٠٠١٨"', true],
    ["another's RUT as a number", '214844360018', true],
    ["another's RUT as a number with an exponent", '2.14844360018e11', true],
    ['an object', '{"toString":"x"}', true],
    ['a list', '["021999830019"]', true],
    ['a truth value', 'true', true],
    ['a text without digits', '"S/N"', true],
  ])('is told by what its document is: %s', (_what, json, isOther) => {
    const document = parseExactJson(json);
    expect(isOfOtherCompany('recibidos', { receptor: { nro_doc: document } }, RUT)).toBe(isOther);
    expect(isOfOtherCompany('emitidos', { emisor: { ruc: document } }, RUT)).toBe(isOther);
    expect(isOfOtherCompany('recibidos', { receptor: document }, RUT)).toBe(isOther && json[0] !== '{');
  });

  it('is not told by one that has none', () => {
    for (const receipt of [{}, { receptor: {}, emisor: {} }])
      for (const direction of DIRECTIONS)
        expect(isOfOtherCompany(direction, receipt, RUT), direction).toBe(false);
  });
});
