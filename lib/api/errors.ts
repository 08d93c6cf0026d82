import { CfeLakeError } from '../system/errors.ts';
import { joined, type Localized, type Said, textIn } from '../text/language.ts';
import type { Direction } from '../units/unit.ts';
import { API } from './phrases.ts';

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
  advice: Said;
  /** The same where no day is exported. */
  remedy?: Said;
  /** What happened, without ids of receipts. */
  anonymousReason?: string;
  /** Whether it would be the same for any other day. */
  isSameForAnyDay?: boolean;
  cause?: unknown;
}

/** An error of reading the query API. Has subclasses where something tells them apart. */
export class ApiError extends CfeLakeError {
  override name = 'ApiError';
  readonly context: RequestContext;
  /** What happened, without the list and the day. */
  readonly reason: string;
  readonly anonymousReason: string;
  readonly remedy: string;
  /** What happened, and what to do where no day is exported. */
  readonly saidWithRemedy: Localized;
  readonly isSameForAnyDay: boolean;
  constructor(context: RequestContext, happened: Said, words: ApiErrorWords) {
    const reason = textIn(happened, 'en');
    const { advice, remedy = advice, anonymousReason = reason, isSameForAnyDay = false, cause } = words;
    const what = joined([`${describe(context)}: `, happened, '.'], '');
    super(what, { advice, cause });
    this.context = context;
    this.reason = reason;
    this.anonymousReason = anonymousReason;
    this.remedy = textIn(remedy, 'en');
    this.saidWithRemedy = joined([what, remedy], ' ');
    this.isSameForAnyDay = isSameForAnyDay;
  }
}

/** The API refused the token, even after it was renewed. */
export class UnauthorizedError extends ApiError {
  override name = 'UnauthorizedError';
  constructor(context: RequestContext) {
    super(context, API.tokenRefused(), {
      advice: API.renewAndExport(),
      remedy: API.renew(),
      isSameForAnyDay: true,
    });
  }
}

/** An error status, even after retries. */
export class HttpStatusError extends ApiError {
  override name = 'HttpStatusError';
  readonly status: number;
  /** How long the API asks to wait; 0 if it does not. */
  readonly retryAfterMs: number;
  constructor(context: RequestContext, status: number, tries: number, retryAfterMs = 0) {
    const minutes = Math.ceil(retryAfterMs / 60_000);
    const answered: Localized = (language) => API.status(status, times(tries)(language))(language);
    const wait = minutes > 1 ? API.asksToWait(minutes) : '';
    super(context, joined([answered, wait], ''), adviceFor(status, context));
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

function adviceFor(status: number, { id }: RequestContext): ApiErrorWords {
  if (status >= 500 || status === 429) return RECOVERED;
  if (status === 404 && id !== undefined) {
    return { advice: API.noSuchReceipt() };
  }
  if (status === 403) {
    return { advice: API.mayNotRead() };
  }
  return { advice: API.requestRefused() };
}

const RECOVERED: ApiErrorWords = {
  advice: API.exportWhenRecovered(),
  remedy: API.waitUntilRecovered(),
};

const UNREACHED: ApiErrorWords = {
  advice: API.checkAddressAndExport(),
  remedy: API.checkAddress(),
};

/** No answer within the time limit, or none at all. */
export class NoAnswerError extends ApiError {
  override name = 'NoAnswerError';
  /** Why there is no answer, in words. */
  readonly fault: string;
  /** How long a login is not asked; 0 if it is no login's. */
  readonly retryAfterMs: number;
  /** `isTimeout`: the API took too long, as it may for a list over too many days. */
  constructor(
    context: RequestContext,
    fault: string,
    tries: number,
    {
      isTimeout = false,
      retryAfterMs = 0,
      cause,
    }: { isTimeout?: boolean; retryAfterMs?: number; cause?: Error } = {},
  ) {
    const words = { ...UNREACHED, isSameForAnyDay: !isTimeout, cause };
    super(context, (language) => API.noAnswer(fault, times(tries)(language))(language), words);
    this.fault = fault;
    this.retryAfterMs = retryAfterMs;
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
    const trouble = isRefusal ? API.refusing : API.down;
    const words = { ...(hasAnswered ? RECOVERED : UNREACHED), isSameForAnyDay: true };
    super(context, (hasAnswered ? trouble : API.silent)(text), words);
  }
}

/** A success status with a body that is not what the contract describes. */
export class UnexpectedBodyError extends ApiError {
  override name = 'UnexpectedBodyError';
  /** What is wrong with the body, without quoting it. */
  readonly fault: string;
  constructor(context: RequestContext, fault: string, tries: number) {
    super(context, (language) => API.unreadable(fault, times(tries)(language))(language), {
      advice: API.changedAndExport(),
      remedy: API.changed(),
    });
    this.fault = fault;
  }
}

/** A success status with a body that says that the request failed, even after retries. */
export class FailureInBodyError extends ApiError {
  override name = 'FailureInBodyError';
  constructor(context: RequestContext, fault: string, tries: number) {
    super(context, (language) => API.answerIsNone(fault, times(tries)(language))(language), RECOVERED);
  }
}

function times(tries: number): Localized {
  return tries === 1 ? API.once() : API.times(tries);
}

/** A page that contradicts the other pages, so that the list cannot be proved complete. */
export class PagingFaultError extends ApiError {
  override name = 'PagingFaultError';
  constructor(
    context: RequestContext,
    whatHappened: string,
    words: Pick<ApiErrorWords, 'anonymousReason'> = {},
  ) {
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
    anonymousReason: 'rows have no id of their own',
  });
}

/** A row of another company, or of another day than the one asked for. */
export function foreignReceipt(context: RequestContext, id: number | bigint, reason: string): ApiError {
  return new ApiError(context, `receipt ${id} ${reason}`, {
    advice: 'The API did not honour the request, so nothing was replaced; report it to its provider.',
    remedy: 'The API did not honour the request; report it to its provider.',
    anonymousReason: 'a receipt is of another company or day',
  });
}
