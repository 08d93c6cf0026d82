import { ApiDownError, ApiError, UnauthorizedError } from '../../api/errors.ts';
import { FIRST_PAGE, MAX_PAGE_SIZE, notePageLength, windowHolding } from '../../api/list/page.ts';
import type { ListTally } from '../../api/list/page-request.ts';
import { tableObject, unitKey } from '../../lake/layout.ts';
import { readRowGroups } from '../../lake/parquet/reader.ts';
import { LAST_SEEN_COLUMN } from '../../lake/rows/receipt-rows.ts';
import { type LakeStore, readObject } from '../../lake/store/store.ts';
import { type PublishedUnits, publishedUnits } from '../../lake/stored-rows.ts';
import { TABLE_OF, type Table } from '../../lake/tables.ts';
import { forEachConcurrent } from '../../system/concurrency.ts';
import type { Clock } from '../../time/clock.ts';
import {
  addDays,
  DAY_MS,
  type Day,
  type DayRange,
  daysBetween,
  HOUR_MS,
  uruguayDay,
  widthDays,
} from '../../time/days.ts';
import { isTwelveDigits, type Rut } from '../../units/rut.ts';
import type { Direction } from '../../units/unit.ts';
import type { ReadingTools } from '../export-tools.ts';
import { CompanyLists } from './company-lists.ts';
import {
  type AskedDays,
  BoundComparison,
  type DayRows,
  noteAnswered,
  noteProved,
  type ServiceFacts,
} from './facts.ts';
import { List } from './list.ts';
import { isDenial, provedWidth, type ReadList } from './rule.ts';

/** A pair of days on which the lake has rows of one company: a list over them must show both. */
export interface Witness {
  rut: Rut;
  /** The pair. */
  days: DayRange;
  /** Rows that the lake has of these days and of those between. */
  rowCount: number;
}

export interface Witnesses<List> {
  /** A pair this far apart or a little further, or else the widest pair; none of these companies. */
  find(widthDays: number, without: ReadonlySet<string>): Promise<Witness | undefined>;
  /** The rows that the lake has of the pair's last day. */
  knownRows(witness: Witness): Promise<DayRows>;
  /** The rows at both ends of the list over these days, as far as one or two pages show them. */
  readEnds(witness: Witness, asked: AskedDays): Promise<List>;
}

/** A company that is gone, or whose token is refused, is replaced this often. */
const MOST_REPLACED = 3;

/**
 * Proves how wide the lists of one direction may be, before a run reads any: `neededDays`, with the day after the last
 * one, if the service answers such lists with rows at both ends, and otherwise the widest that it does. Throws nothing
 * but what the lake throws: without a proof, the run reads narrower lists.
 */
export async function proveWidth<List extends ReadList>(
  facts: ServiceFacts,
  neededDays: number,
  witnesses: Witnesses<List>,
): Promise<void> {
  const without = new Set<string>();
  let isNarrowed = false;
  for (let wanted = neededDays; wanted >= 2; ) {
    const witness = await witnesses.find(wanted, without);
    if (witness === undefined) break;
    const ends = await showsBothEnds(facts, witness, witnesses);
    if (ends === 'gone' && without.size < MOST_REPLACED) {
      without.add(witness.rut);
      continue;
    }
    if (ends === 'gone' || ends === 'down') return;
    if (typeof ends === 'number') {
      noteProved(facts, ends);
      // The day after a single day is part of no pair, but of every question.
      if (isNarrowed) facts.widestDays = Math.max(2, ends);
      return;
    }
    isNarrowed = true;
    wanted = Math.min(wanted, widthDays(witness.days)) >> 1;
  }
  if (isNarrowed) facts.widestDays = 2;
}

/**
 * Asks for the list that ends on the pair's second day, which tells about the bound, and then for one day more. Returns
 * how many days it proves, if it has rows on both days of the pair.
 */
