import { LAST_WRITE } from '../audit/keys.ts';
import { summarise } from '../audit/row.ts';
import { confirmChanges } from '../audit/seal.ts';
import { unitKey } from '../lake/layout.ts';
import { withDetailFields, withPageMembers } from '../lake/rows/fields.ts';
import { CONTENT_HASH } from '../lake/rows/receipt-rows.ts';
import { StaleObjectError, type StoredObject } from '../lake/store/store.ts';
import { addedChanges, changeByRun, metadataOfWrite, ROW_COUNT } from '../lake/stored-rows.ts';
import { TABLE_OF } from '../lake/tables.ts';
import { isEngineError } from '../system/errors.ts';
import { uruguayDateTime } from '../time/days.ts';
import type { Unit, UnitResult } from '../units/unit.ts';
import type { ExportTools } from './export-tools.ts';
import { type MergedReading, mergeReading } from './merge-reading.ts';
import { type ReadOutcome, readUnitAlone } from './reading/read-company.ts';

/** How often the unit is read again because another run replaced it at the same time. */
const MAX_ATTEMPTS = 3;

/** A unit as it was read, or the error, and its object as it was found before that. */
export interface UnitToExport {
  unit: Unit;
  read: ReadOutcome;
  stored: StoredObject | undefined;
  /** When the list that it was read from began, in milliseconds since the epoch. */
  startedAtMs: number;
}

/**
 * Replaces a unit's object if its content differs from what was read. A failure is a result; nothing is thrown.
 * Undefined if the unit is not finished, because time was up or the signal was aborted.
 */
export async function exportUnit(given: UnitToExport, tools: ExportTools): Promise<UnitResult | undefined> {
  let outcome: UnitOutcome | undefined;
  let { startedAtMs } = given;
  try {
    outcome = await replaceUnit(given, tools, () => {
      startedAtMs = tools.clock.now();
    });
  } catch (error) {
    if (!tools.signal.aborted) {
      outcome = { state: 'fallido', conversionErrors: 0, bytes: 0, error: messageOf(given.unit, error) };
    }
  }
  if (outcome === undefined) return undefined;
  return {
    ...given.unit,
    ...outcome,
    ...tools.client.takeCounts(),
    startedAt: uruguayDateTime(startedAtMs),
    endedAt: uruguayDateTime(tools.clock.now()),
  };
}

type UnitOutcome = Omit<UnitResult, keyof Unit | 'pages' | 'requests' | 'retries' | 'startedAt' | 'endedAt'>;

async function replaceUnit(
  given: UnitToExport,
  tools: ExportTools,
  onReadAgain: () => void,
): Promise<UnitOutcome | undefined> {
  const { unit } = given;
  let { read, stored } = given;
  for (let attempt = 1; ; attempt += 1) {
    if ('error' in read) throw read.error;
    await tools.markSource?.();
    const merged = await mergeReading(unit, read, stored, tools);
    try {
      const outcome = await storeRows(unit, merged, stored, tools);
      if (merged.rows.rowCount === 0 || !tools.details.directions.includes(unit.direction)) return outcome;
      const { exportDetails } = await import('./details/export-details.ts');
      const details = await exportDetails(unit, merged, tools);
      return (
        details && {
          ...outcome,
          ...details.result,
          conversionErrors: outcome.conversionErrors + details.conversionErrors,
          unknownFields: withDetailFields(outcome.unknownFields, details.unknownFields),
        }
      );
    } catch (error) {
      // Another run replaced the object. The next reading is compared with that one; the changes staged here are void.
      if (!(error instanceof StaleObjectError) || attempt === MAX_ATTEMPTS) throw error;
    }
    // Found before the API is read, so that it is always replaced with newer data.
    stored = await tools.store.find(keyOf(unit));
    onReadAgain();
    read = await readUnitAlone(unit, tools);
  }
}

function keyOf({ direction, day, rut }: Unit): string {
  return unitKey(TABLE_OF[direction].name, day, rut);
}

/** Writes the object unless it already has the same content. Throws StaleObjectError. */
async function storeRows(
  unit: Unit,
  { rows, sha256, write, change, listedCount, conversionErrors, isStable, unknownMembers }: MergedReading,
  stored: StoredObject | undefined,
  { store, writer, run, marks }: ExportTools,
): Promise<UnitOutcome> {
  const counts = { receipts: listedCount, conversionErrors, isStable, ...change };
  const pageMembers = new Map(unknownMembers.map((name) => [name, Math.max(1, listedCount)]));
  if (rows.rowCount === 0)
    return { state: 'vacio', ...counts, unknownFields: withPageMembers(undefined, pageMembers), bytes: 0 };
  const table = TABLE_OF[unit.direction];
  const summary = summarise(table, rows, unit.rut);
  const unknownFields = withPageMembers(summary.unknownFields, pageMembers);
  const read = { ...counts, ...summary, unknownFields, sha256 };
  const ownChange = changeByRun(stored, run.id);
  const changeOfRun = addedChanges(change, ownChange);
  if (stored?.metadata[CONTENT_HASH] === sha256) {
    if (ownChange === undefined) {
      await marks.unlessPublished(table, unit.day, unit.rut, stored);
      return { state: 'sin_cambios', ...read, bytes: 0 };
    }
    // An earlier invocation of the run wrote it and ended before saying so.
    return { state: 'exportado', ...read, ...changeOfRun, bytes: stored.byteCount };
  }
  if (stored !== undefined) await confirmChanges({ store, writer }, unit, stored);
  const metadata = {
    [CONTENT_HASH]: sha256,
    [ROW_COUNT]: String(rows.rowCount),
    ...(write !== undefined && { [LAST_WRITE]: write }),
  };
  const bytes = writer({ columns: table.columns, rows, metadata });
  const { byteCount } = await marks.around(table, unit.day, () =>
    store.replace(keyOf(unit), bytes, {
      metadata: { ...metadata, ...metadataOfWrite(stored, run.id, changeOfRun) },
      expected: stored,
    }),
  );
  return { state: 'exportado', ...read, ...changeOfRun, bytes: byteCount };
}

function messageOf({ rut, direction, day }: Unit, error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // File system errors are just named `Error`.
  if (!isEngineError(error) || error.name === 'Error') return error.message;
  // The engine's own words say neither where it failed nor what to do. A SyntaxError quotes what was read.
  const words =
    error.name === 'SyntaxError' ? error.name : `${error.name}: ${error.message.replace(/\.$/, '')}`;
  return (
    `${direction} of ${rut}, day ${day}: unexpected error (${words}). What was stored before is unchanged. ` +
    'Report the error with this sentence.'
  );
}
