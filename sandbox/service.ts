import type { Direction } from '../lib/units/unit.ts';
import {
  type Answer,
  type BodyAnswer,
  messageAnswer,
  rutOf,
  type SandboxRequest,
  unauthorized,
} from './answer.ts';
import { DEFAULT_BEHAVIOUR, type SandboxBehaviour, type SandboxOptions } from './behaviour.ts';
import { sandboxClock } from './generator/calendar.ts';
import { hashText } from './generator/hash.ts';
import { placeOf } from './generator/numbering.ts';
import { type SandboxCompany, sandboxCompanies } from './generator/parties.ts';
import {
  issuedList,
  type ListOwner,
  type ReceiptList,
  receivedList,
  type World,
} from './generator/receipts.ts';
import { checkReceiptsPerDay } from './generator/volume.ts';
import { type ListQuery, PARAMETERS, ParameterError, parseQuery } from './lists/query.ts';
import { daysOf, isTooWide, type Rows, rowAt, rowsOf, selections } from './lists/rows.ts';
import { type SandboxLogin, sandboxLogin } from './login.ts';
import { detail } from './render/detail.ts';
import { envelope, summary } from './render/summary.ts';

export type SandboxService = ReturnType<typeof sandboxService>;

/** The service without sockets: takes a request, returns an answer. */
export function sandboxService(options: SandboxOptions) {
  const companies = sandboxCompanies(options.companyCount);
  if (typeof options.receiptsPerDay === 'number') checkReceiptsPerDay(options.receiptsPerDay);
  const clock = sandboxClock(options.now);
  let state = stateOf({ ...DEFAULT_BEHAVIOUR, ...options.behaviour });
  const login = sandboxLogin(companies, () => state.behaviour, options.tokenClock ?? Date.now);
  const ownerOf = authentication(companies, login);
  const world: World = {
    seed: typeof options.seed === 'string' ? hashText(options.seed) : (options.seed ?? 1),
    receiptsPerDay: options.receiptsPerDay,
    hasLongAmounts: options.longAmounts ?? false,
    numberingGaps: options.numberingGaps ?? 0,
    statusFlipDays: options.statusFlipDays ?? 60,
    rules: () => state.behaviour,
  };
  const lists = new Map<string, ReceiptList>();

  const listOf = ({ company, position }: ListOwner, direction: Direction): ReceiptList => {
    const key = `${direction}${company.rut}`;
    const make = direction === 'emitidos' ? issuedList : receivedList;
    const list = lists.get(key) ?? make({ company, position }, world);
    lists.set(key, list);
    return list;
  };

  const served = (request: SandboxRequest): Answer => {
    const waitSeconds = state.waitSeconds();
    if (waitSeconds > 0)
      return {
        ...messageAnswer(429, 'Too many requests'),
        headers: { 'retry-after': String(Math.max(1, Math.ceil(waitSeconds))) },
      };
    const owner = ownerOf(request);
    if ('status' in owner) return owner;
    try {
      const list = listOf(owner, request.direction);
      return ANSWERS[request.endpoint](request, { ...state, list, now: clock.now() });
    } catch (error) {
      if (error instanceof ParameterError) return messageAnswer(400, error.message);
      throw error;
    }
  };

  return {
    answer: (request: SandboxRequest): Answer => state.behaviour.intercept(request, served),
    /** The token address. */
    logIn: login.answer,
    behaviour: () => state.behaviour,
    behave(changes: Partial<SandboxBehaviour>): void {
      state = stateOf({ ...state.behaviour, ...changes });
    },
    list(rut: string, direction: Direction): ReceiptList {
      const position = companies.findIndex((company) => company.rut === rut);
      const company = companies[position];
      if (company === undefined) throw new RangeError(`the sandbox has no company ${rut}`);
      return listOf({ company, position }, direction);
    },
    clock,
    companies,
  };
}

/** The rate limit and the kept lists, renewed whenever the behaviour changes. */
function stateOf(behaviour: Readonly<SandboxBehaviour>) {
  return {
    behaviour,
    waitSeconds: rateLimit(behaviour.rateLimit, () => performance.now()),
    selected: selections(behaviour),
  };
}

/** The company of a request, or its refusal. */
function authentication(companies: readonly SandboxCompany[], login: SandboxLogin) {
  const byToken = new Map(
    companies.map((company, position) => [company.token, { company, position }] as const),
  );
  const byRut = new Map([...byToken.values()].map((owner) => [String(owner.company.rut), owner]));
  return (request: SandboxRequest): ListOwner | BodyAnswer => {
    const token = /^Bearer +(\S+)$/.exec(request.authorization ?? '')?.[1];
    if (token === undefined) return unauthorized();
    const rut = rutOf(request);
    const refusal = login.refusalOf(token, rut ?? '');
    const owner = refusal === undefined ? byRut.get(rut ?? '') : byToken.get(token);
    if (owner === undefined)
      return refusal === undefined || refusal === 'unknown' ? unauthorized('token inválido') : refusal;
    if (rut === undefined) return messageAnswer(400, 'X-Emisor must be a RUT of 12 digits');
    return rut === owner.company.rut ? owner : unauthorized('el token no es de esta empresa');
  };
}

