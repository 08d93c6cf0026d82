import type { Direction } from '../../lib/api/directions.ts';
import {
  DEFAULT_BEHAVIOUR,
  isTargeted,
  type SandboxBehaviour,
  type SandboxOptions,
  type Target,
} from '../behaviour.ts';
import { dayText, sandboxClock } from '../generator/calendar.ts';
import { hashText } from '../generator/hash.ts';
import { placeOf } from '../generator/numbering.ts';
import {
  SANDBOX_COMPANIES_MAX,
  type SandboxCompany,
  sandboxCompanies,
  sandboxToken,
} from '../generator/parties.ts';
import {
  issuedList,
  type ListOwner,
  type ReceiptList,
  receivedList,
  type World,
} from '../generator/receipts.ts';
import { checkReceiptsPerDay } from '../generator/volume.ts';
import { type ListQuery, PARAMETERS, ParameterError, parseQuery } from '../lists/query.ts';
import { type DaySpan, daysOf, isTooWide, rowAt, rowChanges, rowsOf, selections } from '../lists/rows.ts';
import { detail } from '../render/detail.ts';
import { envelope, summary } from '../render/summary.ts';
import {
  type Answer,
  type BodyAnswer,
  messageAnswer,
  rutOf,
  type SandboxRequest,
  unauthorized,
} from './answer.ts';
import { pageFaults, periodicFaults, rateLimit, tooManyRequests } from './faults.ts';

export type SandboxService = ReturnType<typeof sandboxService>;

/** The service without sockets: takes a request, returns an answer. */
export function sandboxService(options: SandboxOptions) {
  const companies = options.companies ?? sandboxCompanies(options.companyCount);
  if (companies.length > SANDBOX_COMPANIES_MAX)
    throw new RangeError(`a sandbox has at most ${SANDBOX_COMPANIES_MAX} companies, not ${companies.length}`);
  if (typeof options.receiptsPerDay === 'number') checkReceiptsPerDay(options.receiptsPerDay);
  const wallClockMs = options.wallClockMs ?? Date.now;
  const clock = sandboxClock(options.now);
  let state = stateOf({ ...DEFAULT_BEHAVIOUR, ...options.behaviour }, options);
  const access = authentication(companies);
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
    if (waitSeconds > 0) return tooManyRequests(state.behaviour, wallClockMs, Math.ceil(waitSeconds));
    const owner = access.check(request, state.behaviour);
    if ('status' in owner) return owner;
    try {
      const list = listOf(owner, request.direction);
      const answer = ANSWERS[request.endpoint](request, { ...state, list, now: clock.now() });
      const { rewrite } = options;
      if (answer.status !== 200 || rewrite === undefined) return answer;
      const { endpoint: kind, direction, address } = request;
      return { ...answer, body: rewrite(answer.body, { kind, rut: owner.company.rut, direction, address }) };
    } catch (error) {
      if (error instanceof ParameterError) return messageAnswer(400, error.message);
      throw error;
    }
  };

  return {
    answer(request: SandboxRequest): Answer {
      const { direction, search, emisor, address } = request;
      const day = search.get('FechaDesde') ?? undefined;
      return state.periodic(`${emisor} ${address}`, { rut: rutOf(request), direction, day }, () =>
        served(request),
      );
    },
    behaviour: () => state.behaviour,
    /** Changes part of the behaviour and resets all counters. */
    behave(changes: Partial<SandboxBehaviour>): void {
      state = stateOf({ ...state.behaviour, ...changes }, options);
      access.restart();
    },
    list(rut: string, direction: Direction): ReceiptList {
      const position = companies.findIndex((company) => company.rut === rut);
      const company = companies[position];
      if (company === undefined) throw new RangeError(`the sandbox has no company ${rut}`);
      return listOf({ company, position }, direction);
    },
    changes: () => state.changes,
    clock,
    companies: access.companies,
  };
}

/** Counters and caches, renewed whenever the behaviour changes. */
function stateOf(behaviour: Readonly<SandboxBehaviour>, options: SandboxOptions) {
  return {
    behaviour,
    periodic: periodicFaults(behaviour, options.wallClockMs ?? Date.now),
    waitSeconds: rateLimit(behaviour.rateLimit, options.monotonicMs ?? (() => performance.now())),
    changes: rowChanges(behaviour),
    selected: selections(behaviour),
    rowsLeft: pageFaults(behaviour),
  };
}

