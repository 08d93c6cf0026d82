import { isTargeted, type Rewrite, type RewrittenRequest, type SandboxBehaviour } from '../behaviour.ts';
import { dayText } from '../generator/calendar.ts';
import { mix } from '../generator/hash.ts';
import { placeOf } from '../generator/numbering.ts';
import type { ReceiptList, SandboxReceipt } from '../generator/receipt-list.ts';
import { nothingMovesAfter } from '../generator/timeline.ts';
import { type DayRange, dayRange, daysOf, isTooWide, type RowChanges } from '../lists/day-range.ts';
import { type ListQuery, PARAMETERS, ParameterError, parseQuery } from '../lists/query.ts';
import type { StampedCache } from '../lists/selection.ts';
import {
  type Filter,
  filterOf,
  type Page,
  type Positions,
  pageOf,
  pageSizeOf,
  type Selection,
  selected,
} from '../lists/selection.ts';
import { detail } from '../render/detail.ts';
import { envelope, rowOf } from '../render/summary.ts';
import type { Target } from '../switches.ts';
import { misaddressed, type PageDefects, type PageFaults, rowsLeft, withoutId } from './faults.ts';
import { type Answer, jsonAnswer, messageAnswer, type SandboxRequest } from './request.ts';

/** Everything that an endpoint needs to answer an authenticated request. */
export interface EndpointContext {
  behaviour: Readonly<SandboxBehaviour>;
  list: ReceiptList;
  now: number;
  changes: RowChanges;
  /** Rendered pages, so that a benchmark measures its client and not the rendering. */
  pages: StampedCache<Buffer>;
  /** The offsets of filtered or sorted lists. */
  positions: StampedCache<Positions>;
  pageFaults: PageFaults;
  rewrite: Rewrite | undefined;
}

export interface ListRequest {
  query: ListQuery;
  days: { from: number; to: number };
  filter: Filter | undefined;
  /** Confines faults and counts row changes, by FechaDesde. */
  target: Target;
}

/** Parses a list request. Throws a ParameterError for an invalid parameter. */
function understood(request: SandboxRequest, context: EndpointContext): ListRequest {
  const { behaviour, list, now } = context;
  const known = PARAMETERS[request.direction][request.endpoint];
  const query = parseQuery(request.search, known, behaviour.unknownParameter);
  const { rut, direction } = list;
  return {
    query,
    days: daysOf(query, request.endpoint, now, behaviour),
    filter: filterOf(query, behaviour),
    target: { rut, direction, day: query.fromDay === undefined ? undefined : dayText(query.fromDay) },
  };
}

/** The error of a list that includes the failing day or is too wide; undefined if there is none. */
function rangeFailure(days: { from: number; to: number }, context: EndpointContext): Answer | undefined {
  const { failingDay, overRange } = context.behaviour;
  const { rut, direction } = context.list;
  if (isTooWide(days, context.behaviour)) {
    if (overRange === '500') return messageAnswer(500, 'Timeout expired');
    if (overRange === '400') return messageAnswer(400, 'the range of dates is too wide');
  }
  if (failingDay === null || !isTargeted({ ...failingDay, day: undefined }, { rut, direction }))
    return undefined;
  const { day } = failingDay;
  const isIncluded = day === undefined || (dayText(days.from) <= day && day <= dayText(days.to));
  return isIncluded ? messageAnswer(500, 'Internal server error') : undefined;
}

/** A page of a v2 list (the contract, §4.1 and §4.3). Throws a ParameterError for an invalid parameter. */
export function answerList(request: SandboxRequest, context: EndpointContext): Answer {
  const { list, changes } = context;
  const understoodRequest = understood(request, context);
  const { days, query } = understoodRequest;
  const answer = rangeFailure(days, context) ?? pageAnswer(request, understoodRequest, context);
  if (query.fromDay !== undefined)
    changes.countListRequest({ rut: list.rut, direction: list.direction, day: query.fromDay });
  return answer;
}

function pageAnswer(request: SandboxRequest, asked: ListRequest, context: EndpointContext): Answer {
  const { behaviour, list, now, changes, pages, pageFaults, rewrite } = context;
  const { query, days, filter, target } = asked;
  const range = dayRange(list, days, now, changes);
  const listKey = `${list.rut}|${list.direction}|${days.from}|${days.to}|${filter?.key}`;
  const defects = pageFaults.next(listKey, query.pageNumber, target);
  const isPlain = defects === undefined && rewrite === undefined;
  const cacheKey = `${list.rut}|${request.address}`;
  const stamp = stampOf(range, days, context);
  const kept = isPlain ? pages.get(cacheKey, stamp) : undefined;
  if (kept !== undefined) return jsonAnswer(200, kept);

  const size = pageSizeOf(query, behaviour);
  const selection = selected({ range, days, query, filter }, context);
  const shown =
    behaviour.resultWindow > 0 ? Math.min(selection.length, behaviour.resultWindow) : selection.length;
  const page = pageOf(query, shown, size, behaviour);
  if (page === undefined) return messageAnswer(404, 'there is no such page');
  const body = render(page, selection, defects, context);
  if (!isPlain) return rewritten(body, request, context, { day: target.day, pageNumber: query.pageNumber });
  const bytes = Buffer.from(body);
  pages.set(cacheKey, stamp, bytes);
  return jsonAnswer(200, bytes);
}

