import type { Direction } from '../../api/directions.ts';
import { ApiError, HttpStatusError, NoAnswerError } from '../../api/errors.ts';
import { MAX_PAGE_SIZE, windowOf } from '../../api/list/page.ts';
import { type ListTally, newTally } from '../../api/list/page-request.ts';
import type { LakeStore } from '../../lake/store/store.ts';
import { addDays, type DayRange, widthDays } from '../../time/days.ts';
import type { ReadingTools } from '../export-tools.ts';
import { CompanyLists } from './company-lists.ts';
import {
  askedWidth,
  BoundComparison,
  type FactsByDirection,
  newFacts,
  noteProved,
  noteTooWide,
} from './facts.ts';
import { lakeWitnesses } from './lake-witnesses.ts';
import { List } from './list.ts';
import { proveWidth } from './witness.ts';

/** Companies that are asked for a list each where the lake has no witness. */
const MOST_COMPANIES_ASKED = 100;

export interface ProvingTools {
  store: LakeStore;
  ruts: readonly string[];
  /** The days of the run in each direction that it reads. */
  daysOf: Readonly<Partial<Record<Direction, DayRange>>>;
  /** Tools to read a company's lists, with these facts. */
  toolsOf(rut: string, facts: FactsByDirection): ReadingTools;
  /** Where nothing is proved yet: whether whoever has rows is read first of all, and so proves what it shows. */
  isReadFirst: boolean;
}

export interface ProvedService {
  facts: FactsByDirection;
  /** Companies to read before all others, since the lake has no witness and these have rows. */
  first: readonly string[];
  /** The requests that it took. */
  tally: ListTally;
}

/**
 * What a run must know about the service before it reads: for each direction, how wide its lists may be and whether
 * `FechaHasta` includes its day. No failure of it stops a run.
 */
export async function proveService(tools: ProvingTools): Promise<ProvedService> {
  const facts = newFacts();
  const tally = newTally();
  const first = new Set<string>();
  for (const direction of ['recibidos', 'emitidos'] as const) {
    const days = tools.daysOf[direction];
    if (days === undefined || tools.ruts.length === 0) continue;
    const toolsOf = (rut: string) => tools.toolsOf(rut, facts);
    const { store, ruts } = tools;
    try {
      const witnesses = lakeWitnesses({ store, direction, ruts, toolsOf, tally });
      await proveWidth(facts[direction], widthDays(days) + 1, witnesses);
      const hasWitness =
        facts[direction].answeredWidthDays > 0 || facts[direction].widestDays < Number.POSITIVE_INFINITY;
      // A single company is read at once.
      if (hasWitness || (ruts.length === 1 && tools.isReadFirst)) continue;
      const found = await firstWithRows(tools, facts, direction, days, tally);
      if (found !== undefined) first.add(found);
    } catch {
      // Nothing is proved then: the run reads narrower lists, and says itself what is wrong.
    }
  }
  return { facts, first: [...first], tally };
}

/** Asks one company after the other for a list until one has rows. Halves it where it is refused. */
async function firstWithRows(
  { ruts, toolsOf, isReadFirst }: ProvingTools,
  facts: FactsByDirection,
  direction: Direction,
  days: DayRange,
  tally: ListTally,
): Promise<string | undefined> {
  const ofDirection = facts[direction];
  for (const rut of ruts.slice(0, MOST_COMPANIES_ASKED)) {
    const tools = toolsOf(rut, facts);
    const lists = new CompanyLists({
      tools,
      context: { rut, direction },
      bound: new BoundComparison(ofDirection),
      tally,
    });
    const asked = () => {
      const width = Math.min(widthDays(days) + 1, ofDirection.widestDays);
      return { from: addDays(days.to, 2 - Math.max(2, width)), to: days.to, isPast: true };
    };
    try {
      const list = await firstRows(lists, asked);
      if (list === undefined) continue;
      if (list.rowCount === 0) continue;
      if (isReadFirst) return rut;
      const whole = list.rowCount < MAX_PAGE_SIZE ? list : await wholeOf(lists, list);
      if (whole.ends !== undefined) noteProved(ofDirection, widthDays(whole.ends));
      return rut;
    } catch (error) {
      if (!(error instanceof ApiError) || tools.signal.aborted) throw error;
    }
  }
  return undefined;
}

/** The first page of the widest list that the company is not refused; undefined if it is refused all. */
async function firstRows(lists: CompanyLists, asked: () => List['asked']): Promise<List | undefined> {
  for (;;) {
    const days = asked();
    try {
      const list = new List(lists.context, days);
      list.add(await lists.source(days).read(windowOf(1, MAX_PAGE_SIZE), { isGlance: true }), 0);
      return list;
    } catch (error) {
      const isTimeout = error instanceof NoAnswerError && error.isTimeout;
      const isRefused = error instanceof HttpStatusError && ![403, 404, 429].includes(error.status);
      if (!isTimeout && !isRefused) throw error;
      if (askedWidth(days) <= 2) return undefined;
      noteTooWide(lists.facts, askedWidth(days));
    }
  }
}

async function wholeOf(lists: CompanyLists, list: List): Promise<List> {
  const whole = await lists.read(list.asked);
  return whole.kind === 'read' ? whole.lists[0] : list;
}
