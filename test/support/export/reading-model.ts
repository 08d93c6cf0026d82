import { HttpStatusError, type RequestContext } from '../../../lib/api/errors.ts';
import { RangePlan } from '../../../lib/export/reading/plan.ts';
import { prove, type Witness } from '../../../lib/export/reading/prove.ts';
import {
  type Answer,
  type Known,
  type NumberFilters,
  type Question,
  ruleOf,
  type SeenCompany,
  type Verdict,
  type Verdicts,
} from '../../../lib/export/reading/rule.ts';
import {
  type AskedDays,
  type Attempt,
  boundsOf,
  type DayRows,
  noFacts,
  type ServiceFacts,
} from '../../../lib/export/reading/service-facts.ts';
import { type Day, type DayRange, dayFromNumber, dayNumber } from '../../../lib/time/days.ts';

/**
 * Nights of small fleets against services that hide rows without an error, at the granularity of days: the pages of one
 * list are taken to be right. The rule that proves, plans and reads is the program's own (lib/export/reading).
 */

export interface Row {
  id: bigint;
  /** The number of its day. */
  day: number;
  hour: number;
  number: number;
}

export interface Service {
  /** How much of the end date's day a list has. */
  bound: 'whole day' | 'midnight' | 'nothing';
  /** The widest list that is answered in full, and what becomes of wider ones. */
  widest: number;
  beyond: 'refuses' | 'empty' | 'last days' | 'first days';
  /** The most rows of any list, and which ones. */
  window: number;
  windowKeeps: 'new' | 'old';
  areFiltersIgnored: boolean;
  /** Whether its days are those of UTC. */
  isUtc: boolean;
  /** Lists that begin more days ago are refused. */
  oldestDays: number;
  /** Lists that reach today are refused. */
  isTodayRefused: boolean;
  /** The share of lists that are answered with nothing, if they are over more than two days. */
  emptyShare: number;
}

export interface Company {
  rut: string;
  direction: 0 | 1;
  /** By the number of the day. */
  days: Row[][];
  /** A day that always fails. */
  poison: number | undefined;
  /** How the service treats this company, if not like the others. */
  service?: Service;
}

export interface World {
  /** By direction. */
  services: [Service, Service];
  /** The services from the second half of the fleet on, if they change in the middle of a run. */
  later?: [Service, Service];
  fleet: Company[];
  lake: Map<Company, Map<number, Set<bigint>>>;
  /** The number of the day. */
  today: number;
  requests: number;
  /** A number from 0 to 1, by lot. */
  draw(): number;
}

/** What is left out of the rule, to see what it is there for. */
export interface Omission {
  /** Facts that always say this. */
  facts?: Partial<ServiceFacts>;
  /** What a list says of the rows of a day. */
  rows?(rows: DayRows): Partial<DayRows>;
  /** What a list says of itself. */
  list?(list: ModelList): Partial<Attempt>;
  /** What only a witness's lists say of a day. */
  witnessRows?: Partial<DayRows>;
  isAloneEmpty?: true;
  isCutNeverAsked?: true;
  areHalvesWhole?: true;
  isGoneAskedOnce?: true;
  isInstabilityIgnored?: true;
  areFactsKept?: true;
}

const CONTEXT: RequestContext = { rut: '219999830019', direction: 'recibidos' };

function refused(): HttpStatusError {
  return new HttpStatusError(CONTEXT, 400, 1);
}

