import type { ApiSession, TokenSource } from '../api/access.ts';
import { companyClient } from '../api/client.ts';
import { Mutex, Semaphore } from '../system/concurrency.ts';
import type { Rut } from '../units/rut.ts';
import type { Unit } from '../units/unit.ts';
import { type CompanyExport, type CompanyOptions, exportCompany } from './company.ts';
import type { ExportTools } from './export-tools.ts';

/** A company of a run. Its token is read when it is needed. */
export interface RunCompany {
  rut: Rut;
  tokens: TokenSource;
}

/** One of several invocations that share a run. */
type Invocation = Pick<ExportTools, 'isTimeUp' | 'mayHaveStaged'>;

/** Who is told of details. */
export type DetailWatch = Pick<ExportTools, 'onDetailsBegin' | 'onDetailRead'>;

/** What is made for each company, and what all companies of the run share beside the options. */
type OfCompany = 'client' | 'detailMutex' | 'goneDetails' | 'disproved';
type Made = 'clock' | 'largeUnits';

interface CompanyExporterOptions extends Omit<ExportTools, OfCompany | Made | keyof Invocation> {
  session: ApiSession;
  /** Requests in flight of one company. */
  maxInFlight: number;
  /** Requests in flight of all companies together; absent: as many as each of them may have. */
  maxInFlightInAll?: number;
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
  private readonly largeUnits = new Semaphore(1);

  constructor(options: CompanyExporterOptions) {
    const { maxInFlightInAll } = options;
    this.options = options;
    this.inFlightInAll = maxInFlightInAll === undefined ? undefined : new Semaphore(maxInFlightInAll);
  }

  /** Exports the units of one company. A unit that fails does not touch the others. */
  export(
    { rut, tokens }: RunCompany,
    units: readonly Unit[],
    options: CompanyOptions,
  ): Promise<CompanyExport> {
    const { session, maxInFlight, invocation = ONLY_INVOCATION } = this.options;
    const tools: ExportTools = {
      ...this.options,
      ...invocation,
      clock: session.clock,
      largeUnits: this.largeUnits,
      client: companyClient(session, rut, tokens, maxInFlight, this.inFlightInAll),
      detailMutex: new Mutex(),
      goneDetails: { failuresInARow: 0 },
      disproved: new Set(),
    };
    return exportCompany(units, tools, options);
  }
}
