import { DIRECTIONS, type Direction } from '../lib/api/directions.ts';
import { CfeLakeError } from '../lib/errors.ts';
import { repeated } from '../lib/text/typed-words.ts';
import { dayNumber } from './generator/calendar.ts';
import type { SandboxCompany } from './generator/parties.ts';
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

/** Whether the target covers the request. */
export function isTargeted(target: Target, request: Target): boolean {
  return (
    (target.rut === undefined || target.rut === request.rut) &&
    (target.direction === undefined || target.direction === request.direction) &&
    (target.day === undefined || target.day === request.day)
  );
}

interface Switch<Value> {
  standing: Value;
  /** The value's placeholder in the help. */
  value: string;
  help: string;
  /** Undefined for a text that it does not accept. */
  read(given: string): Value | undefined;
}

function whole(standing: number, least: number, help: string): Switch<number> {
  const read = (given: string) =>
    /^\d{1,9}$/.test(given) && Number(given) >= least ? Number(given) : undefined;
  return { standing, value: 'N', help, read };
}

function amount(help: string): Switch<number> {
  const read = (given: string) => (/^\d+(\.\d+)?$/.test(given) ? Number(given) : undefined);
  return { standing: 0, value: 'N', help, read };
}

function every(what: string): Switch<number> {
  return whole(0, 0, `every N-th request ${what}; 1: each`);
}

function on(help: string): Switch<boolean> {
  const read = (given: string) => (given === 'on' ? true : given === 'off' ? false : undefined);
  return { standing: true, value: 'on|off', help, read };
}

function choice<const Value extends string>(
  values: readonly [Value, ...Value[]],
  help: string,
  standing: NoInfer<Value> = values[0],
): Switch<Value> {
  const read = (given: string) => values.find((value) => value === given);
  return { standing, value: values.join('|'), help, read };
}

function pageFault(help: string): Switch<PageFault | null> {
  const read = (given: string): PageFault | undefined => {
    const [, page, when = 'once'] = /^([1-9]\d{0,6})(?::(once|always))?$/.exec(given) ?? [];
    return page === undefined ? undefined : { page: Number(page), when: when === 'once' ? when : 'always' };
  };
  return { standing: null, value: 'PAGE[:once|:always]', help, read };
}

function rowChange(help: string): Switch<RowChange | null> {
  const read = (given: string): RowChange | undefined => {
    const [, after, count, place] = /^(\d{1,6}):(\d{1,6}):(\w+)$/.exec(given) ?? [];
    const position = (['start', 'middle', 'end'] as const).find((known) => known === place);
    if (position === undefined) return undefined;
    return { afterListRequests: Number(after), count: Number(count), position };
  };
  return { standing: null, value: 'REQUESTS:COUNT:start|middle|end', help, read };
}

function target<Standing extends Target | null>(standing: Standing, help: string): Switch<Standing | Target> {
  return { standing, value: 'RUT|*:recibidos|emitidos|*:DAY|*', help, read: targetOf };
}

/** `214844360018:recibidos:2026-11-19`, with `*` for any. */
function targetOf(given: string): Target | undefined {
  const [rut, side, day, ...rest] = given.split(':');
  const direction = DIRECTIONS.find((known) => known === side);
  const isRut = rut === '*' || /^\d{12}$/.test(rut ?? '');
  const isDay = day === '*' || dayNumber(day ?? '') !== undefined;
  if (!isRut || !isDay || rest.length > 0 || (direction === undefined && side !== '*')) return undefined;
  return { rut: rut === '*' ? undefined : rut, direction, day: day === '*' ? undefined : day };
}

/**
 * How the sandbox behaves where the contract is silent, and which faults it has. Every key is also an option of the
 * command line, named after it. Counters start with the sandbox, and again with each change of behaviour. "Every n-th"
 * faults: 0 is never, 1 always; from 2 on, a retry of the same request succeeds.
 */
