import { CfeLakeError, WrongInputError } from '../errors.ts';
import { plural } from '../text/terminal.ts';
import type { Direction } from './directions.ts';

/** Where in the API something went wrong. Never holds a token, a header or a body. */
export interface RequestContext {
  rut: string;
  direction: Direction;
  /** Issue date asked for, `YYYY-MM-DD`, or the first and the last one: `YYYY-MM-DD..YYYY-MM-DD`. */
  day?: string;
  pageNumber?: number;
  /** Id of the receipt, for a detail read. */
  id?: string;
}

function describe(context: RequestContext): string {
  const parts = [`${context.direction} of ${context.rut}`];
  if (context.day !== undefined) parts.push(`${context.day.includes('..') ? 'days' : 'day'} ${context.day}`);
  if (context.pageNumber !== undefined) parts.push(`page ${context.pageNumber}`);
  if (context.id !== undefined) parts.push(`receipt ${context.id}`);
  return parts.join(', ');
}

/** Base of all errors of reading the query API. */
export class ApiError extends CfeLakeError {
  override name = 'ApiError';
  readonly context: RequestContext;
  /** What happened, without the list and the day. */
  readonly reason: string;
  /** The advice where no day is exported. */
  readonly remedy: string;
  constructor(context: RequestContext, whatHappened: string, whatToDo: string, remedy = whatToDo) {
    super(`${describe(context)}: ${whatHappened}.`, { advice: whatToDo });
    this.context = context;
    this.reason = whatHappened;
    this.remedy = remedy;
  }
}

/** The API refused the token, even after it was renewed. */
export class UnauthorizedError extends ApiError {
  override name = 'UnauthorizedError';
  constructor(context: RequestContext, status: number) {
    super(
      context,
      `the API refused the token (status ${status})`,
      'Renew the token of this company, then export the missing days again.',
      'Renew the token of this company.',
    );
  }
}

/** An error status, even after retries. */
export class HttpStatusError extends ApiError {
  override name = 'HttpStatusError';
  readonly status: number;
  /** `retryAfterMs` is how long the API asks to wait, if it does. */
  constructor(context: RequestContext, status: number, attempts: number, retryAfterMs = 0) {
    const minutes = Math.ceil(retryAfterMs / 60_000);
    const wait = minutes > 1 ? ` and asks to wait ${minutes} minutes` : '';
    const whatHappened = `the API answered status ${status} (${times(attempts)})${wait}`;
    super(context, whatHappened, ...adviceFor(status, context));
    this.status = status;
  }
}

/** What to do, and what where no day is exported if that is something else. */
function adviceFor(status: number, { id }: RequestContext): [string, string?] {
  if (status >= 500 || status === 429) return [...RECOVERED];
  if (status === 404 && id !== undefined)
    return ['The company has no receipt with this id, or not in this direction.'];
  if (status === 403)
    return ['Check that the token may read this company, and that the API may be asked from here.'];
  return ['The request itself was refused: check the API address and the RUT.'];
}

const RECOVERED = [
  'Export this day again when the API has recovered.',
  'Wait until the API has recovered.',
] as const;

const UNREACHED = [
  'Check the API address and the network, then export this day again.',
  'Check the API address and the network.',
] as const;

/** No answer within the time limit, or none at all. */
export class NoAnswerError extends ApiError {
  override name = 'NoAnswerError';
  /** Whether the API took too long, as it may for a list over too many days. */
  readonly isTimeout: boolean;
  /** Why there is no answer, in words. */
  readonly fault: string;
  constructor(context: RequestContext, reason: string, attempts: number, isTimeout = false) {
    super(context, `no answer from the API: ${reason} (${times(attempts)})`, ...UNREACHED);
    this.isTimeout = isTimeout;
    this.fault = reason;
  }
}

/** The request was not sent, since the API is down. */
export class ApiDownError extends ApiError {
  override name = 'ApiDownError';
  /** `hasAnswered`: whether it ever answered in this process, with any status. */
  constructor(context: RequestContext, fault: string, hasAnswered: boolean) {
    const state = hasAnswered ? 'is down' : 'has answered nothing so far';
    const [advice, remedy] = hasAnswered ? RECOVERED : UNREACHED;
    super(context, `not asked, because the API ${state}: ${fault}`, advice, remedy);
  }
}