async function showsBothEnds<List extends ReadList>(
  facts: ServiceFacts,
  witness: Witness,
  witnesses: Witnesses<List>,
): Promise<number | 'no' | 'gone' | 'down'> {
  const { from, to } = witness.days;
  const known = await witnesses.knownRows(witness);
  for (const isPast of [false, true]) {
    try {
      const list = await witnesses.readEnds(witness, { from, to, isPast });
      noteAnswered(facts, widthDays(witness.days) + Number(isPast));
      if (!isPast) compareBound(facts, witness, known, list);
      if (list.countOn(from) > 0 && list.countOn(to) > 0) return provedWidth(list, witness.days);
    } catch (error) {
      if (!(error instanceof ApiError)) return 'gone';
      if (error instanceof UnauthorizedError || isDenial(error)) return 'gone';
      if (error instanceof ApiDownError) return 'down';
    }
  }
  return 'no';
}

function compareBound(facts: ServiceFacts, { days }: Witness, known: DayRows, list: ReadList): void {
  const bound = new BoundComparison(facts);
  bound.noteKnown(days.to, known);
  bound.noteEnd(days.to, list.on(days.to));
}

/** The lists of one direction that are proved, and the lake. */
export interface LakeWitnessesOptions {
  store: LakeStore;
  direction: Direction;
  /** The companies of the run. */
  ruts: readonly string[];
  toolsOf(rut: string): ReadingTools;
  tally: ListTally;
  clock: Clock;
  signal: AbortSignal;
  /** Called with what keeps a day or a company from being a witness. */
  onFault(fault: unknown): void;
}

/** How far back a pair may end, in days, and how much further apart than wanted its days may be. */
const NEWEST_DAYS = 70;
const FURTHER_APART = 9;
/** Of so many of a day's companies, one is a witness if any is. All days of 10,000 would not fit into memory. */
const MOST_CANDIDATES = 500;
const DAYS_READ_AT_ONCE = 16;
/** The whole list is read only if it has so few rows. */
const MOST_ROWS = 1_000;

/** Witnesses from the lake's days: what they list is compared with what the service lists now. */
export function lakeWitnesses(options: LakeWitnessesOptions): Witnesses<List> {
  const { store, direction, toolsOf, tally, clock, signal, onFault } = options;
  const table = TABLE_OF[direction];
  const ofRun = new Set(options.ruts);
  let stored: Promise<ReadonlySet<Day>> | undefined;
  const candidates = new Map<Day, ReadonlyMap<string, number>>();
  const isStored = async (day: Day): Promise<boolean> => {
    stored ??= storedDays(store, table);
    return (await stored).has(day);
  };

  /** A day that can't be read is none that anything could be compared with. */
  const unitsOf = async (day: Day): Promise<PublishedUnits> => {
    if (signal.aborted || !(await isStored(day))) return new Map();
    return await publishedUnits(store, table, day).catch((error: unknown) => {
      onFault(error);
      return new Map();
    });
  };

  /** Companies of the run that have rows on the day, and how many. */
  const candidatesOn = async (day: Day): Promise<ReadonlyMap<string, number>> => {
    const known = candidates.get(day);
    if (known !== undefined) return known;
    const units = [...(await unitsOf(day))].filter(([rut, { rowCount }]) => ofRun.has(rut) && rowCount > 0);
    const found = new Map(units.slice(0, MOST_CANDIDATES).map(([rut, { rowCount }]) => [rut, rowCount]));
    candidates.set(day, found);
    return found;
  };

  async function pairOf(from: Day, to: Day, without: ReadonlySet<string>): Promise<Witness | undefined> {
    if (!(await isStored(from)) || !(await isStored(to))) return undefined;
    const last = await candidatesOn(to);
    if (last.size === 0) return undefined;
    const first = await candidatesOn(from);
    const [best] = [...last]
      .flatMap(([rut, rowCount]) => {
        const rowsOfFirst = first.get(rut);
        if (rowsOfFirst === undefined || without.has(rut) || !isTwelveDigits(rut)) return [];
        return [{ rut, rowCount: rowCount + rowsOfFirst }];
      })
      .sort((a, b) => a.rowCount - b.rowCount);
    if (best === undefined) return undefined;
    const { rut } = best;
    let { rowCount } = best;
    const between = daysBetween(addDays(from, 1), addDays(to, -1));
    await forEachConcurrent(between, DAYS_READ_AT_ONCE, async (day) => {
      const rows = candidates.get(day)?.get(rut) ?? (await unitsOf(day)).get(rut)?.rowCount ?? 0;
      rowCount += rows;
    });
    return { rut, days: { from, to }, rowCount };
  }

  return {
    async find(widthDays, without) {
      const widths = Array.from({ length: FURTHER_APART + 1 }, (_, more) => widthDays + more);
      for (let width = widthDays - 1; width >= 2; width -= 1) widths.push(width);
      const today = uruguayDay(clock.now());
      for (const width of widths) {
        for (let age = 1; age <= NEWEST_DAYS && !signal.aborted; age += 1) {
          const to = addDays(today, -age);
          const found = await pairOf(addDays(to, 1 - width), to, without);
          if (found !== undefined) return found;
        }
      }
      return undefined;
    },

    async knownRows({ rut, days: { to } }) {
      return await latestRow(store, direction, rut, to).catch((error: unknown) => {
        onFault(error);
        return rowsOfLatest(undefined);
      });
    },

    async readEnds({ rut, rowCount }, asked) {
      const tools = toolsOf(rut);
      const lists = new CompanyLists({ tools, context: { rut, direction }, tally });
      try {
        return await endsOf(lists, asked, rowCount);
      } catch (error) {
        onFault(error);
        throw error;
      }
    },
  };
}

