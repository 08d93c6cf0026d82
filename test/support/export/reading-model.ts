import { HttpStatusError, type RequestContext, UnauthorizedError } from '../../../lib/api/errors.ts';
import {
  type AskedDays,
  BoundComparison,
  boundsOf,
  type DayRows,
  noFacts,
  type ServiceFacts,
} from '../../../lib/export/reading/facts.ts';
import {
  type Answer,
  type ListOptions,
  type Lists,
  type PartFilters,
  type ReadList,
  readRange,
  type TooLongList,
} from '../../../lib/export/reading/rule.ts';
import { proveWidth, type Witness } from '../../../lib/export/reading/witness.ts';
import { type Day, type DayRange, dayFromNumber, dayNumber } from '../../../lib/time/days.ts';
import type { Rut } from '../../../lib/units/rut.ts';

/**
 * Nights of small fleets against services that hide rows without an error, at the granularity of days: the pages of one
 * list are taken to be right. The rule that reads them is the program's own (lib/export/reading).
 */

export interface Row {
  id: bigint;
  /** The number of its day. */
  day: number;
  type: number;
  number: number;
  isAfterMidnight: boolean;
  isEvening: boolean;
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
  rut: Rut;
  /** By the number of the day. */
  days: Row[][];
  /** A day that always fails. */
  poison: number | undefined;
  isGone: boolean;
  /** How the service treats this company, if not like the others. */
  service?: Service;
}

export interface World {
  service: Service;
  /** The service from the second half of the fleet on, if it changes in the middle of a run. */
  later?: Service;
  fleet: Company[];
  lake: Map<Company, Map<number, Set<bigint>>>;
  /** The number of the day. */
  today: number;
  requests: number;
}

/** What is left out of the rule, to see what it is there for. */
export interface Omission {
  /** Facts that always say this. */
  facts?: Partial<ServiceFacts>;
  /** What a list says of itself. */
  list?(list: ModelList): Partial<ReadList>;
  /** What a list says of the rows of a day. */
  rows?(rows: DayRows): Partial<DayRows>;
  /** What only the parts of a divided day say of themselves. */
  part?: Partial<ReadList>;
  /** What only a witness's lists say of a day. */
  witnessRows?: Partial<DayRows>;
  isCutNeverAsked?: true;
  isSecondQuestionLeftOut?: true;
  isDisproofIgnored?: true;
  isGoneAskedOnce?: true;
  isInstabilityIgnored?: true;
  isDatesOnlyForAll?: true;
  areFactsKept?: true;
}

const CONTEXT: RequestContext = { rut: '219999830019', direction: 'recibidos' };

