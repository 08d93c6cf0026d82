import { type ApiError, foreignReceipt, type RequestContext } from '../../api/errors.ts';
import { type ListPage, listedRows, type RowSink } from '../../api/list/page.ts';
import {
  type IssueMoment,
  isOfOtherCompany,
  issueMoment,
  otherCompany,
  type ReceiptId,
} from '../../api/receipt.ts';
import { ReceiptRows } from '../../lake/rows/receipt-rows.ts';
import { TABLE_OF } from '../../lake/tables.ts';
import { addDays, type Day, type DayRange, isOneDay, isWithin, rangeText } from '../../time/days.ts';
import { type AskedDays, type Attempt, boundsOf, type DayRows } from './service-facts.ts';

/**
 * The receipts of one attempt by the day that they say (`fecha_emision`). Rows of the days before and after those asked for
 * are counted and dropped; a received receipt of another company fails its day. A list of one day by itself has its
 * receipts without a day too, and throws an ApiError at a receipt of another company or another day.
 */
export class ReceiptsByDay implements RowSink, Attempt {
  readonly asked: AskedDays;
  /** All rows that came, of whatever day. */
  rowCount = 0;
  /** Receipts without a valid day. */
  readonly undated: ReceiptId[] = [];
  /** Whether a row has a day that was not asked for. */
  private hasStray = false;
  /** Whether it has rows of the evening before its first day: the service counts its days in UTC. */
  hasEveningBefore = false;
  /** The fiscal number of each row. */
  readonly numbers: (number | undefined)[] = [];
  /** Names of members of its pages that are no evidence of anything. */
  readonly unknownMembers = new Set<string>();
  /** A receipt whose date is midnight with a zone, and another day in Uruguay. */
  private movedAtMidnight: ReceiptId | undefined;
  /** Whether dates with a zone have other times too. */
  private hasZonedTimes = false;
  /** For each day, a receipt of another company, all of which are left out. */
  private readonly foreign = new Map<Day, ReceiptId>();
  private readonly rowsByDay = new Map<Day, ReceiptRows>();
  private readonly marks = new Map<Day, DayRows>();
  private readonly boundIds: bigint[] = [];
  private readonly context: RequestContext;
  private readonly bounds: DayRange;
  private readonly dayBefore: Day;
  /** The day of the last row: most rows of a list have the same day as the previous one. */
  private last: { day: Day; marks: DayRows; rows: ReceiptRows | undefined } | undefined;

  constructor({ rut, direction }: RequestContext, asked: AskedDays) {
    this.context = { rut, direction, day: rangeText(asked) };
    this.asked = asked;
    this.bounds = boundsOf(asked);
    this.dayBefore = addDays(asked.from, -1);
  }

  /** The days with rows, the day after those asked for included, in order. */
  get daysWithRows(): Day[] {
    return [...this.marks.keys()].sort();
  }

  /** The receipts of a day; none where the list has none. */
  rowsOf(day: Day): ReceiptRows {
    return this.rowsByDay.get(day) ?? new ReceiptRows(TABLE_OF[this.context.direction], this.context.rut);
  }

  get hasTimes(): boolean {
    return [...this.marks.values()].some((marks) => marks.hasTimes);
  }

  /** The rows of a day, or of the day after those asked for. */
  on(day: Day): Readonly<DayRows> {
    return this.marks.get(day) ?? newMarks();
  }

  idsOn(day: Day): Iterable<bigint> {
    return day > this.asked.to ? this.boundIds : idsOf(this.rowsOf(day));
  }

  /** The error of a day that has a receipt of another company. */
  faultOf(day: Day): Error | undefined {
    const id = this.foreign.get(day);
    if (id !== undefined) return this.foreignError(id, day);
    // The service writes dates as midnight in UTC: the written day is meant, and nothing is moved by a guess.
    if (this.movedAtMidnight === undefined || this.hasZonedTimes) return undefined;
    return this.zoneError(this.movedAtMidnight, day);
  }

  /** Whether only narrower lists can tell to which day some rows belong. */
  get isAmbiguous(): boolean {
    return this.hasStray || this.isAnyIdUnderTwoDays();
  }

  add(page: ListPage, from: number): void {
    for (let index = from; index < page.items.length; index += 1) {
      const item = page.items[index];
      this.rowCount += 1;
      // Every item is an object: its id was read already.
      if (typeof item === 'object' && item !== null) this.addReceipt(item, page.ids[index] ?? 0);
    }
  }

  /** A receipt that it has twice on one day with different values. */
  differingId(): ReceiptId | undefined {
    return [...this.rowsByDay.values()].flatMap((rows) => rows.differingId() ?? [])[0];
  }

