import {
  type Company,
  factsOfRun,
  type Night,
  type Omission,
  playNight,
  type Row,
  type Service,
  type World,
} from './reading-model.ts';

/** What is the same in all worlds of a kind; all else is drawn by lot. */
export interface WorldKind {
  /** The share of services that limit their lists. */
  limited?: number;
  /** The widest list of these, and the least that it may be. */
  widest?: number;
  leastWidest?: number;
  service?: Partial<Service>;
  windows?: readonly [number, ...number[]];
  companies?: number;
  /** Rows a day. */
  rates?: readonly [number, ...number[]];
  /** All companies but one are idle. */
  isIdle?: boolean;
  /** The only busy company is the last of the run. */
  isBusiestLast?: boolean;
  /** What rows have: dates only, times of office hours, or by company either. */
  times?: 'dates' | 'office' | 'mixed';
  hasPoison?: boolean;
  /** Neither the service nor its rows change between two nights. */
  isCalm?: boolean;
  /** Half of the companies are read in a second direction, whose lists have limits of their own. */
  hasDirections?: boolean;
  /** Those of the second direction begin after the third night. */
  isDirectionNew?: boolean;
  /** Only days this many days old and older have rows. */
  newestDays?: number;
  /** One day in ten has a hundred times the rows. */
  hasLongDays?: boolean;
  /** Each company has a limit of its own. */
  isLimitOfCompany?: boolean;
  /** The service changes in the middle of the first run. */
  changesInRun?: boolean;
  /** The days that each night reads; else 65 and 3. */
  nightDays?: readonly [number, number, number, number, number, number];
}

const CALM: WorldKind = { limited: 0, isCalm: true, companies: 10 };
const IDLE: WorldKind = { ...CALM, companies: 20, isIdle: true };
const TWENTY_DAYS = { nightDays: [20, 20, 20, 20, 20, 20] } as const;
const WINDOW: WorldKind = { ...CALM, companies: 2, rates: [40, 60, 300], ...TWENTY_DAYS };
const UTC = { service: { isUtc: true, bound: 'whole day' } } as const;

/** Services and fleets, each kind with its own way to hide rows. */
export const KINDS = {
  'any bound, any limit, changes between nights': {},
  'directions with a limit each': { hasDirections: true, companies: 6 },
  'one direction is new': { hasDirections: true, isDirectionNew: true, companies: 6 },
  'no limit, nothing changes': CALM,
  'days of UTC': { ...UTC, leastWidest: 2 },
  'days of UTC, no changes': { ...UTC, leastWidest: 2, isCalm: true },
  'two days at most': { limited: 1, widest: 2 },
  'two days at most, days of UTC': { ...UTC, limited: 1, widest: 2 },
  'single days only': { limited: 1, widest: 1 },
  'some companies give times, some dates only': { times: 'mixed' },
  'one day is always refused': { ...CALM, hasPoison: true },
  'one day is always refused, dates only': {
    ...CALM,
    companies: 5,
    hasPoison: true,
    times: 'dates',
    rates: [3],
  },
  'one day is always refused, days of UTC': { ...CALM, ...UTC, companies: 5, hasPoison: true },
  'days older than 40 are refused': { ...CALM, service: { oldestDays: 40 } },
  'today is refused': { ...CALM, service: { isTodayRefused: true } },
  'today is refused, days of UTC': {
    ...CALM,
    service: { isTodayRefused: true, isUtc: true, bound: 'whole day' },
  },
  'the only busy company is the last': { ...IDLE, companies: 40, isBusiestLast: true },
  'a lake of one day, then 65': { ...CALM, companies: 5, rates: [1, 6, 30], nightDays: [1, 65, 3, 65, 3, 3] },
  'office hours, 300 a day, one day, then ten': {
    ...CALM,
    companies: 2,
    rates: [300],
    times: 'office',
    nightDays: [1, 10, 3, 3, 10, 3],
  },
  'rows older than 70 days only': { newestDays: 70 },
  'long days, no limit': { ...CALM, companies: 3, rates: [0.3, 1, 6], hasLongDays: true },
  'long days, any limit': { companies: 3, rates: [0.3, 1, 6], hasLongDays: true },
  'one company has rows': IDLE,
  'one company has rows, lists over 31 days are empty': {
    ...IDLE,
    limited: 1,
    widest: 31,
    service: { beyond: 'empty' },
  },
  'one company has rows, lists over 31 days are refused': {
    ...IDLE,
    limited: 1,
    widest: 31,
    service: { beyond: 'refuses' },
  },
  'a round result window': { ...WINDOW, windows: [500, 1_000, 2_000] },
  'any result window': { ...WINDOW, windows: [600, 750, 1_024, 1_200, 2_048, 6_400] },
  'a result window, filters are ignored': {
    ...WINDOW,
    windows: [500, 600, 1_000, 1_024, 1_200],
    service: { areFiltersIgnored: true },
  },
} as const satisfies Record<string, WorldKind>;

