import type { Direction } from '../api/directions.ts';
import { CfeLakeError } from '../errors.ts';

/** What was found out about one thing that the contract leaves open. */
export interface Finding {
  /** For machines: `pageSize`. */
  name: string;
  /** The list that it is about; undefined: the API as a whole. */
  direction?: Direction;
  question: string;
  /** In few words; begins with `unknown` where it could not be told. */
  finding: string;
  /** What was asked and what came: counts, statuses and names of fields, never the content of a body. */
  evidence: readonly string[];
}

export interface ProbeReport {
  /** The API's base address. */
  api: string;
  rut: string;
  /** The issue date whose list was looked at; null where none had receipts. */
  days: Record<Direction, string | null>;
  requests: {
    sent: number;
    limit: number;
    /** By status; 0: no answer. */
    byStatus: Readonly<Record<number, number>>;
  };
  findings: Finding[];
}

/** The probe can't begin: there is no API there, or it doesn't know the company. */
export class ProbeError extends CfeLakeError {
  override name = 'ProbeError';
}