/** The companies' tokens, and which were renewed. */
function authentication(companies: readonly SandboxCompany[]) {
  const states = companies.map((company, position) => ({ company, position, accepted: 0, rotations: 0 }));
  const byRut = new Map(states.map((state) => [state.company.rut, state]));
  const byToken = new Map(states.map((state) => [state.company.token, state]));

  return {
    /** The company of the request, or the refusal. Accepted requests are counted, for the renewal of tokens. */
    check(
      request: SandboxRequest,
      { rotateTokenAfter, unauthorizedRut }: Readonly<SandboxBehaviour>,
    ): ListOwner | BodyAnswer {
      const token = /^Bearer +(\S+)$/.exec(request.authorization ?? '')?.[1];
      if (token === undefined) return unauthorized();
      const owner = byToken.get(token);
      if (owner === undefined) return unauthorized('token inválido');
      const rut = rutOf(request);
      if (rut === undefined) return messageAnswer(400, 'X-Emisor must be a RUT of 12 digits');
      if (rut === unauthorizedRut) return unauthorized();
      if (byRut.get(rut) !== owner) return unauthorized('el token no es de esta empresa');
      if (token !== owner.company.token) return unauthorized('token expirado');
      owner.accepted++;
      if (owner.accepted === rotateTokenAfter) {
        owner.rotations++;
        owner.company = { ...owner.company, token: sandboxToken(rut, owner.rotations) };
        byToken.set(owner.company.token, owner);
      }
      return owner;
    },
    /** The companies, with the tokens that are valid now. */
    companies: (): SandboxCompany[] => states.map(({ company }) => company),
    /** Resets the count of accepted requests. Renewed tokens stay renewed. */
    restart(): void {
      for (const state of states) state.accepted = 0;
    },
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
  const { list, changes } = context;
  const query = parseQuery(request.search, PARAMETERS[request.direction].list);
  const days = daysOf(query, 'list', context.now, context.behaviour);
  const answer = rangeFailure(days, context) ?? pageAnswer(query, days, context);
  if (query.fromDay !== undefined) changes.countListRequest(list, query.fromDay);
  return answer;
}

function pageAnswer(query: ListQuery, days: DaySpan, context: Context): BodyAnswer {
  const { behaviour, list, now, changes } = context;
  const { resultWindow, pageSizeIgnored, pageCap, pageParameterIgnored, pastEnd } = behaviour;
  const rows = context.selected(rowsOf(list, days, now, changes), query);
  const shown = resultWindow > 0 ? Math.min(rows.length, resultWindow) : rows.length;
  const size = pageSizeIgnored > 0 ? pageSizeIgnored : Math.min(query.pageSize ?? DEFAULT_PAGE_SIZE, pageCap);
  const last = Math.max(1, Math.ceil(shown / size));
  const wanted = pageParameterIgnored === 'no' ? query.pageNumber : 1;
  if (wanted > last && pastEnd === '404') return messageAnswer(404, 'there is no such page');
  const start = Math.min(((wanted > last && pastEnd === 'repeat' ? last : wanted) - 1) * size, shown);
  const day = query.fromDay === undefined ? undefined : dayText(query.fromDay);
  const target: Target = { rut: list.company.rut, direction: list.direction, day };
  const listKey = JSON.stringify([list.company.rut, list.direction, days, [...query.filters]]);
  const count = context.rowsLeft(Math.min(size, shown - start), listKey, query.pageNumber, target);
  const said = pageParameterIgnored === 'one' ? 1 : query.pageNumber;
  return { status: 200, body: envelope(Array.from(rows.slice(start, start + count), summary), said) };
}

/** Rows per page when none are asked for. */
const DEFAULT_PAGE_SIZE = 20;

/** A legacy list (the contract, §4.6), unpaged. Throws a ParameterError for an invalid parameter. */
function answerLegacy(request: SandboxRequest, context: Context): BodyAnswer {
  const { list, now, changes } = context;
  const query = parseQuery(request.search, PARAMETERS[request.direction].legacy);
  const days = daysOf(query, 'legacy', now, context.behaviour);
  const failure = rangeFailure(days, context);
  if (failure !== undefined) return failure;
  const rows = context.selected(rowsOf(list, days, now, changes), query);
  return { status: 200, body: `[${Array.from(rows.slice(0, rows.length), summary).join(',')}]` };
}

/** The error of a list that includes the failing day or is too wide; undefined if there is none. */
function rangeFailure(days: DaySpan, { behaviour, list }: Context): BodyAnswer | undefined {
  const { failingDay, overRange, maxRangeDays } = behaviour;
  if (isTooWide(days, maxRangeDays)) {
    if (overRange === '500') return messageAnswer(500, 'Timeout expired');
    if (overRange === '400') return messageAnswer(400, 'the range of dates is too wide');
  }
  if (failingDay === null) return undefined;
  const { day, ...sides } = failingDay;
  const isIncluded = day === undefined || (dayText(days.from) <= day && day <= dayText(days.to));
  const isFailing = isIncluded && isTargeted(sides, { rut: list.company.rut, direction: list.direction });
  return isFailing ? messageAnswer(500, 'Internal server error') : undefined;
}

const INT64_MAX = 2n ** 63n - 1n;

/** One receipt (the contract, §4.2 and §4.4). Throws a ParameterError for an id that is not an Int64. */
function answerDetail({ id: text = '' }: SandboxRequest, { list, now, changes }: Context): BodyAnswer {
  const id = /^\d{1,19}$/.test(text) ? BigInt(text) : -1n;
  if (id < 0n || id > INT64_MAX) throw new ParameterError('the id must be a 64-bit integer');
  const place = placeOf(id);
  const isOfList =
    place?.companyPosition === list.position && place.isIssued === (list.direction === 'emitidos');
  // None that has not appeared yet, was removed, or is another company's.
  const receipt = isOfList ? rowAt(list, place, now, changes) : undefined;
  if (receipt === undefined) return messageAnswer(404, 'there is no such receipt');
  return { status: 200, body: detail(receipt, list.numbering) };
}
