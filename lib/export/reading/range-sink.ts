import { ForeignReceiptError, type RequestContext } from '../../api/errors.ts';
import type { ListPage, RowSink } from '../../api/list/page.ts';
import { hasOtherRecipient, issueMoment, OTHER_RECIPIENT, type ReceiptId } from '../../api/receipt.ts';
import { ReceiptRows } from '../../lake/rows/receipt-rows.ts';
import { indexOfColumn, TABLE_OF } from '../../lake/tables.ts';
import { addDays, type Day, type DayRange, isOneDay, isWithin, rangeText } from '../../time/days.ts';

/** The days that a list is read for. */
export interface AskedDays extends DayRange {
  /**
   * Whether `FechaHasta` is the day after them: to see whether it includes its day (`asked`), or because it does not
   * (`excluded`).
   */
  nextDay: 'notAsked' | 'asked' | 'excluded';
}

/** `FechaDesde` and `FechaHasta` for these days. */
export function bounds({ from, to, nextDay }: AskedDays): DayRange {
  return { from, to: nextDay === 'notAsked' ? to : addDays(to, 1) };
}

/**
 * Sorts the receipts of a list by unit, that is, by `fecha_emision`. Refuses a received receipt whose recipient is
 * another company, and a receipt of a day that was not asked for. If only one day was asked for, a receipt without a
 * day is that day's, unless it may be the next day's, and a refused one throws ForeignReceiptError.
 */
export class RangeSink implements RowSink {
  /** All rows that came. */
  listedCount = 0;
  /** Whether any row was issued after its day's first moment. Some services give dates only. */
  hasTimes = false;
  /** The same for the last day, and for the day after it: such a row shows that the bound includes its whole day. */
  hasTimesOfLastDay = false;
  hasTimesOfNextDay = false;
  /** Whether a row has a day that was not asked for. */
  hasStray = false;
  /** Rows without a valid day. Where it is not clear whose they are, they are left out. */
  undated: ReceiptId[] = [];
  /** A receipt of another company by its day. Those are left out. */
  foreign = new Map<Day, ReceiptId>();
  private readonly rowsByDay = new Map<Day, ReceiptRows>();
  private readonly context: RequestContext;
  private readonly asked: AskedDays;
  private readonly bounds: DayRange;

  constructor({ rut, direction }: RequestContext, asked: AskedDays) {
    this.context = { rut, direction, day: rangeText(asked) };
    this.asked = asked;
    this.bounds = bounds(asked);
  }

  /** The first and the last day with rows; undefined if there are none. */
  get ends(): DayRange | undefined {
    const [first, ...others] = [...this.rowsByDay.keys()].sort();
    return first === undefined ? undefined : { from: first, to: others.at(-1) ?? first };
  }

  /** The receipts of a day; none where the list has none. */
  rowsOf(day: Day): ReceiptRows {
    return this.rowsByDay.get(day) ?? new ReceiptRows(TABLE_OF[this.context.direction], this.context.rut);
  }

  /** The days that have rows, and these. */
  get days(): ReadonlyMap<Day, ReceiptRows> {
    return this.rowsByDay;
  }

  /** Whether only narrower lists can tell to which day some rows belong. */
  get hasRowsOfNoDay(): boolean {
    return this.hasStray || (this.undated.length > 0 && this.dayOfUndated === undefined);
  }

  /** Everything that is known about the rows, besides the rows themselves. */
  get marks(): SinkMarks {
    const { listedCount, hasTimes, hasTimesOfLastDay, hasTimesOfNextDay, hasStray, undated, foreign } = this;
    return { listedCount, hasTimes, hasTimesOfLastDay, hasTimesOfNextDay, hasStray, undated, foreign };
  }

  /** Takes over rows that an earlier invocation read. */
  restore(days: ReadonlyMap<Day, ReceiptRows>, marks: SinkMarks): void {
    for (const [day, rows] of days) this.rowsByDay.set(day, rows);
    Object.assign(this, marks);
  }

  /** The error of each day that has a receipt of another company. */
  faults(): [Day, Error][] {
    return [...this.foreign].map(([day, id]) => [day, this.foreignError(id, day)]);
  }

