import { ApiError, HttpStatusError, UnauthorizedError, UnexpectedBodyError } from '../../api/errors.ts';
import type { ListStats } from '../../api/list/page-request.ts';
import { hasOtherIssuer, hasOtherRecipient } from '../../api/receipt.ts';
import { ANOTHER_RECEIPT, type ReceiptDetail, readDetail } from '../../api/unpaged.ts';
import { stagedDetailsFolder } from '../../lake/layout.ts';
import { DamagedObjectError } from '../../lake/parquet/reader.ts';
import { partOf } from '../../lake/parquet/writer.ts';
import { localMicros } from '../../lake/rows/fields.ts';
import { StaleObjectError } from '../../lake/store/store.ts';
import { indexOfColumn, TABLE_OF } from '../../lake/tables.ts';
import { forEachConcurrent } from '../../system/concurrency.ts';
import { ExactNumber } from '../../text/exact-json.ts';
import type { Unit } from '../../units/unit.ts';
import { type ExportTools, MAX_FAILURES_IN_A_ROW, type UnitTools } from '../export-tools.ts';
import type { DetailPool, ListedReceipt, ListObject } from './detail-pool.ts';

/** Statuses that say something about the receipt, not about the API's health. */
const NO_SUCH_RECEIPT: ReadonlySet<number> = new Set([404, 410]);

/** The natural key, besides the id: a detail with another one is of another receipt. */
const IDENTIFYING_COLUMNS = ['tipo_comprobante', 'serie', 'numero'] as const;

/** Why a receipt stays without a detail, if the API answered, but not with it; undefined for any other error. */
function refusalOf(error: unknown): string | undefined {
  if (error instanceof HttpStatusError && NO_SUCH_RECEIPT.has(error.status)) {
    return `The API has no receipt under this id (status ${error.status}).`;
  }
  const isAnother = error instanceof UnexpectedBodyError && error.fault === ANOTHER_RECEIPT;
  return isAnother ? 'The API answered with a receipt that has another id.' : undefined;
}

/** Where the detail contradicts the list or the request. A field that either lacks is no contradiction. */
function contradictionOf(
  detail: ReceiptDetail,
  { rut, direction }: Unit,
  { rows }: ListObject,
  { row }: ListedReceipt,
): string | undefined {
  const isOfOther = direction === 'recibidos' ? hasOtherRecipient : hasOtherIssuer;
  if (isOfOther(detail, rut)) return "The detail is another company's.";
  const values = rows.valuesOf(row);
  for (const name of IDENTIFYING_COLUMNS) {
    const listed = values[indexOfColumn(TABLE_OF[direction].columns, name)] ?? null;
    const found = detail[name] ?? null;
    if (listed === null || found === null) continue;
    const text = found instanceof ExactNumber ? found.source : String(found);
    if (text !== String(listed)) return `The detail has another ${name} than the list.`;
  }
  return undefined;
}

/** How the reading of a unit's missing details ended. */
export interface MissingReading {
  /** whole: every receipt was asked for. paused: time was up. givenUp: the API failed too often. */
  end: 'whole' | 'paused' | 'givenUp';
  /** Details that the API gave. */
  read: number;
  failed: number;
  firstFailure?: ApiError;
}

/**
 * Reads details into the pool, as many at a time as the company's limiter allows, and stages them as they come.
 * Receipts without a detail have a reason in the pool. Throws the signal's reason, and errors that are no ApiError;
 * what was read by then is staged.
 */
export async function readMissing(
  unit: Unit,
  list: ListObject,
  receipts: readonly ListedReceipt[],
  { pool, staging }: { pool: DetailPool; staging: DetailStaging },
  tools: UnitTools,
  requestStats: ListStats,
): Promise<MissingReading> {
  const { client, clock, signal } = tools;
  const reading: MissingReading = { end: 'whole', read: 0, failed: 0 };
  const fault = new AbortController();
  let failuresInARow = 0;
  let isHopeless = false;

  function* whileItHelps(): Generator<ListedReceipt> {
    for (const receipt of receipts) {
      if (isHopeless) reading.end = 'givenUp';
      else if (tools.isTimeUp()) reading.end = 'paused';
      if (fault.signal.aborted || reading.end !== 'whole') return;
      yield receipt;
    }
  }
  const refuse = (receipt: ListedReceipt, reason: string): void => {
    failuresInARow = 0;
    pool.reasons.set(receipt.id, reason);
  };
  const readOne = async (receipt: ListedReceipt): Promise<void> => {
    try {
      const detail = await readDetail(client, unit.direction, receipt.id, requestStats, signal);
      const contradiction = contradictionOf(detail, unit, list, receipt);
      if (contradiction !== undefined) return refuse(receipt, contradiction);
      failuresInARow = 0;
      reading.read += 1;
      tools.onDetailRead?.(unit);
      pool.addRead(receipt, detail, localMicros(clock.now()));
      await staging.afterRead();
    } catch (error) {
      signal.throwIfAborted();
      const refusal = refusalOf(error);
      if (refusal !== undefined) return refuse(receipt, refusal);
      if (!(error instanceof ApiError)) throw error;
      reading.failed += 1;
      reading.firstFailure ??= error;
      failuresInARow += 1;
      pool.reasons.set(receipt.id, error.message);
      // A refused token would be refused for every receipt.
      isHopeless ||= error instanceof UnauthorizedError || failuresInARow >= MAX_FAILURES_IN_A_ROW;
    }
  };
  // The others end after their current request: what it brings is staged too.
  await forEachConcurrent(whileItHelps(), client.limiter.maxInFlight, (receipt) =>
    readOne(receipt).catch((error: unknown) => fault.abort(error)),
  );
  if (fault.signal.aborted || reading.end !== 'whole') await staging.flush();
  fault.signal.throwIfAborted();
  return reading;
}

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
