import type { Direction } from '../../api/directions.ts';
import type { FiltersByDirection } from '../../api/filters.ts';
import { ApiPageSource, type ListTally } from '../../api/list/page-request.ts';
import { anySignal } from '../../concurrency.ts';
import { ReceiptRows } from '../../lake/rows/receipt-rows.ts';
import { TABLE_OF } from '../../lake/tables.ts';
import { rangeText } from '../../time/days.ts';
import type { ReadingTools } from '../export-tools.ts';
import type { Unit } from '../units.ts';
import { type AskedDays, bounds, type RangeResult, type SourceOf } from './asked-days.ts';
import type { UnitGrowth } from './large-units.ts';
import { alone, type PlannedRange } from './range-plan.ts';
import { type PausedList, RangeSink } from './range-sink.ts';
import { type RangeOptions, readRange } from './read-range.ts';

/** What the API lists of a unit now. */
export interface ReadUnit {
  rows: ReceiptRows;
  /** Whether the list was proved to hold just these receipts at one moment. */
  isStable: boolean;
}

/** Reads one unit alone, however long it takes. Throws its error. */
export async function readUnitAlone(
  { rut, direction, day }: Unit,
  tools: Omit<ReadingTools, 'isTimeUp'> & { growth?: UnitGrowth },
  tally: ListTally,
): Promise<ReadUnit> {
  const range = { rut, direction, ...alone({ from: day, to: day }, [day]) };
  const [result] = await readDays(range, { ...tools, isTimeUp: () => false }, tally);
  const last = result?.kind === 'read' ? result : undefined;
  if (last !== undefined) return unitOf(last, day);
  throw result?.kind === 'failed' ? result.error : new TypeError(`${day} was neither read nor failed`);
}

/**
 * Reads days of one company and direction as one list, as far as time allows. Throws what prevents reading any of them.
 */
export async function readDays(
  { rut, direction, days, length, isProbablyEmpty }: PlannedRange & { rut: string; direction: Direction },
  tools: ReadingTools & { growth?: UnitGrowth },
  tally: ListTally,
  paused?: PausedList,
): Promise<RangeResult<RangeSink>[]> {
  const { client, clock, signal, isTimeUp, growth } = tools;
  const table = TABLE_OF[direction];
  const context = { rut, direction };
  const rank = client.governor.nextRank();
  const sourceOf: SourceOf = (asked, filters, ending) => {
    const { from, to } = bounds(asked);
    const all: FiltersByDirection[Direction] = { FechaDesde: from, FechaHasta: to, ...filters };
    const either = anySignal(signal, ending);
    const source = new ApiPageSource(client, direction, all, tally, either, rank);
    return growth?.limited(source, either) ?? source;
  };
  const options: RangeOptions<RangeSink> = { length, isProbablyEmpty, paused };
  return await readRange(
    days,
    {
      context,
      habits: tools.habits[direction],
      sourceOf,
      newSink: (asked: AskedDays) =>
        new RangeSink(() => new ReceiptRows(table, rut), { ...context, day: rangeText(asked) }, asked),
      isTimeUp,
      isPaced: () => client.governor.isPaced,
      clock,
      signal,
    },
    options,
  );
}

export function unitOf(
  { sinks, areReadings, isStable }: Extract<RangeResult<RangeSink>, { kind: 'read' }>,
  day: string,
): ReadUnit {
  const all = sinks.map((sink) => sink.rowsOf(day));
  return { rows: areReadings ? union(all) : joined(all), isStable };
}

/** The union of several readings, newest first. Of a receipt in several of them, the newest row counts. */
export function union(readings: readonly ReceiptRows[]): ReceiptRows {
  const [newest, ...older] = readings;
  if (newest === undefined) throw new TypeError('a list is read at least once');
  for (const reading of older) {
    for (let row = 0; row < reading.rowCount; row += 1) newest.appendValues(reading.valuesOf(row));
  }
  return newest;
}

/** The rows of all slices. They are appended to the largest one, and each is released once it is. */
function joined(slices: ReceiptRows[]): ReceiptRows {
  slices.sort((a, b) => b.rowCount - a.rowCount);
  const rows = slices.shift();
  if (rows === undefined) throw new TypeError('there is a slice at least');
  for (let slice = slices.shift(); slice !== undefined; slice = slices.shift()) rows.appendRows(slice);
  return rows;
}
