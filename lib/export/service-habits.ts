import * as v from 'valibot';
import { DIRECTIONS, type Direction } from '../api/directions.ts';
import type { ListHabits } from '../api/list/habits.ts';
import { HABITS_KEY } from '../lake/layout.ts';
import {
  type LakeStore,
  readText,
  replaceText,
  StaleObjectError,
  type StoredObject,
} from '../lake/store/store.ts';
import { addDays, type Day, daySchema } from '../time/days.ts';

/** Older facts have to be proved again: the provider may have changed the service. */
const DAYS_KEPT = 30;
/** Workers that end at the same time write one after another. */
const MAX_ATTEMPTS = 5;

const Positive = v.pipe(v.number(), v.integer(), v.minValue(1));

function fact<Schema extends v.GenericSchema>(value: Schema) {
  return v.optional(v.object({ value, since: daySchema() }));
}

const KeptHabits = v.object({
  upperBound: fact(v.picklist(['inclusive', 'exclusive'])),
  hasTimes: fact(v.boolean()),
  pageCap: fact(Positive),
  longestPage: fact(Positive),
  isAnyPageSizeHonoured: fact(v.boolean()),
  provedWidthDays: fact(Positive),
  refusedWidthDays: fact(Positive),
  deepestRow: fact(Positive),
  resultWindow: fact(Positive),
});
type KeptHabits = v.InferOutput<typeof KeptHabits>;

const KeptFile = v.object({ version: v.literal(1), recibidos: KeptHabits, emitidos: KeptHabits });
type KeptFile = v.InferOutput<typeof KeptFile>;

const KeptText = v.pipe(v.string(), v.parseJson(), KeptFile);

/** Of a process that has seen nothing itself yet. */
const NOTHING_SEEN: Record<Exclude<keyof ListHabits, keyof KeptHabits>, undefined> = {
  isBoundShown: undefined,
  rowsWithoutTime: undefined,
  isBoundByDates: undefined,
  shownWidthDays: undefined,
  deepestShownRow: undefined,
  isProofWithdrawn: undefined,
};

export type HabitsByDirection = Readonly<Record<Direction, ListHabits>>;

/** Facts that were proved about a service's lists, kept in the lake for all workers and runs. */
export class ServiceHabits {
  private readonly store: LakeStore;
  private readonly habits: HabitsByDirection;
  private readonly today: Day;
  /** What was last taken over: the process may not store that as its own, since others may have withdrawn it by then. */
  private readonly learned: Record<Direction, KeptHabits> = { recibidos: {}, emitidos: {} };

  /** `habits` are those of the process: `learn` adds to them, and `keep` stores them. */
  constructor(store: LakeStore, habits: HabitsByDirection, today: Day) {
    this.store = store;
    this.habits = habits;
    this.today = today;
  }

  /**
   * Must be called when a run or an invocation begins. What the process knew from an earlier one is forgotten: it was
   * kept then, and the provider may have changed the service since, as others may have found.
   */
  async begin(): Promise<void> {
    for (const direction of DIRECTIONS) Object.assign(this.habits[direction], NOTHING_SEEN, combined({}, {}));
    await this.learn();
  }

  /** Takes over facts that others have proved meanwhile. Facts that this process has seen itself stay. */
  async learn(): Promise<void> {
    const kept = await this.readKept(await this.store.find(HABITS_KEY));
    for (const direction of DIRECTIONS) {
      const current = unexpired(kept[direction], this.today);
      Object.assign(this.habits[direction], combined(this.own(direction), current));
      this.learned[direction] = current;
    }
  }

