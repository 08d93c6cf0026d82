import type { ApiClient, RequestTally } from '../../api/client.ts';
import { ANOTHER_RECEIPT, type ReceiptDetail, readDetail } from '../../api/details.ts';
import type { Direction } from '../../api/directions.ts';
import { ApiError, HttpStatusError, UnexpectedBodyError } from '../../api/errors.ts';
import { ExactNumber } from '../../api/json.ts';
import type { ListedReceipt, ListObject } from './listed-receipts.ts';

/** What came of asking for one detail. */
export type DetailAnswer =
  | { kind: 'read'; detail: ReceiptDetail }
  /** The API answered, but not with this receipt: it stays without a detail. */
  | { kind: 'refused'; reason: string }
  /** The API failed, also when it was asked again. */
  | { kind: 'failed'; error: ApiError };

/** Statuses that say something of the receipt, and nothing of the API's health. */
const NO_SUCH_RECEIPT: ReadonlySet<number> = new Set([404, 410]);

/** With the id, the natural key: a detail that has another one is of another receipt. */
const IDENTIFYING_COLUMNS = ['tipo_comprobante', 'serie', 'numero'] as const;

/** Reads the detail of a listed receipt. Throws what is no ApiError, and the signal's reason. */
export async function readOneDetail(
  client: ApiClient,
  direction: Direction,
  list: ListObject,
  receipt: ListedReceipt,
  tally: RequestTally,
  signal?: AbortSignal,
): Promise<DetailAnswer> {
  try {
    const detail = await readDetail(client, direction, receipt.id, tally, signal);
    const contradiction = contradictionOf(detail, list, receipt);
    return contradiction === undefined
      ? { kind: 'read', detail }
      : { kind: 'refused', reason: contradiction };
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof HttpStatusError && NO_SUCH_RECEIPT.has(error.status)) {
      return { kind: 'refused', reason: `The API has no receipt under this id (status ${error.status}).` };
    }
    if (error instanceof UnexpectedBodyError && error.reason === ANOTHER_RECEIPT) {
      return { kind: 'refused', reason: 'The API answered with a receipt that has another id.' };
    }
    if (error instanceof ApiError) return { kind: 'failed', error };
    throw error;
  }
}

/** What the detail says otherwise than the list; a field that either lacks is no contradiction. */
function contradictionOf(
  detail: ReceiptDetail,
  { table, rows }: ListObject,
  { row }: ListedReceipt,
): string | undefined {
  const values = rows.valuesOf(row);
  for (const name of IDENTIFYING_COLUMNS) {
    const listed = values[table.columns.findIndex((column) => column.name === name)] ?? null;
    const found = detail[name] ?? null;
    if (listed === null || found === null) continue;
    const text = found instanceof ExactNumber ? found.source : String(found);
    if (text !== String(listed)) return `The detail has another ${name} than the list.`;
  }
  return undefined;
}
