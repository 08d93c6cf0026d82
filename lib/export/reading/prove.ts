import { addDays, type Day, type DayRange, widthDays } from '../../time/days.ts';
import { type Attempt, noteAttempt, type ServiceFacts } from './service-facts.ts';

/** One company's two days with rows: a list over them must show both. */
export interface Witness {
  rut: string;
  days: DayRange;
  /** The list over them, if it was read to find them. */
  list?: Attempt | undefined;
  /** The rows of that list, if the lake has it. */
  rowCount?: number;
}

/** What a proof asks of the lake and of the service. */
export interface ProofTools {
  /** Companies to ask where the lake has no witness, those that probably have rows first. */
  companies: readonly string[];
  /** The widest list of the run. */
  neededDays: number;
  /** The last day that a list without a witness is asked for: the day after it is over, too. */
  lastDay: Day;
  /** A pair of days this far apart or a little further; of a company that has not failed, if there is one. */
  pairInLake(widthDays: number, failed: ReadonlySet<string>): Promise<Witness | undefined>;
  /** The rows at the ends of a company's list over these days; undefined if it can't be had. */
  readEnds(rut: string, days: DayRange, rowCount?: number): Promise<Attempt | undefined>;
}

/** Companies that are asked for the widest list where the lake has no witness, and for each narrower one. */
const MOST_ASKED = 100;
const MOST_ASKED_AGAIN = 20;

/** Proves what a run must know of a service in one direction, before it reads (decision 14). */
export async function prove(facts: ServiceFacts, tools: ProofTools): Promise<void> {
  for await (const { rut, days, rowCount, ...found } of witnesses(tools)) {
    let list = found.list ?? (await tools.readEnds(rut, days, rowCount));
    noteAttempt(facts, list);
    const last = list?.on(days.to);
    // A service whose day is UTC's has none of its evening.
    if (last !== undefined && last.count > 0 && !facts.areDaysShifted) {
      facts.isMidnightInclusive = true;
      facts.isEndDateInclusive ||= last.hasEveningRow;
    }
    // The end date may exclude its day.
    if (!showsBoth(list, days))
      list = await tools.readEnds(rut, { from: days.from, to: addDays(days.to, 1) });
    noteAttempt(facts, list);
    if (!showsBoth(list, days)) continue;
    // A service whose day is UTC's may have cut the first day, if only its evening is there.
    const width = widthDays(days) - Number(!list.on(days.from).hasRowBeforeEvening);
    facts.provedWidthDays = Math.max(facts.provedWidthDays, width);
    if (facts.provedWidthDays > 1) return;
  }
}

function showsBoth(list: Attempt | undefined, { from, to }: DayRange): list is Attempt {
  return list !== undefined && list.on(from).count > 0 && list.on(to).count > 0;
}

/** Witnesses from the lake, the widest first; where it has none as wide as needed, by what companies show. */
async function* witnesses(tools: ProofTools): AsyncGenerator<Witness> {
  const { neededDays, pairInLake } = tools;
  const failed = new Set<string>();
  for (let width = neededDays; width >= 1; width >>= 1) {
    // Two companies of each width: one may have lost its token.
    for (const isFirst of [true, false]) {
      const found = await pairInLake(width, failed);
      if (found === undefined || (!isFirst && failed.has(found.rut))) break;
      yield found;
      failed.add(found.rut);
    }
    if (width === neededDays && failed.size === 0) yield* askedWitnesses(tools);
  }
}

/** Witnesses that the companies' own lists show, each list half as wide as the ones before it that showed too little. */
async function* askedWitnesses({
  companies,
  neededDays,
  lastDay,
  readEnds,
}: ProofTools): AsyncGenerator<Witness> {
  for (let width = neededDays; width > 1; width >>= 1) {
    for (const rut of companies.slice(0, width === neededDays ? MOST_ASKED : MOST_ASKED_AGAIN)) {
      const asked = { from: addDays(lastDay, 1 - width), to: lastDay };
      const list = await readEnds(rut, asked);
      const [from, ...laterDays] = list?.daysWithRows ?? [];
      const days = from && { from, to: laterDays.at(-1) ?? from };
      if (days === undefined || 2 * widthDays(days) < width) continue;
      yield { rut, days, list: showsBoth(list, asked) ? list : undefined };
    }
  }
}
