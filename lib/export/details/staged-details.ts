import { stagedDetailsFolder } from '../../lake/layout.ts';
import { DamagedObjectError } from '../../lake/parquet/reader.ts';
import { partOf } from '../../lake/parquet/writer.ts';
import { StaleObjectError } from '../../lake/store/store.ts';
import type { Unit } from '../../units/unit.ts';
import type { ExportTools } from '../export-tools.ts';
import type { DetailPool } from './detail-pool.ts';

/** A part is written after this many details or milliseconds: a killed process loses no more than that. */
const ROWS_PER_PART = 500;
const PART_EVERY_MS = 5_000;

type StagingTools = Pick<ExportTools, 'store' | 'writer' | 'clock'>;

/** Stores details as they are read into a pool, in numbered parts. No part is ever replaced, and any run may use it. */
export class DetailStaging {
  private readonly tools: StagingTools;
  private readonly folder: string;
  private readonly pool: DetailPool;
  /** The parts whose details the pool has. */
  private readonly keys: string[] = [];
  private stagedRows = 0;
  private lastPartMs = 0;
  private nextNumber = 1;
  private writing: Promise<void> | undefined;

  constructor(tools: StagingTools, unit: Unit, pool: DetailPool) {
    this.tools = tools;
    this.folder = stagedDetailsFolder(pool.rows.table.name, unit);
    this.pool = pool;
  }

  /** Adds the details that any run has staged to the pool. What comes into the pool from now on will be staged. */
  async begin(): Promise<void> {
    for await (const key of this.tools.store.list(this.folder)) {
      await this.pool.addStored(this.tools.store, key).catch(unlessDamaged);
      this.keys.push(key);
    }
    this.nextNumber = this.keys.length + 1;
    this.stagedRows = this.pool.rows.rowCount;
    this.lastPartMs = this.tools.clock.monotonicMs();
  }

  /** Must be called after each detail. Writes a part when one is due. */
  async afterRead(): Promise<void> {
    if (this.writing !== undefined) return;
    const isDue =
      this.pool.rows.rowCount - this.stagedRows >= ROWS_PER_PART ||
      this.tools.clock.monotonicMs() - this.lastPartMs >= PART_EVERY_MS;
    if (isDue) await this.writeOnce();
  }

  /** Writes the details that are in no part yet. */
  async flush(): Promise<void> {
    await this.writing;
    await this.writeOnce();
  }

  /** Removes the parts, once the object of the details has what was in them. */
  async remove(): Promise<void> {
    for (const key of this.keys) await this.tools.store.remove(key);
  }

  private async writeOnce(): Promise<void> {
    this.writing = this.writePart();
    try {
      await this.writing;
    } finally {
      this.writing = undefined;
    }
  }

  private async writePart(): Promise<void> {
    const { store, writer, clock } = this.tools;
    const start = this.stagedRows;
    const { rowCount, table } = this.pool.rows;
    this.lastPartMs = clock.monotonicMs();
    if (start === rowCount) return;
    const rows = partOf(this.pool.rows.inOrderOfArrival(), start, rowCount);
    for (;;) {
      const key = `${this.folder}/${this.nextNumber}.parquet`;
      this.nextNumber += 1;
      try {
        const bytes = writer({ columns: table.columns, rows, metadata: {} });
        await store.replace(key, bytes, { metadata: {}, expected: undefined });
        this.keys.push(key);
        this.stagedRows = rowCount;
        return;
      } catch (error) {
        // Another run stages details of the same unit: the number is taken.
        if (!(error instanceof StaleObjectError)) throw error;
      }
    }
  }
}

/** The details in a damaged part are simply read again. */
function unlessDamaged(error: unknown): void {
  if (!(error instanceof DamagedObjectError)) throw error;
}
