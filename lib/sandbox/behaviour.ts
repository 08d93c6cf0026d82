import type { Direction } from '../api/directions.ts';
import type { SandboxCompany } from './companies.ts';
import type { LongIds } from './generator/numbering.ts';
import type { ReceiptsPerDay } from './generator/volume.ts';
import type { EndpointKind } from './lists/query.ts';

/** A fault of one page of every list: the first time that it is asked for, or always. */
export interface PageFault {
  page: number;
  when: 'once' | 'always';
}

/**
 * Rows that vanish from, or appear in, a day's list while it is read: after this many list requests of the same
 * company and direction with that day as FechaDesde.
 */
export interface RowChange {
  afterListRequests: number;
  count: number;
  /** Position in the list as served with the order `id` or `id-desc`; for other orders, by id. */
  position: 'start' | 'middle' | 'end';
}

/** The requests that a fault is confined to. An absent part stands for all. */
export interface Target {
  rut?: string;
  direction?: Direction;
  /** FechaDesde of a list request, `YYYY-MM-DD`; a detail request has none. */
  day?: string;
}

/**
 * How the sandbox behaves where the contract is silent, and which faults it has. Every key is also an option of the
 * command line (switches.ts). Counters start with the sandbox, and again with each change of behaviour. "Every n-th"
 * faults: 0 is never, 1 always; from 2 on, a retry of the same request succeeds.
 */
export interface SandboxBehaviour {
  // Paging, where the contract is silent.
  /** The largest page. `overCap` decides what happens to a larger page_size. */
  pageCap: number;
  overCap: 'clamp' | 'error';
  /** Rows per page if the request names no size. */
  defaultPageSize: number;
  /** Rows per page whatever the request asks for; 0: as asked. */
  pageSizeIgnored: number;
  /** The response's `page_size`: the number of rows in the page, or the size asked for. */
  pageSizeEcho: 'count' | 'requested';
  /** Whether FechaHasta's day belongs to a v2 list. The legacy lists always include it. */
  upperBound: 'inclusive' | 'exclusive';
  /** Whether a signature at FechaFirmaHasta belongs to the list. */
  signatureUpperBound: 'inclusive' | 'exclusive';
  /** A page after the last one: empty, the last page's rows again, or 404. */
  pastEnd: 'empty' | 'repeat' | '404';
  order: 'id' | 'id-desc' | 'signature-desc' | 'shuffled';
  /** Every page is the first one. The response's `page_number` is the one asked for (`echo`) or 1 (`one`). */
  pageParameterIgnored: 'no' | 'echo' | 'one';
  /** The order depends on the page size, as if a database sorted by a column that many rows share. */
  unstableTies: boolean;
  /** A query parameter that the contract doesn't name: 400, or ignored. */
  unknownParameter: 'error' | 'ignore';
  /** How far back a list without FechaDesde goes, in days. Without FechaHasta it goes 60 days ahead. */
  openWindowDays: number;
  /** A legacy list's body: a bare array, or an object with this field. */
  legacyShape: 'array' | 'comprobantes' | 'items';

  // How the data moves with the clock.
  /** Some received receipts arrive up to 6 days after their issue day, a few up to 5 days before it. Off: all on it. */
  lateArrivals: boolean;
  /** Statuses change as time passes. Off: every receipt has its last status from the start. */
  statusFlips: boolean;
  /** Days after its arrival within which a verdict may still be reversed. */
  statusFlipDays: number;

  // Faults of lists. `truth()` knows only of removed and inserted rows.
  /** Confines page faults, every-n-th faults, odd values and row changes. */
  faultTarget: Target;
  /** The page has no rows. */
  emptyPage: PageFault | null;
  /** The page has only the first half of its rows; the others are in no page. */
  shortPage: PageFault | null;
  /** The page's first row has no id. */
  idsMissing: PageFault | null;
  /** The recipient of a received page's first row is another company. */
  foreignRecipient: PageFault | null;
  removeRows: RowChange | null;
  insertRows: RowChange | null;
  /**
   * Every seventh row by index has a value that doesn't fit the contract or its column (render/summary.ts). If this is
   * on from the sandbox's start, rare amounts have 17 digits too.
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
   * The widest list that is answered in full, in days, legacy lists included. `overRange` decides what happens to a
   * wider one. 0: no limit.
   */
  maxRangeDays: number;
  /** A wider list is refused, has no rows, or only those of its last or first days. */
  overRange: '500' | '400' | 'empty' | 'last' | 'first';
  /**
   * A v2 list's rows beyond this number are not shown; a legacy list, which has no pages, has them all. 0: no limit.
   */
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

/** Whether the target covers the request. */
export function isTargeted(target: Target, request: Target): boolean {
  return (
    (target.rut === undefined || target.rut === request.rut) &&
    (target.direction === undefined || target.direction === request.direction) &&
    (target.day === undefined || target.day === request.day)
  );
}

/** The request whose body may be rewritten; for tests that need an answer that no switch gives. */
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

export interface SandboxOptions {
  /**
   * Default: the first `companyCount` (4) of `sandboxCompanies()`. A company's position is part of its receipts' ids.
   */
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
  /** Changes a 200's JSON body before it is sent. With it, no page is cached. */
  rewrite?: Rewrite;
  /** Which companies' ids lie beyond 2^53. Default `some`: every second company. */
  longIds?: LongIds;
  /** Whether a rare amount has 17 digits. Default: as `behaviour.oddValues` is at the start. */
  longAmounts?: boolean;
  /** One number in this many is missing from issued series. Default 0: none. */
  numberingGaps?: number;
  /** Milliseconds of the clock that Retry-After dates count from. Default Date.now. */
  wallClockMs?: () => number;
  /** Milliseconds of the clock that fills the rate limit's bucket. Default performance.now. */
  monotonicMs?: () => number;
  /** Delays an answer, for simulated latency. Default setTimeout. */
  delay?: (send: () => void, ms: number) => void;
}