  idsInOrder(): BigInt64Array {
    let count = this.boundIds.length;
    for (const { rowCount } of this.rowsByDay.values()) count += rowCount;
    const ids = new BigInt64Array(count);
    let index = 0;
    for (const rows of this.rowsByDay.values()) for (const id of idsOf(rows)) ids[index++] = id;
    for (const id of this.boundIds) ids[index++] = id;
    return ids;
  }

  private isAnyIdUnderTwoDays(): boolean {
    const ids = this.idsInOrder();
    // In most lists no id comes twice.
    if (listedRows(ids.sort()) === ids.length) return false;
    const days = new Map<bigint, Day>(this.boundIds.map((id) => [id, this.bounds.to]));
    for (const [day, rows] of this.rowsByDay) {
      for (const id of idsOf(rows)) {
        const known = days.get(id);
        if (known !== undefined && known !== day) return true;
        days.set(id, day);
      }
    }
    return false;
  }

  private addReceipt(receipt: object, id: ReceiptId): void {
    const { asked } = this;
    const { direction, rut } = this.context;
    this.numbers.push(numberOf(receipt));
    const isAlone = isOneDay(asked);
    const issued = issueMoment(receipt);
    const day = issued?.day ?? (isAlone && asked.includesNextDay !== true ? asked.from : undefined);
    if (issued === undefined) this.undated.push(id);
    if (day === undefined) return;
    const isForeign = isOfOtherCompany(direction, receipt, rut);
    if (issued?.written !== undefined && this.isMovedAway(id, issued, issued.written)) {
      if (isAlone) throw this.zoneError(id);
      this.hasStray = true;
      return;
    }
    if (!isWithin(this.bounds, day)) {
      if (isAlone && isForeign) throw this.foreignError(id);
      this.noteStray(id, day, issued);
    } else if (isForeign) {
      if (isAlone) throw this.foreignError(id, day);
      this.foreign.set(day, id);
    } else this.keep(receipt, id, day, issued);
  }

  private noteStray(id: ReceiptId, day: Day, issued: IssueMoment | undefined): void {
    // Where the days asked for are the service's own in UTC, the evening before is the first of them.
    if (day === this.dayBefore && issued?.isEvening === true) this.hasEveningBefore = true;
    else if (isOneDay(this.asked))
      throw foreignReceipt(this.context, id, `has the issue date ${day}, which was not asked for`);
    else this.hasStray = true;
  }

  private keep(receipt: object, id: ReceiptId, day: Day, issued: IssueMoment | undefined): void {
    if (this.last?.day !== day) this.last = this.dayOf(day);
    const { marks, rows } = this.last;
    marks.count += 1;
    if (issued?.isAfterMidnight === true) marks.hasTimes = true;
    if (issued?.isEvening === true) marks.hasEveningRow = true;
    else marks.hasRowBeforeEvening = true;
    if (rows === undefined) this.boundIds.push(BigInt(id));
    else rows.append(receipt);
  }

  /** Whether a date with a zone is of a day that was not asked for, and written as one that was. */
  private isMovedAway(
    id: ReceiptId,
    { day }: IssueMoment,
    written: { day: string; isMidnight: boolean },
  ): boolean {
    if (!written.isMidnight) this.hasZonedTimes = true;
    else if (written.day !== day) this.movedAtMidnight = id;
    const { from, to } = this.asked;
    return !isWithin(this.asked, day) && from <= written.day && written.day <= to;
  }

  private dayOf(day: Day): NonNullable<ReceiptsByDay['last']> {
    const marks = this.marks.get(day) ?? newMarks();
    this.marks.set(day, marks);
    if (day > this.asked.to) return { day, marks, rows: undefined };
    const rows = this.rowsOf(day);
    this.rowsByDay.set(day, rows);
    return { day, marks, rows };
  }

  private zoneError(id: ReceiptId, day = this.context.day): ApiError {
    const reason =
      'has an issue date with a zone (fecha_emision) that is of another day in Uruguay than the one written';
    return foreignReceipt({ ...this.context, day }, id, reason);
  }

  private foreignError(id: ReceiptId, day = this.context.day): ApiError {
    return foreignReceipt({ ...this.context, day }, id, otherCompany(this.context.direction));
  }
}

function numberOf(receipt: object): number | undefined {
  const number = 'numero' in receipt ? Number(receipt.numero) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}

function newMarks(): DayRows {
  return { count: 0, hasTimes: false, hasRowBeforeEvening: false, hasEveningRow: false };
}

export function* idsOf(rows: ReceiptRows): Generator<bigint> {
  for (let row = 0; row < rows.rowCount; row += 1) yield rows.id(row);
}
