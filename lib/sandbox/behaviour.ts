import type { Direction } from '../api/directions.ts';
import type { SandboxCompany } from './companies.ts';
import type { LongIds } from './generator/numbering.ts';
import type { ReceiptsPerDay } from './generator/volume.ts';
import type { EndpointKind } from './lists/query.ts';

/** Page faults happen on the page with this number, in every list: the first time it is asked, or always. */
export interface PageFault {
  page: number;
  when: 'once' | 'always';
}

/**
 * Rows that vanish from, or appear in, a day's list while it is read: after so many list requests whose
 * FechaDesde is that day (of one company and direction).
 */
export interface RowChange {
  afterListRequests: number;
  count: number;
  /** Where in the list as it is served by `id` or `id-desc`; for other orders, where by id. */
  position: 'start' | 'middle' | 'end';
}

/** What a fault is confined to; a part left out stands for all. */
export interface Target {
  rut?: string;
  direction?: Direction;
  /** The FechaDesde asked for, `YYYY-MM-DD`; a detail request has none. */
  day?: string;
}

/**
 * How the sandbox behaves where the contract is silent, and which faults it has. Every key is a switch of
 * the command line as well (switches.ts). Counters count from the sandbox's start or its last change of
 * behaviour. "Every n-th" faults: 0 never, 1 always; from 2 on the same request tried again succeeds.
 */
export interface SandboxBehaviour {
  // Paging, where the contract is silent.
  /** Largest page given; more is what `overCap` says. */
  pageCap: number;
  overCap: 'clamp' | 'error';
  /** Rows per page when the request names no size. */
  defaultPageSize: number;
  /** Rows per page whatever the request asks for; 0: as asked. */
  pageSizeIgnored: number;
  /** What `page_size` says: the rows in the page, or the size asked for. */
  pageSizeEcho: 'count' | 'requested';
  /** Whether FechaHasta's day belongs to a v2 list. The legacy lists always include it. */
  upperBound: 'inclusive' | 'exclusive';
  /** Whether a signature at FechaFirmaHasta belongs to the list. */
  signatureUpperBound: 'inclusive' | 'exclusive';
  /** What a page after the last one holds: nothing, the last page's rows again, or 404. */
  pastEnd: 'empty' | 'repeat' | '404';
  order: 'id' | 'id-desc' | 'signature-desc' | 'shuffled';
  /** Every page is the first one; `page_number` says the number asked for (`echo`) or 1 (`one`). */
  pageParameterIgnored: 'no' | 'echo' | 'one';
  /** The order depends on the page size, as when a database sorts by something that many rows share. */
  unstableTies: boolean;
  /** A query parameter that the contract doesn't name: 400, or no notice. */
  unknownParameter: 'error' | 'ignore';
  /** How far back a list without FechaDesde goes, in days. Without FechaHasta it goes 60 days ahead. */
  openWindowDays: number;
  /** A legacy list's answer: a bare array, or an object with this field. */
  legacyShape: 'array' | 'comprobantes' | 'items';

  // How the data moves with the clock.
  /** Received receipts arrive up to 6 days after their issue day, a few up to 5 days before; else on it. */
  lateArrivals: boolean;
  /** Statuses change as time passes; else every receipt has its last one from the start. */
  statusFlips: boolean;
  /** Days after its arrival within which a verdict may still be reversed. */
  statusFlipDays: number;

  // Faults of lists. `truth()` doesn't know of any but removed and inserted rows.
  /** What page and every-n-th faults, odd values and row changes are confined to. */
  faultTarget: Target;
  /** The page has no rows. */
  emptyPage: PageFault | null;
  /** The page has only the first half of its rows; the others are nowhere. */
  shortPage: PageFault | null;
  /** The page's first row has no id. */
  idsMissing: PageFault | null;
  /** The recipient of a received page's first row is another company. */
  foreignRecipient: PageFault | null;
  removeRows: RowChange | null;
  insertRows: RowChange | null;
  /**
   * Every seventh row by index has a value that doesn't fit the contract or its column (render/summary.ts). On from the
   * sandbox's start, rare amounts have 17 digits too.
   */
  oddValues: boolean;

  // Faults of any request: every n-th.
  tooManyRequestsEvery: number;
  serverErrorEvery: number;
  /** 502 with an HTML body. */
  badGatewayEvery: number;
  /** 200 with an HTML body. */
  htmlEvery: number;
  /** 200 with a JSON body that is cut off. */
  truncatedEvery: number;
  /** The connection is reset. */
  resetEvery: number;
  /** Never answers. */
  hangEvery: number;
  /** 302 to `redirectTo`. */
  redirectEvery: number;
  redirectTo: string;
  /** How a 429 says when to retry. */
  retryAfter: 'none' | 'seconds' | 'date';
  retryAfterSeconds: number;