/** Everything that an authenticated request is answered from. */
interface Context extends ReturnType<typeof stateOf> {
  list: ReceiptList;
  now: number;
}

const ANSWERS = { list: answerList, legacy: answerLegacy, detail: answerDetail };

/** A page of a v2 list (the contract, §4.1 and §4.3). Throws a ParameterError for an invalid parameter. */
function answerList(request: SandboxRequest, context: Context): BodyAnswer {
  const listed = listedRows(request, context);
  if ('status' in listed) return listed;
  const { query, rows } = listed;
  const { resultWindow, pageSizeIgnored, pageCap, pageParameterIgnored, pastEnd } = context.behaviour;
  const shown = resultWindow > 0 ? Math.min(rows.length, resultWindow) : rows.length;
  const size = pageSizeIgnored > 0 ? pageSizeIgnored : Math.min(query.pageSize ?? DEFAULT_PAGE_SIZE, pageCap);
  const last = Math.max(1, Math.ceil(shown / size));
  const wanted = pageParameterIgnored === 'no' ? query.pageNumber : 1;
  if (wanted > last && pastEnd === '404') return messageAnswer(404, 'there is no such page');
  const start = Math.min(((wanted > last && pastEnd === 'repeat' ? last : wanted) - 1) * size, shown);
  const said = pageParameterIgnored === 'one' ? 1 : query.pageNumber;
  return {
    status: 200,
    body: envelope(Array.from(rows.slice(start, Math.min(start + size, shown)), summary), said),
  };
}

/** Rows per page when none are asked for. */
const DEFAULT_PAGE_SIZE = 20;

/** A legacy list (the contract, §4.6), unpaged. Throws a ParameterError for an invalid parameter. */
function answerLegacy(request: SandboxRequest, context: Context): BodyAnswer {
  const listed = listedRows(request, context);
  if ('status' in listed) return listed;
  const { rows } = listed;
  return { status: 200, body: `[${Array.from(rows.slice(0, rows.length), summary).join(',')}]` };
}

/** All rows that a list has, or the error of a list that is too wide. Throws a ParameterError. */
function listedRows(
  { endpoint, direction, search }: SandboxRequest,
  { behaviour, list, now, selected }: Context,
): { query: ListQuery; rows: Rows } | BodyAnswer {
  const query = parseQuery(search, PARAMETERS[direction][endpoint]);
  const days = daysOf(query, endpoint, now, behaviour);
  // Wider ones that are cut are no longer too wide.
  if (isTooWide(days, behaviour.maxRangeDays))
    return behaviour.overRange === '400'
      ? messageAnswer(400, 'the range of dates is too wide')
      : messageAnswer(500, 'Timeout expired');
  return { query, rows: selected(rowsOf(list, days, now, behaviour.hidden), query) };
}

const INT64_MAX = 2n ** 63n - 1n;

/** One receipt (the contract, §4.2 and §4.4). Throws a ParameterError for an id that is not an Int64. */
function answerDetail({ id: text = '' }: SandboxRequest, { list, now, behaviour }: Context): BodyAnswer {
  const id = /^\d{1,19}$/.test(text) ? BigInt(text) : -1n;
  if (id < 0n || id > INT64_MAX) throw new ParameterError('the id must be a 64-bit integer');
  const place = placeOf(id);
  const isInList =
    place?.companyPosition === list.position && place.isIssued === (list.direction === 'emitidos');
  // None that has not appeared yet, was removed, or is another company's.
  const receipt = isInList ? rowAt(list, place, now, behaviour.hidden) : undefined;
  if (receipt === undefined) return messageAnswer(404, 'there is no such receipt');
  return { status: 200, body: detail(receipt) };
}

/**
 * A token bucket that holds one second's worth and fills steadily. Returns, for each request, the seconds until the
 * next one would be let through; 0: this one is.
 * @param perSecond requests a second; 0: no limit
 * @param nowMs a clock that never goes back
 */
export function rateLimit(perSecond: number, nowMs: () => number): () => number {
  if (perSecond <= 0) return () => 0;
  const capacity = Math.max(1, perSecond);
  let filled = capacity;
  let at = nowMs();
  return () => {
    const now = nowMs();
    filled = Math.min(capacity, filled + ((now - at) * perSecond) / 1000);
    at = now;
    if (filled < 1) return (1 - filled) / perSecond;
    filled--;
    return 0;
  };
}
