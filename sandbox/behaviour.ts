import type { Direction } from '../lib/units/unit.ts';
import type { Answer, SandboxRequest } from './answer.ts';
import type { ReceiptsPerDay } from './generator/volume.ts';

/** How the sandbox behaves where the contract is silent, and which limits it has. */
export interface SandboxBehaviour {
  /** The largest page given. */
  pageCap: number;
  /** Rows per page whatever is asked for; 0: as asked. */
  pageSizeIgnored: number;
  /** Whether FechaHasta's day is in a v2 list. */
  upperBound: 'inclusive' | 'exclusive';
  /** A page past the end is empty, the last one again, or 404. */
  pastEnd: 'empty' | 'repeat' | '404';
  order: 'id' | 'id-desc' | 'signature-desc' | 'shuffled';
  /** Always page 1; page_number says the number asked, or 1. */
  pageParameterIgnored: 'no' | 'echo' | 'one';
  /** Whether a till's `fecha_emision` states the time of the sale; else it is a date, as that of all others. */
  issueTimes: boolean;
  /** Whether some received receipts arrive up to 6 days after their issue day, a few up to 5 days before it. */
  lateArrivals: boolean;
  /** Whether statuses change as days pass. */
  statusFlips: boolean;
  /** Requests a second of all companies, as a token bucket that holds one second's worth; more get 429. 0: no limit. */
  rateLimit: number;
  /** Time before every answer. */
  latencyMs: number;
  /** The widest list in days, legacy lists included; 0: no limit. */
  maxRangeDays: number;
  /** A wider list answers 500 or 400, is empty, or has its last or first days only. */
  overRange: '500' | '400' | 'empty' | 'last' | 'first';
  /** Rows of a v2 list that are shown; 0: all. */
  resultWindow: number;
  /** How long a token of `/token` lives, in seconds. */
  tokenSeconds: number;
  /** A refresh token comes anew with each token and voids the one before, stays the same, or never comes. */
  refreshTokens: 'anew' | 'same' | 'none';
  /** The status that every login gets, such as a refusal or an outage; 0: none. */
  loginStatus: number;
  /** Answers in place of the sandbox, or changes its answer. */
  intercept: Intercept;
  /** The indexes of a day's list that are not shown now, of those that have `appeared`. */
  hidden(day: ListedDay, appeared: number): readonly Block[];
}

export type Intercept = (request: SandboxRequest, usual: (request: SandboxRequest) => Answer) => Answer;

/** One day of a company's list. */
export interface ListedDay {
  rut: string;
  direction: Direction;
  /** `YYYY-MM-DD`. */
  day: string;
}

/** Indexes [start, end) of a day's list. */
export interface Block {
  start: number;
  end: number;
}

export const DEFAULT_BEHAVIOUR: Readonly<SandboxBehaviour> = {
  pageCap: 100,
  pageSizeIgnored: 0,
  upperBound: 'inclusive',
  pastEnd: 'empty',
  order: 'id',
  pageParameterIgnored: 'no',
  issueTimes: false,
  lateArrivals: true,
  statusFlips: true,
  rateLimit: 0,
  latencyMs: 0,
  maxRangeDays: 0,
  overRange: '500',
  resultWindow: 0,
  tokenSeconds: 43_200,
  refreshTokens: 'anew',
  loginStatus: 0,
  intercept: (request, usual) => usual(request),
  hidden: () => [],
};

export interface SandboxOptions {
  /** Its companies are the first ones of `sandboxCompanies()`. Default 4. */
  companyCount?: number;
  /** The same seed gives the same receipts. Default 1. */
  seed?: number | string;
  /** A number: exactly this many every day for each company and direction. Default: realistic, see volume.ts. */
  receiptsPerDay?: ReceiptsPerDay;
  /** The local date-time at which the sandbox's clock stands. Default: now in America/Montevideo. */
  now?: string;
  /** The clock by which tokens of `/token` end, in milliseconds since the epoch. Default: the system's. */
  tokenClock?: () => number;
  /** Default 0: any free port. */
  port?: number;
  behaviour?: Partial<SandboxBehaviour>;
  /** Whether a rare amount has 17 digits. */
  longAmounts?: boolean;
  /** One number in this many is missing from issued series. Default 0: none. */
  numberingGaps?: number;
  /** Days after a receipt's arrival within which a verdict may still be reversed. Default 60. */
  statusFlipDays?: number;
}
