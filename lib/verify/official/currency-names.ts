import { CURRENCIES, PESO } from '../../lake/currencies.ts';
import { readAs } from './identities.ts';
import type { Reading } from './reading.ts';
import { type TableCell, wordsOf } from './table.ts';

/**
 * By its whole ISO code or number, sign or name, or by two of them that say the same: `USD - Dólar`,
 * `Peso uruguayo (UYU)`. A longer name that has one in it is of another currency.
 */
export function currencyOf(cell: TableCell | undefined): Reading<string> {
  return readAs(cell, (text) => {
    const plain = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replace(/\s+/g, ' ');
    const whole = currencyNamed(plain.replace(/\.0+$/, ''));
    if (whole !== undefined) return whole;
    const parts = plain.split(/[()[\]/:-]+/).filter((part) => part.trim() !== '');
    const named = new Set(parts.map((part) => currencyNamed(part.trim())));
    return named.size === 1 ? [...named][0] : undefined;
  });
}

function currencyNamed(plain: string): string | undefined {
  codesByName ??= namesOfAll();
  return codesByName.get(plain) ?? codesByName.get(wordsOf(plain));
}

let codesByName: ReadonlyMap<string, string> | undefined;

/** Those of the table, and of all other currencies the codes and Spanish names that the runtime has. */
function namesOfAll(): Map<string, string> {
  const runtimeNames = Intl.supportedValuesOf('currency').flatMap((code) => {
    const format = new Intl.NumberFormat('es', {
      style: 'currency',
      currency: code,
      currencyDisplay: 'name',
    });
    // The singular and the plural.
    const names = [1, 2].flatMap((count) =>
      format.formatToParts(count).flatMap(({ type, value }) => (type === 'currency' ? wordsOf(value) : [])),
    );
    return names.map((name) => [name, code] as const).concat([[code.toLowerCase(), code]]);
  });
  const listed = [PESO, ...CURRENCIES].flatMap(({ code, names }) =>
    [code.toLowerCase(), ...names].map((name) => [name, code] as const),
  );
  const bankNames = CURRENCIES.flatMap(({ code, bankCode }) =>
    bankCode === undefined ? [] : [[String(bankCode), code] as const],
  );
  return new Map([...runtimeNames, ...listed, ...bankNames]);
}
