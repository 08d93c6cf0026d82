import { randomUUID } from 'node:crypto';
import type { ApiSession } from '../api/access.ts';
import { trialOf } from '../api/client.ts';
import type { Direction } from '../api/directions.ts';
import type { ListTally } from '../api/list/page-request.ts';
import { closeRuns } from '../audit/close.ts';
import type { Run } from '../audit/keys.ts';
import { AuditNotWrittenError, RunAudit } from '../audit/write.ts';
import type { Rut } from '../companies/company.ts';
import type { ParquetWriter } from '../lake/parquet/writer.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { type Day, uruguayDateTime, uruguayDay } from '../time/days.ts';
import { planUnits, type Unit, type UnitResult, withCompanyName } from '../units.ts';
import type { EmptyList } from './company.ts';
import { CompanyExporter, type RunCompany } from './company-exporter.ts';
import { type DetailOptions, NO_DETAILS } from './export-tools.ts';
import { ServiceHabits } from './service-habits.ts';

export interface PlannedRunOptions {
  run: Run;
  companies: readonly RunCompany[];
  /** The units to export of a company; none is fine. */
  unitsOf: (rut: Rut) => readonly Unit[];
  session: ApiSession;
  store: LakeStore;
  writer: ParquetWriter;
  /** Which receipts are read whole; none when absent. */
  details?: DetailOptions;
  /** Requests in flight of one company. */
  maxInFlight: number;
  companiesAtOnce: number;
  /** Requests in flight of all companies together; default: as many as each of them may have. */
  maxInFlightInAll?: number;
  onUnitEnd?: (result: UnitResult) => void;
  /** Called with the reason why a part of the audit or of the changes, of any run, could not be read. */
  onDamagedPart?: (reason: string) => void;
  signal?: AbortSignal;
}

export interface RunOptions extends Omit<PlannedRunOptions, 'unitsOf'> {
  directions: readonly Direction[];
  /** Issue dates. */
  days: readonly Day[];
}

/** A run that begins now. Its id sorts by time. */
export function newRun(epochMs: number): Run {
  const moment = uruguayDateTime(epochMs).replaceAll(/\D/g, '');
  return { id: `${moment}-${randomUUID().slice(0, 8)}`, day: uruguayDay(epochMs) };
}

/** A company that waits to be exported. */
interface Waiting {
  company: RunCompany;
  units: readonly Unit[];
  /** Whether its empty lists are now settled: believed if the run's other lists bear them out, else read in parts. */
  isSecondTime: boolean;
  emptyLists?: readonly EmptyList[];
  leftover?: ListTally;
}

/** Exports all units of all companies in this process and writes the audit. Results in no particular order. */
export function exportRun({ directions, days, ...options }: RunOptions): Promise<UnitResult[]> {
  return exportPlanned({ ...options, unitsOf: (rut) => planUnits(rut, directions, days) });
}

/**
 * The same for given units of each company. If the audit of one company can't be written, nor can that of the others:
 * all are stopped, and AuditNotWrittenError is thrown with the results so far. However the run ends, it is closed,
 * together with earlier runs that died before they were.
 */
export async function exportPlanned(options: PlannedRunOptions): Promise<UnitResult[]> {
  const { run, session, store, writer } = options;
  if (session.breaker !== undefined) session.breaker.trial = trialOf(session, options.companies);
  const fault = new AbortController();
  const signal =
    options.signal === undefined ? fault.signal : AbortSignal.any([options.signal, fault.signal]);
  const service = new ServiceHabits(store, session.habits, run.day);
  await service.begin();
  const all: Waiting[] = options.companies.map((company) => ({
    company,
    units: options.unitsOf(company.rut),
    isSecondTime: false,
  }));
  const unitsByRut = new Map(all.map(({ company, units }) => [company.rut, units]));
  const exporter = new CompanyExporter({
    ...options,
    days: all.flatMap(({ units }) => units.map(({ day }) => day)),
    details: options.details ?? NO_DETAILS,
    companiesAtOnce: Math.min(options.companiesAtOnce, options.companies.length),
    signal,
  });
  const results: UnitResult[] = [];
  const tools = { store, writer };
  const audit = new RunAudit(tools, run, session.clock, unitsByRut);
  // All others may show whether lists as wide as these are answered.
  const withEmptyLists: Waiting[] = [];
  const work = async (waiting: Waiting[]): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { company, units, isSecondTime, emptyLists, leftover } = next;
      if (signal.aborted) return;
      await audit.begin(company.rut);
      const done = await exporter.export(company, units, {
        onUnitEnd: options.onUnitEnd,
        emptyListsLeft: isSecondTime ? undefined : 'unshown',
        emptyLists,
        leftover,
      });
      const named = withCompanyName(done.results, company.tokens.companyName);
      results.push(...named);
      await audit.add(company.rut, named, done.emptyLists.length === 0);
      if (done.emptyLists.length > 0) {
        const { remaining, emptyLists, leftover } = done;
        withEmptyLists.push({ company, units: remaining, isSecondTime: true, emptyLists, leftover });
      }
    }
  };
  const workThrough = (waiting: Waiting[]) =>
    Promise.allSettled(
      Array.from({ length: options.companiesAtOnce }, () =>
        work(waiting).catch((error: unknown) => {
          fault.abort(error);
          throw error;
        }),
      ),
    );
  const ends = [...(await workThrough(all)), ...(await workThrough(withEmptyLists))];
  const failed = ends.find((end) => end.status === 'rejected');
  try {
    await audit.close(failed === undefined);
    const damaged = await closeRuns(tools, session.clock.now());
    for (const reason of damaged) options.onDamagedPart?.(reason);
  } catch (error) {
    throw new AuditNotWrittenError(run, results, error);
  }
  if (failed !== undefined) throw fault.signal.reason;
  await service.keep();
  return results;
}
