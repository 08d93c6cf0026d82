import { stagedDetailsFolder } from '../../lake/layout.ts';
import { partOf } from '../../lake/parquet/writer.ts';
import type { ReceiptRows } from '../../lake/rows/receipt-rows.ts';
import { type LakeStore, StaleObjectError } from '../../lake/store/store.ts';
import type { Unit } from '../../units/unit.ts';
import type { ExportTools } from '../export-tools.ts';

/** A part is written after this many details or milliseconds: a killed process loses no more than that. */
const ROWS_PER_PART = 500;
const PART_EVERY_MS = 5_000;

/** Keys of the parts that any run staged for a unit. */
export async function listStagedDetails(store: LakeStore, table: string, unit: Unit): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list(stagedDetailsFolder(table, unit))) keys.push(key);
  return keys;
}

type StagingTools = Pick<ExportTools, 'store' | 'writer' | 'clock'>;

/** Stores details as they are read, in numbered parts. No part is ever replaced. */
export class DetailStaging {
  /** Keys of the parts that were written here. */
  readonly keys: string[] = [];
  private readonly tools: StagingTools;
  private readonly folder: string;
  private readonly rows: ReceiptRows;
  private stagedRows: number;
  private lastPartMs: number;
  private nextNumber: number;
  private writing: Promise<void> | undefined;

  /** `rows` grow while details are read. Those that are already there are not staged. */
  constructor(tools: StagingTools, unit: Unit, rows: ReceiptRows, knownKeys: Iterable<string>) {
    this.tools = tools;
    this.folder = stagedDetailsFolder(rows.table.name, unit);
    this.rows = rows;
    this.stagedRows = rows.rowCount;
    this.lastPartMs = tools.clock.monotonicMs();
    this.nextNumber = Math.max(0, ...Iterator.from(knownKeys).map(partNumber)) + 1;
  }

  /** Must be called after each detail. Writes a part when one is due. */
  async afterRead(): Promise<void> {
    if (this.writing !== undefined) return;
    const isDue =
      this.rows.rowCount - this.stagedRows >= ROWS_PER_PART ||
      this.tools.clock.monotonicMs() - this.lastPartMs >= PART_EVERY_MS;
    if (isDue) await this.writeOnce();
  }

  /** Writes the details that are in no part yet. */
  async flush(): Promise<void> {
    await this.writing;
    await this.writeOnce();
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
    const start = this.stagedRows;
    const { rowCount } = this.rows;
    this.lastPartMs = this.tools.clock.monotonicMs();
    if (start === rowCount) return;
    const rows = partOf(this.rows.inOrderOfArrival(), start, rowCount);
    const { columns } = this.rows.table;
    for (;;) {
      const key = `${this.folder}/${this.nextNumber}.parquet`;
      this.nextNumber += 1;
      try {
        const bytes = this.tools.writer({ columns, rows, metadata: {} });
        await this.tools.store.replace(key, bytes, { metadata: {}, expected: undefined });
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

function partNumber(key: string): number {
  return Number(/(\d+)\.parquet$/.exec(key)?.[1] ?? 0);
}
