import { CfeLakeError } from '../system/errors.ts';
import type { Direction } from '../units/unit.ts';

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

/** What else an ApiError says. */
interface ApiErrorWords {
  /** What to do next. */
  advice: string;
  /** The same where no day is exported. */
  remedy?: string;
  /** What happened, without ids of receipts. */
  withoutIds?: string;
  /** Whether it would be the same for any other day. */
  isOfNoDay?: boolean;
}

/** An error of reading the query API. Has subclasses where something tells them apart. */
export class ApiError extends CfeLakeError {
  override name = 'ApiError';
  readonly context: RequestContext;
  /** What happened, without the list and the day. */
  readonly reason: string;
  readonly withoutIds: string;
  readonly remedy: string;
  readonly isOfNoDay: boolean;
  constructor(context: RequestContext, whatHappened: string, words: ApiErrorWords) {
    const { advice, remedy = advice, withoutIds = whatHappened, isOfNoDay = false } = words;
    super(`${describe(context)}: ${whatHappened}.`, { advice });
    this.context = context;
    this.reason = whatHappened;
    this.withoutIds = withoutIds;
    this.remedy = remedy;
    this.isOfNoDay = isOfNoDay;
  }
}

/** The API refused the token, even after it was renewed. */
export class UnauthorizedError extends ApiError {
  override name = 'UnauthorizedError';
  constructor(context: RequestContext) {
    super(context, 'the API refused the token (status 401)', {
      advice: 'Renew the token of this company, then export the missing days again.',
      remedy: 'Renew the token of this company.',
      isOfNoDay: true,
    });
  }
}

/** An error status, even after retries. */
export class HttpStatusError extends ApiError {
  override name = 'HttpStatusError';
  readonly status: number;
  /** How long the API asks to wait; 0 if it does not. */
  readonly retryAfterMs: number;
  constructor(context: RequestContext, status: number, attempts: number, retryAfterMs = 0) {
    const minutes = Math.ceil(retryAfterMs / 60_000);
    const wait = minutes > 1 ? ` and asks to wait ${minutes} minutes` : '';
    const whatHappened = `the API answered status ${status} (${times(attempts)})${wait}`;
    super(context, whatHappened, adviceFor(status, context));
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

function adviceFor(status: number, { id }: RequestContext): ApiErrorWords {
  if (status >= 500 || status === 429) return RECOVERED;
  if (status === 404 && id !== undefined) {
    return { advice: 'The company has no receipt with this id, or not in this direction.' };
  }
  if (status === 403) {
    return { advice: 'Check that the token may read this company, and that the API may be asked from here.' };
  }
  return { advice: 'The request itself was refused: check the API address and the RUT.' };
}

const RECOVERED: ApiErrorWords = {
  advice: 'Export this day again when the API has recovered.',
  remedy: 'Wait until the API has recovered.',
};

const UNREACHED: ApiErrorWords = {
  advice: 'Check the API address and the network, then export this day again.',
  remedy: 'Check the API address and the network.',
};

/** No answer within the time limit, or none at all. */
export class NoAnswerError extends ApiError {
  override name = 'NoAnswerError';
  /** Why there is no answer, in words. */
  readonly fault: string;
  /** `isTimeout`: the API took too long, as it may for a list over too many days. */
  constructor(context: RequestContext, fault: string, attempts: number, isTimeout = false) {
    const words = { ...UNREACHED, isOfNoDay: !isTimeout };
    super(context, `no answer from the API: ${fault} (${times(attempts)})`, words);
    this.fault = fault;
  }
}

/** The request was not sent, since the API is down, or refuses all requests. */
export class ApiDownError extends ApiError {
  override name = 'ApiDownError';
  /** `hasAnswered`: whether it ever answered in this process, with any status. */
  constructor(
    context: RequestContext,
    { text, isRefusal }: { text: string; isRefusal: boolean },
    hasAnswered: boolean,
  ) {
    const trouble = isRefusal ? 'refuses all requests' : 'is down';
    const state = hasAnswered ? trouble : 'has answered nothing so far';
    const words = { ...(hasAnswered ? RECOVERED : UNREACHED), isOfNoDay: true };
    super(context, `not asked, because the API ${state}: ${text}`, words);
  }
}

/** A success status with a body that is not what the contract describes. */
export class UnexpectedBodyError extends ApiError {
  override name = 'UnexpectedBodyError';
  /** What is wrong with the body, without quoting it. */
  readonly fault: string;
  constructor(context: RequestContext, fault: string, attempts: number) {
    super(context, `the API's answer could not be read: ${fault} (${times(attempts)})`, {
      advice: 'Check the API address, then export this day again; if it keeps failing, the API has changed.',
      remedy: 'Check the API address; if it keeps failing, the API has changed.',
    });
    this.fault = fault;
  }
}

/** A success status with a body that says that the request failed, even after retries. */
export class FailureInBodyError extends ApiError {
  override name = 'FailureInBodyError';
  constructor(context: RequestContext, fault: string, attempts: number) {
    super(context, `the API's answer is none: ${fault} (${times(attempts)})`, RECOVERED);
  }
}

function times(attempts: number): string {
  return attempts === 1 ? 'asked once' : `asked ${attempts} times`;
}

/** A page that contradicts the other pages, so that the list cannot be proved complete. */
export class PagingFaultError extends ApiError {
  override name = 'PagingFaultError';
  constructor(context: RequestContext, whatHappened: string, words: Pick<ApiErrorWords, 'withoutIds'> = {}) {
    super(context, whatHappened, {
      ...words,
      advice: 'The list could not be proved complete, so nothing was replaced; export this day again.',
      remedy: 'Ask again; if it keeps failing, report it to the provider of the API.',
    });
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
      { advice: 'Nothing was replaced; export this day again tomorrow, or when the API has recovered.' },
    );
  }
}

/** Rows without an id, or different ones with the same id, can't be told apart, so the list can't be trusted. */
export function receiptIdFault(context: RequestContext, whatHappened: string): ApiError {
  return new ApiError(context, whatHappened, {
    advice: 'Report it to the provider of the API; nothing was replaced.',
    remedy: 'Report it to the provider of the API.',
    withoutIds: 'rows have no id of their own',
  });
}

/** A row of another company, or of another day than the one asked for. */
export function foreignReceipt(context: RequestContext, id: number | bigint, reason: string): ApiError {
  return new ApiError(context, `receipt ${id} ${reason}`, {
    advice: 'The API did not honour the request, so nothing was replaced; report it to its provider.',
    remedy: 'The API did not honour the request; report it to its provider.',
    withoutIds: 'a receipt is of another company or day',
  });
}
