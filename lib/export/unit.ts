import type { ListTally } from '../api/list/page-request.ts';
import { stagedKey, unitKey } from '../lake/layout.ts';
import { CONTENT_HASH } from '../lake/rows/receipt-rows.ts';
import { StaleObjectError, type StoredObject } from '../lake/store/store.ts';
import { TABLE_OF, type Table } from '../lake/tables.ts';
import { systemClock } from '../time/clock.ts';
import { uruguayDateTime } from '../time/days.ts';
import { withdrawChanges } from './changes.ts';
import { withDetails } from './details/export-details.ts';
import { LargeUnits, UnitGrowth } from './large-units.ts';
import { readUnit } from './read-unit.ts';
import { type Reconciled, reconcile } from './reconcile.ts';
import { addedChanges, changeByRun, metadataOfWrite } from './run-writes.ts';
import { loadStaged, saveStaged } from './staging.ts';
import type { Unit } from './unit-plan.ts';
import type { UnitResult } from './unit-result.ts';
import type { UnitTools } from './unit-tools.ts';

/** Another run may replace the unit at the same time; then it is read anew, this often. */
const MAX_ATTEMPTS = 3;

/**
 * Reads a unit whole and replaces its object if the content differs. A failure is a result, and nothing is
 * thrown. Undefined when the unit is not finished: time was up, or the signal came.
 */
export async function exportUnit(unit: Unit, tools: UnitTools): Promise<UnitResult | undefined> {
  const clock = tools.clock ?? systemClock;
  const tally: ListTally = { requests: 0, retries: 0, pages: 0 };
  const inicio = uruguayDateTime(clock.now());
  const growth = new UnitGrowth(tools.largeUnits ?? new LargeUnits());
  let outcome: UnitOutcome | undefined;
  try {
    outcome = await replaceUnit(unit, { ...tools, growth }, tally);
  } catch (error) {
    if (tools.signal?.aborted === true) return undefined;
    outcome = { estado: 'fallido', avisos: 0, bytes: 0, error: messageOf(unit, error) };
  } finally {
    growth.end();
  }
  return (
    outcome && {
      ...unit,
      ...outcome,
      paginas: tally.pages,
      solicitudes: tally.requests,
      reintentos: tally.retries,
      inicio,
      fin: uruguayDateTime(clock.now()),
    }
  );
}

type UnitOutcome = Omit<UnitResult, keyof Unit | 'paginas' | 'solicitudes' | 'reintentos' | 'inicio' | 'fin'>;

const EMPTY: UnitOutcome = { estado: 'vacio', filas: 0, avisos: 0, estable: true, bytes: 0 };

async function replaceUnit(unit: Unit, tools: UnitTools, tally: ListTally): Promise<UnitOutcome | undefined> {
  const { store, writer } = tools;
  const table = TABLE_OF[unit.direccion];
  const key = unitKey(table.name, unit.fecha, unit.rut);
  let staged = tools.mayHaveStaged === true ? await loadStaged(store, tools.run.id, unit, table) : undefined;
  const hasStaged = staged !== undefined;
  for (let attempt = 1; ; attempt += 1) {
    // Found before the API is read: so what replaces it is always the newer reading.
    const stored = await store.find(key);
    if (tools.isListEmpty === true && stored === undefined && !hasStaged) return EMPTY;
    // Whatever was stored since the staged reading began is newer than it.
    if (staged?.olderVersion !== stored?.version) staged = undefined;
    const reading = await readUnit(unit, table, tools, tally, staged);
    if (reading.kind === 'paused') {
      const olderVersion = stored?.version;
      await saveStaged(store, writer, tools.run.id, unit, { ...reading.staged, olderVersion });
      return undefined;
    }
    staged = undefined;
    const { rows, read, sha256, changesKey } = await reconcile(unit, table, tools, tally, stored, reading);
    try {
      const outcome = await storeRows(key, table, tools, stored, { rows, read, sha256 });
      if (hasStaged) await store.remove(stagedKey(tools.run.id, unit));
      return await withDetails(unit, outcome, { table, rows, sha256 }, tools, tally);
    } catch (error) {
      if (!(error instanceof StaleObjectError)) throw error;
      // The next reading tells the changes since what replaced the object; these did not come to be.
      if (changesKey !== undefined) await withdrawChanges(store, writer, changesKey);
      if (attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** Writes the object unless it holds the same already. Throws StaleObjectError. */
async function storeRows(
  key: string,
  table: Table,
  { store, writer, run }: UnitTools,
  stored: StoredObject | undefined,
  { rows, read, sha256 }: Pick<Reconciled, 'rows' | 'read' | 'sha256'>,
): Promise<UnitOutcome> {
  if (rows.rowCount === 0) return { estado: 'vacio', ...read, bytes: 0 };
  const ownChange = changeByRun(stored, run.id);
  const change = addedChanges(read, ownChange);
  if (stored?.metadata[CONTENT_HASH] === sha256) {
    if (ownChange === undefined) return { estado: 'sin_cambios', ...read, bytes: 0, sha256 };
    // An earlier invocation of the run wrote it, and did not come to say so.
    return { estado: 'exportado', ...read, ...change, bytes: stored.byteCount, sha256 };
  }
  const metadata = { [CONTENT_HASH]: sha256 };
  const bytes = writer({ columns: table.columns, rows, metadata });
  const { byteCount } = await store.replace(key, bytes, {
    metadata: { ...metadata, ...metadataOfWrite(stored, run.id, change) },
    expected: stored,
  });
  return { estado: 'exportado', ...read, ...change, bytes: byteCount, sha256 };
}

const ENGINE_ERRORS: ReadonlySet<string> = new Set([
  'TypeError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
]);

function messageOf({ rut, direccion, fecha }: Unit, error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!ENGINE_ERRORS.has(error.name)) return error.message;
  // The engine's own words say neither of what nor what to do; a SyntaxError quotes what was read.
  const words =
    error.name === 'SyntaxError' ? error.name : `${error.name}: ${error.message.replace(/\.$/, '')}`;
  return (
    `${direccion} of ${rut}, day ${fecha}: something failed that was not foreseen (${words}). Report it with this ` +
    'sentence; what was stored before is as it was.'
  );
}