/** One list; throws where it is refused. */
function ask(world: World, company: Company, days: DayRange, filters: NumberFilters = {}): Row[] {
  const { today } = world;
  const service = company.service ?? world.services[company.direction];
  const { bound, isUtc, window } = service;
  let [from, to] = [numberOf(days.from), numberOf(days.to)];
  const isPoisoned = company.poison !== undefined && from <= company.poison && company.poison <= to;
  if (isPoisoned || from < today - service.oldestDays || (service.isTodayRefused && to >= today))
    throw refused();
  if (to - from > 1 && service.emptyShare > 0 && world.draw() < service.emptyShare) return [];
  if (to - from + 1 > service.widest) {
    if (service.beyond === 'refuses') throw refused();
    if (service.beyond === 'empty') return [];
    if (service.beyond === 'last days') from = to - service.widest + 1;
    else to = from + service.widest - 1;
  }
  const { NumeroDesde = 0, NumeroHasta = Number.POSITIVE_INFINITY } = service.areFiltersIgnored
    ? {}
    : filters;
  const rows: Row[] = [];
  for (let day = from - 1; day <= to; day += 1) {
    for (const row of company.days[day] ?? []) {
      const ownDay = isUtc && row.hour >= 21 ? day + 1 : day;
      const isMidnight = row.hour === (isUtc ? 21 : 0);
      const isOfBound = bound === 'whole day' || (bound === 'midnight' && isMidnight);
      const isWithin = ownDay >= from && (ownDay < to || (ownDay === to && isOfBound));
      if (isWithin && NumeroDesde <= row.number && row.number <= NumeroHasta) rows.push(row);
    }
  }
  if (rows.length <= window) return rows;
  return service.windowKeeps === 'new' ? rows.slice(-window) : rows.slice(0, window);
}

class ModelList implements Attempt {
  readonly asked: AskedDays;
  readonly rowCount: number;
  readonly numbers: readonly number[];
  readonly undated: readonly bigint[] = [];
  readonly isAmbiguous = false;
  readonly hasEveningBefore: boolean;
  readonly hasTimes: boolean;
  readonly daysWithRows: readonly Day[];
  private readonly byDay: ReadonlyMap<Day, readonly Row[]>;
  private readonly omission: Omission;

  constructor(asked: AskedDays, rows: readonly Row[], omission: Omission) {
    this.asked = asked;
    this.omission = omission;
    this.rowCount = rows.length;
    this.numbers = rows.map(({ number }) => number);
    const first = numberOf(asked.from);
    this.hasEveningBefore = rows.some(({ day }) => day < first);
    this.hasTimes = rows.some(({ hour }) => hour > 0);
    this.byDay = Map.groupBy(
      rows.filter(({ day }) => day >= first),
      ({ day }) => dayOf(day),
    );
    this.daysWithRows = [...this.byDay.keys()].sort();
    Object.assign(this, omission.list?.(this));
  }

  on(day: Day): DayRows {
    const rows = marksOf(this.byDay.get(day) ?? []);
    return { ...rows, ...this.omission.rows?.(rows) };
  }

  idsOn(day: Day): bigint[] {
    return (this.byDay.get(day) ?? []).map(({ id }) => id);
  }

  faultOf(): undefined {
    return undefined;
  }
}

function marksOf(rows: readonly Row[]): DayRows {
  return {
    count: rows.length,
    hasTimes: rows.some(({ hour }) => hour > 0),
    hasRowBeforeEvening: rows.some(({ hour }) => hour < 21),
    hasEveningRow: rows.some(({ hour }) => hour >= 21),
  };
}

/** What the rule is told of one company. */
class ModelAnswers implements Known {
  readonly context = CONTEXT;
  readonly facts: ServiceFacts;
  readonly company: SeenCompany = { rowCount: 0, hasTimes: false };
  private readonly world: World;
  private readonly readCompany: Company;
  private readonly omission: Omission;

  constructor(world: World, company: Company, facts: ServiceFacts, omission: Omission) {
    this.world = world;
    this.readCompany = company;
    this.facts = facts;
    this.omission = omission;
  }

  verdicts(range: DayRange): Verdicts<ModelList> {
    const rule = ruleOf<ModelList>(range, this);
    let step = rule.next();
    while (step.done !== true) step = rule.next(this.answer(step.value));
    return step.value;
  }

  private answer(question: Question): Answer<ModelList> {
    if (question.kind === 'stored dates') return this.storedDates();
    // Most lists end on their second page.
    this.world.requests += question.kind === 'list' ? 2 : 1;
    try {
      return this.asked(question);
    } catch (error) {
      if (error instanceof HttpStatusError) return error;
      throw error;
    }
  }

