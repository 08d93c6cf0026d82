import { once } from 'node:events';
import { type ApiClient, addCounts, type RequestCounts } from '../../api/client.ts';
import { ApiDownError, ApiError } from '../../api/errors.ts';
import { PublishedCounts } from '../../lake/published-counts.ts';
import type { LakeStore } from '../../lake/store/store.ts';
import type { Clock } from '../../time/clock.ts';
import { addDays, type DayRange, uruguayDay, widthDays } from '../../time/days.ts';
import { DIRECTIONS, type Direction } from '../../units/unit.ts';
import { CompanyAnswers } from './company-answers.ts';
import { prove } from './prove.ts';
import { isDenial } from './rule.ts';
import { type FactsByDirection, newFacts } from './service-facts.ts';

export interface ProvingTools {
  store: LakeStore;
  ruts: readonly string[];
  /** The days of the run in each direction that it reads. */
  daysOf: Readonly<Partial<Record<Direction, DayRange>>>;
  clientOf(rut: string): ApiClient;
  clock: Clock;
  /** Ends it, with what was proved until then. */
  signal: AbortSignal;
}

export interface ProvedService {
  facts: FactsByDirection;
  counts: RequestCounts;
  /** What failed last in each direction of which nothing is proved. */
  faults: ReadonlyMap<Direction, unknown>;
}

/** A list that is asked past its end looks at a day more, and so does one whose witness lacks its first rows. */
const DAYS_MORE = 2;

/** No company is read before the proof has ended, and one whose answers never end takes minutes for each request. */
const MOST_PROVING_MS = 600_000;

/**
 * What a run must know about the service before it reads, for each direction. No failure of it stops a run: without a
 * proof, the run reads narrower lists, and says itself what is wrong.
 */
export async function proveService(tools: ProvingTools): Promise<ProvedService> {
  const { daysOf } = tools;
  const signal = AbortSignal.any([tools.signal, AbortSignal.timeout(MOST_PROVING_MS)]);
  const facts = newFacts();
  const faults = new Map<Direction, unknown>();
  // One for each company, since each reads its token anew.
  const clients = new Map<string, ApiClient>();
  const clientOf = (rut: string) => {
    const client = clients.get(rut) ?? tools.clientOf(rut);
    clients.set(rut, client);
    return client;
  };
  const ranges = DIRECTIONS.flatMap((direction) => {
    const days = daysOf[direction];
    return days === undefined ? [] : [{ direction, days }];
  });
  const proveAll = async () => {
    for (const { direction, days } of ranges) {
      if (signal.aborted) return;
      const onFault = (fault: unknown) => void faults.set(direction, fault);
      await proveDirection(direction, days, facts, { ...tools, signal, clientOf, onFault }).catch(onFault);
    }
  };
  // A request to the lake has no signal, and may take minutes.
  await Promise.race([proveAll(), once(signal, 'abort')]);
  for (const { direction } of ranges) {
    const { provedWidthDays, isMidnightInclusive } = facts[direction];
    if (provedWidthDays > 1 || isMidnightInclusive) faults.delete(direction);
    else if (signal.aborted) faults.set(direction, signal.reason);
  }
  const counts = { requests: 0, retries: 0, pages: 0 };
  for (const client of clients.values()) addCounts(counts, client.takeCounts());
  return { facts, counts, faults };
}

async function proveDirection(
  direction: Direction,
  days: DayRange,
  facts: FactsByDirection,
  { store, ruts, clock, signal, clientOf, onFault }: ProvingTools & { onFault(fault: unknown): void },
): Promise<void> {
  const lake = new PublishedCounts(store, direction, ruts, onFault);
  // The day after it is over, too.
  const beforeYesterday = addDays(uruguayDay(clock.now()), -2);
  /** Companies whose token is refused, or that are gone. */
  const silent = new Set<string>();
  await prove(facts[direction], {
    companies: await lake.busiestFirst(beforeYesterday),
    neededDays: widthDays(days) + DAYS_MORE,
    lastDay: days.to < beforeYesterday ? days.to : beforeYesterday,
    pairInLake: (width, failed) => lake.pair(width, beforeYesterday, failed),
    async readEnds(rut, asked, rowCount) {
      if (silent.has(rut) || signal.aborted) return undefined;
      const tools = { client: clientOf(rut), facts, clock, signal, isTimeUp: () => false };
      try {
        const list = await new CompanyAnswers(tools, { rut, direction }).readEnds(asked, rowCount);
        return list.isAmbiguous ? undefined : list;
      } catch (error) {
        onFault(error);
        if (error instanceof ApiDownError || signal.aborted) throw error;
        if (!(error instanceof ApiError) || error.isSameForAnyDay || isDenial(error)) silent.add(rut);
        return undefined;
      }
    },
  });
}
