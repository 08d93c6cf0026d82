import type { ApiClient } from '../api/client.ts';
import type { Direction } from '../api/directions.ts';
import type { ListHabits } from '../api/list/habits.ts';
import type { ParquetWriter } from '../lake/parquet/writer.ts';
import type { LakeStore } from '../lake/store/store.ts';
import type { Clock } from '../time/clock.ts';
import type { Run } from './audit.ts';

/** What exporting a unit needs besides the unit. */
export interface UnitTools {
  client: ApiClient;
  habits: Readonly<Record<Direction, ListHabits>>;
  store: LakeStore;
  writer: ParquetWriter;
  run: Run;
  /** Whether the list was found to be empty on every day of the run. */
  isListEmpty?: boolean;
  clock?: Clock;
  /** Ends what is under way; units then are handed back, not failed. */
  signal?: AbortSignal;
  /** Asked between pages; once true, what was read so far is staged for the run's next invocation. */
  isTimeUp?: () => boolean;
  /** Whether an earlier invocation of the run may have staged units. */
  mayHaveStaged?: boolean;
}
