import * as v from 'valibot';
import { DIRECTIONS, type Direction } from '../api/directions.ts';
import type { ListHabits } from '../api/list/habits.ts';
import { HABITS_KEY } from '../lake/layout.ts';
import { type LakeStore, StaleObjectError } from '../lake/store/store.ts';
import { addDays } from '../time/days.ts';

/** What was proved of a service so long ago is proved anew: its provider may have changed it. */
const DAYS_KEPT = 30;
/** Workers that end at the same time write one after the other. */
const MAX_ATTEMPTS = 5;

const Day = v.pipe(v.string(), v.isoDate());
const Positive = v.pipe(v.number(), v.integer(), v.minValue(1));

function fact<Schema extends v.GenericSchema>(value: Schema) {
  return v.optional(v.object({ value, since: Day }));
}

const KeptHabits = v.object({
  upperBound: fact(v.picklist(['inclusive', 'exclusive'])),
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

export type HabitsByDirection = Readonly<Record<Direction, ListHabits>>;

/** What was proved of a service's lists, kept in the lake for all workers and runs. */
export class ServiceHabits {
  private readonly store: LakeStore;
  private readonly habits: HabitsByDirection;
  private readonly today: string;

  /** `habits` are those of the process: they learn, and are kept. */
  constructor(store: LakeStore, habits: HabitsByDirection, today: string) {
    this.store = store;
    this.habits = habits;
    this.today = today;
  }

  /** Takes up what others have proved meanwhile; what this process has seen itself stays. */
  async learn(): Promise<void> {
    const kept = await this.readKept();
    for (const direction of DIRECTIONS) adopt(this.habits[direction], kept[direction], this.today);
  }

  /** Keeps what this process has proved. When that can't be done, others have to ask for it again, and no more. */
  async keep(): Promise<void> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      try {
        const expected = await this.store.find(HABITS_KEY);
        const kept = await this.readKept();
        const file: KeptFile = {
          version: 1,
          recibidos: merged(kept.recibidos, this.habits.recibidos, this.today),
          emitidos: merged(kept.emitidos, this.habits.emitidos, this.today),
        };
        const text = JSON.stringify(file);
        if (text === JSON.stringify(kept)) return;
        await this.store.replace(HABITS_KEY, bytesOf(text), { metadata: {}, expected });
        return;
      } catch (error) {
        if (!(error instanceof StaleObjectError)) return;
      }
    }
  }

  /** Nothing where there is none, or one that this version does not understand. */
  private async readKept(): Promise<KeptFile> {
    const none: KeptFile = { version: 1, recibidos: {}, emitidos: {} };
    if ((await this.store.find(HABITS_KEY)) === undefined) return none;
    const file = await this.store.open(HABITS_KEY);
    try {
      const text = new TextDecoder().decode(await file.slice(0));
      const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), KeptFile), text);
      return parsed.success ? parsed.output : none;
    } finally {
      await file.close();
    }
  }
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

function adopt(habits: ListHabits, kept: KeptHabits, today: string): void {
  const current = unexpired(kept, today);
  habits.upperBound ??= current.upperBound?.value;
  habits.pageCap ??= current.pageCap?.value;
  habits.isAnyPageSizeHonoured ??= current.isAnyPageSizeHonoured?.value;
  habits.resultWindow ??= current.resultWindow?.value;
  habits.refusedWidthDays ??= current.refusedWidthDays?.value;
  habits.longestPage = greatest(habits.longestPage, current.longestPage?.value);
  habits.provedWidthDays = widestProved(habits, current);
  habits.deepestRow = greatest(habits.deepestRow, current.deepestRow?.value);
}

function merged(kept: KeptHabits, habits: ListHabits, today: string): KeptHabits {
  const current = unexpired(kept, today);
  const facts: KeptHabits = {};
  const all: ListHabits = {
    ...habits,
    longestPage: greatest(habits.longestPage, current.longestPage?.value),
    provedWidthDays: widestProved(habits, current),
    deepestRow: greatest(habits.deepestRow, current.deepestRow?.value),
  };
  for (const name of v.keyof(KeptHabits).options) {
    const value = all[name] ?? current[name]?.value;
    if (value === undefined) continue;
    const since = value === current[name]?.value ? (current[name]?.since ?? today) : today;
    Object.assign(facts, { [name]: { value, since } });
  }
  const { provedWidthDays, refusedWidthDays } = facts;
  if ((refusedWidthDays?.value ?? Number.POSITIVE_INFINITY) <= (provedWidthDays?.value ?? 0)) {
    facts.refusedWidthDays = undefined;
  }
  return facts;
}

/** What this process was refused counts more than what others were answered before. */
function widestProved(
  { provedWidthDays, refusedWidthDays }: ListHabits,
  kept: KeptHabits,
): number | undefined {
  const widest = greatest(provedWidthDays, kept.provedWidthDays?.value);
  const isOlder = refusedWidthDays === undefined || refusedWidthDays === kept.refusedWidthDays?.value;
  return widest === undefined || isOlder ? widest : Math.min(widest, Math.max(1, refusedWidthDays - 1));
}

function unexpired(kept: KeptHabits, today: string): KeptHabits {
  const oldest = addDays(today, -DAYS_KEPT);
  return Object.fromEntries(
    Object.entries(kept).filter(([, fact]) => fact !== undefined && fact.since >= oldest),
  );
}

function greatest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}
