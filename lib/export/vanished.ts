import type { ApiClient } from '../api/client.ts';
import { readDetail } from '../api/details.ts';
import { ApiError, UnauthorizedError } from '../api/errors.ts';
import type { ListTally } from '../api/list/tally.ts';
import type { SortedRows } from '../lake/rows/receipt-rows.ts';
import type { Unit } from './unit-plan.ts';

/** Details asked for, so that a day that vanished whole does not become thousands of requests. */
const MAX_DETAILS = 50;

/**
 * Where receipts that vanished from their day are listed now, by their row: a receipt whose issue date was
 * corrected has moved to another day. Asks for their details, of which each says its own issue date.
 */
export async function findMoved(
  client: ApiClient,
  unit: Unit,
  rows: SortedRows,
  vanished: readonly { row: number }[],
  tally: ListTally,
  signal?: AbortSignal,
): Promise<Map<number, string>> {
  const movedTo = new Map<number, string>();
  await Promise.all(
    vanished.slice(0, MAX_DETAILS).map(async ({ row }) => {
      const day = await issueDayNow(client, unit, rows.id(row), tally, signal);
      if (day !== undefined && day !== unit.fecha) movedTo.set(row, day);
    }),
  );
  return movedTo;
}

async function issueDayNow(
  client: ApiClient,
  unit: Unit,
  id: bigint,
  tally: ListTally,
  signal?: AbortSignal,
): Promise<string | undefined> {
  try {
    const { fecha_emision: issued } = await readDetail(client, unit.direccion, id, tally, signal);
    return typeof issued === 'string' && /^\d{4}-\d\d-\d\d/.test(issued) ? issued.slice(0, 10) : undefined;
  } catch (error) {
    // Gone altogether, or not to be had now: it is only known to have vanished.
    if (error instanceof ApiError && !(error instanceof UnauthorizedError)) return undefined;
    throw error;
  }
}
