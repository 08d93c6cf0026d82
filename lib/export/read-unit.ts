import type { Direction } from '../api/directions.ts';
import type { FiltersByDirection } from '../api/filters.ts';
import { ApiPageSource, type ListTally } from '../api/list/page-request.ts';
import { type DayReading, readDay } from '../api/list/read-day.ts';
import { ReceiptRows } from '../lake/rows/receipt-rows.ts';
import type { Table } from '../lake/tables.ts';
import type { StagedReading } from './staging.ts';
import type { Unit } from './unit-plan.ts';
import { UnitSink } from './unit-sink.ts';
import type { UnitTools } from './unit-tools.ts';

/** One reading of a unit's list: whole, or as far as time allowed. */
export type UnitReading =
  | { kind: 'read'; rows: ReceiptRows; isStable: boolean }
  | { kind: 'paused'; staged: StagedReading };

/** Reads a unit's list to its proved end, from `staged` on where an earlier invocation got that far. */
export async function readUnit(
  { rut, direccion, fecha }: Unit,
  table: Table,
  tools: Pick<UnitTools, 'client' | 'habits' | 'signal' | 'isTimeUp'>,
  tally: ListTally,
  staged?: StagedReading,
): Promise<UnitReading> {
  const context = { rut, direction: direccion, day: fecha };
  const reading = await readDay(
    ({ from, to }) => {
      const filters: FiltersByDirection[Direction] = { FechaDesde: from, FechaHasta: to };
      return new ApiPageSource(tools.client, direccion, filters, tally, tools.signal);
    },
    fecha,
    tools.habits[direccion],
    (range) => new UnitSink(new ReceiptRows(table, rut), context, range),
    {
      isTimeUp: tools.isTimeUp,
      paused: staged && {
        sink: new UnitSink(staged.rows, context, staged.range, staged.hasRowsOfNextDay),
        position: staged.position,
        range: staged.range,
      },
    },
  );
  return reading.kind === 'paused'
    ? { kind: 'paused', staged: stagedFrom(reading) }
    : { kind: 'read', rows: union(reading.sinks.map((sink) => sink.rows)), isStable: reading.isStable };
}

function stagedFrom(reading: Extract<DayReading<UnitSink>, { kind: 'paused' }>): StagedReading {
  const { sink, position, range } = reading;
  return { rows: sink.rows, position, range, hasRowsOfNextDay: sink.hasRowsOfNextDay };
}

/** All rows of several readings; where two have the same receipt, that of the first, the newest one. */
function union(readings: readonly ReceiptRows[]): ReceiptRows {
  const [newest, ...older] = readings;
  if (newest === undefined) throw new TypeError('a list is read at least once');
  for (const reading of older) {
    for (let row = 0; row < reading.rowCount; row += 1) newest.appendValues(reading.valuesOf(row));
  }
  return newest;
}
