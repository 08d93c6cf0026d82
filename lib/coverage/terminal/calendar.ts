import type { Paint } from '../../text/colour.ts';
import { printableLine } from '../../text/printable.ts';
import {
  type Calendar,
  type CompanyCoverage,
  countReceipts,
  countStates,
  type DayCoverage,
} from '../company-coverage.ts';
import { busyDay, DAY_STATES, type DayState, type StateCounts } from '../day-state.ts';
import { countText, receiptsText, STATE_NAME } from '../texts/words.ts';
import { type Cell, cellsText, dayGlyph } from './glyphs.ts';

const LABEL_COLUMNS = 11;
const MONTH_COLUMNS = 31;
const GAP = '   ';
/** Two calendars side by side need so many columns. */
const SIDE_BY_SIDE_COLUMNS = LABEL_COLUMNS + 2 * MONTH_COLUMNS + GAP.length;
/** 1, 5, 10, … each ending over its day. */
const RULER = [1, 5, 10, 15, 20, 25, 30].reduce(
  (ruler, date) => ruler + String(date).padStart(date - ruler.length),
  '',
);

export interface TerminalForm {
  columns: number;
  paint: Paint;
}

/** A company's calendars as lines: a row for each month, a column for each day of it. */
export function companyLines({ rut, name, calendars }: CompanyCoverage, form: TerminalForm): string[] {
  const title = name === undefined ? rut : `${rut}  ${printableLine(name)}`;
  const groups = form.columns >= SIDE_BY_SIDE_COLUMNS ? [calendars] : calendars.map((calendar) => [calendar]);
  return [title, ...groups.flatMap((group) => [...group.map(summaryLine), ...monthLines(group, form)])];
}

function summaryLine({ direction, days }: Calendar): string {
  const states = statesText(countStates(days), DAY_STATES);
  return `${direction.padEnd(LABEL_COLUMNS)}${receiptsText(countReceipts(days))}: ${states}`;
}

/** `3 missing, 1 failed`; states without any day are left out. */
export function statesText(counts: StateCounts, states: readonly DayState[]): string {
  return states
    .filter((state) => counts[state] > 0)
    .map((state) => `${countText(counts[state])} ${STATE_NAME[state]}`)
    .join(', ');
}

function monthLines(calendars: readonly Calendar[], { paint }: TerminalForm): string[] {
  const months = calendars.map(({ days }) => Map.groupBy(days, ({ day }) => day.slice(0, 7)));
  const busy = calendars.map(({ days }) => busyDay(days.map(({ receipts }) => receipts)));
  const names = [...(months[0]?.keys() ?? [])];
  const blank = ' '.repeat(LABEL_COLUMNS);
  const head = (cells: readonly string[]) =>
    `${blank}${cells.map((cell) => cell.padEnd(MONTH_COLUMNS)).join(GAP)}`.trimEnd();
  const titles = calendars.length > 1 ? [head(calendars.map(({ direction }) => direction))] : [];
  const rows = names.map((name) => {
    const cells = months.map((days, place) => monthCells(days.get(name) ?? [], busy[place] ?? 1, paint));
    return `${name.padEnd(LABEL_COLUMNS)}${cells.join(GAP)}`.trimEnd();
  });
  return [...titles, head(calendars.map(() => RULER)), ...rows];
}

function monthCells(days: readonly DayCoverage[], busy: number, paint: Paint): string {
  const byDate = new Map(days.map((day) => [Number(day.day.slice(8)), day]));
  const cells = Array.from({ length: MONTH_COLUMNS }, (_, index): Cell => {
    const day = byDate.get(index + 1);
    return day && { glyph: dayGlyph(day.state, day.receipts, busy), state: day.state };
  });
  return cellsText(cells, paint);
}
