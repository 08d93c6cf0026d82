import type { Direction } from '../lib/api/directions.ts';
import { repeated } from '../lib/text/typed-words.ts';
import type { SandboxCompany } from './generator/parties.ts';
import type { ReceiptsPerDay } from './generator/volume.ts';
import type { EndpointKind } from './lists/query.ts';
import {
  amount,
  choice,
  every,
  on,
  pageFault,
  rowChange,
  SandboxSwitchError,
  type Switch,
  type Target,
  target,
  targetOrNone,
  text,
  whole,
  yes,
} from './switches.ts';

/**
 * How the sandbox behaves where the contract is silent, and which faults it has. Every key is also an option of the
 * command line, named after it. Counters start with the sandbox, and again with each change of behaviour. "Every n-th"
 * faults: 0 is never, 1 always; from 2 on, a retry of the same request succeeds.
 */
const SWITCHES = {
  // Paging, where the contract is silent.
  pageCap: whole(100, 1, 'largest page given (100)'),
  overCap: choice(['clamp', 'error'], 'a page size over the cap is silently reduced, or gets 400'),
  defaultPageSize: whole(20, 1, 'rows per page when none are asked for (20)'),
  pageSizeIgnored: whole(0, 0, 'rows per page whatever is asked for; 0: as asked'),
  pageSizeEcho: choice(['count', 'requested'], 'page_size says the rows in the page, or those asked for'),
  upperBound: choice(['inclusive', 'exclusive'], "whether FechaHasta's day is in the list"),
  legacyUpperBound: choice(['inclusive', 'exclusive'], "whether FechaHasta's day is in a legacy list"),
  signatureUpperBound: choice(['inclusive', 'exclusive'], 'whether FechaFirmaHasta itself is in the list'),
  pastEnd: choice(['empty', 'repeat', '404'], 'a page past the end is empty, the last one again, or 404'),
  order: choice(['id', 'id-desc', 'signature-desc', 'shuffled'], 'order of the lists'),
  pageParameterIgnored: choice(
    ['no', 'echo', 'one'],
    'always page 1; page_number says the number asked, or 1',
  ),
  /** The order depends on the page size, as if a database sorted by a column that many rows share. */
  unstableTies: yes('the order differs with the page size'),
  unknownParameter: choice(['error', 'ignore'], 'an unknown parameter gets 400, or is ignored'),
  openWindowDays: whole(90, 0, 'days that a list without FechaDesde goes back (90)'),
  legacyShape: choice(
    ['array', 'comprobantes', 'items'],
    'a legacy list is an array, or an object with this field',
  ),

  // How the data moves with the clock.
  /** Some received receipts arrive up to 6 days after their issue day, a few up to 5 days before it. Off: all on it. */
  lateArrivals: on('received receipts arrive up to 6 days late (on)'),
  statusFlips: on('statuses change as days pass (on)'),
  statusFlipDays: whole(60, 1, 'days within which a verdict may still be reversed (60)'),

  // Faults of lists. `truth()` knows only of removed and inserted rows.
  /** Confines page faults, every-n-th faults, odd values and row changes. */
  faultTarget: target('confines the faults below to these lists'),
  emptyPage: pageFault('this page of every list is empty'),
  shortPage: pageFault('this page of every list lacks half of its rows'),
  idsMissing: pageFault("this page's first row has no id"),
  foreignRecipient: pageFault("this page's first received row is another company's"),
  removeRows: rowChange('rows vanish from a day after this many list requests'),
  insertRows: rowChange('rows appear in a day after this many list requests'),
  /**
   * Every seventh row by index has a value that doesn't fit the contract or its column (render/summary.ts). If this is
   * on from the sandbox's start, rare amounts have 17 digits too.
   */
  oddValues: yes(
    'every seventh row has a value that fits no column, or unknown fields; rare amounts have 17 digits',
  ),

  // Faults of any request: every n-th.
  tooManyRequestsEvery: every('answers 429'),
  serverErrorEvery: every('answers 500'),
  badGatewayEvery: every('answers 502 with HTML'),
  htmlEvery: every('answers 200 with HTML'),
  truncatedEvery: every('answers with JSON that is cut off'),
  resetEvery: every('resets the connection'),
  hangEvery: every('never answers'),
  redirectEvery: every('answers 302'),
  redirectTo: text('https://elsewhere.invalid/', 'URL', 'where 302 points to'),
  retryAfter: choice(['none', 'seconds', 'date'], 'how a 429 says when to retry', 'seconds'),
  retryAfterSeconds: whole(1, 0, 'seconds that a 429 asks to wait (1)'),

  // Limits and latency.
  /** Requests a second, as a token bucket that holds one second's worth; more get 429. 0: no limit. */
  rateLimit: amount('requests a second; more are 429; 0: no limit'),
  rateLimitScope: choice(['all', 'company'], 'whether companies share the limit'),
  latencyMs: amount('milliseconds before every answer'),
  latencyPerPageMs: amount('additional milliseconds for each page number'),

  // Faults of a company or a range.
  /** After this many accepted requests of a company, its token is renewed and the old one answers 401. 0: never. */
  rotateTokenAfter: whole(0, 0, "a company's token is renewed after this many requests; 0: never"),
  unauthorizedRut: text('', 'RUT', 'this company always gets 401'),
  failingDay: targetOrNone('lists that include this day answer 500'),
  /** For legacy lists too. */
  maxRangeDays: whole(0, 0, 'the widest list in days; 0: no limit'),
  overRange: choice(
    ['500', '400', 'empty', 'last', 'first'],
    'a wider list answers 500 or 400, is empty, or has its last or first days only',
  ),
  /** For v2 lists: a legacy list, which has no pages, has all its rows. */
  resultWindow: whole(0, 0, 'rows of a list that are shown; 0: all'),
};

export type SandboxBehaviour = {
  -readonly [Key in keyof typeof SWITCHES]: (typeof SWITCHES)[Key] extends Switch<infer Value>
    ? Value
    : never;
};

export const DEFAULT_BEHAVIOUR: Readonly<SandboxBehaviour> = Object.assign(
  {},
  ...Object.entries(SWITCHES).map(([key, { standing }]) => ({ [key]: standing })),
);

/** An option of the command line that sets one key of the behaviour. */
export const SANDBOX_SWITCHES = Object.entries<Switch<unknown>>(SWITCHES).map(
  ([key, { value, help, read }]) => {
    const flag = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return {
      key,
      /** Without the dashes. */
      flag,
      value,
      help,
      /** The part of the behaviour that the value sets. Throws a SandboxSwitchError that says what to write. */
      read: (given: string): Partial<SandboxBehaviour> => {
        const parsed = read(given);
        if (parsed === undefined) {
          const shown = given.split(':').map(repeated).join(':');
          throw new SandboxSwitchError(`--${flag} ${shown}: write ${value}`);
        }
        return { [key]: parsed };
      },
    };
  },
);

/**
 * The behaviour that parsed options ask for. Other options are ignored. Throws a SandboxSwitchError, one line that says
 * what to write.
 */
export function behaviourFromSwitches(values: Readonly<Record<string, unknown>>): Partial<SandboxBehaviour> {
  const parts = SANDBOX_SWITCHES.flatMap(({ flag, read }) => {
    const value = values[flag];
    if (value === undefined || value === false) return [];
    return [read(typeof value === 'string' ? value : '')];
  });
  return Object.assign({}, ...parts);
}

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
