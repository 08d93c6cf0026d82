import { HttpStatusError, type RequestContext, UnauthorizedError } from '../../../lib/api/errors.ts';
import type { DivisibleList, PartFilters } from '../../../lib/export/reading/divide-day.ts';
import {
  type AskedDays,
  BoundComparison,
  boundsOf,
  type DayRows,
  noFacts,
  type ServiceFacts,
} from '../../../lib/export/reading/facts.ts';
import { type Lists, type ReadList, readRange } from '../../../lib/export/reading/rule.ts';
import { proveWidth, type Witness } from '../../../lib/export/reading/witness.ts';
import {
  addDays,
  type Day,
  type DayRange,
  dayFromNumber,
  dayNumber,
  widthDays,
} from '../../../lib/time/days.ts';

/**
 * Nights of small fleets against services that hide rows without an error, at the granularity of days: the pages of one
 * list are taken to be right. The rule that reads them is the program's own (lib/export/reading).
 */

interface Row {
  id: bigint;
  type: number;
  number: number;
  isAfterMidnight: boolean;
  isEvening: boolean;
}

interface DatedRow extends Row {
  day: number;
}

export interface Service {
  /** How much of the bound's day a list has. */
  bound: 'whole day' | 'midnight' | 'nothing';
  /** The widest list that is answered in full, and what becomes of wider ones. */
  widest: number;
  beyond: 'refuses' | 'empty' | 'last days' | 'first days';
  /** The most rows of any list, and which ones. */
  window: number;
  windowKeeps: 'new' | 'old';
  filters: 'honoured' | 'refused' | 'ignored';
  /** Whether its days are those of UTC. */
  isUtc: boolean;
  /** Lists that begin more days ago are refused. */
  oldestDays: number;
  /** Lists that reach today are refused. */
  isTodayRefused: boolean;
}

export interface Company {
  rut: string;
  days: Row[][];
  /** A day that always fails. */
  poison: number | undefined;
  isGone: boolean;
}

export interface World {
  service: Service;
  fleet: Company[];
  lake: Map<Company, Map<number, Set<bigint>>>;
  today: number;
  requests: number;
}

const CONTEXT: RequestContext = { rut: '219999830019', direction: 'recibidos' };

/** One list; throws where it is refused. */
function ask(
  world: World,
  company: Company,
  { from: fromDay, to: toDay }: DayRange,
  filters: PartFilters = {},
): DatedRow[] {
  const { service, today } = world;
  let [from, to] = [dayNumber(fromDay), dayNumber(toDay)];
  world.requests += 2;
  if (company.isGone) throw new UnauthorizedError(CONTEXT, 401);
  const isPoisoned = company.poison !== undefined && from <= company.poison && company.poison <= to;
  const isTooOld = from < today - service.oldestDays;
  if (isPoisoned || isTooOld || (service.isTodayRefused && to >= today))
    throw new HttpStatusError(CONTEXT, 400, 1);
  if (Object.keys(filters).length > 0 && service.filters === 'refused')
    throw new HttpStatusError(CONTEXT, 422, 1);
  if (to - from + 1 > service.widest) {
    if (service.beyond === 'refuses') throw new HttpStatusError(CONTEXT, 400, 1);
    if (service.beyond === 'empty') return [];
    if (service.beyond === 'last days') from = to - service.widest + 1;
    else to = from + service.widest - 1;
  }
  const rows: DatedRow[] = [];
  for (let day = from - 1; day <= to; day += 1) {
    for (const row of company.days[day] ?? []) {
      const own = service.isUtc && row.isEvening ? day + 1 : day;
      const isOfBound =
        service.bound === 'whole day' || (service.bound === 'midnight' && !row.isAfterMidnight);
      const isWithin = own >= from && (own < to || (own === to && isOfBound));
      if (isWithin && (service.filters === 'ignored' || isWanted(row, filters))) rows.push({ ...row, day });
    }
  }
  return service.windowKeeps === 'new' ? rows.slice(-service.window) : rows.slice(0, service.window);
}

function isWanted({ type, number }: Row, filters: PartFilters): boolean {
  const { TipoComprobante, ExcluirTipoComprobante = false, NumeroDesde = 0, NumeroHasta = 9e9 } = filters;
  if (TipoComprobante !== undefined && TipoComprobante.includes(type) === ExcluirTipoComprobante)
    return false;
  return NumeroDesde <= number && number <= NumeroHasta;
}

class ModelList implements ReadList, DivisibleList {
  readonly asked: AskedDays;
  readonly rows: readonly DatedRow[];
  readonly rowCount: number;
  readonly undated: readonly bigint[] = [];
  readonly isAmbiguous: boolean;
  readonly hasEveningBefore: boolean;
  readonly hasTimes: boolean;
  readonly ends: DayRange | undefined;
  private readonly byDay = new Map<number, DatedRow[]>();

