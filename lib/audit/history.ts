import type { LakeStore } from '../lake/store/store.ts';
import { EXPORTACIONES } from '../lake/tables.ts';
import { DAY_MS, type Day, dayNumber, localDateTime } from '../time/days.ts';
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
  'detailsStored',
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

export interface LastResults extends AuditReading {
  find(rut: string, direction: Direction, day: Day): UnitHistory | undefined;
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

/** The last results of a run's units, company by company, by RUT. Throws for a race with who seals the run. */
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

/** Finds the last results of each unit among the rows added, in whatever order. */
function lastResults() {
  const units = new Map<string, UnitHistory>();
  return {
    add(row: AuditRow): void {
      const name = unitName(row.rut, row.direction, row.dayNumber);
      const known = units.get(name);
      if (known === undefined) units.set(name, new UnitHistory(row));
      else known.add(row);
    },
    find: (rut: string, direction: Direction, day: Day) =>
      units.get(unitName(rut, direction, dayNumber(day))),
  };
}

/** The rows of a unit that count, among those added in whatever order. */
export class UnitHistory {
  /** How many there are. */
  count = 1;
  last: AuditRow;
  /** The row of the newest list that was read whole and stored. */
  lastGood: AuditRow | undefined;
  /** The row of the last run that asked for details, which not every run does. */
  lastDetails: AuditRow | undefined;

  constructor(row: AuditRow) {
    this.last = row;
    if (isGood(row)) this.lastGood = row;
    if (row.detailState !== null) this.lastDetails = row;
  }

  add(row: AuditRow): void {
    this.count += 1;
    if (isNewer(row, this.last, isGood)) this.last = row;
    if (isGood(row) && isNewer(row, this.lastGood, isGood)) this.lastGood = row;
    if (row.detailState !== null && isNewer(row, this.lastDetails, haveDetailsNotFailed))
      this.lastDetails = row;
  }

  /**
   * What the details lack of the newest good list; undefined if nothing, as on a day that is too large for details. older:
   * they were not read since the list is as it is, so that some may be of receipts as they were.
   */
  get lackOfDetails(): 'never' | 'older' | 'failed' | undefined {
    const { lastGood: list, lastDetails: details } = this;
    if (list === undefined || (list.receipts ?? 0) === 0) return undefined;
    if (details === undefined) return 'never';
    if (details.detailState === 'omitido') return undefined;
    const hasFailed = details.detailState === 'fallido';
    // Of an API that only fails, what was stored before stays, and none is counted.
    const isGivenUp = hasFailed && details.detailsStored === null;
    if (isGivenUp || details.sha256 !== list.sha256) return 'older';
    return hasFailed ? 'failed' : undefined;
  }
}

const DONE: ReadonlySet<string> = new Set<UnitState>(['exportado', 'sin_cambios', 'vacio']);

function isGood({ state }: AuditRow): boolean {
  return DONE.has(state);
}

function haveDetailsNotFailed({ detailState }: AuditRow): boolean {
  return detailState !== 'fallido';
}

/**
 * Of two rows in the same second, the one that did not fail counts as newer, then the one with the greater run id, so that
 * the order in which objects are read makes no difference.
 */
function isNewer(row: AuditRow, known: AuditRow | undefined, isBetter: (row: AuditRow) => boolean): boolean {
  if (known === undefined) return true;
  const order =
    (row.startedAtSeconds ?? -1) - (known.startedAtSeconds ?? -1) ||
    Number(isBetter(row)) - Number(isBetter(known)) ||
    Number(row.runId > known.runId) - Number(row.runId < known.runId);
  return order > 0;
}

const SECONDS_PER_DAY = DAY_MS / 1000;

/** Days from 1970-01-01 to the day in Uruguay on which a reading began; -1 if that is not known. */
export function readOn({ startedAtSeconds }: Pick<AuditRow, 'startedAtSeconds'>): number {
  return startedAtSeconds === null ? -1 : Math.floor(startedAtSeconds / SECONDS_PER_DAY);
}

/**
 * Why a day does not count as read, the one definition of it; undefined if it does: its last reading is good, and began
 * after the day had ended in Uruguay, so that no receipt of the day came later. `day`: days since 1970-01-01.
 */
export function lackOfList(
  day: number,
  last: Pick<AuditRow, 'state' | 'startedAtSeconds'> | undefined,
): 'never' | 'failed' | 'early' | undefined {
  if (last === undefined) return 'never';
  if (!DONE.has(last.state)) return 'failed';
  return readOn(last) > day ? undefined : 'early';
}

/** A unit that was never exported, failed last time, was read before its day had ended, or lacks its details. */
export interface MissingUnit extends Unit {
  reason: 'never' | 'early' | 'details' | 'failed';
  error?: string;
  /** When the last reading began, in Uruguay; only if it was too early. */
  readAt?: string;
}

export interface MissingUnits {
  missing: MissingUnit[];
  find: LastResults['find'];
  /** How many units were looked up. */
  unitCount: number;
  /** Companies in these runs that were not asked about. */
  otherRuts: ReadonlySet<string>;
  /** Why objects of the audit could not be read: their units count as missing, unless another object has them. */
  damaged: readonly string[];
}

/**
 * The units of these companies, directions and days that do not count as read; for the directions in `detailed`, also those
 * without details. A day that is too large for details counts as complete.
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
    return { missing: [], find: () => undefined, unitCount: 0, otherRuts: new Set(), damaged: [] };
  }
  const results = await readLastResults(store, {
    runDays: runDaysOf(first),
    ruts: new Set(ruts),
    days: { from: first, to: last },
  });
  const missing: MissingUnit[] = [];
  for (const unit of ruts.flatMap((rut) => planUnits(rut, directions, days))) {
    const result = results.find(unit.rut, unit.direction, unit.day);
    const lack = lackOf(unit.day, result, detailed.includes(unit.direction));
    if (lack !== undefined) missing.push({ ...unit, ...lack });
  }
  const { find, otherRuts, damaged } = results;
  return { missing, find, unitCount: ruts.length * directions.length * days.length, otherRuts, damaged };
}

function lackOf(
  day: Day,
  history: UnitHistory | undefined,
  areDetailsAsked: boolean,
): Omit<MissingUnit, keyof Unit> | undefined {
  const lack = lackOfList(dayNumber(day), history?.last);
  if (history === undefined || lack === 'never') return { reason: 'never' };
  const { last, lastDetails, lackOfDetails } = history;
  if (lack === 'failed') return { reason: 'failed', error: last.error ?? `the audit says ${last.state}` };
  if (areDetailsAsked && lackOfDetails === 'never') return { reason: 'details' };
  if (areDetailsAsked && lackOfDetails !== undefined) {
    const error =
      lastDetails?.detailState === 'fallido'
        ? (lastDetails.detailReason ?? 'the audit says that the details are fallido')
        : 'the list changed after its details were read';
    return { reason: 'failed', error };
  }
  return lack === 'early'
    ? { reason: 'early', readAt: localDateTime(last.startedAtSeconds ?? 0) }
    : undefined;
}
