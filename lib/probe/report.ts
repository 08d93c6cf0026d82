import type { Direction } from '../api/directions.ts';
import { CfeLakeError } from '../errors.ts';

/** The answer to one question that the contract leaves open. */
export interface Finding {
  /** For machines: `pageSize`. */
  name: string;
  /** The list that it is about; undefined for the API as a whole. */
  direction?: Direction;
  question: string;
  /** In few words; begins with `unknown` if it could not be found out. */
  finding: string;
  /** Requests and responses: counts, statuses and names of fields, never the content of a body. */
  evidence: readonly string[];
}

export interface ProbeReport {
  /** The API's base address. */
  api: string;
  rut: string;
  /** The issue date whose list was examined; null if none had receipts. */
  days: Record<Direction, string | null>;
  requests: {
    sent: number;
    limit: number;
    /** By status; 0: no response. */
    byStatus: Readonly<Record<number, number>>;
  };
  findings: Finding[];
}

/** The probe cannot begin: there is no API at the address, or it does not know the company. */
export class ProbeError extends CfeLakeError {
  override name = 'ProbeError';
}
