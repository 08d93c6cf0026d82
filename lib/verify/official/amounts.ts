import { ABSENT, type Reading, read, unreadable } from './reading.ts';
import { isBlank, type TableCell, textOf } from './table.ts';

/** The sign before the decimals. */
export type DecimalMark = '.' | ',';

/** Longer texts are no amounts: 15 digits and 2, their separators, a sign and a currency. */
const MOST_CHARACTERS = 60;
const CURRENCY_SIGN =
  /^(?:\$u|u\$s|us\$|u\$d|uy\$|r\$|uyu|usd|eur|brl|ars|ui|\$|€)\s*|\s*(?:\$u|u\$s|us\$|uyu|usd|eur|\$|€)$/i;
/** The signs that say one currency: `$` is written beside any. */
const TELLING_SIGN = /\$u|u\$s|us\$|u\$d|uy\$|r\$|uyu|usd|eur|brl|ars|ui|€/gi;
const MINUS = /^[-−–—‐‑]/;
const TRAILING_MINUS = /[-−–—‐‑]$/;

interface Parts {
  whole: string;
  fraction: string;
  /** What parts the decimals, where the text alone tells. */
  mark: DecimalMark | undefined;
}

/**
 * The decimal mark that these columns agree on; undefined where none of their amounts tells, or two contradict each
 * other. `1.234` alone does not tell.
 */
export function decimalMarkOf(cells: Iterable<TableCell | undefined>): DecimalMark | undefined {
  const marks = new Set<DecimalMark>();
  for (const cell of cells) {
    const digits = typeof cell === 'string' ? digitsOf(cell) : undefined;
    const mark = digits === undefined ? undefined : partsOf(digits, undefined)?.mark;
    if (mark !== undefined) marks.add(mark);
  }
  const [mark] = marks;
  return marks.size === 1 ? mark : undefined;
}

/** The amount without sign, in units of the last of `decimals`: hundredths. `mark` decides what a text alone leaves open. */
export function amountOf(
  cell: TableCell | undefined,
  mark: DecimalMark | undefined,
  decimals = 2,
): Reading<bigint> {
  if (cell === undefined || isBlank(cell)) return ABSENT;
  const cents =
    typeof cell === 'string' ? textCents(cell, mark, decimals) : numberCents(cell.number, decimals);
  return cents === undefined ? unreadable(textOf(cell)) : read(cents);
}

function textCents(text: string, mark: DecimalMark | undefined, decimals: number): bigint | undefined {
  const digits = digitsOf(text);
  // Spreadsheets write a dash for zero.
  if (digits === '') return 0n;
  const parts = digits === undefined ? undefined : partsOf(digits, mark);
  return parts === undefined ? undefined : centsOf(parts.whole, parts.fraction, decimals);
}

/** The signs of currencies in an amount's cell. */
export function currencySignsIn(cell: TableCell | undefined): readonly string[] {
  return textOf(cell).slice(0, MOST_CHARACTERS).normalize('NFKC').match(TELLING_SIGN) ?? [];
}