/** Services that the rule does not read whole, and that are said to be unsupported. */
export const NOT_COVERED = {
  'days of UTC, single days only': { ...UTC, limited: 1, widest: 1, isCalm: true },
  'days of UTC, any bound': { service: { isUtc: true } },
  'a limit for each company': { isLimitOfCompany: true, isCalm: true },
  'it changes in the middle of the first run': { changesInRun: true, isCalm: true, companies: 6 },
  '2 % of lists are answered with nothing': { service: { emptyShare: 0.02 }, isCalm: true },
} as const satisfies Record<string, WorldKind>;

export interface Outcome extends Night {
  requests: number;
}

const FIRST_NIGHT = 160;
const NIGHTS = [0, 1, 2, 3, 4, 5] as const;
const USUAL_NIGHT_DAYS = [65, 3, 3, 3, 65, 3] as const;
const NEWEST = FIRST_NIGHT + NIGHTS.length + 1;
/** With the days before the first night that a witness may be of. */
const OLDEST = FIRST_NIGHT - 90;

/** Plays some nights of the world with this number. */
export async function playWorld(kind: WorldKind, seed: number, omission: Omission = {}): Promise<Outcome> {
  const maker = new WorldMaker(kind, new Draw(seed));
  const world = maker.world();
  const all = world.fleet;
  const outcome: Outcome = { companyDays: 0, lost: 0, wronglyGone: 0, failed: 0, unstable: 0, requests: 0 };
  let facts = factsOfRun(omission);
  for (const night of NIGHTS) {
    world.today = FIRST_NIGHT + night;
    world.fleet = all.filter(({ direction }) => direction === 0 || !kind.isDirectionNew || night >= 3);
    if (!kind.isCalm && night > 0) maker.change(world);
    if (!omission.areFactsKept) facts = factsOfRun(omission);
    const days = (kind.nightDays ?? USUAL_NIGHT_DAYS)[night];
    const { companyDays, lost, wronglyGone, failed, unstable } = await playNight(
      world,
      days,
      facts,
      omission,
    );
    outcome.companyDays += companyDays;
    outcome.lost += lost;
    outcome.wronglyGone += wronglyGone;
    outcome.failed += failed;
    outcome.unstable += unstable;
  }
  return { ...outcome, requests: world.requests };
}

class WorldMaker {
  private readonly kind: WorldKind;
  private readonly draw: Draw;
  private readonly hasTimes: boolean;
  private readonly datesOnly = new Set<Company>();
  private lastId = 0n;

  constructor(kind: WorldKind, draw: Draw) {
    this.kind = kind;
    this.draw = draw;
    const isAnyTimed = kind.times === 'office' || kind.service?.isUtc === true;
    this.hasTimes = kind.times !== 'dates' && (isAnyTimed || draw.share() < 0.6);
  }