/** One list; throws where it is refused. */
function ask(
  world: World,
  company: Company,
  { from: fromDay, to: toDay }: DayRange,
  filters: PartFilters = {},
): Row[] {
  const { today } = world;
  const service = company.service ?? world.service;
  let [from, to] = [numberOf(fromDay), numberOf(toDay)];
  // Most lists end on their second page.
  world.requests += 2;
  if (company.isGone) throw new UnauthorizedError(CONTEXT);
  const isPoisoned = company.poison !== undefined && from <= company.poison && company.poison <= to;
  const isTooOld = from < today - service.oldestDays;
  if (isPoisoned || isTooOld || (service.isTodayRefused && to >= today)) {
    throw new HttpStatusError(CONTEXT, 400, 1);
  }
  if (Object.keys(filters).length > 0 && service.filters === 'refused') {
    throw new HttpStatusError(CONTEXT, 422, 1);
  }
  if (to - from + 1 > service.widest) {
    if (service.beyond === 'refuses') throw new HttpStatusError(CONTEXT, 400, 1);
    if (service.beyond === 'empty') return [];
    if (service.beyond === 'last days') from = to - service.widest + 1;
    else to = from + service.widest - 1;
  }
  const rows: Row[] = [];
  for (let day = from - 1; day <= to; day += 1) {
    for (const row of company.days[day] ?? []) {
      const own = service.isUtc && row.isEvening ? day + 1 : day;
      const isOfBound =
        service.bound === 'whole day' || (service.bound === 'midnight' && !row.isAfterMidnight);
      const isWithin = own >= from && (own < to || (own === to && isOfBound));
      if (isWithin && (service.filters === 'ignored' || isWanted(row, filters))) rows.push(row);
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

class ModelList implements ReadList {
  readonly asked: AskedDays;
  readonly rows: readonly Row[];
  readonly rowCount: number;
  readonly undated: readonly bigint[] = [];
  readonly isAmbiguous: boolean;
  readonly hasEveningBefore: boolean;
  readonly hasTimes: boolean;
  readonly ends: DayRange | undefined;
  private readonly byDay = new Map<number, Row[]>();
  private readonly omission: Omission;

  constructor(asked: AskedDays, rows: readonly Row[], omission: Omission = {}) {
    this.asked = asked;
    this.omission = omission;
    this.rowCount = rows.length;
    const first = numberOf(asked.from);
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
    if (days.length > 0) this.ends = { from: dayOf(Math.min(...days)), to: dayOf(Math.max(...days)) };
    Object.assign(this, omission.list?.(this));
  }

  countOn(day: Day): number {
    return this.on(day).count;
  }

  on(day: Day): DayRows {
    const rows = rowsOf(this.byDay.get(numberOf(day)) ?? []);
    return { ...rows, ...this.omission.rows?.(rows) };
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

/** So few that worlds have long days. */
const LONG_DAY_ROWS = 25;

type NeverPaused = { kind: 'paused'; asked: AskedDays };

class ModelLists implements Lists<ModelList, NeverPaused> {
  readonly context = CONTEXT;
  readonly facts: ServiceFacts;
  readonly bound: BoundComparison;
  readonly today: Day;
  isDisproved = false;
  private readonly world: World;
  private readonly company: Company;
  private readonly omission: Omission;

  constructor(world: World, company: Company, facts: ServiceFacts, omission: Omission) {
    this.world = world;
    this.company = company;
    this.facts = facts;
    this.omission = omission;
    this.bound = new BoundComparison(facts);
    this.today = dayOf(world.today);
  }

  isTimeUp(): boolean {
    return false;
  }

  isAborted(): boolean {
    return false;
  }

  async read(
    asked: AskedDays,
    { isLongGivenUp = false }: ListOptions<NeverPaused> = {},
  ): Promise<Answer<ModelList> | TooLongList> {
    const isSecond = asked.from === asked.to && !asked.isPast && !this.bound.isBoundWhole;
    const isLeftOut = this.omission.isSecondQuestionLeftOut && isSecond;
    const rows = isLeftOut ? [] : ask(this.world, this.company, boundsOf(asked));
    if (isLongGivenUp && rows.length > LONG_DAY_ROWS) return { kind: 'tooLong', asked, ends: undefined };
    const list = new ModelList(asked, rows, this.omission);
    return { kind: 'read', lists: [list], isStable: true };
  }

  async readBefore(position: number, rowCount: number, asked: AskedDays): Promise<ModelList> {
    const rows = ask(this.world, this.company, boundsOf(asked)).slice(
      Math.max(0, position - rowCount),
      position,
    );
    return new ModelList(asked, rows, this.omission);
  }

  async hasRowPast(position: number, days: DayRange): Promise<boolean> {
    return this.omission.isCutNeverAsked ?? ask(this.world, this.company, days).length > position;
  }

  async ask(day: Day): Promise<void> {
    ask(this.world, this.company, { from: day, to: day });
  }

  async readPart(asked: AskedDays, filters: PartFilters): Promise<ModelList | undefined> {
    try {
      const rows = ask(this.world, this.company, boundsOf(asked), filters);
      if (!rows.every((row) => isWanted(row, filters))) return undefined;
      return Object.assign(new ModelList(asked, rows), this.omission.part);
    } catch {
      return undefined;
    }
  }

  onDisproved(): void {
    if (this.omission.isDisproofIgnored) return;
    this.isDisproved = true;
    this.facts.provedWidthDays = 1;
  }
}

export interface Night {
  companyDays: number;
  /** Days that lack a row and were not said to be incomplete. */
  lost: number;
  /** Days of which a listed row is taken to be gone. */
  wronglyGone: number;
  failed: number;
  /** Days that are stored, but said not to be stable. */
  unstable: number;
}

/** Exports the last `width` days of all companies, as a run does. */
export async function playNight(
  world: World,
  width: number,
  facts: ServiceFacts,
  omission: Omission,
): Promise<Night> {
  const { today, fleet } = world;
  await prove(world, facts, width + 1, omission);
  const night: Night = { companyDays: 0, lost: 0, wronglyGone: 0, failed: 0, unstable: 0 };
  for (const [index, company] of fleet.entries()) {
    if (index === fleet.length >> 1) world.service = world.later ?? world.service;
    const reading = new CompanyNight(world, company, facts, omission);
    await reading.export({ from: dayOf(today - width), to: dayOf(today - 1) });
    night.wronglyGone += reading.wronglyGone;
    for (let day = today - width; day < today; day += 1) {
      night.companyDays += 1;
      if (reading.failed.has(day)) night.failed += 1;
      else if (reading.unstable.has(day)) night.unstable += 1;
      else if ((company.days[day] ?? []).some(({ id }) => !reading.stored.get(day)?.has(id))) night.lost += 1;
    }
  }
  return night;
}

/** What read-company.ts and company.ts do around the rule. */
class CompanyNight {
  readonly failed = new Set<number>();
  readonly unstable = new Set<number>();
  readonly stored: Map<number, Set<bigint>>;
  wronglyGone = 0;
  private readonly company: Company;
  private readonly lists: ModelLists;
  private readonly omission: Omission;

  constructor(world: World, company: Company, facts: ServiceFacts, omission: Omission) {
    this.company = company;
    this.omission = omission;
    this.lists = new ModelLists(world, company, facts, omission);
    this.stored = world.lake.get(company) ?? new Map();
    world.lake.set(company, this.stored);
  }

  async export(days: DayRange): Promise<void> {
    const { lists, failed } = this;
    const believed = await this.read(days);
    if (lists.isDisproved || lists.bound.hasCeasedToBeWhole) {
      for (const day of believed) await this.read({ from: dayOf(day), to: dayOf(day) });
    }
    const unproved = lists.bound.isBoundWhole ? [...failed] : [];
    for (const day of unproved) await this.read({ from: dayOf(day), to: dayOf(day) });
    if (this.omission.isDatesOnlyForAll && lists.bound.isBoundWhole) lists.facts.isBoundWhole = true;
  }

  /** The days whose lists were believed. */
  private async read(range: DayRange): Promise<number[]> {
    const believed: number[] = [];
    const { days: results } = await readRange(range, this.lists);
    for (let day = numberOf(range.from); day <= numberOf(range.to); day += 1) {
      const result = results.get(dayOf(day));
      this.failed.delete(day);
      this.unstable.delete(day);
      if (result?.kind !== 'read') {
        this.failed.add(day);
        continue;
      }
      const ids = idsOn(day, result.lists);
      const before = this.stored.get(day) ?? new Set<bigint>();
      believed.push(day);
      const isAnyGone = !before.isSubsetOf(ids);
      if (isAnyGone && !result.mayLackRows) await this.confirmGone(day, before, ids, result.widthDays);
      if (!result.isStable && !this.omission.isInstabilityIgnored) this.unstable.add(day);
      this.stored.set(day, before.union(ids));
    }
    return believed;
  }

  private async confirmGone(
    day: number,
    before: Set<bigint>,
    ids: Set<bigint>,
    width: number,
  ): Promise<void> {
    if (!this.omission.isGoneAskedOnce) {
      const again = (await readRange({ from: dayOf(day), to: dayOf(day) }, this.lists)).days.get(dayOf(day));
      if (again?.kind !== 'read') return;
      const sizeBefore = ids.size;
      for (const id of idsOn(day, again.lists)) ids.add(id);
      if (ids.size > sizeBefore && width > 1) this.lists.onDisproved();
    }
    const isListed = (id: bigint) => (this.company.days[day] ?? []).some((row) => row.id === id);
    if ([...before].some((id) => !ids.has(id) && isListed(id))) this.wronglyGone += 1;
  }
}

function idsOn(day: number, lists: readonly ModelList[]): Set<bigint> {
  return new Set(lists.flatMap((list) => [...list.on(dayOf(day)).ids]));
}

async function prove(
  world: World,
  facts: ServiceFacts,
  neededDays: number,
  omission: Omission,
): Promise<void> {
  const companyOf = (asked: string): Company => {
    const company = world.fleet.find(({ rut }) => rut === asked);
    if (company === undefined) throw new Error(`no company ${asked}`);
    return company;
  };
  const find = async (wanted: number, without: ReadonlySet<string>): Promise<Witness | undefined> => {
    const widths = [...Array(10).keys()].map((more) => wanted + more);
    for (let width = wanted - 1; width >= 2; width -= 1) widths.push(width);
    for (const width of widths) {
      let best: Witness | undefined;
      for (const company of world.fleet) {
        const stored = world.lake.get(company);
        if (stored === undefined || without.has(company.rut)) continue;
        for (let last = world.today - 1; last > world.today - 70; last -= 1) {
          const first = last - width + 1;
          if (!stored.get(last)?.size || !stored.get(first)?.size) continue;
          let rowCount = 0;
          for (let day = first; day <= last; day += 1) rowCount += stored.get(day)?.size ?? 0;
          if (best !== undefined && best.rowCount <= rowCount) continue;
          best = { rut: company.rut, rowCount, days: { from: dayOf(first), to: dayOf(last) } };
        }
      }
      if (best !== undefined) return best;
    }
    return undefined;
  };
  await proveWidth(facts, neededDays, {
    find,
    knownRows: async ({ rut, days: { to } }) => {
      const company = companyOf(rut);
      const stored = world.lake.get(company)?.get(numberOf(to));
      return rowsOf((company.days[numberOf(to)] ?? []).filter(({ id }) => stored?.has(id)));
    },
    readEnds: async ({ rut }, asked) => {
      const rows = () => omission.witnessRows ?? {};
      return new ModelList(asked, ask(world, companyOf(rut), boundsOf(asked)), {
        ...omission,
        ...(omission.witnessRows && { rows }),
      });
    },
  });
}

/** What a run begins with. */
export function factsOfRun({ facts = {} }: Omission): ServiceFacts {
  // What is left out stays as it is, whatever is written to it.
  const fixed = Object.entries(facts).map(([name, value]) => [
    name,
    { get: () => value, set: () => undefined },
  ]);
  return Object.defineProperties(noFacts(), Object.fromEntries(fixed));
}

/** Days as text and as numbers: the model turns one into the other all the time. */
const DAYS: Day[] = [];
const NUMBERS = new Map<Day, number>();

function numberOf(day: Day): number {
  const known = NUMBERS.get(day);
  if (known !== undefined) return known;
  const number = dayNumber(day);
  NUMBERS.set(day, number);
  return number;
}

function dayOf(number: number): Day {
  DAYS[number] ??= dayFromNumber(number);
  return DAYS[number];
}
