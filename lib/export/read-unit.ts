import type { Direction } from '../api/directions.ts';
import type { FiltersByDirection } from '../api/filters.ts';
import { DepthWatch } from '../api/list/depth.ts';
import type { PageSource } from '../api/list/page.ts';
import { ApiPageSource, type ListTally } from '../api/list/page-request.ts';
import { type DayRange, type DayReading, readDay } from '../api/list/read-day.ts';
import { readInSlices, type Slice } from '../api/list/slices.ts';
import { bothSignals } from '../concurrency/both-signals.ts';
import { ReceiptRows } from '../lake/rows/receipt-rows.ts';
import type { Table } from '../lake/tables.ts';
import { systemClock } from '../time/clock.ts';
import type { StagedReading } from './staging.ts';
import type { Unit } from './unit-plan.ts';
import { UnitSink } from './unit-sink.ts';
import type { UnitTools } from './unit-tools.ts';

/** One reading of a unit's list: whole, or as far as time allowed. */
export type UnitReading =
  | { kind: 'read'; rows: ReceiptRows; isStable: boolean }
  | { kind: 'paused'; staged: StagedReading };

type ReadingTools = Pick<UnitTools, 'client' | 'habits' | 'signal' | 'isTimeUp' | 'clock' | 'growth'>;

/**
 * Reads a unit's list to its proved end, from `staged` on where an earlier invocation got that far. A long list
 * that gets slower with depth is read in slices; where they can't be proved, or time ends before they are read,
 * it goes on straight from where it was. A reading that is taken up again goes on straight in any case, so that
 * every invocation comes nearer to the end.
 */
export async function readUnit(
  { rut, direccion, fecha }: Unit,
  table: Table,
  tools: ReadingTools,
  tally: ListTally,
  staged?: StagedReading,
): Promise<UnitReading> {
  const context = { rut, direction: direccion, day: fecha };
  const depth = new DepthWatch(tools.clock ?? systemClock);
  const sourceOf = ({ from, to }: DayRange, slice?: Slice, signal?: AbortSignal): PageSource => {
    const filters: FiltersByDirection[Direction] = { FechaDesde: from, FechaHasta: to, ...filterOf(slice) };
    const either = bothSignals(tools.signal, signal);
    const source = new ApiPageSource(tools.client, direccion, filters, tally, either);
    return tools.growth?.limited(source, either) ?? source;
  };
  const newSink = (range: DayRange) => new UnitSink(new ReceiptRows(table, rut), context, range);
  const habits = tools.habits[direccion];
  const isTimeUp = () => tools.isTimeUp?.() === true;
  const straight = (range: DayRange) => depth.timed(sourceOf(range));
  const isSteep = () => staged === undefined && !tools.client.governor.isPaced && depth.isSteep;
  let reading = await readDay(straight, fecha, habits, newSink, {
    isTimeUp: () => isTimeUp() || isSteep(),
    paused: staged && {
      sink: new UnitSink(staged.rows, context, staged.range, staged.hasRowsOfNextDay),
      position: staged.position,
      range: staged.range,
    },
  });
  if (reading.kind === 'paused' && !isTimeUp()) {
    const { range, position } = reading;
    const { pageCap } = position;
    if (await depth.isMuchDeeper(sourceOf(range), pageCap)) {
      const sinks = await readInSlices({
        whole: sourceOf(range),
        sliceOf: (slice, signal) => sourceOf(range, slice, signal),
        pageCap,
        habits,
        newSink: () => newSink(range),
        isTimeUp,
      });
      if (sinks !== undefined) return { kind: 'read', rows: joined(sinks), isStable: true };
    }
    reading = await readDay(straight, fecha, habits, newSink, { isTimeUp, paused: reading });
  }
  return reading.kind === 'paused'
    ? { kind: 'paused', staged: stagedFrom(reading) }
    : { kind: 'read', rows: union(reading.sinks.map((sink) => sink.rows)), isStable: reading.isStable };
}

function filterOf(slice: Slice | undefined): Partial<FiltersByDirection[Direction]> {
  if (slice === undefined) return {};
  return { TipoComprobante: slice.types, ...(slice.isExcluded && { ExcluirTipoComprobante: true }) };
}

/** The rows of all slices; the largest takes up the others, and each is let go as soon as it has been. */
function joined(sinks: UnitSink[]): ReceiptRows {
  sinks.sort((a, b) => b.rowCount - a.rowCount);
  const rows = sinks.shift()?.rows;
  if (rows === undefined) throw new TypeError('there is a slice at least');
  for (let sink = sinks.shift(); sink !== undefined; sink = sinks.shift()) rows.appendRows(sink.rows);
  return rows;
}

function stagedFrom(reading: Extract<DayReading<UnitSink>, { kind: 'paused' }>): StagedReading {
  const { sink, position, range } = reading;
  return { rows: sink.rows, position, range, hasRowsOfNextDay: sink.hasRowsOfNextDay };
}

/** All rows of several readings; where two have the same receipt, that of the first, the newest one. */
export function union(readings: readonly ReceiptRows[]): ReceiptRows {
  const [newest, ...older] = readings;
  if (newest === undefined) throw new TypeError('a list is read at least once');
  for (const reading of older) {
    for (let row = 0; row < reading.rowCount; row += 1) newest.appendValues(reading.valuesOf(row));
  }
  return newest;
}
