import { bandOf } from '../../lake/currencies.ts';
import type { Day } from '../../time/days.ts';
import { amountOf, type DecimalMark, isNegative } from './amounts.ts';
import { valueIn } from './reading.ts';
import type { TableCell } from './table.ts';

/** How many decimals a workbook's smallest rates have. */
const DECIMALS = 24;
/** A millionth of a peso, in the last of these decimals. */
const UNIT = 10n ** 18n;

const MARKS: readonly DecimalMark[] = ['.', ','];

/** A rate as a file has it, before its decimal mark is known. */
export interface WrittenRate {
  day: Day;
  currency: string;
  cell: TableCell;
  /** Of how many units it is, as the file says it. */
  units: TableCell | undefined;
}

/** What a cell may be in pesos for one unit, in the last of DECIMALS: nothing, one value, or two where no sign tells. */
export function readings(
  cell: TableCell,
  units: TableCell | undefined,
  mark: DecimalMark | undefined,
): bigint[] {
  if (isNegative(cell) || isNegative(units)) return [];
  const values = (mark === undefined ? MARKS : [mark]).flatMap((tried) => {
    const value = valueIn(amountOf(cell, tried, DECIMALS));
    const unitCount = valueIn(amountOf(units, tried, 0));
    return value === null || value === 0n || unitCount === null || unitCount === 0n
      ? []
      : [value / unitCount];
  });
  return [...new Set(values)];
}

/**
 * The rate in millionths, and whether it had more decimals. `undefined`: it is none, or less than a millionth. `either`: it
 * may be two rates, and nothing tells which.
 */
export function rateIn(
  rate: WrittenRate,
  mark: DecimalMark | undefined,
): { value: bigint; isRounded: boolean } | 'either' | undefined {
  const values = readings(rate.cell, rate.units, mark);
  const [exact, other] = values.length === 1 ? values : values.filter((value) => isInBand(rate, value));
  if (values.length === 0) return undefined;
  if (exact !== undefined && halfEven(exact) === 0n) return undefined;
  if (exact === undefined || other !== undefined) return 'either';
  return { value: halfEven(exact), isRounded: exact % UNIT !== 0n };
}

/** The mark that the plausible readings agree on, of rates that none of the file's own signs tells. */
export function markOfBands(found: readonly WrittenRate[]): DecimalMark | undefined {
  const marks = new Set<DecimalMark>();
  for (const rate of found) {
    if (readings(rate.cell, rate.units, undefined).length < 2) continue;
    const plausible = MARKS.filter((mark) =>
      readings(rate.cell, rate.units, mark).some((value) => isInBand(rate, value)),
    );
    const [agreed] = plausible;
    if (agreed !== undefined && plausible.length === 1) marks.add(agreed);
  }
  const [mark] = marks;
  return marks.size === 1 ? mark : undefined;
}

function isInBand({ currency, day }: Pick<WrittenRate, 'currency' | 'day'>, value: bigint): boolean {
  const band = bandOf(currency, day);
  return band !== undefined && value >= band.low * UNIT && value <= band.high * UNIT;
}

/** The rate that a service's text says, in millionths; undefined if it is none. */
export function exactRate(text: string): bigint | undefined {
  const value = isNegative(text) ? null : valueIn(amountOf(text, '.', DECIMALS));
  return value === null ? undefined : halfEven(value);
}

/** The value in millionths, rounded half to even. */
function halfEven(value: bigint): bigint {
  const [whole, remainder] = [value / UNIT, value % UNIT];
  const isUp = remainder * 2n > UNIT || (remainder * 2n === UNIT && whole % 2n === 1n);
  return isUp ? whole + 1n : whole;
}
