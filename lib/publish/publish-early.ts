import { Mutex, STORING } from '../concurrency.ts';
import type { ParquetWriter } from '../lake/parquet/writer.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { TABLE_OF } from '../lake/tables.ts';
import { dayName, type Unit, type UnitResult } from '../units.ts';
import { publishDay, type TableDay } from './publish-day.ts';

/** Days with more rows are left to the end: a list that is still being read may need the memory. */
const MOST_ROWS = 20_000;

/** A day of a table while its units are exported. */
interface UnfinishedDay extends TableDay {
  unitsLeft: number;
  rowCount: number;
  isChanged: boolean;
}

/**
 * Publishes a run's days while others are still read: each one as soon as its last unit has ended, one at a time. It
 * may leave any of them, with or without a reason, to the publication at the run's end, which takes no time for those
 * that are up to date.
 */
export class EarlyPublisher {
  private readonly store: LakeStore;
  private readonly writer: ParquetWriter;
  private readonly days = new Map<string, UnfinishedDay>();
  private readonly mutex = new Mutex();
  private isOver = false;

  /** `units`: all units of the run. */
  constructor(store: LakeStore, writer: ParquetWriter, units: Iterable<Unit>) {
    this.store = store;
    this.writer = writer;
    for (const unit of units) {
      const name = dayName(unit);
      const day = this.days.get(name) ?? newDay(unit);
      day.unitsLeft += 1;
      this.days.set(name, day);
    }
  }

  /** Must be called once for each unit that has ended. */
  noteEnd(result: UnitResult): void {
    const day = this.days.get(dayName(result));
    if (day === undefined) return;
    day.unitsLeft -= 1;
    day.rowCount += result.receipts ?? 0;
    day.isChanged ||= result.state === 'exportado';
    if (day.unitsLeft === 0 && day.isChanged && day.rowCount <= MOST_ROWS) {
      // What is wrong with the day is told at the end.
      this.mutex.runExclusive(() => this.publish(day)).catch(() => undefined);
    }
  }

  /** No further day begins. Resolves when the last one has ended. */
  async end(): Promise<void> {
    this.isOver = true;
    await this.mutex.runExclusive(async () => undefined);
  }

  private async publish(day: TableDay): Promise<void> {
    await STORING.next();
    if (!this.isOver) await publishDay(this.store, this.writer, day);
  }
}

function newDay({ direction, day }: Unit): UnfinishedDay {
  return { table: TABLE_OF[direction], day, unitsLeft: 0, rowCount: 0, isChanged: false };
}