function rewritten(
  body: string,
  { endpoint, address }: SandboxRequest,
  { list: { rut, direction }, rewrite }: EndpointContext,
  { day, pageNumber, id }: Partial<RewrittenRequest>,
): Answer {
  const asked = { kind: endpoint, rut, direction, day, pageNumber, id, address };
  return jsonAnswer(200, rewrite === undefined ? body : rewrite(body, asked));
}

function render(
  page: Page,
  selection: Selection,
  defects: PageDefects | undefined,
  { behaviour }: EndpointContext,
): string {
  const rows: string[] = [];
  const end = page.start + rowsLeft(defects, page.end - page.start);
  for (let k = page.start; k < end; k++) {
    const place = behaviour.unstableTies ? unstablePosition(k, selection.length, page.size) : k;
    const receipt = selection.receiptAt(place);
    const isFirst = k === page.start;
    const row = rowOf(isFirst && defects?.isForeign ? misaddressed(receipt) : receipt, behaviour);
    rows.push(isFirst && defects?.lacksId ? withoutId(row) : row);
  }
  return envelope(rows, page.saidNumber, page.saidSize(rows.length));
}

/**
 * The position in the stable order of the k-th row of an unstable one: a permutation that depends on the page size, so
 * that pages of different sizes don't fit together.
 */
function unstablePosition(k: number, length: number, pageSize: number): number {
  let step = 1 + (mix(pageSize, 91) % length);
  while (greatestCommonDivisor(step, length) !== 1) step++;
  return (k * step + pageSize) % length;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

/** A rendered page's cache stamp: besides its address it depends on the rows, and on the time while statuses change. */
function stampOf(range: DayRange, days: { to: number }, { behaviour, now }: EndpointContext): string {
  const isSettled = now > nothingMovesAfter(days.to, behaviour.statusFlipDays);
  return `${range.fingerprint}/${isSettled ? '' : now}`;
}

const ROWS_PER_CHUNK = 500;

/** A legacy list (the contract, §4.6), unpaged. Throws a ParameterError for an invalid parameter. */
export function answerLegacy(request: SandboxRequest, context: EndpointContext): Answer {
  const { list, now, changes, rewrite } = context;
  const { query, days, filter, target } = understood(request, context);
  const failure = rangeFailure(days, context);
  if (failure !== undefined) return failure;
  const range = dayRange(list, days, now, changes);
  const selection = selected({ range, days, query, filter }, context);
  const chunks = chunksOf(selection, context);
  if (rewrite === undefined) return { kind: 'stream', chunks };
  return rewritten([...chunks].join(''), request, context, { day: target.day });
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

const INT64_MAX = 2n ** 63n - 1n;

/** One receipt (the contract, §4.2 and §4.4). Throws a ParameterError for an id that is not an Int64. */
export function answerDetail(
  request: SandboxRequest,
  context: EndpointContext,
  companyPosition: number,
): Answer {
  const id = /^\d{1,19}$/.test(request.id ?? '') ? BigInt(request.id ?? '') : -1n;
  if (id < 0n || id > INT64_MAX) throw new ParameterError('the id must be a 64-bit integer');
  const receipt = receiptById(id, context, companyPosition);
  if (receipt === undefined) return messageAnswer(404, 'there is no such receipt');
  return rewritten(detail(receipt, context.list.numbering), request, context, { day: receipt.day, id });
}

/** Undefined for a receipt that has not appeared yet, was removed, or is another company's. */
function receiptById(
  id: bigint,
  { list, now, changes }: EndpointContext,
  companyPosition: number,
): SandboxReceipt | undefined {
  const place = placeOf(id);
  if (place === undefined || place.companyPosition !== companyPosition) return undefined;
  if (place.isIssued !== (list.direction === 'emitidos')) return undefined;
  const range = dayRange(list, { from: place.day, to: place.day }, now, changes);
  const offset = range.offsetOf(place.day, place.index);
  return offset === undefined ? undefined : range.receiptAt(offset);
}