  /** Stores the facts that this process has proved. If that fails, others only have to prove them again. */
  async keep(): Promise<void> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      try {
        const expected = await this.store.find(HABITS_KEY);
        const kept = await this.readKept(expected);
        const file: KeptFile = {
          version: 1,
          recibidos: this.merged('recibidos', kept),
          emitidos: this.merged('emitidos', kept),
        };
        const text = JSON.stringify(file);
        if (text === JSON.stringify(kept)) return;
        await replaceText(this.store, HABITS_KEY, text, expected);
        return;
      } catch (error) {
        if (!(error instanceof StaleObjectError)) return;
      }
    }
  }

  private merged(direction: Direction, kept: KeptFile): KeptHabits {
    const current = unexpired(kept[direction], this.today);
    return factsOf(combined(this.own(direction), current), current, this.today);
  }

  /** The habits without the facts that were taken over and are still the same. */
  private own(direction: Direction): ListHabits {
    const { provedWidthDays = 0, isProofWithdrawn = false } = this.habits[direction];
    const learned: Readonly<Record<string, { value: unknown } | undefined>> = this.learned[direction];
    const all = Object.entries(this.habits[direction]);
    const own = Object.fromEntries(all.filter(([name, value]) => value !== learned[name]?.value));
    // A width that is less because bounds exclude their day was not proved again.
    const isWider = provedWidthDays > (this.learned[direction].provedWidthDays?.value ?? 0);
    return isWider || isProofWithdrawn ? own : { ...own, provedWidthDays: undefined };
  }

  /** Empty if there is no file, or one that this version does not understand. */
  private async readKept(found: StoredObject | undefined): Promise<KeptFile> {
    const text = found === undefined ? undefined : await readText(this.store, HABITS_KEY);
    const parsed = v.safeParse(KeptText, text);
    return parsed.success ? parsed.output : { version: 1, recibidos: {}, emitidos: {} };
  }
}

/** The facts of both. If they differ, those that this process has seen itself win. */
function combined(habits: ListHabits, kept: KeptHabits): ListHabits {
  const { isProofWithdrawn = false } = habits;
  const provedWidthDays = widestProved(habits, kept);
  const refusedWidthDays = habits.refusedWidthDays ?? kept.refusedWidthDays?.value;
  const isRefused = (refusedWidthDays ?? 0) > (provedWidthDays ?? 0);
  return {
    upperBound: habits.upperBound ?? kept.upperBound?.value,
    hasTimes: habits.hasTimes ?? kept.hasTimes?.value,
    pageCap: habits.pageCap ?? kept.pageCap?.value,
    isAnyPageSizeHonoured: habits.isAnyPageSizeHonoured ?? kept.isAnyPageSizeHonoured?.value,
    resultWindow: habits.resultWindow ?? kept.resultWindow?.value,
    longestPage: greatest(habits.longestPage, kept.longestPage?.value),
    deepestRow: greatest(habits.deepestRow, isProofWithdrawn ? undefined : kept.deepestRow?.value),
    provedWidthDays,
    refusedWidthDays: isRefused ? refusedWidthDays : undefined,
  };
}

/** The facts to store, each with the day since which it is known. */
function factsOf(habits: ListHabits, kept: KeptHabits, today: Day): KeptHabits {
  const facts: KeptHabits = {};
  for (const name of v.keyof(KeptHabits).options) {
    const value = habits[name];
    if (value === undefined) continue;
    const since = value === kept[name]?.value ? (kept[name]?.since ?? today) : today;
    Object.assign(facts, { [name]: { value, since } });
  }
  return facts;
}

/**
 * The widest proved list. A width that this process was refused overrides one that was answered to others before. If it
 * has found that bounds exclude their day, the lists of others had one day less.
 */
function widestProved(
  { provedWidthDays, refusedWidthDays, isProofWithdrawn, upperBound }: ListHabits,
  kept: KeptHabits,
): number | undefined {
  if (isProofWithdrawn === true) return provedWidthDays;
  const ofOthers = kept.provedWidthDays?.value;
  const isNews = upperBound === 'exclusive' && kept.upperBound?.value !== 'exclusive';
  const lasting = ofOthers !== undefined && isNews ? Math.max(1, ofOthers - 1) : ofOthers;
  const widest = greatest(provedWidthDays, lasting);
  const isOlder = refusedWidthDays === undefined || refusedWidthDays === kept.refusedWidthDays?.value;
  return widest === undefined || isOlder ? widest : Math.min(widest, Math.max(1, refusedWidthDays - 1));
}

function unexpired(kept: KeptHabits, today: Day): KeptHabits {
  const oldest = addDays(today, -DAYS_KEPT);
  return Object.fromEntries(
    Object.entries(kept).filter(([, fact]) => fact !== undefined && fact.since >= oldest),
  );
}

function greatest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}