  constructor(asked: AskedDays, rows: readonly DatedRow[]) {
    this.asked = asked;
    this.rowCount = rows.length;
    const first = dayNumber(asked.from);
    this.rows = rows.filter(({ day }) => day >= first);
    this.isAmbiguous = rows.some(({ day, isEvening }) => day < first && !(day === first - 1 && isEvening));
    this.hasEveningBefore = rows.some(({ day }) => day < first);
    this.hasTimes = rows.some(({ isAfterMidnight }) => isAfterMidnight);
    for (const row of this.rows) {
      const rowsOfDay = this.byDay.get(row.day);
      if (rowsOfDay === undefined) this.byDay.set(row.day, [row]);
      else rowsOfDay.push(row);
    }
    const days = [...this.byDay.keys()];
    if (days.length > 0)
      this.ends = { from: dayFromNumber(Math.min(...days)), to: dayFromNumber(Math.max(...days)) };
  }

  countOn(day: Day): number {
    return this.byDay.get(dayNumber(day))?.length ?? 0;
  }

  on(day: Day): DayRows {
    const rows = this.byDay.get(dayNumber(day)) ?? [];
    return rowsOf(rows);
  }

  faultOf(): undefined {
    return undefined;
  }

  countBy(column: 'tipo_comprobante' | 'numero'): Map<number | null, number> {
    const counts = new Map<number | null, number>();
    for (const { type, number } of this.rows) {
      const value = column === 'numero' ? number : type;
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return counts;
  }
}

function rowsOf(rows: readonly Row[]): DayRows {
  return {
    ids: rows.map(({ id }) => id),
    count: rows.length,
    hasTimes: rows.some(({ isAfterMidnight }) => isAfterMidnight),
    hasRowBeforeEvening: rows.some(({ isEvening }) => !isEvening),
    hasEveningRow: rows.some(({ isEvening }) => isEvening),
  };
}

/** What is left out of the rule, to see what it is there for. */
export type LeftOut =
  | 'the witness'
  | 'asking past the last day'
  | 'comparing the bound'
  | 'the second question for a day'
  | 'failing days that the bound may cut'
  | 'doubting empty lists'
  | 'doubting wide lists'
  | 'doubting round numbers of rows';

type NeverPaused = { kind: 'paused'; asked: AskedDays };

function listsOf(
  world: World,
  company: Company,
  facts: ServiceFacts,
  leftOut?: LeftOut,
): Lists<ModelList, NeverPaused> & { isDisproved: boolean } {
  const bound = new BoundComparison(facts);
  const lists = {
    context: CONTEXT,
    facts,
    bound,
    today: dayFromNumber(world.today),
    isDisproved: false,
    isTimeUp: () => false,
    isAborted: () => false,
    read: async (asked: AskedDays) => {
      const list = new ModelList(asked, ask(world, company, boundsOf(asked)));
      return { kind: 'read' as const, lists: [list] as const, isStable: true };
    },
    hasRowPast: async (position: number, days: DayRange) => ask(world, company, days).length > position,
    ask: async (day: Day) => void ask(world, company, { from: day, to: day }),
    readPart: async (asked: AskedDays, filters: PartFilters) => {
      try {
        const rows = ask(world, company, boundsOf(asked), filters);
        return rows.every((row) => isWanted(row, filters)) ? new ModelList(asked, rows) : undefined;
      } catch {
        return undefined;
      }
    },
    onDisproved: () => {
      lists.isDisproved = true;
      facts.provedWidthDays = 1;
    },
  };
  leaveOut(leftOut, facts);
  return lists;
}

/** Facts that make the rule skip one of its doubts. */
function leaveOut(leftOut: LeftOut | undefined, facts: ServiceFacts): void {
  if (leftOut === 'asking past the last day') facts.isBoundWhole = true;
  if (leftOut === 'doubting wide lists') facts.provedWidthDays = 1_000;
  if (leftOut === 'doubting round numbers of rows') facts.deepestRow = 1e9;
}

export interface Night {
  companyDays: number;
  /** Rows that a day lacks which was not said to be incomplete. */
  lost: number;
  /** Days of which a listed row is missing from what is compared with the lake. */
  wronglyGone: number;
  failed: number;
  /** Days that are stored, but said not to be stable. */
  unstable: number;
}

/** Exports the last `width` days of all companies, as a run does. */
export async function playNight(world: World, width: number, leftOut?: LeftOut): Promise<Night> {
  const { today, fleet } = world;
  const facts = noFacts();
  if (leftOut !== 'the witness') await prove(world, facts, width + 1);
  const night: Night = { companyDays: 0, lost: 0, wronglyGone: 0, failed: 0, unstable: 0 };
  const days = { from: dayFromNumber(today - width), to: dayFromNumber(today - 1) };
  for (const company of fleet) {
    const lists = listsOf(world, company, facts, leftOut);
    const stored = world.lake.get(company) ?? new Map<number, Set<bigint>>();
    world.lake.set(company, stored);
    const unstable = new Set<number>();
    const failed = new Set<number>();
    const read = async (range: DayRange): Promise<number[]> => {
      const believed: number[] = [];
      const { days: results } = await readRange(range, lists);
      for (let day = dayNumber(range.from); day <= dayNumber(range.to); day += 1) {
        const result = results.get(dayFromNumber(day));
        failed.delete(day);
        if (result?.kind !== 'read') {
          failed.add(day);
          continue;
        }
        const ids = new Set(result.lists.flatMap((list) => [...list.on(dayFromNumber(day)).ids]));
        const before = stored.get(day) ?? new Set<bigint>();
        const isAnyGone = () => [...before].some((id) => !ids.has(id));
        if (result.widthDays > 2 || ids.size === 0) believed.push(day);
        if (isAnyGone() && !result.mayLackRows) {
          const alone = await readRange({ from: dayFromNumber(day), to: dayFromNumber(day) }, lists);
          const again = alone.days.get(dayFromNumber(day));
          const sizeBefore = ids.size;
          if (again?.kind === 'read')
            for (const list of again.lists) for (const id of list.on(dayFromNumber(day)).ids) ids.add(id);
          if (ids.size > sizeBefore && result.widthDays > 1) lists.onDisproved();
          const isListed = (id: bigint) => (company.days[day] ?? []).some((row) => row.id === id);
          if (again?.kind === 'read' && [...before].some((id) => !ids.has(id) && isListed(id)))
            night.wronglyGone += 1;
        }
        if (!result.isStable) unstable.add(day);
        stored.set(day, before.union(ids));
      }
      return believed;
    };
    const believed = await read(days);
    if (lists.isDisproved)
      for (const day of believed) await read({ from: dayFromNumber(day), to: dayFromNumber(day) });
    for (const day of [...failed])
      if (lists.bound.isBoundWhole) await read({ from: dayFromNumber(day), to: dayFromNumber(day) });
    for (let day = today - width; day < today; day += 1) {
      night.companyDays += 1;
      if (failed.has(day)) night.failed += 1;
      else if (unstable.has(day)) night.unstable += 1;
      else if ((company.days[day] ?? []).some(({ id }) => !stored.get(day)?.has(id))) night.lost += 1;
    }
  }
  return night;
}

async function prove(world: World, facts: ServiceFacts, neededDays: number): Promise<void> {
  interface ModelWitness extends Witness {
    company: Company;
  }
  const find = async (wanted: number, without: ReadonlySet<string>): Promise<ModelWitness | undefined> => {
    const widths = [...Array(10).keys()].map((more) => wanted + more);
    for (let width = wanted - 1; width >= 2; width -= 1) widths.push(width);
    for (const width of widths) {
      let best: ModelWitness | undefined;
      for (const company of world.fleet) {
        if (without.has(company.rut)) continue;
        const stored = world.lake.get(company);
        for (let last = world.today - 1; last > world.today - 70; last -= 1) {
          const first = last - width + 1;
          if (!stored?.get(last)?.size || !stored.get(first)?.size) continue;
          let rowCount = 0;
          for (let day = first; day <= last; day += 1) rowCount += stored.get(day)?.size ?? 0;
          if (best !== undefined && best.rowCount <= rowCount) continue;
          best = {
            rut: company.rut,
            company,
            rowCount,
            days: { from: dayFromNumber(first), to: dayFromNumber(last) },
          };
        }
      }
      if (best !== undefined) return best;
    }
    return undefined;
  };
  await proveWidth(facts, neededDays, {
    find,
    knownRows: async ({ company, days: { to } }) => {
      const stored = world.lake.get(company)?.get(dayNumber(to));
      return rowsOf((company.days[dayNumber(to)] ?? []).filter(({ id }) => stored?.has(id)));
    },
    readEnds: async ({ company }, asked) => new ModelList(asked, ask(world, company, boundsOf(asked))),
  });
}

export function newWorld(service: Service, fleet: Company[], today: Day): World {
  return { service, fleet, lake: new Map(), today: dayNumber(today), requests: 0 };
}

export function widthOf(days: DayRange): number {
  return widthDays(days);
}

export type { Row };
export { addDays };