  world(): World {
    const { kind, draw } = this;
    const services = this.services();
    const fleet = Array.from({ length: kind.companies ?? draw.integer(1, 5) }, (_, index) =>
      this.company(index),
    );
    const rowsOf = ({ days }: Company) => days.reduce((sum, rows) => sum + rows.length, 0);
    const sign = kind.isBusiestLast ? 1 : -1;
    fleet.sort((a, b) => sign * (rowsOf(a) - rowsOf(b)));
    const later = kind.changesInRun ? this.services() : undefined;
    return {
      services,
      ...(later && { later }),
      fleet,
      lake: new Map(),
      today: FIRST_NIGHT,
      requests: 0,
      draw: () => draw.share(),
    };
  }

  /** What is different in the next night: receipts that appear late and, now and then, the service. */
  change(world: World): void {
    const { draw } = this;
    if (draw.share() < 0.15) world.services = this.services();
    for (const company of world.fleet) {
      for (let late = draw.integer(0, 2); late > 0; late -= 1) {
        const day = world.today - draw.integer(1, 10);
        company.days[day]?.push(this.row(company, day));
      }
    }
  }

  private services(): [Service, Service] {
    return [this.service(), this.service()];
  }

  private service(): Service {
    const { kind, draw } = this;
    const bound = kind.service?.bound ?? draw.pick(['whole day', 'midnight', 'nothing']);
    const isLimited = draw.share() < (kind.limited ?? 0.6);
    const widest = kind.widest ?? draw.integer(kind.leastWidest ?? 1, 40);
    return {
      bound,
      // Of a service that answers one day only, without that day, no question could show a row.
      widest: isLimited ? widest + Number(bound !== 'whole day') : Number.POSITIVE_INFINITY,
      beyond: draw.pick(['refuses', 'empty', 'last days', 'first days']),
      window: draw.pick(kind.windows ?? [Number.POSITIVE_INFINITY]),
      windowKeeps: draw.pick(['new', 'old']),
      areFiltersIgnored: draw.share() < 0.2,
      isUtc: false,
      oldestDays: Number.POSITIVE_INFINITY,
      isTodayRefused: false,
      emptyShare: 0,
      ...kind.service,
    };
  }

  private company(index: number): Company {
    const { kind, draw } = this;
    const poison = kind.hasPoison && index === 0 ? FIRST_NIGHT - 5 : undefined;
    const direction = kind.hasDirections && index % 2 === 1 ? 1 : 0;
    const company: Company = { rut: `${index}`, direction, days: [], poison };
    if (kind.isLimitOfCompany) company.service = this.service();
    const rate = kind.isIdle ? Number(index === 0) : draw.pick(kind.rates ?? [0, 0.05, 0.3, 1, 6, 30]);
    if (kind.times === 'mixed' ? draw.share() < 0.5 : !this.hasTimes) this.datesOnly.add(company);
    const newest = FIRST_NIGHT - (kind.newestDays ?? -Number.POSITIVE_INFINITY);
    for (let day = 0; day <= NEWEST; day += 1) {
      const isLong = kind.hasLongDays && draw.share() < 0.1;
      const most = 2 * rate * (isLong ? 100 : 1);
      const count =
        rate >= 1 || isLong ? draw.integer(0, most) : draw.share() < rate ? draw.integer(1, 3) : 0;
      const isEmpty = day < OLDEST || day > newest;
      company.days.push(Array.from({ length: isEmpty ? 0 : count }, () => this.row(company, day)));
    }
    return company;
  }

  private row(company: Company, day: number): Row {
    const { draw } = this;
    this.lastId += 1n;
    const isDate = this.datesOnly.has(company) || draw.share() < 0.1;
    const hour = isDate ? 0 : this.kind.times === 'office' ? draw.integer(8, 18) : draw.integer(0, 23);
    return { id: this.lastId, day, hour, number: Number(this.lastId % 100_000n) };
  }
}

/** Numbers by lot, the same for the same seed (mulberry32). */
class Draw {
  private state: number;

  constructor(seed: number) {
    this.state = seed | 0;
  }

  /** At least 0, less than 1. */
  share(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }

  integer(from: number, to: number): number {
    return from + Math.floor(this.share() * (to - from + 1));
  }

  pick<T>(values: readonly [T, ...T[]]): T {
    return values[this.integer(0, values.length - 1)] ?? values[0];
  }
}
