import { isJsonObject, type JsonObject, readInt64 } from '../text/exact-json.ts';
import type { Direction } from '../units/unit.ts';
import { BodyError } from './body.ts';
import type { ApiClient } from './client.ts';
import { assertReceiptSucceeded, named, readEnvelope } from './envelope.ts';
import { ENDPOINTS, type LegacyFiltersByDirection, toLegacyQuery } from './filters.ts';
import { type ReceiptId, receiptIds } from './receipt.ts';

/** A receipt's detail as it came (contract §2.4, §2.5). The contract doesn't describe its inner objects. */
export type ReceiptDetail = JsonObject;

/** The `reason` of an UnexpectedBodyError whose body is a receipt with another id. */
export const ANOTHER_RECEIPT = 'it is not the receipt asked for';

/**
 * Reads one receipt whole (contract §4.2, §4.4). Throws an HttpStatusError with status 404 for an id that the
 * company does not have, an UnexpectedBodyError when the answer is another receipt's.
 */
export function readDetail(
  client: ApiClient,
  direction: Direction,
  id: bigint,
  signal?: AbortSignal,
): Promise<ReceiptDetail> {
  return client.get({ ...detailRequest(client, direction, id), signal });
}

/** The same; undefined, and nothing of it is kept, if its body has more bytes than that. */
export function readSmallDetail(
  client: ApiClient,
  direction: Direction,
  id: bigint,
  mostBytes: number,
  signal?: AbortSignal,
): Promise<ReceiptDetail | undefined> {
  const request = detailRequest(client, direction, id);
  return client.get<ReceiptDetail | undefined>({
    ...request,
    decode: (body, byteCount) => (byteCount > mostBytes ? undefined : request.decode(body)),
    signal,
  });
}

function detailRequest({ rut }: ApiClient, direction: Direction, id: bigint) {
  return {
    path: `${ENDPOINTS[direction].listPath}/${id}`,
    context: { rut, direction, id: String(id) },
    decode: (body: unknown): ReceiptDetail => {
      if (!isJsonObject(body)) throw new BodyError('it is not a receipt');
      assertReceiptSucceeded(body);
      const came = readInt64(body.id);
      if (came === undefined || BigInt(came) !== id) throw new BodyError(ANOTHER_RECEIPT);
      return body;
    },
  };
}

/** The whole list comes in one body, so it may be large: 200,000 receipts are some 100 MB, with 20 values each. */
const MAX_LEGACY_BODY_BYTES = 128 * 1024 * 1024;
/** Hostile ones take some 110 bytes each: a program with a heap of 900 MB survives them. */
const MAX_LEGACY_VALUES = 4_000_000;

const LEGACY_MEMBERS: ReadonlySet<string> = new Set(['comprobantes', 'items', 'page_number', 'page_size']);

/** The rows of a bare array, or of one wrapped in an object: both were observed. */
function legacyRows(body: unknown): readonly unknown[] | undefined {
  const lists = isJsonObject(body) ? [body.comprobantes, body.items] : [body];
  return lists.find((list) => Array.isArray(list));
}

export interface LegacyList {
  items: readonly unknown[];
  ids: readonly ReceiptId[];
}

/** Reads a deprecated list. It is not paged (contract §4.6), so it is a check that does not depend on paging. */
export function readLegacyList<D extends Direction>(
  client: ApiClient,
  direction: D,
  filters: LegacyFiltersByDirection[D],
  signal?: AbortSignal,
): Promise<LegacyList> {
  const context = { rut: client.rut, direction, day: filters.FechaDesde };
  return client.get({
    path: ENDPOINTS[direction].legacyListPath,
    query: toLegacyQuery(direction, filters),
    context,
    maxBodyBytes: MAX_LEGACY_BODY_BYTES,
    maxBodyValues: MAX_LEGACY_VALUES,
    decode: (body) => {
      const envelope = isJsonObject(body) ? readEnvelope(body, LEGACY_MEMBERS) : undefined;
      const items = legacyRows(body);
      if (items === undefined) throw new BodyError('it is not a list of receipts');
      const wrong = [
        ...(envelope?.goesOn ?? []),
        ...(envelope?.totals ?? []).flatMap(({ name, count, counted }) =>
          (counted === 'pages' ? count > 1 : count !== items.length) ? [name] : [],
        ),
      ];
      if (wrong.length > 0)
        throw new BodyError(`it says that it is not the whole list (${named(wrong)})`, false);
      return { items, ids: receiptIds(items, context) };
    },
    signal,
  });
}
