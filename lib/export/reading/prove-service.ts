import type { ApiClient } from '../../api/client.ts';
import { ApiDownError, ApiError, HttpStatusError } from '../../api/errors.ts';
import { MAX_PAGE_SIZE } from '../../api/list/page.ts';
import { type ListTally, newTally } from '../../api/list/page-request.ts';
import type { LakeStore } from '../../lake/store/store.ts';
import type { Clock } from '../../time/clock.ts';
import { addDays, type DayRange, widthDays } from '../../time/days.ts';
import { DIRECTIONS, type Direction } from '../../units/unit.ts';
import type { ReadingTools } from '../export-tools.ts';
import { CompanyLists } from './company-lists.ts';
import {
  type AskedDays,
  askedWidth,
  type FactsByDirection,
  newFacts,
  noteTooWide,
  type ServiceFacts,
} from './facts.ts';
import { List } from './list.ts';
import { compareEnd, isDenial, kindOfFault, noteEnds } from './rule.ts';
import { lakeWitnesses, proveWidth } from './witness.ts';

/** Companies that are asked for a list each where the lake has no witness. */
const MOST_COMPANIES_ASKED = 100;
/** A list of so many pages is not read for a proof alone. */
const MOST_PAGES = 12;

export interface ProvingTools {
  store: LakeStore;
  ruts: readonly string[];
  /** The days of the run in each direction that it reads. */
  daysOf: Readonly<Partial<Record<Direction, DayRange>>>;
  clientOf(rut: string): ApiClient;
  clock: Clock;
  /** Ends it, with what was proved until then. */
  signal: AbortSignal;
  /** Where nothing is proved yet: whether whoever has rows is read first of all, and so proves what it shows. */
  isReadFirst: boolean;
}

export interface ProvedService {
  facts: FactsByDirection;
  /** Companies to read before all others, since the lake has no witness and these have rows. */
  first: readonly string[];
  /** The requests that it took. */
  tally: ListTally;
  /** What failed last in each direction of which nothing is proved. */
  faults: ReadonlyMap<Direction, unknown>;
}

/**
 * What a run must know about the service before it reads: for each direction, how wide its lists may be and whether
 * `FechaHasta` includes its day. No failure of it stops a run: without a proof, the run reads narrower lists, and says
 * itself what is wrong.
 */
export async function proveService(tools: ProvingTools): Promise<ProvedService> {
  const { signal, daysOf } = tools;
  const facts = newFacts();
  const tally = newTally();
  const first = new Set<string>();
  const faults = new Map<Direction, unknown>();
  const toolsOf = readingTools(tools, facts);
  const directions = DIRECTIONS.flatMap((direction) => {
    const days = daysOf[direction];
    const onFault = (fault: unknown) => void faults.set(direction, fault);
    return days === undefined
      ? []
      : [{ ...tools, toolsOf, tally, direction, days, facts: facts[direction], onFault }];
  });
  const proveAll = async () => {
    for (const direction of directions) {
      if (signal.aborted) return;
      const found = await proveDirection(direction).catch(direction.onFault);
      if (found !== undefined) first.add(found);
    }
  };
  await Promise.race([proveAll(), abortionOf(signal)]);
  for (const { direction, facts: ofDirection } of directions) {
    if (isAnythingProved(ofDirection)) faults.delete(direction);
    else if (signal.aborted) faults.set(direction, signal.reason);
  }
  return { facts, first: [...first], tally, faults };
}

/** One client for each company, since each reads its token anew. */
function readingTools({ clientOf, clock, signal }: ProvingTools, facts: FactsByDirection): ToolsOf {
  const known = new Map<string, ReadingTools>();
  return (rut) => {
    const tools = known.get(rut) ?? {
      client: clientOf(rut),
      facts,
      clock,
      signal,
      isTimeUp: () => false,
      disproved: new Set(),
    };
    known.set(rut, tools);
    return tools;
  };
}

