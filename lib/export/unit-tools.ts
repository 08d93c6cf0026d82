import type { ApiClient } from '../api/client.ts';
import type { Direction } from '../api/directions.ts';
import type { ListHabits } from '../api/list/reading.ts';
import type { ExportHistory } from '../audit/history.ts';
import type { Run } from '../audit/keys.ts';
import type { Mutex } from '../concurrency/mutex.ts';
import type { LagRecorder } from '../lake/lag-record.ts';
import type { ParquetWriter } from '../lake/parquet/writer.ts';
import type { LakeStore } from '../lake/store/store.ts';
import type { Clock } from '../time/clock.ts';
import type { LargeUnits } from './large-units.ts';

/** What exporting a unit needs besides the unit. */
export interface UnitTools {
  client: ApiClient;
  habits: Readonly<Record<Direction, ListHabits>>;
  /** Takes up what other workers have proved of the service meanwhile. */
  learnHabits?: () => Promise<void>;
  store: LakeStore;
  writer: ParquetWriter;
  /** Told before each write which day will lag behind its units; absent: nobody publishes them. */
  lag?: LagRecorder;
  run: Run;
  /** Which receipts are read whole; none when absent. */
  details?: DetailOptions;
  /** Told of each detail that the API gave. */
  onDetailRead?: () => void;
  /** The company's: its large units read their details one after the other; absent: there is one unit only. */
  detailMutex?: Mutex;
  /** Tells a first export from what came to a day that was empty; absent: all are first exports. */
  history?: ExportHistory;
  /** Lets one list at a time grow large; absent: it is the only one. */
  largeUnits?: LargeUnits;
  /** Companies that are exported at the same time; default 1. */
  companiesAtOnce?: number;
  clock?: Clock;
  /** Ends what is under way; units then are handed back, not failed. */
  signal?: AbortSignal;
  /** Asked between pages; once true, what was read so far is staged for the run's next invocation. */
  isTimeUp?: () => boolean;
  /** Whether an earlier invocation of the run may have staged lists. */
  mayHaveStaged?: boolean;
}

/** Which receipts are read whole, one request each. Nothing is where this is absent. */
export interface DetailOptions {
  directions: readonly Direction[];
  /** Units with more listed receipts are left out, and the audit says so. */
  maxPerUnit: number;
  /** A detail that was read longer ago is read again, though the receipt's row in the list is the same; absent: never. */
  maxAgeDays?: number;
}

/** Some minutes of requests. */
export const DEFAULT_MAX_DETAILS_PER_UNIT = 10_000;
