import type { Token } from './token.ts';

export interface Company {
  /** 12 digits, the check digit verified. */
  rut: string;
  token: Token;
  /** For people to read; nothing depends on it. */
  name?: string;
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
