import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scaledAmount } from '../../../lib/lake/rows/fields.ts';
import { ExactNumber, parseExactJson } from '../../../lib/text/exact-json.ts';
import { campaign } from '../../support/campaign.ts';

/** The amount as a receipt would bring it: as text in a JSON body. */
function amountFrom(text: string): number | bigint | undefined {
  const parsed = parseExactJson(`{"total": ${text}}`);
  return scaledAmount(Object(parsed).total);
}

const LARGEST = 10n ** 17n - 1n;
const scaledValue = fc.oneof(
  fc.bigInt({ min: -LARGEST, max: LARGEST }),
  // Every number of digits is equally likely.
  fc
    .integer({ min: 0, max: 17 })
    .chain((digits) => fc.bigInt({ min: -(10n ** BigInt(digits)) + 1n, max: 10n ** BigInt(digits) - 1n })),
);

/** Ways to write scaled × 10^-2 in JSON: with zeros at its end, or with an exponent. */
function forms(scaled: bigint): fc.Arbitrary<string> {
  const sign = scaled < 0n ? '-' : '';
  const digits = String(scaled < 0n ? -scaled : scaled);
  const padded = digits.padStart(3, '0');
  const plain = `${sign}${padded.slice(0, -2)}.${padded.slice(-2)}`;
  const zeros = fc.integer({ min: 0, max: 20 }).map((count) => plain + '0'.repeat(count));
  const short = fc.constant(plain.replace(/\.?0+$/, ''));
  const e = fc.constantFrom('e', 'E');
  const shifted = fc.tuple(fc.integer({ min: 0, max: 20 }), e).map(([count, letter]) => {
    const padding = scaled === 0n ? '' : '0'.repeat(count);
    return `${sign}${digits}${padding}${letter}-${padding.length + 2}`;
  });
  const scientific = fc.tuple(e, fc.constantFrom('+', '')).map(([letter, plus]) => {
    const power = digits.length - 3;
    const mantissa = digits.length === 1 ? digits : `${digits[0]}.${digits.slice(1)}`;
    return `${sign}${mantissa}${letter}${power < 0 ? power : `${plus}${power}`}`;
  });
  return fc.oneof(zeros, short, shifted, scientific);
}

describe('an amount', () => {
  it('of up to 15 and 2 digits is exact, however it is written', () => {
    const written = scaledValue.chain((scaled) => fc.tuple(fc.constant(scaled), forms(scaled)));
    fc.assert(
      fc.property(written, ([scaled, text]) => {
        const amount = amountFrom(text);
        expect(BigInt(amount ?? 'none')).toBe(scaled);
        expect(typeof amount).toBe(Number.isSafeInteger(Number(scaled)) ? 'number' : 'bigint');
      }),
      { numRuns: campaign({ quick: 1200, long: 20_000 }) },
    );
  });

  // Near these, neighbouring cents are the same double.
  it.each([
    ['80000000000000.1', 8_000_000_000_000_010],
    ['70368744177664.1', 7_036_874_417_766_410],
    ['90071992547409.9', 9_007_199_254_740_990],
    ['-80000000000000.1', -8_000_000_000_000_010],
    ['90071992547409.91', 9_007_199_254_740_991],
    ['90071992547409.92', 9_007_199_254_740_992n],
    ['999999999999999.99', 99_999_999_999_999_999n],
    ['-999999999999999.99', -99_999_999_999_999_999n],
    ['1.15', 115],
    ['1.005e2', 10_050],
    ['0.07', 7],
    ['4.35', 435],
    ['1e15', undefined],
    ['1e14', 10_000_000_000_000_000n],
  ])('of %s is %s', (text, expected) => {
    expect(amountFrom(text)).toBe(expected);
  });

  it.each(['0', '-0', '0.00', '-0.0', '0e0', '0e999999', '0.00E-999999', '-0e-7'])(
    'of %s is exactly 0',
    (text) => {
      expect(Object.is(amountFrom(text), 0)).toBe(true);
    },
  );
});

describe('no amount', () => {
  it('is made of more digits than the column holds', () => {
    const tooLarge = fc.bigInt({ min: LARGEST + 1n, max: 10n ** 40n });
    fc.assert(
      fc.property(tooLarge.chain(forms), fc.boolean(), (text, isNegative) => {
        expect(amountFrom(isNegative ? `-${text}` : text)).toBeUndefined();
      }),
      { numRuns: campaign({ quick: 120, long: 2000 }) },
    );
  });

  it('is made of a third decimal that is not 0', () => {
    const thirdDecimal = fc.tuple(fc.integer({ min: 1, max: 9 }), fc.nat({ max: 14 }));
    fc.assert(
      fc.property(scaledValue, thirdDecimal, (scaled, [digit, zeros]) => {
        const unsigned = String(scaled < 0n ? -scaled : scaled).padStart(3, '0');
        const text = `${unsigned.slice(0, -2)}.${unsigned.slice(-2)}${'0'.repeat(zeros)}${digit}`;
        expect(amountFrom(text)).toBeUndefined();
      }),
      { numRuns: campaign({ quick: 300, long: 5000 }) },
    );
  });

  it.each([
    'null',
    'true',
    '"12.50"',
    '""',
    '[]',
    '{}',
    '[1]',
    '1e308',
    '1e400',
    '1e-400',
    '1e999999999',
    '5e-3',
  ])('is made of %s', (text) => {
    expect(amountFrom(text)).toBeUndefined();
  });

  it('is made of what is not finite or no number text', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, undefined, 5n]) {
      expect(scaledAmount(value)).toBeUndefined();
    }
    expect(scaledAmount(new ExactNumber('12,5'))).toBeUndefined();
  });
});