/** The first page of a list, and the one that ends it by the lake's count; all of a short list if these tell too little. */
async function endsOf(lists: CompanyLists, asked: AskedDays, rowCount: number): Promise<List> {
  const list = new List(lists.context, asked);
  const windows = [FIRST_PAGE, windowHolding(Math.max(0, rowCount - 1), MAX_PAGE_SIZE)];
  for (const window of windows.slice(0, rowCount > MAX_PAGE_SIZE ? 2 : 1)) {
    const page = await lists.readPage(asked, window);
    if (window.pageNumber === 1) notePageLength(lists.facts, page.items.length);
    list.add(page, 0);
  }
  if ((list.countOn(asked.from) > 0 && list.countOn(asked.to) > 0) || rowCount > MOST_ROWS) return list;
  const whole = await lists.read(asked);
  return whole.kind === 'read' ? whole.lists[0] : list;
}

/** The days of which the table has an object. */
async function storedDays(store: LakeStore, table: Table): Promise<ReadonlySet<Day>> {
  const days = new Set<Day>();
  for await (const key of store.list(table.name)) {
    const day = tableObject(key)?.day;
    if (day !== undefined) days.add(day);
  }
  return days;
}

/** The latest row of a unit that the API listed when it was stored: a bound that includes it includes the whole day. */
async function latestRow(store: LakeStore, direction: Direction, rut: Rut, day: Day): Promise<DayRows> {
  const table = TABLE_OF[direction];
  const columns = ['id', 'fecha_emision', LAST_SEEN_COLUMN].flatMap(
    (name) => table.columns.find((column) => column.name === name) ?? [],
  );
  const latest = await readObject(store, unitKey(table.name, day, rut), async (file) => {
    let found: Parameters<typeof rowsOfLatest>[0];
    for await (const {
      rowCount,
      columns: [ids = [], times = [], lastSeen = []],
    } of readRowGroups(file, columns)) {
      for (let row = 0; row < rowCount; row += 1) {
        const [id, issued] = [ids[row], times[row]];
        if (typeof id !== 'bigint' || typeof issued !== 'bigint' || (lastSeen[row] ?? null) !== null)
          continue;
        const timeMs = Number(issued / 1000n) % DAY_MS;
        if (found === undefined || timeMs >= found.timeMs) found = { id, timeMs };
      }
    }
    return found;
  });
  return rowsOfLatest(latest);
}

/** `timeMs`: how long after midnight the row was issued. */
function rowsOfLatest(latest: { id: bigint; timeMs: number } | undefined): DayRows {
  const { timeMs = 0 } = latest ?? {};
  return {
    ids: latest === undefined ? [] : [latest.id],
    count: Number(latest !== undefined),
    hasTimes: timeMs > 0,
    hasRowBeforeEvening: timeMs < 21 * HOUR_MS,
    hasEveningRow: timeMs >= 21 * HOUR_MS,
  };
}
