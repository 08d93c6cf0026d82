import { WrongInputError } from '../system/errors.ts';
import type { Localized } from '../text/language.ts';
import { RUT_FAULT } from './phrases.ts';

/**
 * A company's number in the tax register, 12 digits. Other text, such as a day, is not a Rut to the compiler, so units,
 * keys and companies can't confuse them. `isValidRut` checks input from outside. Code that only shows or filters
 * companies (lib/coverage, lib/report, lib/query) takes any text.
 */
export type Rut = `${number}`;

const WEIGHTS = [4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2] as const;

/** Prefix 01-22, a number that is not zero, the fixed 001, the check digit. */
const SHAPE = /^(0[1-9]|1\d|2[0-2])(?!000000)\d{6}001\d$/;

/** The check digit for the first 11 digits of a RUT; undefined if they have none, or are not 11 digits. */
export function rutCheckDigit(firstElevenDigits: string): number | undefined {
  if (!/^\d{11}$/.test(firstElevenDigits)) return undefined;
  const sum = WEIGHTS.reduce(
    (total, weight, position) => total + weight * Number(firstElevenDigits[position]),
    0,
  );
  const digit = (11 - (sum % 11)) % 11;
  return digit === 10 ? undefined : digit;
}

export function isValidRut(text: string): text is Rut {
  return rutProblem(text) === undefined;
}

/** Whether it is a RUT as this program writes it, such as in an object's key: the check digit is not checked. */
export function isTwelveDigits(text: string | undefined): text is Rut {
  return text !== undefined && /^\d{12}$/.test(text);
}

/** Throws a WrongInputError, which repeats only digits: anything else may be a token in the wrong place. */
export function assertRut(text: string): asserts text is Rut {
  const problem = rutProblem(text);
  if (problem === undefined) return;
  throw new WrongInputError(`${showableRut(text) ?? 'the text given'} is not a valid RUT: ${problem('en')}`);
}

/** What is wrong with a RUT, as the end of a sentence; undefined if it is valid. */
export function rutProblem(text: string): Localized | undefined {
  if (!isTwelveDigits(text)) return RUT_FAULT.digits();
  if (!SHAPE.test(text)) return RUT_FAULT.shape();
  if (rutCheckDigit(text.slice(0, 11)) !== Number(text[11])) {
    return RUT_FAULT.checkDigit();
  }
  return undefined;
}

/** The text if it is up to 14 digits, and so safe to print; undefined otherwise. */
export function showableRut(text: string): string | undefined {
  return /^\d{1,14}$/.test(text) ? text : undefined;
}
