import * as v from 'valibot';
import { BodyShapeError } from './body.ts';
import type { ApiClient, RequestTally } from './client.ts';
import { type Direction, ENDPOINTS } from './directions.ts';
import { type LegacyFiltersByDirection, toLegacyQuery } from './filters.ts';
import { type ReceiptId, receiptIds } from './list/page.ts';

/** The whole list comes in one body, so it may be large: 250,000 receipts are some 125 MB. */
const MAX_LEGACY_BODY_BYTES = 512 * 1024 * 1024;
const MAX_LEGACY_VALUES = 60_000_000;

const Rows = v.array(v.unknown());
/** A bare array; wrapped ones were seen too. */
const LegacyBody = v.union([
  Rows,
  v.pipe(
    v.object({ comprobantes: Rows }),
    v.transform(({ comprobantes }) => comprobantes),
  ),
  v.pipe(
    v.object({ items: Rows }),
    v.transform(({ items }) => items),
  ),
]);

export interface LegacyList {
  items: readonly unknown[];
  ids: readonly ReceiptId[];
}

/** Reads a deprecated list, which is not paged (contract §4.6): a count that paging has no part in. */
export function readLegacyList<D extends Direction>(
  client: ApiClient,
  direction: D,
  filters: LegacyFiltersByDirection[D],
  tally: RequestTally,
  signal?: AbortSignal,
): Promise<LegacyList> {
  const context = { rut: client.rut, direction, day: filters.FechaDesde };
  return client.get({
    path: ENDPOINTS[direction].legacyListPath,
    query: toLegacyQuery(direction, filters),
    context,
    tally,
    maxBodyBytes: MAX_LEGACY_BODY_BYTES,
    maxBodyValues: MAX_LEGACY_VALUES,
    decode: (body) => {
      const parsed = v.safeParse(LegacyBody, body);
      if (!parsed.success) throw new BodyShapeError('it is not a list of receipts');
      return { items: parsed.output, ids: receiptIds(parsed.output, context) };
    },
    signal,
  });
}
