import { ForeignReceiptError, type RequestContext } from '../../api/errors.ts';
import type { ListPage } from '../../api/list/page.ts';
import { hasOtherRecipient, issueMoment, OTHER_RECIPIENT, type ReceiptId } from '../../api/receipt.ts';
import type { ReceiptRows } from '../../lake/rows/receipt-rows.ts';
import type { DayRange } from '../../time/days.ts';
import { type AskedDays, bounds, type DaysSink, isOneDay, type RangeResult } from './asked-days.ts';

/** A list that was read in part, and where to go on. */
export type PausedList = Extract<RangeResult<RangeSink>, { kind: 'paused' }>;

/**
 * Sorts the receipts of a list by unit, that is, by `fecha_emision`. Refuses a received receipt whose recipient is
 * another company, and a receipt of a day that was not asked for. If only one day was asked for, a receipt without a
 * day is that day's, and a refused one throws ForeignReceiptError.
 */
export class RangeSink implements DaysSink {
  listedCount = 0;
  hasTimes = false;
  hasTimesOfLastDay = false;
  hasTimesOfNextDay = false;
  stray: Error | undefined;
  readonly undated: ReceiptId[] = [];
  readonly faults = new Map<string, Error>();
  private readonly rowsByDay = new Map<string, ReceiptRows>();
  private readonly context: RequestContext;
  private readonly asked: AskedDays;
  /** The last day that the list was asked for. */
  private readonly lastBound: string;
  private readonly newRows: () => ReceiptRows;

  constructor(newRows: () => ReceiptRows, context: RequestContext, asked: AskedDays) {
    this.newRows = newRows;
    this.context = context;
    this.asked = asked;
    this.lastBound = bounds(asked).to;
  }

  get firstDay(): string | undefined {
    return [...this.rowsByDay.keys()].sort()[0];
  }

  get lastDay(): string | undefined {
    return [...this.rowsByDay.keys()].sort().at(-1);
  }

  /** The receipts of a day; none where the list has none. */
  rowsOf(day: string): ReceiptRows {
    return this.rowsByDay.get(day) ?? this.newRows();
  }

  /** The days that have rows, and these. */
  get days(): ReadonlyMap<string, ReceiptRows> {
    return this.rowsByDay;
  }

  /** Takes rows up that an earlier invocation read. */
  restore(days: ReadonlyMap<string, ReceiptRows>, kept: Pick<DaysSink, 'listedCount'> & SinkMarks): void {
    for (const [day, rows] of days) this.rowsByDay.set(day, rows);
    Object.assign(this, kept);
  }

  add(page: ListPage, from: number): void {
    for (let index = from; index < page.items.length; index += 1) {
      const item = page.items[index];
      this.listedCount += 1;
      // Every item is an object: its id was read already.
      if (typeof item === 'object' && item !== null) this.addReceipt(item, page.ids[index] ?? 0);
    }
  }

  rowsBetween({ from, to }: DayRange): number {
    let count = 0;
    for (const [day, { rowCount }] of this.rowsByDay) if (from <= day && day <= to) count += rowCount;
    return count;
  }

  dayById(): ReadonlyMap<bigint, string> | undefined {
    const days = new Map<bigint, string>();
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

  countBy(column: 'tipo_comprobante' | 'numero'): ReadonlyMap<number | null, number> {
    const counts = new Map<number | null, number>();
    for (const rows of this.rowsByDay.values()) {
      const index = rows.table.columns.findIndex(({ name }) => name === column);
      for (let row = 0; row < rows.rowCount; row += 1) {
        const value = rows.valuesOf(row)[index] ?? null;
        const key = value === null ? null : Number(value);
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    }
    return counts;
  }

  private addReceipt(receipt: object, id: ReceiptId): void {
    const issued = issueMoment(receipt);
    const day = issued?.day ?? (isOneDay(this.asked) ? this.asked.from : undefined);
    const isOfDays = day !== undefined && day >= this.asked.from && day <= this.lastBound;
    if (this.context.direction === 'recibidos' && hasOtherRecipient(receipt, this.context.rut)) {
      const context = isOfDays ? { ...this.context, day } : this.context;
      const error = new ForeignReceiptError(context, id, OTHER_RECIPIENT);
      if (isOneDay(this.asked) || !isOfDays) throw error;
      this.faults.set(day, error);
      return;
    }
    if (day !== undefined && !isOfDays) {
      const reason = `has the issue date ${day}, which was not asked for`;
      this.stray = new ForeignReceiptError(this.context, id, reason);
      if (isOneDay(this.asked)) throw this.stray;
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
    const rows = this.rowsByDay.get(day) ?? this.newRows();
    this.rowsByDay.set(day, rows);
    rows.append(receipt);
  }
}

/** What a sink knows of its rows besides them. */
export type SinkMarks = Pick<DaysSink, 'hasTimes' | 'hasTimesOfLastDay' | 'hasTimesOfNextDay'>;
