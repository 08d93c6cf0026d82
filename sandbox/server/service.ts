import type { Direction } from '../../lib/api/directions.ts';
import { DEFAULT_BEHAVIOUR, type SandboxBehaviour, type SandboxOptions } from '../behaviour.ts';
import { sandboxClock } from '../generator/calendar.ts';
import { issuedList, receivedList } from '../generator/company-lists.ts';
import { hashText } from '../generator/hash.ts';
import { SANDBOX_COMPANIES_MAX, sandboxCompanies } from '../generator/parties.ts';
import type { ListOwner, ReceiptList, World } from '../generator/receipt-list.ts';
import { rowChanges } from '../lists/day-range.ts';
import { ParameterError } from '../lists/query.ts';
import { StampedCache } from '../lists/selection.ts';
import { answerDetail, answerLegacy, answerList, type EndpointContext } from './endpoints.ts';
import { pageFaults, periodicFaults, rateLimit, tooManyRequests } from './faults.ts';
import { type Answer, authentication, messageAnswer, rutOf, type SandboxRequest } from './request.ts';

export type SandboxService = ReturnType<typeof sandboxService>;

const PAGE_CACHE_BYTES = 64 * 2 ** 20;
/** Rows, over all lists, whose order or filter is kept. */
const POSITIONS_KEPT = 8_000_000;

/** The service without sockets: takes a request, returns an answer. */
export function sandboxService(options: SandboxOptions) {
  const companies = options.companies ?? sandboxCompanies(options.companyCount);
  if (companies.length > SANDBOX_COMPANIES_MAX)
    throw new RangeError(`a sandbox has at most ${SANDBOX_COMPANIES_MAX} companies, not ${companies.length}`);
  const wallClockMs = options.wallClockMs ?? Date.now;
  const clock = sandboxClock(options.now);
  let state = stateOf({ ...DEFAULT_BEHAVIOUR, ...options.behaviour }, options);
  const access = authentication(companies, () => state.behaviour);
  const world: World = {
    seed: typeof options.seed === 'string' ? hashText(options.seed) : (options.seed ?? 1),
    receiptsPerDay: options.receiptsPerDay,
    hasLongAmounts: options.longAmounts ?? options.behaviour?.oddValues ?? false,
    numberingGaps: options.numberingGaps ?? 0,
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
    const wait = state.limit(state.behaviour.rateLimitScope === 'all' ? '' : (request.emisor ?? ''));
    if (wait > 0) return tooManyRequests(state.behaviour, wallClockMs, Math.ceil(wait));
    const checked = access.check(request);
    if ('refusal' in checked) return checked.refusal;
    const context: EndpointContext = {
      ...state,
      list: listOf(checked, request.direction),
      now: clock.now(),
      rewrite: options.rewrite,
    };
    try {
      if (request.endpoint === 'list') return answerList(request, context);
      if (request.endpoint === 'legacy') return answerLegacy(request, context);
      return answerDetail(request, context, checked.position);
    } catch (error) {
      if (error instanceof ParameterError) return messageAnswer(400, error.message);
      throw error;
    }
  };

  return {
    answer(request: SandboxRequest): Answer {
      const fault = state.periodic.next(`${request.emisor} ${request.address}`, {
        rut: rutOf(request),
        direction: request.direction,
        day: request.search.get('FechaDesde') ?? undefined,
      });
      if (fault?.kind === 'instead') return fault.answer;
      const answer = served(request);
      return fault?.kind === 'truncate' ? truncated(answer) : answer;
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
interface ServiceState extends Omit<EndpointContext, 'list' | 'now' | 'rewrite'> {
  periodic: ReturnType<typeof periodicFaults>;
  limit: ReturnType<typeof rateLimit>;
}

function stateOf(behaviour: Readonly<SandboxBehaviour>, options: SandboxOptions): ServiceState {
  return {
    behaviour,
    periodic: periodicFaults(behaviour, options.wallClockMs ?? Date.now),
    limit: rateLimit(behaviour.rateLimit, options.monotonicMs ?? (() => performance.now())),
    changes: rowChanges(behaviour),
    positions: new StampedCache(POSITIONS_KEPT),
    pages: new StampedCache(PAGE_CACHE_BYTES),
    pageFaults: pageFaults(behaviour),
  };
}

/** Cuts off a successful body. Errors stay complete. */
function truncated(answer: Answer): Answer {
  if (answer.kind === 'stream') return { kind: 'stream', chunks: Iterator.from(answer.chunks).take(1) };
  if (answer.kind !== 'body' || answer.status !== 200) return answer;
  return { ...answer, body: answer.body.slice(0, Math.floor(answer.body.length / 2)) };
}