  // Limits and latency.
  /** Requests a second, as a token bucket that holds one second's worth; more get 429. 0: no limit. */
  rateLimit: number;
  rateLimitScope: 'all' | 'company';
  /** Delay of every answer. */
  latencyMs: number;
  /** Further delay of a list page, for each page number. */
  latencyPerPageMs: number;

  // Faults of a company or a range.
  /** After this many accepted requests of a company, its token is renewed and the old one answers 401. 0: never. */
  rotateTokenAfter: number;
  /** This company's requests are all answered 401; '': none. */
  unauthorizedRut: string;
  /** Lists that include this company, direction and day answer 500, always. */
  failingDay: Target | null;
  /**
   * The widest list that is answered as it is asked, in days that it covers, legacy lists as well; what becomes of a
   * wider one is `overRange`. 0: no limit.
   */
  maxRangeDays: number;
  /** A wider list is refused, has no rows, or those of its last or first days only. */
  overRange: '500' | '400' | 'empty' | 'last' | 'first';
  /** A v2 list's rows beyond this number are not shown; a legacy list, which has no pages, has them all. 0: no limit. */
  resultWindow: number;
}

export const DEFAULT_BEHAVIOUR: Readonly<SandboxBehaviour> = {
  pageCap: 100,
  overCap: 'clamp',
  defaultPageSize: 20,
  pageSizeIgnored: 0,
  pageSizeEcho: 'count',
  upperBound: 'inclusive',
  signatureUpperBound: 'inclusive',
  pastEnd: 'empty',
  order: 'id',
  pageParameterIgnored: 'no',
  unstableTies: false,
  unknownParameter: 'error',
  openWindowDays: 90,
  legacyShape: 'array',
  lateArrivals: true,
  statusFlips: true,
  statusFlipDays: 60,
  faultTarget: {},
  emptyPage: null,
  shortPage: null,
  idsMissing: null,
  foreignRecipient: null,
  removeRows: null,
  insertRows: null,
  oddValues: false,
  tooManyRequestsEvery: 0,
  serverErrorEvery: 0,
  badGatewayEvery: 0,
  htmlEvery: 0,
  truncatedEvery: 0,
  resetEvery: 0,
  hangEvery: 0,
  redirectEvery: 0,
  redirectTo: 'https://elsewhere.invalid/',
  retryAfter: 'seconds',
  retryAfterSeconds: 1,
  rateLimit: 0,
  rateLimitScope: 'all',
  latencyMs: 0,
  latencyPerPageMs: 0,
  rotateTokenAfter: 0,
  unauthorizedRut: '',
  failingDay: null,
  maxRangeDays: 0,
  overRange: '500',
  resultWindow: 0,
};

/** Whether a request is among those that a target names. */
export function isTargeted(target: Target, request: Target): boolean {
  return (
    (target.rut === undefined || target.rut === request.rut) &&
    (target.direction === undefined || target.direction === request.direction) &&
    (target.day === undefined || target.day === request.day)
  );
}

/** What a body that is about to be sent answers; for tests that send what no switch does. */
export interface RewrittenRequest {
  kind: EndpointKind;
  rut: string;
  direction: Direction;
  /** FechaDesde, `YYYY-MM-DD`, of a list that has one. */
  day: string | undefined;
  pageNumber: number | undefined;
  id: bigint | undefined;
  /** Path and query as sent. */
  address: string;
}

export type Rewrite = (body: string, request: RewrittenRequest) => string;

/** What a sandbox is made from; nothing is required. */
export interface SandboxOptions {
  /** Default: the first `companyCount` (4) of `sandboxCompanies()`. A company's place is part of its receipts' ids. */
  companies?: readonly SandboxCompany[];
  companyCount?: number;
  /** The same seed gives the same receipts. Default 1. */
  seed?: number | string;
  /** A number: exactly this many every day for each company and direction. Default: realistic, see volume.ts. */
  receiptsPerDay?: ReceiptsPerDay;
  /** The sandbox's clock, as local date-time or a function that gives one. Default: now in America/Montevideo. */
  now?: string | (() => string);
  /** Default 0: any free port. */
  port?: number;
  behaviour?: Partial<SandboxBehaviour>;
  /** Changes a 200's JSON body before it is sent; pages are then rendered anew every time. */
  rewrite?: Rewrite;
  /** Which companies' ids lie beyond 2^53. Default `some`: every second company. */
  longIds?: LongIds;
  /** Whether a rare amount has 17 digits. Default: as `behaviour.oddValues` is at the start. */
  longAmounts?: boolean;
  /** One number in this many is missing from issued series. Default 0: none. */
  numberingGaps?: number;
  /** Memory for rendered pages. Default 64 MiB. */
  pageCacheBytes?: number;
  /** Milliseconds of the clock that Retry-After dates count from. Default Date.now. */
  wallClockMs?: () => number;
  /** Milliseconds of the clock that fills the rate limit's bucket. Default performance.now. */
  monotonicMs?: () => number;
  /** How an answer is held back for simulated latency. Default setTimeout. */
  delay?: (send: () => void, ms: number) => void;
}
