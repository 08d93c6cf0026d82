import { type LongIds, placeOf } from '../generator/ids.ts';
import type { SandboxReceipt } from '../generator/receipt.ts';
import { dayRange } from '../lists/day-range.ts';
import { ParameterError } from '../lists/query.ts';
import { detail } from '../render/detail.ts';
import { type Answer, jsonAnswer, messageAnswer } from './answer.ts';
import type { EndpointContext } from './context.ts';
import type { SandboxRequest } from './request.ts';

const INT64_MAX = 2n ** 63n - 1n;

/** One receipt (the contract, §4.2 and §4.4). Throws a ParameterError for an id that is no Int64. */
export function answerDetail(
  request: SandboxRequest,
  context: EndpointContext,
  companyPosition: number,
  longIds: LongIds,
): Answer {
  const { list, rewrite } = context;
  const id = idOf(request);
  const receipt = receiptById(id, context, companyPosition, longIds);
  if (receipt === undefined) return messageAnswer(404, 'there is no such receipt');
  const body = detail(receipt, list.numbering);
  if (rewrite === undefined) return jsonAnswer(200, body);
  const { rut, direction } = list;
  const { address } = request;
  return jsonAnswer(
    200,
    rewrite(body, { kind: 'detail', rut, direction, day: receipt.day, pageNumber: undefined, id, address }),
  );
}

function idOf(request: SandboxRequest): bigint {
  const id = /^\d{1,19}$/.test(request.id ?? '') ? BigInt(request.id ?? '') : -1n;
  if (id < 0n || id > INT64_MAX) throw new ParameterError('the id must be a 64-bit integer');
  return id;
}

/** A receipt that has not appeared yet, or was removed, is unknown like another company's. */
function receiptById(
  id: bigint,
  { list, now, changes }: EndpointContext,
  companyPosition: number,
  longIds: LongIds,
): SandboxReceipt | undefined {
  const place = placeOf(id, longIds);
  if (place === undefined || place.companyPosition !== companyPosition) return undefined;
  if (place.isIssued !== (list.direction === 'emitidos')) return undefined;
  const range = dayRange(list, { from: place.day, to: place.day }, now, changes);
  const offset = range.offsetOf(place.day, place.index);
  return offset === undefined ? undefined : range.receiptAt(offset);
}
