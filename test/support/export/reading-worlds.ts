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
  /** Some companies give dates only, others times. */
  isMixed?: boolean;
  hasPoison?: boolean;
  /** Neither the service nor its rows change between two nights. */
  isCalm?: boolean;
  /** Each company has a limit of its own. */
  isLimitOfCompany?: boolean;
  /** The service changes in the middle of the first run. */
  changesInRun?: boolean;
  /** The days that each night reads; else 65 and 3. */
  nightDays?: number;
}

const CALM: WorldKind = { limited: 0, isCalm: true, companies: 8 };
const IDLE: WorldKind = { ...CALM, isIdle: true };
const WINDOW: WorldKind = { ...CALM, companies: 2, rates: [40, 60, 300], nightDays: 20 };

/** Services and fleets, each kind with its own way to hide rows. */
export const KINDS = {
  'any bound, any limit, changes between nights': {},
  'days of UTC': { service: { isUtc: true, bound: 'whole day' }, leastWidest: 2 },
  'days of UTC, no changes': { service: { isUtc: true, bound: 'whole day' }, leastWidest: 2, isCalm: true },
  'two days at most, days of UTC': {
    service: { isUtc: true, bound: 'whole day' },
    limited: 1,
    widest: 2,
    isCalm: true,
  },
  'single days only': { limited: 1, widest: 1, isCalm: true },
  'some companies give times, some dates only': { isMixed: true, rates: [0.05, 1, 6, 30] },
  'one day is always refused': { ...CALM, hasPoison: true },
  'one day is always refused, days of UTC': {
    ...CALM,
    companies: 3,
    hasPoison: true,
    service: { isUtc: true, bound: 'whole day' },
  },
  'days older than 40 are refused': { ...CALM, service: { oldestDays: 40 } },
  'today is refused': { ...CALM, service: { isTodayRefused: true } },
  'today is refused, days of UTC': {
    ...CALM,
    service: { isTodayRefused: true, isUtc: true, bound: 'whole day' },
  },
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
  'a result window, filters work': {
    ...WINDOW,
    windows: [500, 750, 1_024, 1_200, 2_048, 6_400],
    service: { filters: 'honoured' },
  },
  'a result window shorter than a day': {
    ...WINDOW,
    windows: [500, 1_000, 1_024],
    rates: [900],
    nightDays: 5,
  },
} as const satisfies Record<string, WorldKind>;

/** Services that the rule does not read whole, and that are said to be unsupported. */
export const NOT_COVERED = {
  'single days only, days of UTC': {
    service: { isUtc: true, bound: 'whole day' },
    limited: 1,
    widest: 1,
    isCalm: true,
  },
  'each company has a limit of its own': { isLimitOfCompany: true, isCalm: true },
  'the service changes in the middle of the first run': { changesInRun: true, isCalm: true, companies: 6 },
} as const satisfies Record<string, WorldKind>;

export interface Outcome extends Night {
  requests: number;
}

const FIRST_NIGHT = 100;
const NIGHTS = 6;
const NEWEST = FIRST_NIGHT + NIGHTS + 1;
/** With the days before the first night that a witness may be of. */
const MOST_DAYS = 80;

/** Plays some nights of the world with this number. */
export async function playWorld(kind: WorldKind, seed: number, omission: Omission = {}): Promise<Outcome> {
  const maker = new WorldMaker(kind, new Draw(seed));
  const world = maker.world();
  const outcome: Outcome = { companyDays: 0, lost: 0, wronglyGone: 0, failed: 0, unstable: 0, requests: 0 };
  let facts = factsOfRun(omission);
  for (let night = 0; night < NIGHTS; night += 1) {
    world.today = FIRST_NIGHT + night;
    if (!kind.isCalm && night > 0) maker.change(world);
    if (!omission.areFactsKept) facts = factsOfRun(omission);
    const days = kind.nightDays ?? (night % 4 === 0 ? 65 : 3);
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
    this.hasTimes = draw.share() < 0.6 || kind.service?.isUtc === true;
  }

  world(): World {
    const { kind, draw } = this;
    const service = this.service();
    const fleet = Array.from({ length: kind.companies ?? draw.integer(1, 5) }, (_, index) =>
      this.company(index),
    );
    const rowsOf = ({ days }: Company) => days.reduce((sum, rows) => sum + rows.length, 0);
    fleet.sort((a, b) => rowsOf(b) - rowsOf(a));
    const later = kind.changesInRun ? this.service() : undefined;
    return { service, ...(later && { later }), fleet, lake: new Map(), today: FIRST_NIGHT, requests: 0 };
  }

  /** What is different in the next night: receipts that appear late and, now and then, the service. */
  change(world: World): void {
    const { draw } = this;
    if (draw.share() < 0.15) world.service = this.service();
    for (const company of world.fleet) {
      for (let late = draw.integer(0, 2); late > 0; late -= 1) {
        const day = world.today - draw.integer(1, 10);
        company.days[day]?.push(this.row(company, day));
      }
    }
  }

  private service(): Service {
    const { kind, draw } = this;
    const bound = kind.service?.bound ?? draw.one(['whole day', 'midnight', 'nothing']);
    const isLimited = draw.share() < (kind.limited ?? 0.6);
    const widest = kind.widest ?? draw.integer(kind.leastWidest ?? 1, 40);
    return {
      bound,
      // Of a service that answers one day only, without that day, no question could show a row.
      widest: isLimited ? widest + Number(bound !== 'whole day') : Number.POSITIVE_INFINITY,
      beyond: draw.one(['refuses', 'empty', 'last days', 'first days']),
      window: draw.one(kind.windows ?? [Number.POSITIVE_INFINITY]),
      windowKeeps: draw.one(['new', 'old']),
      filters: draw.one(['honoured', 'refused', 'ignored']),
      isUtc: false,
      oldestDays: Number.POSITIVE_INFINITY,
      isTodayRefused: false,
      ...kind.service,
    };
  }

  private company(index: number): Company {
    const { kind, draw } = this;
    const poison = kind.hasPoison && index === 0 ? FIRST_NIGHT - 5 : undefined;
    const company: Company = { rut: `${index}`, days: [], poison, isGone: false };
    if (kind.isLimitOfCompany) company.service = this.service();
    const rate = kind.isIdle ? Number(index === 0) : draw.one(kind.rates ?? [0, 0.05, 0.3, 1, 6]);
    if (kind.isMixed ? draw.share() < 0.5 : !this.hasTimes) this.datesOnly.add(company);
    const oldest = FIRST_NIGHT - (kind.nightDays ?? MOST_DAYS);
    for (let day = 0; day <= NEWEST; day += 1) {
      const count = rate >= 1 ? draw.integer(0, 2 * rate) : draw.share() < rate ? draw.integer(1, 3) : 0;
      company.days.push(Array.from({ length: day < oldest ? 0 : count }, () => this.row(company, day)));
    }
    return company;
  }

  private row(company: Company, day: number): Row {
    const { draw } = this;
    this.lastId += 1n;
    const isAfterMidnight = !this.datesOnly.has(company) && draw.share() < 0.8;
    return {
      id: this.lastId,
      day,
      type: draw.one([101, 111, 112]),
      number: Number(this.lastId % 100_000n),
      isAfterMidnight,
      isEvening: isAfterMidnight && draw.share() < 0.3,
    };
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

  one<T>(values: readonly [T, ...T[]]): T {
    return values[this.integer(0, values.length - 1)] ?? values[0];
  }
}
