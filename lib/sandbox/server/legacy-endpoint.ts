import { dayRange } from '../lists/day-range.ts';
import type { Selection } from '../lists/selection.ts';
import { type Answer, jsonAnswer } from './answer.ts';
import { type EndpointContext, rowOf } from './context.ts';
import { rangeFailure, understood } from './list-endpoint.ts';
import type { SandboxRequest } from './request.ts';

const ROWS_PER_CHUNK = 500;

/** A legacy list (the contract, §4.6): everything at once. Throws a ParameterError for a bad parameter. */
export function answerLegacy(request: SandboxRequest, context: EndpointContext): Answer {
  const { behaviour, list, now, changes, selections, rewrite } = context;
  const { query, days, filter, target } = understood(request, context);
  const failure = rangeFailure(days, context);
  if (failure !== undefined) return failure;
  const range = dayRange(list, days, now, changes);
  const selection = selections.select({ list, range, days, query, filter, order: behaviour.order, now });
  const chunks = chunksOf(selection, context);
  if (rewrite === undefined) return { kind: 'stream', chunks };
  const body = rewrite([...chunks].join(''), {
    kind: 'legacy',
    rut: list.rut,
    direction: list.direction,
    day: target.day,
    pageNumber: undefined,
    id: undefined,
    address: request.address,
  });
  return jsonAnswer(200, body);
}

function* chunksOf(selection: Selection, { behaviour }: EndpointContext): Generator<string> {
  const { legacyShape } = behaviour;
  yield legacyShape === 'array' ? '[' : `{"${legacyShape}":[`;
  for (let start = 0; start < selection.length; start += ROWS_PER_CHUNK) {
    const rows: string[] = [];
    for (let k = start; k < Math.min(start + ROWS_PER_CHUNK, selection.length); k++)
      rows.push(rowOf(selection.receiptAt(k), behaviour));
    yield `${start === 0 ? '' : ','}${rows.join(',')}`;
  }
  yield legacyShape === 'array' ? ']' : ']}';
}
