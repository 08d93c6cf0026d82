import { RECEIPTS_PER_DAY_MAX } from './volume.ts';

/** Which companies' ids lie beyond 2^53, where a double loses them. */
export type LongIds = 'none' | 'some' | 'all';

/** Where a receipt stands: the id says it, so a detail is found without an index. */
export interface ReceiptPlace {
  companyPosition: number;
  isIssued: boolean;
  day: number;
  index: number;
}

const LONG = 2n ** 62n;
const COMPANIES = 2 ** 13;
/** Smaller numbers, which people try as unknown ids, are nobody's. */
const LOWEST = 2n ** 38n;

/** With `some`, every second company has long ids, so that both kinds meet in one run. */
export function hasLongIds(longIds: LongIds, companyPosition: number): boolean {
  return longIds === 'all' || (longIds === 'some' && companyPosition % 2 === 1);
}

/** The id of a company and day's first receipt; the others follow. Ids grow with the day. */
export function firstIdOf(place: Omit<ReceiptPlace, 'index'>, isLong: boolean): bigint {
  const ofDay =
    (((place.day + 1) * 2 + Number(place.isIssued)) * COMPANIES + place.companyPosition) *
    RECEIPTS_PER_DAY_MAX;
  return isLong ? LONG + BigInt(ofDay) : BigInt(ofDay);
}

/** The place that an id tells, or undefined when no company of the sandbox could have it. */
export function placeOf(id: bigint, longIds: LongIds): ReceiptPlace | undefined {
  const isLong = id >= LONG;
  const low = isLong ? id - LONG : id;
  if (low < LOWEST || low >= 2n ** 53n) return undefined;
  const index = Number(low % BigInt(RECEIPTS_PER_DAY_MAX));
  const ofDay = Number(low / BigInt(RECEIPTS_PER_DAY_MAX));
  const companyPosition = ofDay % COMPANIES;
  const daySide = Math.floor(ofDay / COMPANIES) - 2;
  if (hasLongIds(longIds, companyPosition) !== isLong) return undefined;
  return { companyPosition, isIssued: daySide % 2 === 1, day: Math.floor(daySide / 2), index };
}
