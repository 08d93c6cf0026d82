import type { SandboxBehaviour } from './behaviour.ts';
import type { SandboxCompany } from './companies.ts';
import type { LongIds } from './generator/ids.ts';
import type { ReceiptsPerDay } from './generator/volume.ts';
import type { Rewrite } from './server/context.ts';

/** What a sandbox is made from; nothing is required. */
export interface SandboxOptions {
  /** Default: the first `companyCount` (4) of `sandboxCompanies()`. A company's place is part of its receipts' ids. */
  companies?: readonly SandboxCompany[];
  companyCount?: number;
  /** The same seed gives the same receipts. Default 1. */
  seed?: number | string;
  /** A number: exactly so many every day for each company and direction. Default: realistic, see volume.ts. */
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
  /** One number in so many is missing from issued series. Default 0: none. */
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
