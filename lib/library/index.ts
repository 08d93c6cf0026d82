import * as v from 'valibot';
import { assertCertificateChecked, openApiSession } from '../api/access.ts';
import { type ApiClient, companyClient } from '../api/client.ts';
import { ConnectionPool } from '../api/connection-pool.ts';
import type { FiltersByDirection, LegacyFiltersByDirection } from '../api/filters.ts';
import { firstRows, RowsById, unionOf } from '../api/first-rows.ts';
import { apiPages } from '../api/list/api-pages.ts';
import type { PageFacts } from '../api/list/page.ts';
import { readListing } from '../api/list/read-listing.ts';
import { assertOwn } from '../api/receipt.ts';
import { readDetail, readLegacyList } from '../api/unpaged.ts';
import { type Answer, type LakeRow, type LakeValue, objectsOf } from '../query/answer.ts';
import { WrongInputError } from '../system/errors.ts';
import { parseApiAddress } from '../text/api-address.ts';
import type { Period } from '../time/days.ts';
import { assertRut } from '../units/rut.ts';
import type { Direction } from '../units/unit.ts';
import {
  assertInOrder,
  assertKnownMembers,
  CountSchema,
  checked,
  checkedDay,
  DirectionSchema,
  FiltersSchema,
  objectWith,
  receiptId,
  SignalSchema,
  TokenSchema,
  text,
} from './arguments.ts';
import type { ExportDaysOptions, ExportedDays } from './export-days.ts';
import type { Details, Summaries } from './receipts.ts';

/** The exports of `import … from 'cfe-lake'`; all else is internal. docs/library.md shows their use. */

export {
  ApiError,
  HttpStatusError,
  NoAnswerError,
  type RequestContext,
  UnauthorizedError,
} from '../api/errors.ts';
export type {
  IssuedFilters,
  LegacyIssuedFilters,
  LegacyReceivedFilters,
  ReceivedFilters,
} from '../api/filters.ts';
export { InvalidFilterError } from '../api/filters.ts';
export type { AnswerColumn, LakeRow, LakeValue } from '../query/answer.ts';
export { CfeLakeError } from '../system/errors.ts';
export { ExactNumber, parseExactJson } from '../text/exact-json.ts';
export type { Direction, UnitResult } from '../units/unit.ts';
export { InvalidDayError, WrongArgumentError } from './arguments.ts';
export type { ExportDaysOptions, ExportedDays } from './export-days.ts';
export type * from './receipts.ts';

const EXPORT_MEMBERS = {
  api: true,
  companies: true,
  lake: true,
  from: true,
  to: true,
  directions: true,
  details: true,
  signal: true,
  onProgress: true,
  onRefreshToken: true,
} as const;

/**
 * Exports days of companies into a lake, as `cfe-lake export` does, and publishes them. Waits up to ten minutes while
 * another program writes the folder. A unit that fails is a result with an error. Throws when nothing could be begun, the
 * signal's reason, AuditNotWrittenError, and RefreshTokenNotStoredError in place of either; docs/library.md names the errors.
 * None holds a token.
 */
export async function exportDays(options: ExportDaysOptions): Promise<ExportedDays> {
  checked('options', objectWith('an object with api, companies, lake, from and to'), options);
  assertKnownMembers('options', options, EXPORT_MEMBERS);
  return await (await import('./export-days.ts')).exportDays(options);
}

/** An answer. Every value is text; amounts and ids have all their digits. */
export interface LakeAnswer extends Answer {
  /** Which of the days asked for lag behind what was exported; undefined if none does. */
  lagNote: string | undefined;
}

/** First and last partition to read, `YYYY-MM-DD`, both included. A missing bound is open. */
export interface PartitionRange {
  from?: string;
  to?: string;
}

/**
 * Reads a lake: a folder, or `s3://bucket/prefix` with the credentials and region of the environment. Its tables have
 * the same names as in Athena; docs/athena.md describes every column. It never changes anything. Close it after use.
 */
export class LakeReader {
  readonly address: string;
  private readonly closing = new AbortController();
  private readonly questions = new Set<Promise<unknown>>();

