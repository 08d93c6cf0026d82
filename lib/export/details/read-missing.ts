import { ApiError, HttpStatusError, UnauthorizedError, UnexpectedBodyError } from '../../api/errors.ts';
import { isOfOtherCompany } from '../../api/receipt.ts';
import { ANOTHER_RECEIPT, type ReceiptDetail, readDetail, readSmallDetail } from '../../api/unpaged.ts';
import { localMicros } from '../../lake/rows/fields.ts';
import { indexOfColumn, TABLE_OF } from '../../lake/tables.ts';
import { forEachConcurrent } from '../../system/concurrency.ts';
import { ExactNumber } from '../../text/exact-json.ts';
import type { Unit } from '../../units/unit.ts';
import { type ExportTools, MAX_FAILURES_IN_A_ROW } from '../export-tools.ts';
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
  if (isOfOtherCompany(direction, detail, rut)) return "The detail is another company's.";
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

/** A detail with more bytes is read while no other unit has large ones: twice those of 700 lines. */
const LARGE_DETAIL_BYTES = 2 * 2 ** 20;

/** Where details go, and the unit's turn to have large ones. */
export interface DetailMemory {
  pool: DetailPool;
  turn: { isTaken: boolean; take: () => Promise<void> };
  onRead: () => Promise<void>;
}

/**
 * Reads details into the pool, as many at a time as the company's limiter allows; `onRead` is called after each.
 * Receipts without a detail have a reason in the pool. Throws the signal's reason, and errors that are no ApiError.
 */
export async function readMissing(
  unit: Unit,
  list: ListObject,
  receipts: readonly ListedReceipt[],
  { pool, turn, onRead }: DetailMemory,
  tools: ExportTools,
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
  const detailOf = async ({ id }: ListedReceipt): Promise<ReceiptDetail> => {
    const { direction } = unit;
    if (!turn.isTaken) {
      const detail = await readSmallDetail(client, direction, id, LARGE_DETAIL_BYTES, signal);
      if (detail !== undefined) return detail;
      await turn.take();
    }
    return await readDetail(client, direction, id, signal);
  };
  const readOne = async (receipt: ListedReceipt): Promise<void> => {
    try {
      const detail = await detailOf(receipt);
      const contradiction = contradictionOf(detail, unit, list, receipt);
      if (contradiction !== undefined) return refuse(receipt, contradiction);
      failuresInARow = 0;
      reading.read += 1;
      tools.onDetailRead?.(unit);
      pool.addRead(receipt, detail, localMicros(clock.now()));
      await onRead();
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
  // The others end after their current request, and what it brings counts.
  await forEachConcurrent(whileItHelps(), client.limiter.maxInFlight, (receipt) =>
    readOne(receipt).catch((error: unknown) => fault.abort(error)),
  );
  fault.signal.throwIfAborted();
  return reading;
}