  add(page: ListPage, from: number): void {
    for (let index = from; index < page.items.length; index += 1) {
      const item = page.items[index];
      this.listedCount += 1;
      // Every item is an object: its id was read already.
      if (typeof item === 'object' && item !== null) this.addReceipt(item, page.ids[index] ?? 0);
    }
  }

  idsInOrder(): BigInt64Array {
    const ids = new BigInt64Array(this.rowsBetween(this.bounds));
    let index = 0;
    for (const rows of this.rowsByDay.values()) {
      for (let row = 0; row < rows.rowCount; row += 1) ids[index++] = rows.id(row);
    }
    return ids;
  }

  /** Counts the rows of these days. */
  rowsBetween(days: DayRange): number {
    let count = 0;
    for (const [day, { rowCount }] of this.rowsByDay) if (isWithin(days, day)) count += rowCount;
    return count;
  }

  /** The day of each row, by id; undefined if an id occurs under two days. */
  dayById(): ReadonlyMap<bigint, Day> | undefined {
    const days = new Map<bigint, Day>();
    for (const [day, rows] of this.rowsByDay) {
      for (let row = 0; row < rows.rowCount; row += 1) {
        const id = rows.id(row);
        const known = days.get(id);
        if (known !== undefined && known !== day) return undefined;
        days.set(id, day);
      }
    }
    return days;
  }

  /** Whether these are ids of rows that came. Rows that were left out don't count. */
  hasAll(ids: readonly ReceiptId[]): boolean {
    const missing = new Set(ids.map(BigInt));
    for (const rows of this.rowsByDay.values()) {
      for (let row = 0; row < rows.rowCount; row += 1) missing.delete(rows.id(row));
    }
    return missing.size === 0;
  }

  /** How many rows have each value of an integer column; rows without a value count under `null`. */
  countBy(column: 'tipo_comprobante' | 'numero'): ReadonlyMap<number | null, number> {
    const counts = new Map<number | null, number>();
    for (const rows of this.rowsByDay.values()) {
      const index = indexOfColumn(rows.table.columns, column);
      for (let row = 0; row < rows.rowCount; row += 1) {
        const value = rows.valuesOf(row)[index] ?? null;
        const key = value === null ? null : Number(value);
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    }
    return counts;
  }

  private get dayOfUndated(): Day | undefined {
    const { from, to, nextDay } = this.asked;
    return from === to && nextDay !== 'asked' ? from : undefined;
  }

  private addReceipt(receipt: object, id: ReceiptId): void {
    const issued = issueMoment(receipt);
    const day = issued?.day ?? this.dayOfUndated;
    const isOfDays = day !== undefined && isWithin(this.bounds, day);
    if (this.context.direction === 'recibidos' && hasOtherRecipient(receipt, this.context.rut)) {
      if (isOneDay(this.asked) || !isOfDays) throw this.foreignError(id, isOfDays ? day : undefined);
      this.foreign.set(day, id);
      return;
    }
    if (day !== undefined && !isOfDays) {
      const reason = `has the issue date ${day}, which was not asked for`;
      if (isOneDay(this.asked)) throw new ForeignReceiptError(this.context, id, reason);
      this.hasStray = true;
      return;
    }
    if (issued === undefined) this.undated.push(id);
    if (day === undefined) return;
    if (issued?.isAfterMidnight === true) {
      if (day > this.asked.to) this.hasTimesOfNextDay = true;
      else this.hasTimes = true;
      if (day === this.asked.to) this.hasTimesOfLastDay = true;
    }
    if (day > this.asked.to) return;
    const rows = this.rowsOf(day);
    this.rowsByDay.set(day, rows);
    rows.append(receipt);
  }

  private foreignError(id: ReceiptId, day = this.context.day): ForeignReceiptError {
    return new ForeignReceiptError({ ...this.context, day }, id, OTHER_RECIPIENT);
  }
}

export type SinkMarks = Pick<
  RangeSink,
  'listedCount' | 'hasTimes' | 'hasTimesOfLastDay' | 'hasTimesOfNextDay' | 'hasStray' | 'undated' | 'foreign'
>;
