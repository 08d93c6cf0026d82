import { dayNumber, parseLocal } from '../../sandbox/generator/calendar.ts';
import { sandboxCompanies } from '../../sandbox/generator/parties.ts';
import type { issuedList, ReceiptList, SandboxReceipt, World } from '../../sandbox/generator/receipts.ts';
import { DAY } from './support.ts';

/** Receipts a day, in lists that tests make without a server. */
export const MANY = 4000;
/** By then, everything has arrived and nothing changes any more. */
export const LATER = parseLocal('2027-06-01T00:00:00') ?? 0;
const COMPANIES = sandboxCompanies(4);
/** DAY as the generator counts days. */
export const day = dayNumber(DAY) ?? 0;

function world(changes: Partial<World> = {}): World {
  return {
    seed: 1,
    receiptsPerDay: MANY,
    hasLongAmounts: true,
    numberingGaps: 0,
    statusFlipDays: 60,
    rules: () => ({ issueTimes: true, lateArrivals: true, statusFlips: true }),
    ...changes,
  };
}

export function listOf(make: typeof issuedList, position = 0, changes: Partial<World> = {}): ReceiptList {
  const company = COMPANIES[position];
  if (company === undefined) throw new RangeError('no such company');
  return make({ company, position }, world(changes));
}

/** The list's receipts of a day. */
export function receiptsOf(list: ReceiptList, ofDay = day, now = LATER): SandboxReceipt[] {
  return Array.from({ length: list.appeared(ofDay, now) }, (_, index) => list.receipt(ofDay, index, now));
}