/** A success status with a body that is not what the contract describes. */
export class UnexpectedBodyError extends ApiError {
  override name = 'UnexpectedBodyError';
  /** What is wrong with the body, without quoting it. */
  readonly fault: string;
  constructor(context: RequestContext, fault: string, attempts: number) {
    super(
      context,
      `the API's answer could not be read: ${fault} (${times(attempts)})`,
      'Check the API address, then export this day again; if it keeps failing, the API has changed.',
      'Check the API address; if it keeps failing, the API has changed.',
    );
    this.fault = fault;
  }
}

/** The answer contains the token that was sent with the request. Nothing of it may be kept or shown. */
export class TokenInAnswerError extends ApiError {
  override name = 'TokenInAnswerError';
  constructor(context: RequestContext) {
    super(
      context,
      "the API's answer holds the token that was sent with the request, so nothing of it was kept",
      'Report it to the provider of the API, and renew the token: it may be in other answers and logs.',
    );
  }
}

/** The API answered with a redirect. It was not followed: the headers carry the token. */
export class RedirectRefusedError extends ApiError {
  override name = 'RedirectRefusedError';
  constructor(context: RequestContext, status: number) {
    super(
      context,
      `the API answered with a redirect (status ${status}), which is never followed`,
      'Give the final address of the API.',
    );
  }
}

/** A page that contradicts the other pages, so that the list cannot be proved complete. */
export class PagingFaultError extends ApiError {
  override name = 'PagingFaultError';
  constructor(context: RequestContext, whatHappened: string) {
    super(
      context,
      whatHappened,
      'The list could not be proved complete, so nothing was replaced; export this day again.',
      'Ask again; if it keeps failing, report it to the provider of the API.',
    );
  }
}

/** A list has more rows than any company could: it may never end. */
export class TooManyRowsError extends ApiError {
  override name = 'TooManyRowsError';
  constructor(context: RequestContext, maxRows: number) {
    super(
      context,
      `the list goes on past ${plural(maxRows, 'row')}`,
      'Nothing was replaced. Report it to the provider of the API, or raise the limit (--max-rows, in AWS ' +
        'maxRowsPerList) if there really are so many receipts.',
    );
  }
}

/** The service shows only the first rows of a list, and this list can't be divided any further. */
export class ResultWindowError extends ApiError {
  override name = 'ResultWindowError';
  constructor(context: RequestContext, rowCount: number) {
    super(
      context,
      `the API shows only the first ${plural(rowCount, 'receipt')} of a list, and types and numbers don't divide the day's`,
      'Ask the provider of the API to raise that limit; nothing was replaced.',
    );
  }
}

/**
 * The service refuses the list of a day and the next one, and nothing shows that the day's own list is not cut after its
 * first moment (`FechaHasta`, the contract §4.1).
 */
export class UnprovedDayError extends ApiError {
  override name = 'UnprovedDayError';
  constructor(context: RequestContext, refusal: unknown) {
    const why = refusal instanceof ApiError ? ` (${refusal.reason})` : '';
    super(
      context,
      `the list of this day and the next one can't be had${why}, and the day's own list may lack receipts that were ` +
        'issued after midnight',
      'Nothing was replaced; export this day again tomorrow, or when the API has recovered.',
    );
  }
}

/** Rows without an id, or different ones with the same id, can't be told apart, so the list can't be trusted. */
export class ReceiptIdError extends ApiError {
  override name = 'ReceiptIdError';
  constructor(context: RequestContext, whatHappened: string) {
    super(
      context,
      whatHappened,
      'Report it to the provider of the API; nothing was replaced.',
      'Report it to the provider of the API.',
    );
  }
}

/** A row of another company, or of another day than the one asked for. */
export class ForeignReceiptError extends ApiError {
  override name = 'ForeignReceiptError';
  constructor(context: RequestContext, id: number | bigint, reason: string) {
    super(
      context,
      `receipt ${id} ${reason}`,
      'The API did not honour the request, so nothing was replaced; report it to its provider.',
      'The API did not honour the request; report it to its provider.',
    );
  }
}

/** The address must not be used: tokens travel over https only, except on this machine. */
export class InsecureAddressError extends WrongInputError {
  override name = 'InsecureAddressError';
  /** What is wrong with it, without quoting it. */
  readonly reason: string;
  constructor(name: string, reason: string) {
    super(`${name}: ${reason}.`, {
      advice: 'Give one that begins with https:// (http:// only for this machine).',
    });
    this.reason = reason;
  }
}

function times(attempts: number): string {
  return attempts === 1 ? 'asked once' : `asked ${attempts} times`;
}