const SWITCHES = {
  // Paging, where the contract is silent.
  pageCap: whole(100, 1, 'largest page given (100)'),
  pageSizeIgnored: whole(0, 0, 'rows per page whatever is asked for; 0: as asked'),
  upperBound: choice(['inclusive', 'exclusive'], "whether FechaHasta's day is in the list"),
  pastEnd: choice(['empty', 'repeat', '404'], 'a page past the end is empty, the last one again, or 404'),
  order: choice(['id', 'id-desc', 'signature-desc', 'shuffled'], 'order of the lists'),
  pageParameterIgnored: choice(
    ['no', 'echo', 'one'],
    'always page 1; page_number says the number asked, or 1',
  ),

  // How the data moves with the clock.
  /** Some received receipts arrive up to 6 days after their issue day, a few up to 5 days before it. Off: all on it. */
  lateArrivals: on('received receipts arrive up to 6 days late (on)'),
  statusFlips: on('statuses change as days pass (on)'),

  // Faults of lists. `truth()` knows only of removed and inserted rows.
  /** Confines page faults, every-n-th faults and row changes. */
  faultTarget: target<Target>({}, 'confines the faults below to these lists'),
  emptyPage: pageFault('this page of every list is empty'),
  shortPage: pageFault('this page of every list lacks half of its rows'),
  removeRows: rowChange('rows vanish from a day after this many list requests'),
  insertRows: rowChange('rows appear in a day after this many list requests'),

  // Faults of any request: every n-th.
  tooManyRequestsEvery: every('answers 429'),
  serverErrorEvery: every('answers 500'),
  badGatewayEvery: every('answers 502 with HTML'),
  htmlEvery: every('answers 200 with HTML'),
  truncatedEvery: every('answers with JSON that is cut off'),
  resetEvery: every('resets the connection'),
  hangEvery: every('never answers'),
  redirectEvery: every('answers 302'),
  retryAfter: choice(['none', 'seconds', 'date'], 'how a 429 says when to retry', 'seconds'),
  retryAfterSeconds: whole(1, 0, 'seconds that a 429 asks to wait (1)'),

  // Limits and latency.
  /** Requests a second of all companies, as a token bucket that holds one second's worth; more get 429. */
  rateLimit: amount('requests a second; more are 429; 0: no limit'),
  latencyMs: amount('milliseconds before every answer'),

  // Faults of a company or a range.
  /** After this many accepted requests of a company, its token is renewed and the old one answers 401. 0: never. */
  rotateTokenAfter: whole(0, 0, "a company's token is renewed after this many requests; 0: never"),
  unauthorizedRut: { standing: '', value: 'RUT', help: 'this company always gets 401', read: String },
  failingDay: target(null, 'lists that include this day answer 500'),
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

/** The options of the command line, each of which sets one key of the behaviour. */
export const SANDBOX_SWITCHES = Object.entries<Switch<unknown>>(SWITCHES).map(([key, known]) => ({
  ...known,
  key,
  /** Without the dashes. */
  flag: key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
}));

/** An option was given a value that it does not accept. */
export class SandboxSwitchError extends CfeLakeError {
  override readonly name = 'SandboxSwitchError';
}

/**
 * The behaviour that parsed options ask for. Other options are ignored. Throws a SandboxSwitchError, one line that says
 * what to write.
 */
export function behaviourFromSwitches(values: Readonly<Record<string, unknown>>): Partial<SandboxBehaviour> {
  const parts = SANDBOX_SWITCHES.flatMap(({ key, flag, value, read }) => {
    const given = values[flag];
    if (typeof given !== 'string') return [];
    const parsed = read(given);
    if (parsed !== undefined) return [{ [key]: parsed }];
    const shown = given.split(':').map(repeated).join(':');
    throw new SandboxSwitchError(`--${flag} ${shown}: write ${value}`);
  });
  return Object.assign({}, ...parts);
}

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
  /** Changes a 200's JSON body before it is sent; for tests that need an answer that no switch gives. */
  rewrite?: Rewrite;
  /** Whether a rare amount has 17 digits. */
  longAmounts?: boolean;
  /** One number in this many is missing from issued series. Default 0: none. */
  numberingGaps?: number;
  /** Days after a receipt's arrival within which a verdict may still be reversed. Default 60. */
  statusFlipDays?: number;
  /** Milliseconds of the clock that Retry-After dates count from. Default Date.now. */
  wallClockMs?: () => number;
  /** Milliseconds of the clock that fills the rate limit's bucket. Default performance.now. */
  monotonicMs?: () => number;
  /** Delays an answer, for simulated latency. Default setTimeout. */
  delay?: (send: () => void, ms: number) => void;
}

export type Rewrite = (body: string, request: RewrittenRequest) => string;

export interface RewrittenRequest {
  kind: EndpointKind;
  rut: string;
  direction: Direction;
  /** Path and query as sent. */
  address: string;
}
