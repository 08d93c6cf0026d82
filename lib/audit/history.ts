import type { LakeStore } from '../lake/store/store.ts';
import { EXPORTACIONES } from '../lake/tables.ts';
import { type Day, dayNumber } from '../time/days.ts';
import type { Rut } from '../units/rut.ts';
import { type Direction, planUnits, type Unit, type UnitState } from '../units/unit.ts';
import type { Run } from './keys.ts';
import { type AuditQuestion, type AuditReading, readAudit, runDaysOf } from './read.ts';
import { type AuditField, type AuditRow, auditColumns, parseRows, unitName } from './row.ts';
import { changesOfRun } from './run-changes.ts';
import { loadRun } from './run-rows.ts';

const COLUMNS = [
  'state',
  'receipts',
  'sha256',
  'error',
  'detailState',
  'detailReason',
  'startedAtSeconds',
] as const satisfies readonly AuditField[];

/** What a run's changes are summed from. */
const CHANGES = [
  'appeared',
  'isFirstReading',
  'changed',
  'vanished',
  'rejected',
  'unknownFields',
] as const satisfies readonly AuditField[];

export interface LastResult extends Pick<AuditRow, 'state' | 'error' | 'receipts' | 'sha256'> {
  /** Of the last run that asked for details, with the hash of its list; undefined if none did. */
  details?: { state: string; reason: string | null; sha256: string | null };
}

export interface LastResults extends AuditReading {
  find(rut: string, direction: Direction, day: Day): LastResult | undefined;
}

/** The last rows on a unit's list and on its details, which not every run asks for. */
interface LastRows {
  list: AuditRow;
  details?: AuditRow;
}

/** Reads the last result of each unit. Memory grows with the units asked for, not with the runs. */
export async function readLastResults(
  store: LakeStore,
  question: Omit<AuditQuestion, 'columns'>,
): Promise<LastResults> {
  const { add, find } = lastResults();
  return { ...(await readAudit(store, { ...question, columns: COLUMNS }, add)), find };
}

/** What a run recorded of a company. */
export interface CompanyResults {
  rut: string;
  find: LastResults['find'];
  changes: ReturnType<typeof changesOfRun>;
}

/** The last results of a run's units, company by company, by RUT. Throws for a race with who closes the run. */
export async function* resultsByCompany(
  store: LakeStore,
  run: Run,
  onDamage: (reason: string) => void,
): AsyncGenerator<CompanyResults> {
  const columns = auditColumns([...COLUMNS, ...CHANGES]);
  const { rows } = await loadRun(store, EXPORTACIONES, run, { columns, onDamage });
  for (const batch of rows.byCompany()) {
    const { add, find } = lastResults();
    const changes = changesOfRun();
    for (const row of parseRows(columns, batch)) {
      add(row);
      changes.add(row);
    }
    yield { rut: batch.rut, find, changes };
  }
}

/** Finds the last result of each unit among the rows added, in whatever order. */
export function lastResults() {
  const units = new Map<string, LastRows>();
  return {
    add(row: AuditRow): void {
      const name = unitName(row.rut, row.direction, row.dayNumber);
      const known = units.get(name);
      const list = lastOf(known?.list, row, ({ state }) => state);
      const details =
        row.detailState === null
          ? known?.details
          : lastOf(known?.details, row, ({ detailState }) => detailState);
      units.set(name, { list, details });
    },
    find(rut: string, direction: Direction, day: Day): LastResult | undefined {
      const known = units.get(unitName(rut, direction, dayNumber(day)));
      if (known === undefined) return undefined;
      const { state, error, receipts, sha256 } = known.list;
      const { detailState, detailReason: reason = null, sha256: ofList = null } = known.details ?? {};
      const details =
        typeof detailState === 'string' ? { state: detailState, reason, sha256: ofList } : undefined;
      return { state, error, receipts, sha256, details };
    },
  };
}

/** The later of two rows. Within one second, the row that did not fail wins. */
function lastOf(
  known: AuditRow | undefined,
  row: AuditRow,
  state: (row: AuditRow) => string | null,
): AuditRow {
  if (known === undefined) return row;
  const [before, after] = [known.startedAtSeconds ?? -1, row.startedAtSeconds ?? -1];
  const isLater = before === after ? state(known) === 'fallido' : after > before;
  return isLater ? row : known;
}

export const DONE: ReadonlySet<string> = new Set<UnitState>(['exportado', 'sin_cambios', 'vacio']);

/** A unit that was never exported or failed last time, or whose details were never read. */
export interface MissingUnit extends Unit {
  reason: 'never' | 'details' | 'failed';
  error?: string;
}

export interface MissingUnits {
  missing: MissingUnit[];
  /** How many units were looked up. */
  unitCount: number;
  /** Companies in these runs that were not asked about. */
  otherRuts: ReadonlySet<string>;
  /** Why objects of the audit could not be read: their units count as missing, unless another object has them. */
  damaged: readonly string[];
}

/**
 * The units of these companies, directions and days that the audit does not show as exported; for the directions in
 * `detailed`, also those without details. A day that is too large for details counts as complete.
 */
export async function findMissingUnits(
  store: LakeStore,
  ruts: readonly Rut[],
  directions: readonly Direction[],
  days: readonly Day[],
  detailed: readonly Direction[] = [],
): Promise<MissingUnits> {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) {
    return { missing: [], unitCount: 0, otherRuts: new Set(), damaged: [] };
  }
  const results = await readLastResults(store, {
    runDays: runDaysOf(first),
    ruts: new Set(ruts),
    days: { from: first, to: last },
  });
  const missing: MissingUnit[] = [];
  for (const unit of ruts.flatMap((rut) => planUnits(rut, directions, days))) {
    const result = results.find(unit.rut, unit.direction, unit.day);
    const lack = lackOf(result, detailed.includes(unit.direction));
    if (lack !== undefined) missing.push({ ...unit, ...lack });
  }
  const { otherRuts, damaged } = results;
  return { missing, unitCount: ruts.length * directions.length * days.length, otherRuts, damaged };
}

function lackOf(
  result: LastResult | undefined,
  areDetailsAsked: boolean,
): Pick<MissingUnit, 'reason' | 'error'> | undefined {
  if (result === undefined) return { reason: 'never' };
  if (!DONE.has(result.state)) {
    return { reason: 'failed', error: result.error ?? `the audit says ${result.state}` };
  }
  const { details, receipts, sha256 } = result;
  if (!areDetailsAsked || (receipts ?? 0) === 0) return undefined;
  if (details === undefined) return { reason: 'details' };
  if (details.state === 'completo' && details.sha256 !== sha256) {
    return { reason: 'failed', error: 'the list changed after its details were read' };
  }
  if (details.state !== 'fallido') return undefined;
  return { reason: 'failed', error: details.reason ?? 'the audit says that the details are fallido' };
}
