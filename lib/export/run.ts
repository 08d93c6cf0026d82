import { randomUUID } from 'node:crypto';
import type { ApiSession } from '../api/access.ts';
import { companyClient, trialOf } from '../api/client.ts';
import { newTally } from '../api/list/page-request.ts';
import { closeRuns } from '../audit/close.ts';
import type { Run } from '../audit/keys.ts';
import { PlanKeeper, plannedCompanies } from '../audit/plan.ts';
import { AuditNotWrittenError, RunAudit } from '../audit/write.ts';
import type { ParquetWriter } from '../lake/parquet/writer.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { type DayRange, uruguayDateTime, uruguayDay } from '../time/days.ts';
import { DIRECTIONS, type Direction } from '../units/direction.ts';
import type { Rut } from '../units/rut.ts';
import { type Unit, type UnitResult, withCompanyName } from '../units/unit.ts';
import { CompanyExporter, type DetailWatch, type RunCompany } from './company-exporter.ts';
import { type DetailOptions, type ExportTools, NO_DETAILS } from './export-tools.ts';
import { proveService } from './reading/prove-service.ts';

export interface PlannedRunOptions extends Pick<ExportTools, 'markSource'>, DetailWatch {
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

/** A run that begins now. Its id sorts by time. */
export function newRun(epochMs: number): Run {
  const moment = uruguayDateTime(epochMs).replaceAll(/\D/g, '');
  return { id: `${moment}-${randomUUID().slice(0, 8)}`, day: uruguayDay(epochMs) };
}

/**
 * Exports units in this process and writes the audit. Results in no particular order. If the audit of one company can't be written, nor can that of the others:
 * all are stopped, and AuditNotWrittenError is thrown with the results so far. However the run ends, it is closed,
 * together with earlier runs that died before they were: units that it planned and did not read count as failed.
 */
export async function exportPlanned(options: PlannedRunOptions): Promise<UnitResult[]> {
  const { run, session, store, writer } = options;
  if (session.breaker !== undefined) session.breaker.trial = trialOf(session, options.companies);
  const fault = new AbortController();
  const signal =
    options.signal === undefined ? fault.signal : AbortSignal.any([options.signal, fault.signal]);
  const unitsByRut = new Map<Rut, readonly Unit[]>(
    options.companies.map(({ rut }) => [rut, options.unitsOf(rut)]),
  );
  const allUnits = [...unitsByRut.values()].flat();
  const tokensByRut = new Map<string, RunCompany['tokens']>(
    options.companies.map(({ rut, tokens }) => [rut, tokens]),
  );
  const plan = new PlanKeeper(store, run, plannedCompanies(unitsByRut), session.clock);
  await plan.renew().catch((error: unknown) => {
    throw new AuditNotWrittenError(run, [], error);
  });
  const proved = await proveService({
    store,
    ruts: [...unitsByRut.keys()],
    daysOf: Object.fromEntries(DIRECTIONS.flatMap((direction) => daysOf(allUnits, direction))),
    isReadFirst: true,
    clock: session.clock,
    signal,
    clientOf: (rut) => {
      const tokens = tokensByRut.get(rut);
      if (tokens === undefined) throw new TypeError(`${rut} is no company of the run`);
      return companyClient(session, rut, tokens, options.maxInFlight);
    },
  });
  const exporter = new CompanyExporter({
    ...options,
    facts: proved.facts,
    plan,
    details: options.details ?? NO_DETAILS,
    companiesAtOnce: Math.min(options.companiesAtOnce, options.companies.length),
    signal,
  });
  const results: UnitResult[] = [];
  const tools = { store, writer };
  const audit = new RunAudit(tools, run, session.clock, unitsByRut);
  const uncounted = { ...proved.tally };
  const work = async (waiting: RunCompany[]): Promise<void> => {
    for (let company = waiting.shift(); company !== undefined; company = waiting.shift()) {
      if (signal.aborted) return;
      const { rut } = company;
      await plan.renew();
      const before = { ...uncounted };
      Object.assign(uncounted, newTally());
      const done = await exporter.export(company, unitsByRut.get(rut) ?? [], {
        onUnitEnd: options.onUnitEnd,
        uncounted: before,
      });
      const named = withCompanyName(done.results, company.tokens.companyName);
      results.push(...named);
      await audit.add(rut, named).catch((error: unknown) => {
        throw new AuditNotWrittenError(run, results, error);
      });
    }
  };
  const workThrough = (waiting: RunCompany[], atOnce: number) =>
    Promise.allSettled(
      Array.from({ length: atOnce }, () =>
        work(waiting).catch((error: unknown) => {
          fault.abort(error);
          throw error;
        }),
      ),
    );
  const isFirst = ({ rut }: RunCompany) => proved.first.includes(rut);
  const ends = [
    // What these show about the service saves the others requests.
    ...(await workThrough(options.companies.filter(isFirst), 1)),
    ...(await workThrough(
      options.companies.filter((company) => !isFirst(company)),
      options.companiesAtOnce,
    )),
  ];
  const failed = ends.find((end) => end.status === 'rejected');
  try {
    await audit.close();
    const damaged = await closeRuns(tools, session.clock.now(), plan.plan);
    for (const reason of damaged) options.onDamagedPart?.(reason);
  } catch (error) {
    throw new AuditNotWrittenError(run, results, error);
  }
  if (failed !== undefined) throw fault.signal.reason;
  return results;
}

/** The first and the last day of these units in a direction; none if it has none. */
function daysOf(units: readonly Unit[], direction: Direction): [Direction, DayRange][] {
  const days = units.filter((unit) => unit.direction === direction).map(({ day }) => day);
  const [from, ...others] = [...new Set(days)].sort();
  return from === undefined ? [] : [[direction, { from, to: others.at(-1) ?? from }]];
}
