import { inspect } from 'node:util';
import * as v from 'valibot';
import type { Rut } from '../units/rut.ts';

export interface Company {
  /** 12 digits, the check digit verified. */
  rut: Rut;
  token: Token;
  /** For display only. */
  name?: string;
}

type Named = Pick<Company, 'rut' | 'name'>;

/** The names of those companies that have one, by RUT. */
export function namesOf(companies: readonly Named[]): ReadonlyMap<string, string> {
  return new Map(companies.flatMap(({ rut, name }) => (name === undefined ? [] : [[rut, name]])));
}

/** Looks up companies' names, for display; '' for a company without one. */
export function nameLookup(companies: readonly Named[]): (rut: string) => string {
  const names = namesOf(companies);
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
