import { ExactNumber } from '../../json/exact-json.ts';

const SCALE = 2;
/** DECIMAL(17,2): 15 digits before the point and 2 after it, by law the largest amount of a receipt. */
const LARGEST_SCALED = 10n ** 17n - 1n;
const PAST_DOUBLES = 10 ** 15;
const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * The amount times 100, exactly: a `number` where that is safe, a `bigint` past 2^53. Undefined when the value
 * is not a JSON number, has more than 2 decimals or more than 15 digits before the point.
 */
export function scaledAmount(value: unknown): number | bigint | undefined {
  if (typeof value === 'number') {
    const scaled = Math.round(value * 100);
    // Division is rounded correctly and a double tells any decimals of 15 digits apart, so equality proves that
    // there are at most two places. With 16 digits neighbouring cents can be the same double.
    if (scaled / 100 === value && Math.abs(scaled) < PAST_DOUBLES) return scaled + 0;
    return scaledFromText(String(value));
  }
  return value instanceof ExactNumber ? scaledFromText(value.source) : undefined;
}

function scaledFromText(text: string): number | bigint | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = match;
  const digits = `${whole}${fraction}`.replace(/^0+(?=\d)/, '');
  const exponent = Number(exponentText) - fraction.length + SCALE;
  // An exponent this far out of range could only make a giant of the text.
  if (Math.abs(exponent) > 400) return /^0+$/.test(digits) ? 0 : undefined;
  let scaled: bigint;
  if (exponent >= 0) scaled = BigInt(digits) * 10n ** BigInt(exponent);
  else {
    const divisor = 10n ** BigInt(-exponent);
    if (BigInt(digits) % divisor !== 0n) return undefined;
    scaled = BigInt(digits) / divisor;
  }
  if (scaled > LARGEST_SCALED) return undefined;
  const signed = sign === '-' ? -scaled : scaled;
  return Number.isSafeInteger(Number(signed)) ? Number(signed) : signed;
}