/** Whether the amount is below zero: wherever the sign stands, but in an exponent. */
export function isNegative(cell: TableCell | undefined): boolean {
  return /(?<!e)[-−–—‐‑(]/i.test(textOf(cell).slice(0, MOST_CHARACTERS).normalize('NFKC'));
}

/** What is left without sign, parentheses and currency: empty for a dash, undefined for what is no amount. */
function digitsOf(text: string): string | undefined {
  if (text.length > MOST_CHARACTERS) return undefined;
  let digits = text.normalize('NFKC').trim().replace(/^'/, '');
  if (/^[-−–—]{1,3}$/.test(digits)) return '';
  let signs = 0;
  let hasMinus = false;
  for (let before = ''; before !== digits; ) {
    before = digits;
    digits = digits.replace(CURRENCY_SIGN, '').trim();
    if (/^\(.*\)$/.test(digits)) {
      digits = digits.slice(1, -1).trim();
      signs += 1;
    } else if (MINUS.test(digits)) {
      digits = digits.slice(1).trim();
      signs += 1;
      hasMinus = true;
    } else if (digits.startsWith('+')) {
      digits = digits.slice(1).trim();
      signs += 1;
    } else if (TRAILING_MINUS.test(digits)) {
      digits = digits.slice(0, -1).trim();
      signs += 1;
    }
  }
  if (signs > 1) return undefined;
  if (digits === '') return hasMinus ? '' : undefined;
  return /^[\d.,' ’]*\d[.,]?$/.test(digits) ? digits : undefined;
}

function partsOf(digits: string, mark: DecimalMark | undefined): Parts | undefined {
  const counts = { '.': digits.split('.').length - 1, ',': digits.split(',').length - 1 };
  const decimal = decimalIn(digits, counts, mark);
  if (decimal === undefined) return undefined;
  if (decimal === '') {
    const whole = ungrouped(digits);
    // Groups of thousands tell what does not part decimals.
    const decimalMark = counts['.'] > 1 ? ',' : counts[','] > 1 ? '.' : undefined;
    return whole === undefined ? undefined : { whole, fraction: '', mark: decimalMark };
  }
  const at = digits.lastIndexOf(decimal);
  const whole = ungrouped(digits.slice(0, at));
  const fraction = digits.slice(at + 1);
  if (whole === undefined || !/^\d*$/.test(fraction)) return undefined;
  return { whole, fraction, mark: decimal };
}

/** The sign before the decimals, '' without decimals, undefined where nothing tells. */
function decimalIn(
  digits: string,
  counts: Readonly<Record<DecimalMark, number>>,
  mark: DecimalMark | undefined,
): DecimalMark | '' | undefined {
  if (counts['.'] > 0 && counts[','] > 0) {
    const last = digits.lastIndexOf('.') > digits.lastIndexOf(',') ? '.' : ',';
    return counts[last] === 1 ? last : undefined;
  }
  const soleMark = counts['.'] > 0 ? '.' : counts[','] > 0 ? ',' : undefined;
  if (soleMark === undefined || counts[soleMark] > 1) return '';
  // One group of three digits may be thousands or decimals.
  if (!/^[1-9]\d{0,2}[.,]\d{3}$/.test(digits)) return soleMark;
  if (mark === undefined) return undefined;
  return mark === soleMark ? soleMark : '';
}

/** The digits of a whole number, if its groups have three; undefined if not. */
function ungrouped(text: string): string | undefined {
  if (/^\d*$/.test(text)) return text;
  const separator = /\D/.exec(text)?.[0] ?? '';
  const [first = '', ...groups] = text.split(separator);
  const isGrouped = /^\d{1,3}$/.test(first) && groups.every((group) => /^\d{3}$/.test(group));
  return isGrouped ? first + groups.join('') : undefined;
}

/** The amount, unless it has fractions of the last decimal. */
function centsOf(whole: string, fraction: string, decimals: number): bigint | undefined {
  if (/[1-9]/.test(fraction.slice(decimals))) return undefined;
  return BigInt(`${whole}${fraction.slice(0, decimals).padEnd(decimals, '0')}`);
}

/** A workbook keeps 15 digits of a number: what follows them is the error of its binary form. */
const SIGNIFICANT_DIGITS = 15;
/** The longest number in binary has 308 before its point; computing with thousands takes milliseconds. */
const MOST_NUMBER_CHARACTERS = 400;

function numberCents(number: string, decimals: number): bigint | undefined {
  if (number.length > MOST_NUMBER_CHARACTERS) return undefined;
  const [, whole = '', fraction = '', power = '0'] =
    /^[-+]?(\d*)(?:\.(\d*))?(?:e([-+]?\d{1,3}))?$/i.exec(number) ?? [];
  if (whole + fraction === '') return undefined;
  const digits = (whole + fraction).replace(/^0+/, '');
  const exponent = Number(power) - fraction.length;
  const surplus = Math.max(0, digits.length - SIGNIFICANT_DIGITS);
  const rounded =
    (BigInt(digits || '0') + (surplus === 0 ? 0n : 5n * 10n ** BigInt(surplus - 1))) / 10n ** BigInt(surplus);
  const shift = exponent + surplus + decimals;
  if (Math.abs(shift) > 400) return rounded === 0n ? 0n : undefined;
  if (shift >= 0) return rounded * 10n ** BigInt(shift);
  const unit = 10n ** BigInt(-shift);
  return rounded % unit === 0n ? rounded / unit : undefined;
}