/** A company with rows, to be read first of all, if the lake has no witness. */
async function proveDirection(options: DirectionToProve): Promise<string | undefined> {
  const { ruts, days, facts, isReadFirst } = options;
  await proveWidth(facts, widthDays(days) + 1, lakeWitnesses(options));
  const hasWitness = facts.answeredWidthDays > 0 || isAnythingProved(facts);
  // A single company is read at once.
  if (hasWitness || (ruts.length === 1 && isReadFirst)) return undefined;
  return await firstWithRows(options);
}

function isAnythingProved({ provedWidthDays, widestDays }: ServiceFacts): boolean {
  return provedWidthDays > 1 || widestDays < Number.POSITIVE_INFINITY;
}

/** A request to the lake has no signal, and may take minutes. */
function abortionOf(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

type ToolsOf = (rut: string) => ReadingTools;

interface DirectionToProve extends ProvingTools {
  direction: Direction;
  days: DayRange;
  facts: ServiceFacts;
  toolsOf: ToolsOf;
  tally: ListTally;
  onFault(fault: unknown): undefined;
}

/**
 * Asks one company after the other for a list until one has rows. The list has a day more than the run's, and so proves
 * theirs and the day after them. Returns the company if its list is too long for that.
 */
async function firstWithRows(options: DirectionToProve): Promise<string | undefined> {
  const { ruts, toolsOf, direction, days, facts, tally, signal, onFault } = options;
  for (const rut of ruts.slice(0, MOST_COMPANIES_ASKED)) {
    const context = { rut, direction };
    const pagesBefore = tally.pages;
    const lists = new CompanyLists({
      tools: { ...toolsOf(rut), isTimeUp: () => tally.pages - pagesBefore > MOST_PAGES },
      context,
      tally,
    });
    try {
      const list = await firstRows(lists, days);
      if (list === undefined || list.rowCount === 0) continue;
      const whole = list.rowCount < MAX_PAGE_SIZE ? list : await readWhole(lists, list.asked);
      if (whole === undefined) return rut;
      noteEnds(facts, whole);
      return await compareBound(lists, whole).catch(onFault);
    } catch (error) {
      if (!(error instanceof ApiError) || error instanceof ApiDownError || signal.aborted) throw error;
      onFault(error);
    }
  }
  return undefined;
}

/** Undefined if the list is too long for a proof. */
async function readWhole(lists: CompanyLists, asked: AskedDays): Promise<List | undefined> {
  const answer = await lists.read(asked);
  return answer.kind === 'read' ? answer.lists[0] : undefined;
}

/** Compares the evening of a list's last day with what a list that ends later shows of it. */
async function compareBound(lists: CompanyLists, list: List): Promise<undefined> {
  const { to } = list.asked;
  // Without an evening there is nothing to compare, or the bound is not whole.
  if (!list.on(to).hasEveningRow) return;
  lists.bound.noteEnd(to, list.on(to));
  await compareEnd(lists, to, list.countOn(to));
}

/** The first page of the widest list that the company is not refused; undefined if it is refused all. */
async function firstRows(lists: CompanyLists, { from, to }: DayRange): Promise<List | undefined> {
  let refusedDays: number | undefined;
  for (let width = Math.min(widthDays({ from, to }) + 1, lists.facts.widestDays); ; width >>= 1) {
    const asked = { from: addDays(to, 1 - Math.max(2, width)), to, isPast: false };
    try {
      const list = new List(lists.context, asked);
      list.add(await lists.readPage(asked), 0);
      // Only now: what fails whatever it is asked for says nothing about widths.
      if (refusedDays !== undefined) noteTooWide(lists.facts, refusedDays);
      return list;
    } catch (error) {
      const isThrottled = error instanceof HttpStatusError && error.status === 429;
      if (kindOfFault(error) !== 'refused' || isDenial(error) || isThrottled) throw error;
      refusedDays = askedWidth(asked);
      if (refusedDays <= 2) return undefined;
    }
  }
}
