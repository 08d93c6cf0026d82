import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertRut, isValidRut, rutCheckDigit } from '../../lib/units/rut.ts';

const VALID = ['211003420017', '219999830019', '214844360018'];

/** Any text of the form prefix + six digits + 001. */
const firstEleven = fc
  .tuple(fc.integer({ min: 1, max: 22 }), fc.integer({ min: 1, max: 999_999 }))
  .map(([prefix, number]) => `${`${prefix}`.padStart(2, '0')}${`${number}`.padStart(6, '0')}001`);

const valid = firstEleven
  .filter((digits) => rutCheckDigit(digits) !== undefined)
  .map((digits) => `${digits}${rutCheckDigit(digits)}`);

describe('rutCheckDigit', () => {
  it('is 7 in the worked example', () => {
    expect(rutCheckDigit('21100342001')).toBe(7);
  });

  it('is undefined where the remainder is 10, which no RUT has', () => {
    expect(rutCheckDigit('21500000001')).toBeUndefined();
  });

  it('is undefined for anything but 11 digits', () => {
    for (const text of ['', '2110034200', '211003420017', '2110034200a', '２１１００３４２００１']) {
      expect(rutCheckDigit(text), text).toBeUndefined();
    }
  });

  it('makes the weighted sum of all 12 digits divisible by 11', () => {
    const weights = [4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2, 1];
    fc.assert(
      fc.property(valid, (rut) => {
        const sum = weights.reduce((total, weight, index) => total + weight * Number(rut[index]), 0);
        expect(sum % 11).toBe(0);
      }),
    );
  });
});

describe('isValidRut', () => {
  it.each(VALID)('accepts %s', (rut) => {
    expect(isValidRut(rut)).toBe(true);
  });

  it.each([
    ['a wrong check digit', '210303670014'],
    ['digits 9 to 11 that are not 001', '210012345678'],
    ['prefix 00', `00100342001${rutCheckDigit('00100342001')}`],
    ['prefix 23', `23100342001${rutCheckDigit('23100342001')}`],
    ['digits 3 to 8 all zero', `21000000001${rutCheckDigit('21000000001')}`],
    ['nothing', ''],
    ['too many digits', '2110034200170'],
    ['a line break at its end', '211003420017\n'],
    ['digits of another script', '２１１００３４２００１７'],
  ])('refuses %s: %s', (_, text) => {
    expect(isValidRut(text)).toBe(false);
  });

  it('notices any one digit mistyped', () => {
    fc.assert(
      fc.property(valid, fc.nat({ max: 11 }), fc.integer({ min: 1, max: 9 }), (rut, position, shift) => {
        const digits = [...rut];
        digits[position] = `${(Number(digits[position]) + shift) % 10}`;
        expect(isValidRut(digits.join(''))).toBe(false);
      }),
    );
  });

  it('notices any two neighbours swapped', () => {
    fc.assert(
      fc.property(valid, fc.nat({ max: 10 }), (rut, position) => {
        const [first = '', second = ''] = rut.slice(position, position + 2);
        const swapped = rut.slice(0, position) + second + first + rut.slice(position + 2);
        expect(isValidRut(swapped)).toBe(first === second);
      }),
    );
  });
});

describe('assertRut', () => {
  it('names the RUT and what is wrong with it', () => {
    expect(() => assertRut('210303670014')).toThrow(
      '210303670014 is not a valid RUT: its check digit is wrong',
    );
    expect(() => assertRut('210012345678')).toThrow('001 and the check digit');
  });

  it('does not repeat text that may be a token', () => {
    expect(() => assertRut('eyJhbGciOiJSUzI1NiJ9')).toThrow(
      'the text given is not a valid RUT: it must be 12 digits',
    );
  });
});
