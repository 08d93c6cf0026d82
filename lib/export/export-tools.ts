import type { TokenSource } from '../api/access.ts';
import type { ApiClient } from '../api/client.ts';
import type { Run } from '../audit/keys.ts';
import type { Marks } from '../lake/marks.ts';
import type { ParquetWriter } from '../lake/parquet/writer.ts';
import type { LakeStore } from '../lake/store/store.ts';
import type { Mutex, Semaphore } from '../system/concurrency.ts';
import type { Clock } from '../time/clock.ts';
import type { Rut } from '../units/rut.ts';
import type { Direction, Unit } from '../units/unit.ts';
import type { HeldDetails } from './details/held-details.ts';
import type { FactsByDirection } from './reading/service-facts.ts';

/** A company of a run. Its token is read when it is needed. */
export interface RunCompany {
  rut: Rut;
  tokens: TokenSource;
}

/** What the reading of one company's lists needs. */
export interface ReadingTools {
  client: ApiClient;
  /** What the service's lists have shown in this run. */
  facts: FactsByDirection;
  clock: Clock;
  /** Ends the requests in flight. */
  signal: AbortSignal;
  /** Says, between pages, whether time is up: once it is, nothing more is started. */
  isTimeUp: () => boolean;
  /** One permit, which companies that are read at once share: only one list at a time may grow large. */
  largeUnits: Semaphore;
  /** Companies that are read at the same time; default: 1. */
  companiesAtOnce?: number;
  /** Whether each day has a list of its own, and one is read after the other. */
  readsDaysAlone?: boolean;
}

/** What the export of one company's units needs besides. All of it is the whole run's, but for the client and the mutex. */
export interface ExportTools extends ReadingTools {
  store: LakeStore;
  /** The keys of all units that the lake had of the run's days, before the API was read; absent: each is looked up. */
  storedKeys?: ReadonlySet<string> | undefined;
  writer: ParquetWriter;
  /** Marks the lake before anything that was read is stored; absent where it is marked already. */
  markSource?: () => Promise<void>;
  /** They say which days of the tables may lag: those that are written, and those found to lack a unit. */
  marks: Pick<Marks, 'around' | 'unlessPublished'>;
  run: Run;
  details: DetailOptions;
  /** What is called for each detail that the API gave. */
  onDetailRead?: (unit: Unit) => void;
  /** Large units read their details one after the other. */
  detailMutex: Mutex;
  /** Companies that are read at once share it. */
  heldDetails: HeldDetails;
}

/** Which receipts are read whole, one request each. */
export interface DetailOptions {
  directions: readonly Direction[];
  /** Units with more listed receipts are left out, and the audit says so. */
  maxPerUnit: number;
  /**
   * A detail that was read longer ago is read again, even if the receipt's row in the list is the same; absent: never.
   */
  maxAgeDays?: number;
}

/** So many details in a row that can't be had, each after retries, are the API's fault and not that of single receipts. */
export const MAX_FAILURES_IN_A_ROW = 5;

/** Some minutes of requests. */
export const DEFAULT_MAX_DETAILS_PER_UNIT = 10_000;

export const NO_DETAILS: DetailOptions = { directions: [], maxPerUnit: DEFAULT_MAX_DETAILS_PER_UNIT };
