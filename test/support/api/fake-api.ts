import { CompanyAccess, openApiSession } from '../../../lib/api/access.ts';
import { AdaptiveLimiter } from '../../../lib/api/adaptive-limiter.ts';
import { ApiClient, type ApiRequest } from '../../../lib/api/client.ts';
import { ConnectionPool } from '../../../lib/api/connection-pool.ts';
import { HttpStatusError } from '../../../lib/api/errors.ts';
import { ENDPOINTS } from '../../../lib/api/filters.ts';
import { addDays, dayNumber, isDay } from '../../../lib/time/days.ts';
import type { Direction } from '../../../lib/units/unit.ts';
import { HurriedClock } from '../fake-clock.ts';
import { type HttpServer, startHttpServer } from './http-server.ts';

/** A receipt as in the API's lists and details. */
export interface WireReceipt {
  id: number;
  fecha_emision: string;
  [LISTED_ON]?: string;
  [field: string]: unknown;
}

/** The day under which a receipt is listed, if it is not that of `fecha_emision`. Not sent. */
export const LISTED_ON = Symbol('listed on');

/** The widest list that the service answers in full, and its answer to wider ones. */
export interface WidestRange {
  days: number;
  over: 'status400' | 'status500' | 'empty' | 'last' | 'first';
}

/** A fault of one answer: no rows, only the first half of its rows, or status 500. */
export type AnswerFault = 'emptyPage' | 'shortPage' | 'serverError';

/** An API with one company's receipts, for the real client, which calls it in place of a connection. */
export class FakeApi {
  readonly rut: string;
  /** The receipts in the order in which they are listed. */
  readonly lists: Record<Direction, WireReceipt[]> = { recibidos: [], emitidos: [] };
  /** The largest page: larger ones are cut without notice. */
  pageCap = 100;
  /** Whether every page is as long as the largest one, whatever size is asked for. */
  isPageSizeIgnored = false;
  /** Whether a list's last page is left out if it is not full, as where the total is divided by the size without a rest. */
  areOnlyWholePagesShown = false;
  /** The most bytes that its client takes of a list; 0: they are not counted. */
  maxBytesPerList = 0;
  /** How much of its day `FechaHasta` includes: all, only the first moment, or nothing. */
  upperBound: 'whole' | 'midnight' | 'nothing' = 'whole';
  widestRange: WidestRange | undefined;
  /** Whether lists without a bound are answered, however wide they are; else they get 400. */
  areOpenListsAnswered = false;
  /** Rows of a list beyond this number are not shown. */
  resultWindow = Number.POSITIVE_INFINITY;
  /** Lists that include one of these days answer 500. */
  readonly brokenDays = new Set<string>();
  /** The answer to lists of some receipt types, if they are not answered. */
  typesRefused: 400 | 500 | undefined;
  /** Requests since the test set it to 0. */
  requestCount = 0;
  /** Requests for the first page of a list. A reading of a list that is not empty asks for it once. */
  firstPageCount = 0;
  readonly detailsAsked: string[] = [];
  /** Called before the n-th request is answered, from 1. */
  beforeAnswer: (requestNumber: number) => void | Promise<void> = () => undefined;
  /** A status to answer with in place of the list; undefined for the list. */
  statusFor: (path: string, query: URLSearchParams) => number | undefined | Promise<number | undefined> =
    () => undefined;
  /** Called with the query of every list request. */
  onList: (query: URLSearchParams) => void = () => undefined;
  /** Faults by the request's number. */
  readonly faults = new Map<number, AnswerFault>();

  constructor(rut: string) {
    this.rut = rut;
  }

  client(maxInFlight = 1): ApiClient {
    return new FakeClient(this, maxInFlight);
  }

  async answer(path: string, query: URLSearchParams): Promise<{ status: number; body?: unknown }> {
    this.requestCount += 1;
    const requestNumber = this.requestCount;
    const isFirstPage = (query.get('PageNumber') ?? query.get('pageNumber')) === '1';
    this.firstPageCount += Number(isFirstPage);
    await this.beforeAnswer(requestNumber);
    const refusal = await this.statusFor(path, query);
    if (refusal !== undefined) return { status: refusal };
    const fault = this.faults.get(requestNumber);
    if (fault === 'serverError') return { status: 500 };
    const direction: Direction = path.startsWith(ENDPOINTS.recibidos.listPath) ? 'recibidos' : 'emitidos';
    if (path !== ENDPOINTS[direction].listPath) return this.detail(direction, path);
    this.onList(query);
    const { paging } = ENDPOINTS[direction];
    const number = Number(query.get(paging.pageNumber));
    const asked = Number(query.get(paging.pageSize));
    const size = this.isPageSizeIgnored ? this.pageCap : Math.min(asked, this.pageCap);
    const listed = this.listed(direction, query, number * size);
    if (typeof listed === 'number') return { status: listed };
    let items = listed.slice((number - 1) * size, number * size);
    if (this.areOnlyWholePagesShown && items.length < size) items = [];
    if (fault === 'emptyPage') items = [];
    if (fault === 'shortPage') items = items.slice(0, Math.floor(items.length / 2));
    return { status: 200, body: { items, page_number: number, page_size: items.length } };
  }

