import { type Paint, printableLine, STYLES, type Style } from '../text/terminal.ts';
import { fitted } from '../text/text-table.ts';
import { type DayRange, daysBetween } from '../time/days.ts';
import {
  type Calendar,
  type CompanyCoverage,
  countReceipts,
  countStates,
  type DayCoverage,
} from './company-coverage.ts';
import { busyDay, DAY_STATES, type DayState, type StateCounts, shadeOf, troubledDays } from './day.ts';
import { ENGLISH } from './texts/english.ts';
import { countText, receiptsText } from './texts/texts.ts';

/**
 * How days look: one glyph, or one by shade, from no receipts to as many as on a busy day. Only ANSI's 8 colours: every
 * terminal's theme makes them legible.
 */
const LOOKS: Readonly<Record<DayState, { glyphs: string; colour: Style }>> = {
  // ASCII, so that they can be read wherever blocks look alike.
  missing: { glyphs: '?', colour: ['bold', 'magenta'] },
  failed: { glyphs: 'X', colour: STYLES.failure },
  unstable: { glyphs: '~', colour: STYLES.warning },
  // Half as high, so that they differ without colour.
  aged: { glyphs: '_▂▂▃▅▆', colour: 'yellow' },
  // Other characters than settled days, for the same reason.
  open: { glyphs: '-:=+*#', colour: 'green' },
  exported: { glyphs: '·░░▒▓█', colour: 'cyan' },
};

/** A day's character, one column wide. It needs no colour to be understood. */
export function dayGlyph(state: DayState, receipts: number | null, busy: number): string {
  const { glyphs } = LOOKS[state];
  return glyphs.charAt(shadeOf(receipts ?? 0, busy)) || glyphs.charAt(0);
}

/** A day as it is drawn; undefined for a day that is not in the calendar. */
export type Cell = { glyph: string; state: DayState } | undefined;

/** A line of cells. Neighbours of the same state share one colour code. */
export function cellsText(cells: readonly Cell[], paint: Paint): string {
  const runs: { state: DayState | undefined; text: string }[] = [];
  for (const cell of cells) {
    const last = runs.at(-1);
    if (last !== undefined && last.state === cell?.state) last.text += cell?.glyph ?? ' ';
    else runs.push({ state: cell?.state, text: cell?.glyph ?? ' ' });
  }
  return runs
    .map(({ state, text }) => (state === undefined ? text : paint(LOOKS[state].colour, text)))
    .join('');
}

const STATE_COLUMNS = Math.max(...DAY_STATES.map((state) => ENGLISH.states[state].length));

/** The legend: a line for each state. */
export function legendLines(paint: Paint): string[] {
  return [
    ...DAY_STATES.map((state) => {
      const { glyphs, colour } = LOOKS[state];
      const different = [...new Set(glyphs)].join('');
      return `${paint(colour, different)}${' '.repeat(8 - different.length)}${ENGLISH.states[state].padEnd(STATE_COLUMNS)} ${ENGLISH.meanings[state]}`;
    }),
    'Shades go from no receipts to as many as on the busy days of the same calendar.',
  ];
}

const LABEL_COLUMNS = 11;
const MONTH_COLUMNS = 31;
const GAP = '   ';
/** Columns that two calendars need side by side. */
const SIDE_BY_SIDE_COLUMNS = LABEL_COLUMNS + 2 * MONTH_COLUMNS + GAP.length;
/** 1, 5, 10, …, each ending above its day. */
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
  const states = statesText(countStates(days));
  return `${direction.padEnd(LABEL_COLUMNS)}${receiptsText(countReceipts(days), ENGLISH)}: ${states}`;
}