  constructor(address: string) {
    checked('address', text("text: a folder, or 's3://bucket/prefix'"), address);
    this.address = address;
  }

  /**
   * Answers a question in SQL with DuckDB, over the days from `from` to `to` (`YYYY-MM-DD`, both included) if given.
   * The days that it needs of a bucket are first copied into this user's cache, where they stay. Throws the errors that
   * `cfe-lake query` shows, such as QueryError, QuestionRefusedError and LakeMissingError, and an InvalidDayError for a
   * bound that is not a day, or bounds that are not in order. Throws WrongInputError once the reader is closed.
   */
  async query(sql: string, range: PartitionRange = {}): Promise<LakeAnswer> {
    checked('question', text('text, in SQL'), sql);
    checked('days', objectWith("an object, such as { from: '2026-11-01', to: '2026-11-30' }"), range);
    const days: Period = {};
    assertKnownMembers('days', range, { from: true, to: true });
    if (range.from !== undefined) days.from = checkedDay('from', range.from);
    if (range.to !== undefined) days.to = checkedDay('to', range.to);
    if (days.from !== undefined && days.to !== undefined) assertInOrder(days.from, days.to);
    const { signal } = this.closing;
    signal.throwIfAborted();
    const question = answerOf(this.address, sql, days, signal);
    this.questions.add(question);
    try {
      return await question;
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      this.questions.delete(question);
    }
  }

  /**
   * The same, as an object by column name for each row. Whole numbers, DOUBLE and booleans are such; the rest is text.
   * `Row` is the caller's word for the columns of the question; nothing checks it.
   */
  async rows<Row extends { readonly [Name in keyof Row]: LakeValue } = LakeRow>(
    sql: string,
    range: PartitionRange = {},
  ): Promise<Row[]> {
    return objectsOf(await this.query(sql, range)) as Row[];
  }

  /** Ends the questions that are under way, and refuses later ones. */
  async close(): Promise<void> {
    this.closing.abort(new WrongInputError('The LakeReader is closed: make another one to ask more.'));
    await Promise.allSettled(this.questions);
  }
}

async function answerOf(
  address: string,
  sql: string,
  days: Period,
  signal: AbortSignal,
): Promise<LakeAnswer> {
  // Loaded with the first question: DuckDB takes time, and memory.
  const [{ openLake }, { ask }] = await Promise.all([
    import('../query/open-lake.ts'),
    import('../query/question.ts'),
  ]);
  const lake = await openLake(address, [sql], days, { signal });
  try {
    return { ...(await ask(lake, sql)), lagNote: lake.lagNote };
  } finally {
    lake.close();
  }
}

const DEFAULT_REQUESTS_AT_ONCE = 4;

export interface ReceiptsApiOptions {
  /** The API's base address: https, or http to this machine. */
  address: string;
  /** The company whose receipts are asked for. */
  rut: string;
  /** Its access token, or a function that gives it. It is called once more if the API refuses the token. */
  token: string | (() => Promise<string>);
  /** The most requests in flight, 4 by default. Lowered automatically when the API throttles. */
  requestsAtOnce?: number;
  /** How long an answer may take; 30,000 by default. */
  requestTimeoutMs?: number;
}

const API_MEMBERS = {
  address: true,
  rut: true,
  token: true,
  requestsAtOnce: true,
  requestTimeoutMs: true,
} as const;

export interface ReceiptList<D extends Direction = Direction> {
  /** Each receipt once. */
  items: readonly Summaries[D][];
  /** Whether the list was proved to hold just these at one moment. If not, they are the union of several readings. */
  isProved: boolean;
}

export interface FirstReceipts<D extends Direction = Direction> {
  items: readonly Summaries[D][];
  /** Whether the list goes on. */
  hasMore: boolean;
}

/**
 * Reads the query API as one company, like `cfe-lake list` and `show`. It retries requests, obeys throttling and
 * `Retry-After`, and refuses redirects. No error holds a token. Close it after use.
 */
export class ReceiptsApi {
  private readonly client: ApiClient;
  private readonly pool = new ConnectionPool();
  /** What its lists have shown so far. */
  private readonly facts: Readonly<Record<Direction, PageFacts>> = { recibidos: {}, emitidos: {} };

