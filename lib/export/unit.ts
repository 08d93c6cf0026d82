import type { ApiClient } from '../api/client.ts';
import type { Direction } from '../api/directions.ts';
import type { FiltersByDirection } from '../api/filters.ts';
import type { ListHabits } from '../api/list/habits.ts';
import { ApiPageSource, type ListTally } from '../api/list/page-request.ts';
import { readDay } from '../api/list/read-day.ts';
import { unitKey } from '../lake/layout.ts';
import type { ParquetWriter } from '../lake/parquet/writer.ts';
import { ReceiptRows, type SortedRows } from '../lake/rows/receipt-rows.ts';
import { type LakeStore, StaleObjectError } from '../lake/store/store.ts';
import { EMITIDOS, RECIBIDOS, type Table } from '../lake/tables.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import { uruguayDateTime } from '../time/days.ts';
import type { Unit } from './unit-plan.ts';
import type { UnitResult } from './unit-result.ts';
import { UnitSink } from './unit-sink.ts';

/** What exporting a unit needs besides the unit. */
export interface UnitTools {
  client: ApiClient;
  habits: Readonly<Record<Direction, ListHabits>>;
  store: LakeStore;
  writer: ParquetWriter;
  clock?: Clock;
  signal?: AbortSignal;
}

/** Another run may replace the unit at the same time; then it is read anew, this often. */
const MAX_ATTEMPTS = 3;
export const CONTENT_HASH = 'cfe-lake.content-sha256';

const TABLE_OF: Readonly<Record<Direction, Table>> = { recibidos: RECIBIDOS, emitidos: EMITIDOS };

/** Reads a unit whole and replaces its object if the content differs. Never throws: a failure is a result. */
export async function exportUnit(unit: Unit, tools: UnitTools): Promise<UnitResult> {
  const { now } = tools.clock ?? systemClock;
  const tally: ListTally = { requests: 0, retries: 0, pages: 0 };
  const inicio = uruguayDateTime(now());
  let outcome: UnitOutcome;
  try {
    outcome = await replaceUnit(unit, tools, tally);
  } catch (error) {
    outcome = { estado: 'fallido', avisos: 0, bytes: 0, error: messageOf(error) };
  }
  return {
    ...unit,
    ...outcome,
    paginas: tally.pages,
    solicitudes: tally.requests,
    reintentos: tally.retries,
    inicio,
    fin: uruguayDateTime(now()),
  };
}

type UnitOutcome = Pick<UnitResult, 'estado' | 'filas' | 'avisos' | 'estable' | 'bytes' | 'sha256' | 'error'>;

async function replaceUnit(unit: Unit, tools: UnitTools, tally: ListTally): Promise<UnitOutcome> {
  const table = TABLE_OF[unit.direccion];
  const key = unitKey(table.name, unit.fecha, unit.rut);
  for (let attempt = 1; ; attempt += 1) {
    // Found before the API is read: so what replaces it is always the newer reading.
    const stored = await tools.store.find(key);
    const { rows, avisos, isStable } = await readUnit(unit, table, tools, tally);
    const read = { filas: rows.rowCount, avisos, estable: isStable };
    if (rows.rowCount === 0 && stored === undefined) return { estado: 'vacio', ...read, bytes: 0 };
    const sha256 = rows.contentHash();
    if (stored?.metadata[CONTENT_HASH] === sha256)
      return { estado: 'sin_cambios', ...read, bytes: 0, sha256 };
    const metadata = { [CONTENT_HASH]: sha256 };
    const bytes = tools.writer({ columns: table.columns, rows, metadata });
    try {
      const { byteCount } = await tools.store.replace(key, bytes, { metadata, expected: stored });
      return { estado: 'exportado', ...read, bytes: byteCount, sha256 };
    } catch (error) {
      if (!(error instanceof StaleObjectError) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

interface UnitReading {
  rows: SortedRows;
  avisos: number;
  isStable: boolean;
}

async function readUnit(
  { rut, direccion, fecha }: Unit,
  table: Table,
  tools: UnitTools,
  tally: ListTally,
): Promise<UnitReading> {
  const context = { rut, direction: direccion, day: fecha };
  const { sinks, isStable } = await readDay(
    ({ from, to }) => {
      const filters: FiltersByDirection[Direction] = { FechaDesde: from, FechaHasta: to };
      return new ApiPageSource(tools.client, direccion, filters, tally, tools.signal);
    },
    fecha,
    tools.habits[direccion],
    (range) => new UnitSink(new ReceiptRows(table, rut), context, range),
  );
  const rows = union(sinks.map((sink) => sink.rows));
  return { rows: rows.sorted(), avisos: rows.misfits, isStable };
}

/** All rows of several readings; where two have the same receipt, that of the first, the newest one. */
function union(readings: readonly ReceiptRows[]): ReceiptRows {
  const [newest, ...older] = readings;
  if (newest === undefined) throw new TypeError('a list is read at least once');
  for (const reading of older) {
    for (let row = 0; row < reading.rowCount; row += 1) newest.appendRow(reading, row);
  }
  return newest;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
