import { RECEIPT_TYPES } from '../../lake/receipt-types.ts';
import { isValidRut } from '../../units/rut.ts';
import { ABSENT, type Reading, read, unreadable } from './reading.ts';
import { isBlank, type TableCell, textOf, wordsOf } from './table.ts';

/** What makes a receipt's key. No longer text says one. */
const MOST_CHARACTERS = 120;

export function readAs<T>(cell: TableCell | undefined, parse: (text: string) => T | undefined): Reading<T> {
  if (cell === undefined || isBlank(cell)) return ABSENT;
  const text = textOf(cell);
  const value = text.length > MOST_CHARACTERS ? undefined : parse(withoutTextMark(text));
  return value === undefined ? unreadable(text) : read(value);
}

/** The text without what keeps digits a text in spreadsheets: `'0123`. */
function withoutTextMark(text: string): string {
  return text.normalize('NFKC').trim().replace(/^'/, '').trim();
}

/** A whole number as spreadsheets write it: `5001`, `5001.0`, `5.001`, `2,14844360018E+11` with all its digits. */
function wholeDigits(text: string): string | undefined {
  const [, head = '', fraction = '', power] = /^(\d+)(?:[.,](\d+))?(?:e\+?(\d{1,2}))?$/i.exec(text) ?? [];
  if (head === '') return wholeOfGroups(text);
  if (power !== undefined) {
    // Fewer digits than the number has: the others are lost.
    return head.length + fraction.length === Number(power) + 1 && head.length === 1
      ? head + fraction
      : undefined;
  }
  if (/^0{1,2}$/.test(fraction) || fraction === '') return head;
  // 5.000 may be five.
  return fraction.length === 3 && fraction !== '000' && /^[1-9]\d{0,2}$/.test(head)
    ? head + fraction
    : undefined;
}

function wholeOfGroups(text: string): string | undefined {
  return /^[1-9]\d{0,2}([.,' ’])\d{3}(?:\1\d{3})*$/.test(text) ? text.replace(/\D/g, '') : undefined;
}

/** Up to 10 digits; a receipt has at most 7. */
export function numberOf(cell: TableCell | undefined): Reading<number> {
  return readAs(cell, (text) => {
    const digits = wholeDigits(text);
    const number = digits !== undefined && digits.length <= 20 ? Number(digits) : 0;
    return number > 0 && number < 10 ** 10 ? number : undefined;
  });
}

const SERIES = /^(?:[A-Z]{1,2}|\d[A-Z])$/;

export function seriesOf(cell: TableCell | undefined): Reading<string> {
  return readAs(cell, (text) => {
    const series = text.toUpperCase();
    return SERIES.test(series) ? series : undefined;
  });
}

/** Reads a cell that has both: `A-5001`, `A 5001`. */
export function seriesAndNumberOf(cell: TableCell | undefined): {
  series: Reading<string>;
  number: Reading<number>;
} {
  const seriesAndNumber = readAs(cell, (text) => {
    const [, series = '', digits = ''] =
      /^([A-Z]{1,2}|\d[A-Z])[ /-]{0,3}(\d{1,10})$/.exec(text.toUpperCase()) ?? [];
    return Number(digits) > 0 ? { series, number: Number(digits) } : undefined;
  });
  if (seriesAndNumber.state !== 'read') return { series: seriesAndNumber, number: seriesAndNumber };
  return { series: read(seriesAndNumber.value.series), number: read(seriesAndNumber.value.number) };
}

/** A RUT, whose leading zero a spreadsheet may have lost; else the digits of a foreign issuer's document. */
export function issuerOf(cell: TableCell | undefined): Reading<string> {
  return readAs(cell, (text) => {
    const bare = wholeDigits(text) ?? text.replace(/[.\- ]/g, '');
    const padded = bare.padStart(12, '0');
    if (isValidRut(padded)) return padded;
    // 2,14844E+11 and 214.844 have lost digits.
    if (/^[\d.,]+(?:e\+?\d+)?$/i.test(text) && !/^\d+$/.test(bare)) return undefined;
    const digits = digitsOf(text);
    return digits === '' ? undefined : digits;
  });
}

export function digitsOf(text: string | null): string {
  return (text ?? '').replace(/\D/g, '');
}

const CODES: ReadonlySet<number> = new Set(RECEIPT_TYPES.map(({ code }) => code));

/** The words of names of types, and what each says of the type. All others are of no type. */
const BASES: readonly (readonly [RegExp, number])[] = [
  [/^(?:ticket|tickets|eticket|etickets|tck|tkt)$/, 101],
  [/^(?:factura|facturas|efactura|efacturas|fact|fac)$/, 111],
  [/^(?:boleta|eboleta)$/, 151],
  [/^(?:remito|remitos|eremito)$/, 181],
  [/^(?:resguardo|resguardos|eresguardo)$/, 182],
];
const FILLERS =
  /^(?:e|de|del|la|el|por|a|cfe|tipo|electronic[oa]|venta|ventas|vta|cuenta|cta|entrada|contado)$/;

/** The type by its code (`111`, `111 - e-Factura`) or by its name, in whatever order its words come. */
export function typeOf(cell: TableCell | undefined): Reading<number> {
  return readAs(cell, (text) => {
    const whole = wholeDigits(text);
    if (whole !== undefined) return CODES.has(Number(whole)) ? Number(whole) : undefined;
    const words = wordsOf(text);
    const codes = words.split(' ').filter((word) => /^\d+$/.test(word));
    const [code] = codes;
    if (code !== undefined) return codes.length === 1 && CODES.has(Number(code)) ? Number(code) : undefined;
    return typeOfName(words);
  });
}

function typeOfName(words: string): number | undefined {
  const known = words
    .replace(/\b(?:n c|nc|notas? (?:de )?cred(?:ito)?)\b/g, 'notacredito')
    .replace(/\b(?:n d|nd|notas? (?:de )?deb(?:ito)?)\b/g, 'notadebito')
    .replace(/\b(?:exp|export|exportaciones)\b/g, 'exportacion');
  const bases = new Set<number>();
  const marks = new Set<string>();
  for (const word of known.split(' ')) {
    const base = BASES.find(([form]) => form.test(word))?.[1];
    if (base !== undefined) bases.add(base);
    else if (MARKS.test(word)) marks.add(word);
    // "e-Factura crédito" may be sold on credit, or a credit note: no word is left out that is not known.
    else if (!FILLERS.test(word)) return undefined;
  }
  const [base] = bases;
  // A paper invoice is no CFE: its e, or the word electrónica, must be there. Nobody lists another resguardo.
  const isElectronic = base === 182 || /\be\b|\be[a-z]|electronic/.test(known);
  if (base === undefined || bases.size > 1 || !isElectronic) return undefined;
  const family = familyOf(base, marks);
  const [isCredit, isDebit] = [marks.has('notacredito'), marks.has('notadebito')];
  const hasNotes = base < 180;
  if (family === undefined || (isCredit && isDebit) || ((isCredit || isDebit) && !hasNotes)) return undefined;
  const code = family + (isCredit ? 1 : isDebit ? 2 : 0) + (marks.has('contingencia') ? 100 : 0);
  return CODES.has(code) ? code : undefined;
}

const MARKS = /^(?:notacredito|notadebito|exportacion|contingencia|ajena)$/;

function familyOf(base: number, marks: ReadonlySet<string>): number | undefined {
  if (marks.has('exportacion')) return !marks.has('ajena') ? { 111: 121, 181: 124 }[base] : undefined;
  return marks.has('ajena') ? { 101: 131, 111: 141 }[base] : base;
}
