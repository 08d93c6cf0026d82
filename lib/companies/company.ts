import { inspect } from 'node:util';
import * as v from 'valibot';
import { WrongInputError } from '../errors.ts';

export interface Company {
  /** 12 digits, the check digit verified. */
  rut: Rut;
  token: Token;
  /** For display only. */
  name?: string;
}

/** Looks up companies' names, for display; '' for a company without one. */
export function nameLookup(companies: readonly Pick<Company, 'rut' | 'name'>[]): (rut: string) => string {
  const names = new Map<string, string | undefined>(companies.map(({ rut, name }) => [rut, name]));
  return (rut) => names.get(rut) ?? '';
}

/** A problem in a companies file or secret that a person has to fix. Never holds a token. */
export interface CompanyProblem {
  /** The file or secret. */
  source: string;
  /** Position of the entry in the source, from 1; absent when the source as a whole is wrong. */
  entry?: number;
  /** The entry's RUT as written, if it looks like one. */
  rut?: string;
  /** What is wrong and what to do. */
  reason: string;
}

/** One line: the source, the entry, its RUT and what is wrong. */
export function describeProblem(problem: CompanyProblem): string {
  const parts = [problem.source];
  if (problem.entry !== undefined) parts.push(`entry ${problem.entry}`);
  if (problem.rut !== undefined) parts.push(`RUT ${problem.rut}`);
  return `${parts.join(', ')}: ${problem.reason}`;
}

const MASK = '[token]';

/** An access token that can't be printed by accident: only `reveal` gives it. */
export class Token {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The token itself, for the Authorization header only. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [inspect.custom](): string {
    return MASK;
  }
}

const Claims = v.object({ exp: v.pipe(v.number(), v.finite()) });

/** The token's own expiry (a JWT's `exp`); undefined if it is not a JWT or gives none. Never throws. */
export function tokenExpiry(token: Token): Date | undefined {
  const [header, payload, signature, ...more] = token.reveal().split('.');
  if (!header || !payload || signature === undefined || more.length > 0) return undefined;
  const claims = v.safeParse(Claims, readJson(payload));
  if (!claims.success) return undefined;
  const expiry = new Date(claims.output.exp * 1000);
  return Number.isNaN(expiry.getTime()) ? undefined : expiry;
}

function readJson(base64url: string): unknown {
  try {
    return JSON.parse(Buffer.from(base64url, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

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

/** For RUTs that this program wrote itself, such as in an object's key: the check digit is not checked. */
export function isTwelveDigits(text: string | undefined): text is Rut {
  return text !== undefined && /^\d{12}$/.test(text);
}

/** Throws a WrongInputError, which repeats only digits: anything else may be a token in the wrong place. */
export function assertRut(text: string): asserts text is Rut {
  const problem = rutProblem(text);
  if (problem === undefined) return;
  throw new WrongInputError(`${showableRut(text) ?? 'the text given'} is not a valid RUT: ${problem}`);
}

/** What is wrong with a RUT, as the end of a sentence; undefined if it is valid. */
export function rutProblem(text: string): string | undefined {
  if (!isTwelveDigits(text)) return 'it must be 12 digits, without dots, dashes or spaces';
  if (!SHAPE.test(text)) return 'it must be 01 to 22, a number other than 000000, 001 and the check digit';
  if (rutCheckDigit(text.slice(0, 11)) !== Number(text[11])) {
    return 'its check digit is wrong; look for a typing error';
  }
  return undefined;
}

/** The text if it is up to 14 digits, and so safe to print; undefined otherwise. */
export function showableRut(text: string): string | undefined {
  return /^\d{1,14}$/.test(text) ? text : undefined;
}
