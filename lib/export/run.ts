import { randomUUID } from 'node:crypto';
import type { ApiSession } from '../api/access.ts';
import { addCounts, companyClient, trialOf } from '../api/client.ts';
import { isSameRun, type Run } from '../audit/keys.ts';
import { sealRun, sealRuns } from '../audit/seal.ts';
import { AuditNotWrittenError, RunAudit } from '../audit/write.ts';
import { unitsFolder } from '../lake/layout.ts';
import { Marks } from '../lake/marks.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { TABLE_OF } from '../lake/tables.ts';
import { anySignal, forEachConcurrent, Mutex, Semaphore } from '../system/concurrency.ts';
import { type DayRange, uruguayDateTime, uruguayDay } from '../time/days.ts';
import type { Rut } from '../units/rut.ts';
import { DIRECTIONS, type Direction, type Unit, type UnitResult, withCompanyName } from '../units/unit.ts';
import { exportCompany } from './company.ts';
import { HeldDetails } from './details/held-details.ts';
import { type DetailOptions, type ExportTools, NO_DETAILS, type RunCompany } from './export-tools.ts';
import { proveService } from './reading/prove-service.ts';

export interface PlannedRunOptions
  extends Pick<ExportTools, 'run' | 'store' | 'writer' | 'markSource' | 'onDetailRead'> {
  companies: readonly RunCompany[];
  /** The units to export of a company; none is fine. */
  unitsOf: (rut: Rut) => readonly Unit[];
  session: ApiSession;
  /** Which receipts are read whole; none when absent. */
  details?: DetailOptions;
  /** Requests in flight of one company. */
  maxInFlight: number;
  companiesAtOnce: number;
  /** Requests in flight of all companies together; default: as many as each of them may have. */
  maxInFlightInAll?: number;
  onUnitEnd?: (result: UnitResult) => void;
  /** What is called with the reason why a part of the audit or of the changes, of any run, could not be read. */
  onDamagedPart?: (reason: string) => void;
  signal?: AbortSignal;
}

/** A run that begins now. Its id sorts by time. */
export function newRun(epochMs: number): Run {
  const moment = uruguayDateTime(epochMs).replaceAll(/\D/g, '');
  return { id: `${moment}-${randomUUID().slice(0, 8)}`, day: uruguayDay(epochMs) };
}

/**
 * Exports units in this process and writes the audit. Results in no particular order. If the audit of one company
 * can't be written, nor can that of the others: all are stopped, and AuditNotWrittenError is thrown with the results
 * so far. However the run ends, it is sealed, together with earlier runs that died before they were: units that it
 * planned and did not read count as failed.
 */
export async function exportPlanned(options: PlannedRunOptions): Promise<UnitResult[]> {
  const { run, companies, session, store, maxInFlight, maxInFlightInAll, onUnitEnd } = options;
  const { clock } = session;
  if (session.breaker !== undefined) session.breaker.trial = trialOf(session, companies);
  const fault = new AbortController();
  const signal = anySignal(options.signal, fault.signal) ?? fault.signal;
  const unitsByRut = new Map(companies.map(({ rut }) => [rut, options.unitsOf(rut)]));
  const allUnits = [...unitsByRut.values()].flat();
  const inFlightInAll = maxInFlightInAll === undefined ? undefined : new Semaphore(maxInFlightInAll);
  const clientOf = (company: RunCompany | undefined) => {
    if (company === undefined) throw new TypeError('only companies of the run are asked');
    return companyClient(session, company.rut, company.tokens, maxInFlight, inFlightInAll);
  };
  const storedKeys =
    companies.length < COMPANIES_LISTED ? undefined : await listUnits(store, allUnits).catch(() => undefined);
  const proved = await proveService({
    store,
    ruts: [...unitsByRut.keys()],
    daysOf: Object.fromEntries(DIRECTIONS.flatMap((direction) => daysOf(allUnits, direction))),
    clock,
    signal,
    clientOf: (asked) => clientOf(companies.find(({ rut }) => rut === asked)),
  });
  const tools: Omit<ExportTools, 'client' | 'detailMutex'> = {
    ...options,
    storedKeys,
    facts: proved.facts,
    marks: new Marks(store, run, clock),
    details: options.details ?? NO_DETAILS,
    clock,
    signal,
    isTimeUp: () => false,
    largeUnits: new Semaphore(1),
    heldDetails: new HeldDetails(),
    companiesAtOnce: Math.min(options.companiesAtOnce, companies.length),
  };
  const results: UnitResult[] = [];
  const audit = new RunAudit(tools, run, clock);
  let uncounted = proved.counts;
  const exportOne = async (company: RunCompany): Promise<void> => {
    const { rut, tokens } = company;
    if (signal.aborted) return;
    try {
      const client = clientOf(company);
      addCounts(client.counts, uncounted);
      uncounted = { requests: 0, retries: 0, pages: 0 };
      const units = unitsByRut.get(rut) ?? [];
      const done = await exportCompany(units, { ...tools, client, detailMutex: new Mutex() }, { onUnitEnd });
      addCounts(uncounted, done.uncounted);
      const named = withCompanyName(done.results, tokens.companyName);
      results.push(...named);
      await audit.add(named).catch((error: unknown) => {
        throw new AuditNotWrittenError(run, results, error);
      });
    } catch (error) {
      // Ends the other companies too. Each is waited for: what it has stored belongs into the audit.
      fault.abort(error);
    }
  };
  await forEachConcurrent(companies, options.companiesAtOnce, exportOne);
  try {
    await audit.close();
    const damaged = new Set(await sealRuns(tools, (openRun) => !isSameRun(openRun, run)));
    for (const reason of await sealRun(tools, run, { run, units: () => allUnits })) damaged.add(reason);
    for (const reason of damaged) options.onDamagedPart?.(reason);
  } catch (error) {
    throw new AuditNotWrittenError(run, results, error);
  }
  fault.signal.throwIfAborted();
  return results;
}

/** From so many companies on, a listing of a day costs less than their look-ups. */
const COMPANIES_LISTED = 10;
const LISTED_AT_ONCE = 16;

/** The keys of the units that the lake has in the directions and on the days of these. */
async function listUnits(store: LakeStore, units: readonly Unit[]): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  const folders = new Set(units.map(({ direction, day }) => unitsFolder(TABLE_OF[direction].name, day)));
  await forEachConcurrent([...folders], LISTED_AT_ONCE, async (folder) => {
    for await (const key of store.list(folder)) keys.add(key);
  });
  return keys;
}

/** The first and the last day of these units in a direction; none if it has none. */
function daysOf(units: readonly Unit[], direction: Direction): [Direction, DayRange][] {
  const days = units.filter((unit) => unit.direction === direction).map(({ day }) => day);
  const [from, ...laterDays] = [...new Set(days)].sort();
  return from === undefined ? [] : [[direction, { from, to: laterDays.at(-1) ?? from }]];
}
