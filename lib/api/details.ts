import { BodyShapeError } from './body.ts';
import type { ApiClient, RequestTally } from './client.ts';
import { type Direction, ENDPOINTS } from './directions.ts';
import { readInt64 } from './json.ts';

/** A receipt's detail as it came (contract §2.4, §2.5): its inner objects are not described there. */
export type ReceiptDetail = Readonly<Record<string, unknown>>;

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
  tally: RequestTally,
  signal?: AbortSignal,
): Promise<ReceiptDetail> {
  return client.get({
    path: `${ENDPOINTS[direction].listPath}/${id}`,
    context: { rut: client.rut, direction, id: String(id) },
    tally,
    decode: (body) => {
      if (!isObject(body)) throw new BodyShapeError('it is not a receipt');
      const came = readInt64(body.id);
      if (came === undefined || BigInt(came) !== id) throw new BodyShapeError(ANOTHER_RECEIPT);
      return body;
    },
    signal,
  });
}

function isObject(value: unknown): value is ReceiptDetail {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
