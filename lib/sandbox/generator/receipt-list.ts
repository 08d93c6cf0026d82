import type { Direction } from '../../api/directions.ts';
import type { SandboxCompany } from '../companies.ts';
import type { LongIds } from './ids.ts';
import type { Numbering } from './numbering.ts';
import type { SandboxReceipt } from './receipt.ts';
import type { StatusRules } from './statuses.ts';
import type { ReceiptsPerDay } from './volume.ts';

/** What the data is made from; the rules may change while the sandbox runs, the rest never does. */
export interface World {
  seed: number;
  receiptsPerDay: ReceiptsPerDay | undefined;
  longIds: LongIds;
  /** Whether rare amounts have 17 digits. */
  hasLongAmounts: boolean;
  /** One number in so many is skipped in issued series; 0: none. */
  numberingGaps: number;
  rules(): StatusRules & { lateArrivals: boolean };
}

/** All receipts of one company and direction, each made when asked for. Days are days since FIRST_DAY. */
export interface ReceiptList {
  rut: string;
  direction: Direction;
  /** Receipts with this issue day that have appeared by now: the first so many by index. */
  appeared(day: number, now: number): number;
  receipt(day: number, index: number, now: number): SandboxReceipt;
  /** The receipt's type alone, much cheaper than the receipt. */
  typeAt(day: number, index: number): number;
  /** How the issuer numbers; only issued receipts have one. */
  numbering: Numbering | undefined;
}

/** A company's place among the sandbox's companies is part of its receipts' ids. */
export interface ListOwner {
  company: SandboxCompany;
  position: number;
}

/** What all receipts of a day share. */
export interface DayFacts {
  day: number;
  text: string;
  /** `fecha_emision` of the day's receipts. */
  issued: string;
  count: number;
  /** Receipts of the list before this day. */
  before: number;
  firstId: bigint;
  seed: number;
}