/** `3 missing, 1 failed`; states without days are left out. */
export function statesText(counts: StateCounts): string {
  return DAY_STATES.filter((state) => counts[state] > 0)
    .map((state) => `${countText(counts[state], ENGLISH)} ${ENGLISH.states[state]}`)
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

/** Names and RUTs get the width that the days leave, within these bounds. */
const NAME_COLUMNS = { least: 12, most: 32 };
const DIRECTION_COLUMNS = 10;
/** `Aug 2026` and a blank. */
const MONTH_NAME_COLUMNS = 9;
/** With more companies than this, those without troubled days are left out. */
const MOST_WITHOUT_TROUBLE = 100;

interface Row {
  rut: string;
  name: string;
  /** Days that are missing, failed or unstable. */
  troubledDays: number;
  lines: readonly { direction: string; cells: readonly Cell[] }[];
}

/** All companies, those with problems first: a line per direction, as wide as the terminal. */
export function terminalOverview({ from, to }: DayRange, { columns, paint }: TerminalForm) {
  const days = daysBetween(from, to);
  const room = columns - 1 - DIRECTION_COLUMNS;
  const daysPerColumn = Math.ceil(days.length / Math.max(room - NAME_COLUMNS.least, 1));
  const columnCount = Math.ceil(days.length / daysPerColumn);
  const nameColumns = Math.min(Math.max(room - columnCount, NAME_COLUMNS.least), NAME_COLUMNS.most);
  const rows: Row[] = [];
  /** Cells by what they show: most days share one. */
  const looks = new Map<string, Cell>();

  const shown = (): Row[] =>
    rows.length <= MOST_WITHOUT_TROUBLE ? rows : rows.filter((row) => row.troubledDays > 0);

  /** The RUT is beside the first direction, the name beside the second, or both beside the only one. */
  function rowLines({ rut, name, lines }: Row): string[] {
    const titles = lines.length > 1 ? [rut, name] : [`${rut} ${name}`];
    return lines.map(({ direction, cells }, place) =>
      [
        fitted(titles[place] ?? '', nameColumns),
        ' ',
        direction.padEnd(DIRECTION_COLUMNS),
        cellsText(cells, paint),
      ].join(''),
    );
  }

  function cellsOf(calendar: Calendar): Cell[] {
    const busy = busyDay(calendar.days.map(({ receipts }) => receipts));
    return Array.from({ length: Math.ceil(calendar.days.length / daysPerColumn) }, (_, column) => {
      const start = column * daysPerColumn;
      const day = worstDay(calendar.days.slice(start, start + daysPerColumn));
      if (day === undefined) return undefined;
      const glyph = dayGlyph(day.state, day.receipts, busy);
      const look = `${day.state} ${glyph}`;
      const cell = looks.get(look) ?? { glyph, state: day.state };
      looks.set(look, cell);
      return cell;
    });
  }

  /** A month's name stands above the column of its first day. */
  function months(): string {
    let line = '';
    for (const [place, day] of days.entries()) {
      const column = Math.floor(place / daysPerColumn);
      const isFirst = place === 0 || day.endsWith('-01');
      if (isFirst && (line === '' || line.length < column)) {
        line = `${line.padEnd(column)}${ENGLISH.shortMonth(day)}`;
      }
    }
    return line.length > columnCount ? line.slice(0, Math.max(columnCount, MONTH_NAME_COLUMNS)) : line;
  }

  return {
    add({ rut, name = '', calendars }: CompanyCoverage): void {
      const states = countStates(calendars.flatMap((calendar) => calendar.days));
      const lines = calendars.map((calendar) => ({
        direction: calendar.direction,
        cells: cellsOf(calendar),
      }));
      rows.push({ rut, name, troubledDays: troubledDays(states), lines });
    },
    /** Number of companies that are not drawn. */
    leftOut: (): number => rows.length - shown().length,
    lines(): string[] {
      const sorted = shown().toSorted(
        (a, b) => b.troubledDays - a.troubledDays || (a.rut < b.rut ? -1 : Number(a.rut > b.rut)),
      );
      const blank = ' '.repeat(nameColumns + 1 + DIRECTION_COLUMNS);
      const note = daysPerColumn > 1 ? [`A column is ${daysPerColumn} days: the worst of them.`] : [];
      return [...note, `${blank}${months()}`.trimEnd(), ...sorted.flatMap(rowLines)];
    },
  };
}

/** The day in the worst state; of several, the one with the most receipts. */
function worstDay(days: readonly DayCoverage[]): DayCoverage | undefined {
  return days.toSorted(
    (a, b) =>
      DAY_STATES.indexOf(a.state) - DAY_STATES.indexOf(b.state) || (b.receipts ?? 0) - (a.receipts ?? 0),
  )[0];
}
