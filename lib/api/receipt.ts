import { isJsonObject, readInt64 } from '../text/exact-json.ts';
import { type Day, isDay } from '../time/days.ts';
import { uruguayTimeOf } from '../time/zoned.ts';
import type { Direction } from '../units/unit.ts';
import { foreignReceipt, type RequestContext, receiptIdFault } from './errors.ts';

export type ReceiptId = number | bigint;

/** The ids of a page's rows. Throws an ApiError, naming the position, at the first row without one. */
export function receiptIds(items: readonly unknown[], context: RequestContext): ReceiptId[] {
  return items.map((item, index) => {
    const id = isJsonObject(item) ? readInt64(item.id) : undefined;
    if (id !== undefined) return id;
    throw receiptIdFault(context, `the row at position ${index + 1} of the page has no usable id`);
  });
}

export function otherCompany(direction: Direction): string {
  return `has another company as its ${direction === 'recibidos' ? 'recipient' : 'issuer'}`;
}

/** Throws an ApiError if a receipt is another company's: the API did not honour the request then. */
export function assertOwn(direction: Direction, receipts: readonly unknown[], rut: string): void {
  for (const receipt of receipts) {
    if (!isJsonObject(receipt) || !isOfOtherCompany(direction, receipt, rut)) continue;
    throw foreignReceipt({ rut, direction }, readInt64(receipt.id) ?? 0, otherCompany(direction));
  }
}

/** Whether a received receipt names another company as its recipient, or an issued one as its issuer. */
export function isOfOtherCompany(direction: Direction, receipt: unknown, rut: string): boolean {
  if (!isJsonObject(receipt)) return false;
  const [party, member] = direction === 'recibidos' ? [receipt.receptor, 'nro_doc'] : [receipt.emisor, 'ruc'];
  return isOtherRut(isJsonObject(party) ? party[member] : party, rut);
}

/** Nothing says nothing; what is no text, or has no digits, is no RUT of one's own. */
function isOtherRut(document: unknown, rut: string): boolean {
  if (document === rut) return false;
  const text = typeof document === 'number' ? String(document) : (document ?? '');
  if (typeof text !== 'string') return true;
  const digits = text.normalize('NFKC').replace(/\D/g, '');
  // A RUT that came as a number has lost a leading zero.
  return text.trim() !== '' && digits.padStart(rut.length, '0') !== rut;
}

export interface IssueMoment {
  day: Day;
  isAfterMidnight: boolean;
  /** Whether it was issued from 21:00 on, which is the next day in UTC. */
  isEvening: boolean;
  /** What a value with a zone says in that: the day, and whether the time is midnight. */
  written?: { day: string; isMidnight: boolean };
}

let lastDay: Day | undefined;

/** Day and time of `fecha_emision` in Uruguay; undefined if it is missing, unreadable, or a day that does not exist. */
export function issueMoment(receipt: unknown): IssueMoment | undefined {
  const came = isJsonObject(receipt) ? receipt.fecha_emision : undefined;
  if (typeof came !== 'string' || !(came.length === 10 || came[10] === 'T')) return undefined;
  const value = uruguayTimeOf(came) ?? came;
  const day = value.slice(0, 10);
  // Most rows of a list have the same day as the previous one.
  if (day !== lastDay) {
    if (!isDay(day)) return undefined;
    lastDay = day;
  }
  const isAtMidnight = value.startsWith('00:00:00', 11) && /T00:00:00(\.0*)?$/.test(value);
  const isEvening = value.length > 10 && value.slice(11, 13) >= '21';
  const moment = { day, isAfterMidnight: value.length > 10 && !isAtMidnight, isEvening };
  if (value === came) return moment;
  return { ...moment, written: { day: came.slice(0, 10), isMidnight: /T00:00:00(\.0*)?[^.\d]/.test(came) } };
}