  /** The first `most` rows of a list, or the status that refuses it. */
  private listed(direction: Direction, query: URLSearchParams, most: number): WireReceipt[] | number {
    const [asked, askedTo] = [query.get('FechaDesde'), query.get('FechaHasta')];
    const isOpen = asked === null || askedTo === null;
    let [from, to] = [asked ?? '2000-01-01', askedTo ?? '2100-01-01'];
    if ((isOpen && !this.areOpenListsAnswered) || !isDay(from) || !isDay(to)) return 400;
    const isWholeDay = this.upperBound === 'whole';
    const isFirstMoment = (issued: string) =>
      this.upperBound === 'midnight' && (issued.length === 10 || issued.endsWith('T00:00:00'));
    const { days = Number.POSITIVE_INFINITY, over } = this.widestRange ?? {};
    if (!isOpen && dayNumber(to) - dayNumber(from) + 1 > days) {
      if (over === 'status400') return 400;
      if (over === 'status500') return 500;
      if (over === 'empty') return [];
      if (over === 'last') from = addDays(to, 1 - days);
      else to = addDays(from, days - 1);
    }
    if ([...this.brokenDays].some((day) => from <= day && day <= to)) return 500;
    const types = query.getAll('TipoComprobante').map(Number);
    if (types.length > 0 && this.typesRefused !== undefined) return this.typesRefused;
    const isExcluded = query.get('ExcluirTipoComprobante') === 'true';
    const [leastNumber, mostNumber] = [query.get('NumeroDesde'), query.get('NumeroHasta')];
    const isShown = (receipt: WireReceipt): boolean => {
      // Some lists are long: days are compared as they begin the text.
      const issued = receipt[LISTED_ON] ?? receipt.fecha_emision;
      if (issued < from) return false;
      if (issued >= to && !(issued.startsWith(to) && (isWholeDay || isFirstMoment(issued)))) return false;
      return (
        (types.length === 0 || types.includes(Number(receipt.tipo_comprobante)) !== isExcluded) &&
        (leastNumber === null || Number(receipt.numero) >= Number(leastNumber)) &&
        (mostNumber === null || Number(receipt.numero) <= Number(mostNumber))
      );
    };
    const shown: WireReceipt[] = [];
    const end = Math.min(most, this.resultWindow);
    for (const receipt of this.lists[direction]) {
      if (shown.length >= end) break;
      if (isShown(receipt)) shown.push(receipt);
    }
    return shown;
  }

  private detail(direction: Direction, path: string): { status: number; body?: unknown } {
    const id = path.split('/').at(-1) ?? '';
    this.detailsAsked.push(id);
    const receipt = this.lists[direction].find((candidate) => String(candidate.id) === id);
    return receipt === undefined ? { status: 404 } : { status: 200, body: receipt };
  }
}

export type ServedApi = FakeApi & HttpServer;

/** The API on loopback, for tests of what is sent. It is closed when the running test ends. */
export async function servedApi(): Promise<ServedApi> {
  const api = new FakeApi('219999830019');
  const server = await startHttpServer(async ({ path, query }) => {
    const { status, body } = await api.answer(path, query);
    return { status, body: JSON.stringify(body) };
  });
  return Object.assign(api, server);
}

class FakeClient extends ApiClient {
  private readonly api: FakeApi;

  constructor(api: FakeApi, maxInFlight: number) {
    const tokens = { current: async () => '', renew: async () => '' };
    const clock = new HurriedClock();
    const session = openApiSession({
      address: new URL('https://api.invalid'),
      pool: new ConnectionPool(),
      clock,
      maxBytesPerList: api.maxBytesPerList || Number.POSITIVE_INFINITY,
    });
    super(session, new CompanyAccess(api.rut, tokens), new AdaptiveLimiter(maxInFlight, clock));
    this.api = api;
  }

  override async get<T>(request: ApiRequest<T>): Promise<T> {
    const { context, signal } = request;
    const release = await this.limiter.acquire(signal, request.rank);
    try {
      signal?.throwIfAborted();
      this.counts.requests += 1;
      const { status, body } = await this.api.answer(request.path, request.query ?? new URLSearchParams());
      signal?.throwIfAborted();
      if (status === 200)
        return request.decode(body, this.api.maxBytesPerList && JSON.stringify(body).length);
      const answer = request.answerForStatus?.(status);
      if (answer !== undefined) return answer;
      throw new HttpStatusError(context, status, 1);
    } finally {
      release('answered');
    }
  }
}
