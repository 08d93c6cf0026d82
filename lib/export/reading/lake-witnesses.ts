import type { Direction } from '../../api/directions.ts';
import { MAX_PAGE_SIZE, windowHolding, windowOf } from '../../api/list/page.ts';
import { notePageLength } from '../../api/list/page-facts.ts';
import type { ListTally } from '../../api/list/page-request.ts';
import { isTwelveDigits, type Rut } from '../../companies/company.ts';
import { unitKey } from '../../lake/layout.ts';
import { type PublishedUnits, publishedUnits } from '../../lake/published-units.ts';
import { LAST_SEEN_COLUMN } from '../../lake/rows/receipt-rows.ts';
import type { LakeStore } from '../../lake/store/store.ts';
import { indexOfColumn, TABLE_OF } from '../../lake/tables.ts';
import { addDays, DAY_MS, type Day, daysBetween, HOUR_MS, uruguayDay } from '../../time/days.ts';
import type { ReadingTools } from '../export-tools.ts';
import { loadUnit } from '../stored-rows.ts';
import { CompanyLists } from './company-lists.ts';
import { type AskedDays, BoundComparison, type DayRows } from './facts.ts';
import { List } from './list.ts';
import type { Witness, Witnesses } from './witness.ts';

interface LakeWitness extends Witness {
  rut: Rut;
}

export interface LakeWitnessesOptions {
  store: LakeStore;
  direction: Direction;
  /** The companies of the run. */
  ruts: readonly string[];
  toolsOf(rut: string): ReadingTools;
  tally: ListTally;
}

/** How far back a pair may end, in days, and how much further apart than wanted its days may be. */
const NEWEST_DAYS = 70;
const FURTHER_APART = 9;
/** The whole list is read only if it has so few rows. */
const MOST_ROWS = 1_000;

/** Witnesses from the lake's days: what they list is compared with what the service lists now. */
export function lakeWitnesses(options: LakeWitnessesOptions): Witnesses<LakeWitness, List> {
  const { store, direction, toolsOf, tally } = options;
  const table = TABLE_OF[direction];
  const today = () => uruguayDay(toolsOf(options.ruts[0] ?? '').clock.now());
  const ofRun = new Set(options.ruts);
  const published = new Map<Day, Promise<PublishedUnits>>();

  /** A day that can't be read is none that anything could be compared with. */
  const unitsOf = (day: Day): Promise<PublishedUnits> => {
    const known =
      published.get(day) ?? publishedUnits(store, table, day).catch((): PublishedUnits => new Map());
    published.set(day, known);
    return known;
  };

  async function pairOf(from: Day, to: Day, without: ReadonlySet<string>): Promise<LakeWitness | undefined> {
    const last = await unitsOf(to);
    if (last.size === 0) return undefined;
    const first = await unitsOf(from);
    let best: { rut: Rut; rowCount: number } | undefined;
    for (const [rut, { rowCount }] of last) {
      const rows =
        rowCount * (first.get(rut)?.rowCount ?? 0) === 0 ? 0 : rowCount + (first.get(rut)?.rowCount ?? 0);
      const isCandidate = rows > 0 && ofRun.has(rut) && !without.has(rut) && isTwelveDigits(rut);
      if (isCandidate && rows < (best?.rowCount ?? Number.POSITIVE_INFINITY)) best = { rut, rowCount: rows };
    }
    if (best === undefined) return undefined;
    const { rut } = best;
    const between = await Promise.all(daysBetween(from, to).map(unitsOf));
    const rowCount = between.reduce((sum, units) => sum + (units.get(rut)?.rowCount ?? 0), 0);
    return { rut, days: { from, to }, rowCount };
  }

  return {
    async find(widthDays, without) {
      const widths = Array.from({ length: FURTHER_APART + 1 }, (_, more) => widthDays + more);
      for (let width = widthDays - 1; width >= 2; width -= 1) widths.push(width);
      for (const width of widths) {
        for (let age = 1; age <= NEWEST_DAYS; age += 1) {
          const to = addDays(today(), -age);
          const found = await pairOf(addDays(to, 1 - width), to, without);
          if (found !== undefined) return found;
        }
      }
      return undefined;
    },

    async knownRows({ rut, days: { to } }) {
      return await latestRow(store, direction, rut, to);
    },

    async readEnds({ rut, rowCount }, asked) {
      const lists = new CompanyLists({
        tools: toolsOf(rut),
        context: { rut, direction },
        bound: new BoundComparison(toolsOf(rut).facts[direction]),
        tally,
      });
      return await endsOf(lists, asked, rowCount);
    },
  };
}

/** The first page of a list, and the one that ends it by the lake's count; all of a short list if these tell too little. */
async function endsOf(lists: CompanyLists, asked: AskedDays, rowCount: number): Promise<List> {
  const list = new List(lists.context, asked);
  const source = lists.source(asked);
  const windows = [windowOf(1, MAX_PAGE_SIZE), windowHolding(Math.max(0, rowCount - 1), MAX_PAGE_SIZE)];
  for (const window of windows.slice(0, rowCount > MAX_PAGE_SIZE ? 2 : 1)) {
    const page = await source.read(window, { isGlance: true });
    if (window.pageNumber === 1) notePageLength(lists.facts, page.items.length);
    list.add(page, 0);
  }
  if ((list.countOn(asked.from) > 0 && list.countOn(asked.to) > 0) || rowCount > MOST_ROWS) return list;
  const whole = await lists.read(asked);
  return whole.kind === 'read' ? whole.lists[0] : list;
}

/** The latest row of a unit that the API listed when it was stored: a bound that includes it includes the whole day. */
async function latestRow(store: LakeStore, direction: Direction, rut: Rut, day: Day): Promise<DayRows> {
  const table = TABLE_OF[direction];
  const { rows } = await loadUnit(store, unitKey(table.name, day, rut), table, rut);
  const [issuedAt, lastSeen] = ['fecha_emision', LAST_SEEN_COLUMN].map((name) =>
    indexOfColumn(table.columns, name),
  );
  let latest: { id: bigint; timeMs: number } | undefined;
  for (let row = 0; row < rows.rowCount; row += 1) {
    const values = rows.valuesOf(row);
    const issued = values[issuedAt ?? -1];
    if (typeof issued !== 'bigint' || (values[lastSeen ?? -1] ?? null) !== null) continue;
    const timeMs = Number(issued / 1000n) % DAY_MS;
    if (latest === undefined || timeMs >= latest.timeMs) latest = { id: rows.id(row), timeMs };
  }
  const { timeMs = 0 } = latest ?? {};
  return {
    ids: latest === undefined ? [] : [latest.id],
    count: Number(latest !== undefined),
    hasTimes: timeMs > 0,
    hasRowBeforeEvening: timeMs < 21 * HOUR_MS,
    hasEveningRow: timeMs >= 21 * HOUR_MS,
  };
}