  /** Throws WrongInputError and WrongArgumentError. */
  constructor(options: ReceiptsApiOptions) {
    checked('options', objectWith('an object with address, rut and token'), options);
    assertKnownMembers('options', options, API_MEMBERS);
    const { address, rut, token, requestsAtOnce = DEFAULT_REQUESTS_AT_ONCE, requestTimeoutMs } = options;
    checked('address', text('text, such as https://api.example.com'), address);
    checked('rut', text('text of 12 digits'), rut);
    if (typeof token !== 'function') checked('token', TokenSchema, token);
    checked('value of requestsAtOnce', CountSchema, requestsAtOnce);
    checked('value of requestTimeoutMs', v.optional(CountSchema), requestTimeoutMs);
    const url = parseApiAddress(address);
    assertCertificateChecked(url);
    assertRut(rut);
    const session = openApiSession({ address: url, pool: this.pool, requestTimeoutMs });
    const read = async () => checked('token', TokenSchema, typeof token === 'string' ? token : await token());
    const tokens = { current: read, renew: read };
    this.client = companyClient(session, rut, tokens, requestsAtOnce);
  }

  /**
   * Reads a list to its end, with any of its filters. If the service shows only the first rows of a long list, ask for
   * fewer days. Throws ApiError and InvalidFilterError.
   */
  async list<D extends Direction>(
    direction: D,
    filters: FiltersByDirection[D],
    signal?: AbortSignal,
  ): Promise<ReceiptList<D>> {
    assertAsked(direction, filters, signal);
    const source = apiPages(this.client, direction, filters, { signal });
    const reading = await readListing(source, this.facts[direction], () => new RowsById());
    // Newest first: of a receipt that changed between two readings, the newer is kept.
    const items = this.summariesOf(direction, unionOf(reading?.attempts ?? []));
    return { items, isProved: reading?.isStable === true };
  }

  /** Reads the first rows of a list, at most `limit`. Throws ApiError and InvalidFilterError. */
  async first<D extends Direction>(
    direction: D,
    filters: FiltersByDirection[D],
    limit: number,
    signal?: AbortSignal,
  ): Promise<FirstReceipts<D>> {
    assertAsked(direction, filters, signal);
    checked('limit', CountSchema, limit);
    const source = apiPages(this.client, direction, filters, { signal });
    const { items, hasMore } = await firstRows(source, limit);
    return { items: this.summariesOf(direction, items), hasMore };
  }

  /** Reads a whole receipt. Throws an HttpStatusError with status 404 if the company has none with this id. */
  async detail<D extends Direction>(
    direction: D,
    id: Summaries[D]['id'] | bigint,
    signal?: AbortSignal,
  ): Promise<Details[D]> {
    checked('direction', DirectionSchema, direction);
    checked('signal', SignalSchema, signal);
    const detail = await readDetail(this.client, direction, receiptId(id), signal);
    assertOwn(direction, [detail], this.client.rut);
    return detail as Details[D];
  }

  /** Reads a deprecated list, which comes in one answer. Throws ApiError and InvalidFilterError. */
  async legacyList<D extends Direction>(
    direction: D,
    filters: LegacyFiltersByDirection[D],
    signal?: AbortSignal,
  ): Promise<readonly Summaries[D][]> {
    assertAsked(direction, filters, signal);
    const { items } = await readLegacyList(this.client, direction, filters, signal);
    return this.summariesOf(direction, items);
  }

  async close(): Promise<void> {
    await this.pool.close();
  }

  /** Throws an ApiError for a receipt of another company. */
  private summariesOf<D extends Direction>(direction: D, rows: readonly unknown[]): Summaries[D][] {
    assertOwn(direction, rows, this.client.rut);
    // Every row here has an id, and so is an object.
    return rows as Summaries[D][];
  }
}

function assertAsked(direction: unknown, filters: unknown, signal: unknown): void {
  checked('direction', DirectionSchema, direction);
  checked('filters', FiltersSchema, filters);
  checked('signal', SignalSchema, signal);
}
