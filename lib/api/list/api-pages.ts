import * as v from 'valibot';
import { isJsonObject } from '../../text/exact-json.ts';
import { plural } from '../../text/terminal.ts';
import { rangeText } from '../../time/days.ts';
import type { Direction } from '../../units/unit.ts';
import { BodyError } from '../body.ts';
import type { ApiClient } from '../client.ts';
import { readEnvelope } from '../envelope.ts';
import { ApiError, type RequestContext } from '../errors.ts';
import { ENDPOINTS, type FiltersByDirection, toQuery, withPaging } from '../filters.ts';
import { receiptIds } from '../receipt.ts';
import { type ListPage, type PageSource, type PageWindow, type ReadOptions, torn } from './page.ts';

/** The page envelope (contract §2.1). `page_size` is ignored: services differ in what it counts. */
const Envelope = v.object({
  // Checked one by one when their ids are read.
  items: v.custom<readonly unknown[]>(Array.isArray),
  page_number: v.number(),
});

const ENVELOPE_MEMBERS: ReadonlySet<string> = new Set(['items', 'page_number', 'page_size']);

/** A page of 100 summaries is some 50 KB with 6,000 values. Several are held at a time. */
const MAX_PAGE_BODY_BYTES = 4 * 1024 * 1024;
const MAX_PAGE_VALUES = 100_000;

const REPORT =
  'Nothing was replaced. Report it to the provider of the API, or raise the limit (--max-rows, in AWS ' +
  'maxRowsPerList) if there really are so many receipts.';

/** Statuses that, after page 1, can only mean that the page does not exist. */
const PAST_END_STATUSES: ReadonlySet<number> = new Set([400, 404, 416]);
/** Statuses that may refuse a page of one row for its size. */
const SIZE_STATUSES: ReadonlySet<number> = new Set([400, 422]);

/** The ranks of lists are counted from 0. */
const BEHIND_ALL_LISTS = 2 ** 40;

interface ListOptions extends Pick<PageSource, 'signal' | 'isDivisible'> {
  /** Its requests come before those of lists with a higher rank. */
  rank?: number;
}

/** Pages of one company's list from the API (contract §4.1, §4.3). */
export function apiPages<D extends Direction>(
  client: ApiClient,
  direction: D,
  filters: FiltersByDirection[D],
  { signal, rank = 0, isDivisible = false }: ListOptions = {},
): PageSource {
  const { limiter, rut, maxRowsPerList, maxBytesPerList } = client;
  let byteCount = 0;
  // Built once for all pages.
  const filterQuery = toQuery(direction, filters);
  const { FechaDesde: from, FechaHasta: to } = filters;
  const day = from === undefined ? from : rangeText({ from, to: to ?? from });
  const list: RequestContext = { rut, direction, day };

  async function read(window: PageWindow, options: ReadOptions = {}): Promise<ListPage> {
    const { pageNumber, pageSize, start } = window;
    const { ahead, isGlance = false } = options;
    const context = { ...list, pageNumber };
    const page = await client.get<ListPage>({
      path: ENDPOINTS[direction].listPath,
      query: withPaging(direction, filterQuery, window),
      context,
      decode: (body, bytes) => {
        byteCount += bytes;
        if (byteCount > maxBytesPerList) {
          // It would not fit into memory beside others.
          const whatHappened = `the list has more than ${Math.round(maxBytesPerList / 2 ** 20)} MB of rows`;
          throw new ApiError(list, whatHappened, { advice: REPORT });
        }
        return { ...readPage(body, context), byteCount: bytes };
      },
      maxBodyBytes: MAX_PAGE_BODY_BYTES,
      maxBodyValues: MAX_PAGE_VALUES,
      answerForStatus: (status) => {
        const nothing = { pageNumber, items: [], ids: [] };
        if (pageSize === 1 && SIZE_STATUSES.has(status)) return { ...nothing, isRefused: true };
        return pageNumber > 1 && PAST_END_STATUSES.has(status) ? nothing : undefined;
      },
      isContinuation: pageNumber > 1,
      isDivisible: pageNumber === 1 && isDivisible,
      signal: options.signal ?? signal,
      rank: () => (ahead?.isNeeded === false ? BEHIND_ALL_LISTS + rank : rank),
    });
    client.counts.pages += 1;
    if (page.pageNumber !== pageNumber) throw torn(list, window, `came as page ${page.pageNumber}`);
    if (page.items.length > 0 && start >= maxRowsPerList && !isGlance) {
      // It may never end.
      const whatHappened = `the list goes on past ${plural(maxRowsPerList, 'row')}`;
      throw new ApiError(context, whatHappened, { advice: REPORT });
    }
    return page;
  }

  return {
    context: list,
    signal,
    isDivisible,
    maxInFlight: limiter.maxInFlight,
    read,
  };
}

function readPage(body: unknown, context: RequestContext): ListPage {
  // What says that it failed may lack the rest.
  const envelope = isJsonObject(body) ? readEnvelope(body, ENVELOPE_MEMBERS) : undefined;
  if (!v.is(Envelope, body)) throw new BodyError('it is not a page of receipts');
  return { pageNumber: body.page_number, items: body.items, ids: receiptIds(body.items, context), envelope };
}