  /** Throws where it is refused. */
  private asked(question: Exclude<Question, { kind: 'stored dates' }>): Answer<ModelList> {
    const { world, readCompany, omission } = this;
    if (question.kind === 'list') {
      const { asked } = question;
      const isAlone = asked.from === asked.to && !asked.includesNextDay && !this.facts.isEndDateInclusive;
      const isLeftOut = isAlone && omission.isAloneEmpty === true;
      const rows = isLeftOut ? [] : ask(world, readCompany, boundsOf(asked));
      return { attempts: [new ModelList(asked, rows, omission)], isStable: true };
    }
    if (question.kind === 'row')
      return !omission.isCutNeverAsked && ask(world, readCompany, question.days).length > question.position;
    if (question.kind === 'part') {
      const { rowCount, days, filters } = question;
      return omission.areHalvesWhole ?? ask(world, readCompany, days, filters).length === rowCount;
    }
    return ask(world, readCompany, { from: question.day, to: question.day }).length >= 0;
  }

  private storedDates(): SeenCompany {
    const seen = { rowCount: 0, hasTimes: false };
    for (const [day, ids] of this.world.lake.get(this.readCompany) ?? []) {
      seen.rowCount += ids.size;
      seen.hasTimes ||= (this.readCompany.days[day] ?? []).some(({ id, hour }) => ids.has(id) && hour > 0);
    }
    return seen;
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

export type FactsOfRun = [ServiceFacts, ServiceFacts];

/** Exports the last `width` days of all companies, as a run does. */
export async function playNight(
  world: World,
  width: number,
  facts: FactsOfRun,
  omission: Omission,
): Promise<Night> {
  const { today, fleet } = world;
  for (const direction of [0, 1] as const) {
    const companies = fleet.filter((company) => company.direction === direction);
    if (companies.length > 0) await proveBy(world, companies, facts[direction], width + 2, omission);
  }
  const night: Night = { companyDays: 0, lost: 0, wronglyGone: 0, failed: 0, unstable: 0 };
  for (const [index, company] of fleet.entries()) {
    if (index === fleet.length >> 1) world.services = world.later ?? world.services;
    const results = readNight(world, company, facts[company.direction], width, omission);
    const stored = storedOf(world, company);
    for (let day = today - width; day < today; day += 1) {
      night.companyDays += 1;
      const result = results.get(dayOf(day));
      if (result?.kind !== 'read') {
        night.failed += 1;
        continue;
      }
      if (!result.isStable && !omission.isInstabilityIgnored) night.unstable += 1;
      const ids = new Set(result.attempts.flatMap((list) => list.idsOn(dayOf(day))));
      const before = stored.get(day) ?? NONE;
      const now = company.days[day] ?? [];
      if (ids.size + before.size + now.length === 0) continue;
      if (!before.isSubsetOf(ids) && !result.isPartial && !omission.isGoneAskedOnce)
        for (const id of readAgain(world, company, facts[company.direction], day, omission)) ids.add(id);
      const listed = new Set(now.map(({ id }) => id));
      if (!result.isPartial && !before.intersection(listed).isSubsetOf(ids)) night.wronglyGone += 1;
      const all = before.union(ids);
      stored.set(day, all);
      const isTold = !result.isStable && !omission.isInstabilityIgnored;
      if (!isTold && !listed.isSubsetOf(all)) night.lost += 1;
    }
  }
  return night;
}

const NONE: ReadonlySet<bigint> = new Set();

function storedOf({ lake }: World, company: Company): Map<number, Set<bigint>> {
  const stored = lake.get(company) ?? new Map<number, Set<bigint>>();
  lake.set(company, stored);
  return stored;
}

/** What read-company.ts does around the rule. */
function readNight(
  world: World,
  company: Company,
  facts: ServiceFacts,
  width: number,
  omission: Omission,
): Map<Day, Verdict<ModelList>> {
  const stored = storedOf(world, company);
  const days = Array.from({ length: width }, (_, index) => dayOf(world.today - width + index));
  const knownRows = new Map(
    days.flatMap((day): [Day, number][] => {
      const size = stored.get(numberOf(day))?.size ?? 0;
      return size === 0 ? [] : [[day, size]];
    }),
  );
  const plan = new RangePlan({ direction: 'recibidos', days, knownRows }, facts);
  const answers = new ModelAnswers(world, company, facts, omission);
  const results = new Map<Day, Verdict<ModelList>>();
  for (;;) {
    const range = plan.next();
    if (range === undefined) return results;
    for (const [day, verdict] of answers.verdicts(range.days)) results.set(day, verdict);
  }
}

/** A day from which receipts are gone is asked for again, and nothing of it is believed by its width. */
function readAgain(
  world: World,
  company: Company,
  facts: ServiceFacts,
  day: number,
  omission: Omission,
): bigint[] {
  const unproved = { ...facts, provedWidthDays: 1 };
  const answers = new ModelAnswers(world, company, unproved, omission);
  const result = answers.verdicts({ from: dayOf(day), to: dayOf(day) }).get(dayOf(day));
  return result?.kind === 'read' ? result.attempts.flatMap((list) => list.idsOn(dayOf(day))) : [];
}

async function proveBy(
  world: World,
  companies: readonly Company[],
  facts: ServiceFacts,
  neededDays: number,
  omission: Omission,
): Promise<void> {
  const { today } = world;
  const byRut = new Map(companies.map((company) => [company.rut, company]));
  const sizeOn = (company: Company, day: number) => world.lake.get(company)?.get(day)?.size ?? 0;
  const sizeOf = (company: Company) =>
    [...(world.lake.get(company)?.values() ?? [])].reduce((sum, { size }) => sum + size, 0);
  const pairInLake = async (width: number, failed: ReadonlySet<string>): Promise<Witness | undefined> => {
    let best: { witness: Witness; score: number } | undefined;
    for (const company of companies) {
      for (let last = today - 2; last > today - 72; last -= 1) {
        if (sizeOn(company, last) === 0) continue;
        let first = last - width + 1;
        while (first > last - width - 9 && sizeOn(company, first) === 0) first -= 1;
        if (first === last - width - 9) continue;
        const score = sizeOn(company, last) - (failed.has(company.rut) ? 1e9 : 0);
        if (best !== undefined && score <= best.score) continue;
        best = { witness: { rut: company.rut, days: { from: dayOf(first), to: dayOf(last) } }, score };
      }
    }
    return best?.witness;
  };
  await prove(facts, {
    companies: companies.toSorted((a, b) => sizeOf(b) - sizeOf(a)).map(({ rut }) => rut),
    neededDays,
    lastDay: dayOf(today - 2),
    pairInLake,
    readEnds: async (rut, days) => {
      const company = byRut.get(rut);
      if (company === undefined) throw new Error(`no company ${rut}`);
      world.requests += 2;
      const asked = { ...days, includesNextDay: false };
      const { witnessRows } = omission;
      const answered = witnessRows === undefined ? omission : { ...omission, rows: () => witnessRows };
      try {
        const list = new ModelList(asked, ask(world, company, days), answered);
        facts.deepestRow = Math.max(facts.deepestRow, list.rowCount);
        return list;
      } catch {
        return undefined;
      }
    },
  });
}

/** What a run begins with. */
export function factsOfRun({ facts = {} }: Omission): FactsOfRun {
  // What is left out stays as it is, whatever is written to it.
  const fixed = Object.entries(facts).map(([name, value]) => [
    name,
    { get: () => value, set: () => undefined, enumerable: true },
  ]);
  const fixedFacts = () => Object.defineProperties(noFacts(), Object.fromEntries(fixed));
  return [fixedFacts(), fixedFacts()];
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
