import type { ApiSession, TokenSource } from '../api/access.ts';
import { companyClient } from '../api/client.ts';
import type { Direction } from '../api/directions.ts';
import type { Run } from '../audit/keys.ts';
import type { Rut } from '../companies/company.ts';
import { Mutex, Semaphore } from '../concurrency.ts';
import type { ParquetWriter } from '../lake/parquet/writer.ts';
import type { LakeStore } from '../lake/store/store.ts';
import type { Unit } from '../units.ts';
import { type CompanyExport, type CompanyOptions, exportCompany } from './company.ts';
import type { DetailOptions, ExportTools } from './export-tools.ts';
import type { FactsByDirection } from './reading/facts.ts';

/** A company of a run. Its token is read when it is needed. */
export interface RunCompany {
  rut: Rut;
  tokens: TokenSource;
}

/** One of several invocations that share a run. */
export type Invocation = Pick<ExportTools, 'isTimeUp' | 'mayHaveStaged'>;

/** Who is told of details. */
export type DetailWatch = Pick<ExportTools, 'onDetailsBegin' | 'onDetailRead'>;

/** What all companies of a run share. */
export interface CompanyExporterOptions extends Pick<ExportTools, 'markSource'>, DetailWatch {
  session: ApiSession;
  facts: FactsByDirection;
  store: LakeStore;
  writer: ParquetWriter;
  run: Run;
  plan: ExportTools['plan'];
  details: DetailOptions;
  /** Requests in flight of one company. */
  maxInFlight: number;
  /** Requests in flight of all companies together; absent: as many as each of them may have. */
  maxInFlightInAll?: number;
  companiesAtOnce: number;
  signal: AbortSignal;
  /** Absent if the run has all the time that it needs. */
  invocation?: Invocation;
}

const ONLY_INVOCATION: Invocation = {
  isTimeUp: () => false,
  mayHaveStaged: false,
};

/** Exports companies in one run. Holds what they share, such as the limits of memory and of requests in flight. */
export class CompanyExporter {
  private readonly options: CompanyExporterOptions;
  private readonly inFlightInAll: Semaphore | undefined;
  private readonly shared: Omit<ExportTools, 'client' | 'detailMutex' | 'goneDetails' | 'disproved'>;

  constructor(options: CompanyExporterOptions) {
    const { session, store, writer, run, details, companiesAtOnce, signal, maxInFlightInAll } = options;
    this.options = options;
    this.inFlightInAll = maxInFlightInAll === undefined ? undefined : new Semaphore(maxInFlightInAll);
    this.shared = {
      ...(options.invocation ?? ONLY_INVOCATION),
      facts: options.facts,
      clock: session.clock,
      store,
      writer,
      run,
      details,
      markSource: options.markSource,
      onDetailsBegin: options.onDetailsBegin,
      onDetailRead: options.onDetailRead,
      companiesAtOnce,
      signal,
      plan: options.plan,
      largeUnits: new Semaphore(1),
    };
  }

  /** Exports the units of one company. A unit that fails does not touch the others. */
  export(
    { rut, tokens }: RunCompany,
    units: readonly Unit[],
    options: CompanyOptions,
  ): Promise<CompanyExport> {
    const { session, maxInFlight } = this.options;
    const client = companyClient(session, rut, tokens, maxInFlight, this.inFlightInAll);
    const ofCompany = {
      client,
      detailMutex: new Mutex(),
      goneDetails: { failuresInARow: 0 },
      disproved: new Set<Direction>(),
    };
    return exportCompany(units, { ...this.shared, ...ofCompany }, options);
  }
}
