import { fitted } from '../../text/text-table.ts';
import { type Day, type DayRange, daysBetween } from '../../time/days.ts';
import { type Calendar, type CompanyCoverage, countStates, type DayCoverage } from '../company-coverage.ts';
import { busyDay, DAY_STATES, troubledDays } from '../day.ts';
import { ENGLISH } from '../texts/english.ts';
import { type Cell, cellsText, dayGlyph, type TerminalForm } from './calendar.ts';

/** Names and RUTs get the width that the days leave, within these bounds. */
const NAME_COLUMNS = { least: 12, most: 32 };
const DIRECTION_COLUMNS = 10;
/** `Aug 2026` and a blank. */
const MONTH_COLUMNS = 9;
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
export class TerminalOverview {
  private readonly form: TerminalForm;
  private readonly days: readonly Day[];
  private readonly nameColumns: number;
  /** How many days a column stands for. */
  private readonly daysPerColumn: number;
  private readonly rows: Row[] = [];
  /** Cells by what they show: most days share one. */
  private readonly looks = new Map<string, Cell>();

  constructor({ from, to }: DayRange, form: TerminalForm) {
    this.form = form;
    this.days = daysBetween(from, to);
    const room = form.columns - 1 - DIRECTION_COLUMNS;
    this.daysPerColumn = Math.ceil(this.days.length / Math.max(room - NAME_COLUMNS.least, 1));
    const left = room - Math.ceil(this.days.length / this.daysPerColumn);
    this.nameColumns = Math.min(Math.max(left, NAME_COLUMNS.least), NAME_COLUMNS.most);
  }

  add({ rut, name = '', calendars }: CompanyCoverage): void {
    const states = countStates(calendars.flatMap(({ days }) => days));
    const lines = calendars.map((calendar) => ({
      direction: calendar.direction,
      cells: this.cellsOf(calendar),
    }));
    this.rows.push({ rut, name, troubledDays: troubledDays(states), lines });
  }

  /** Number of companies that are left out. */
  get leftOut(): number {
    return this.rows.length - this.shown().length;
  }

  lines(): string[] {
    const rows = this.shown().toSorted(
      (a, b) => b.troubledDays - a.troubledDays || (a.rut < b.rut ? -1 : Number(a.rut > b.rut)),
    );
    const blank = ' '.repeat(this.nameColumns + 1 + DIRECTION_COLUMNS);
    const note = this.daysPerColumn > 1 ? [`A column is ${this.daysPerColumn} days: the worst of them.`] : [];
    return [...note, `${blank}${this.months()}`.trimEnd(), ...rows.flatMap((row) => this.rowLines(row))];
  }

  private shown(): Row[] {
    if (this.rows.length <= MOST_WITHOUT_TROUBLE) return this.rows;
    return this.rows.filter(({ troubledDays }) => troubledDays > 0);
  }

  /** The RUT is beside the first direction, the name beside the second, or both beside the only one. */
  private rowLines({ rut, name, lines }: Row): string[] {
    const titles = lines.length > 1 ? [rut, name] : [`${rut} ${name}`];
    return lines.map(({ direction, cells }, place) =>
      [
        fitted(titles[place] ?? '', this.nameColumns),
        ' ',
        direction.padEnd(DIRECTION_COLUMNS),
        cellsText(cells, this.form.paint),
      ].join(''),
    );
  }

  private cellsOf({ days }: Calendar): Cell[] {
    const busy = busyDay(days.map(({ receipts }) => receipts));
    const columns = Math.ceil(days.length / this.daysPerColumn);
    return Array.from({ length: columns }, (_, column) => {
      const start = column * this.daysPerColumn;
      const day = worstDay(days.slice(start, start + this.daysPerColumn));
      if (day === undefined) return undefined;
      const glyph = dayGlyph(day.state, day.receipts, busy);
      const look = `${day.state} ${glyph}`;
      const cell = this.looks.get(look) ?? { glyph, state: day.state };
      this.looks.set(look, cell);
      return cell;
    });
  }

  /** A month's name stands above the column of its first day. */
  private months(): string {
    let line = '';
    for (const [place, day] of this.days.entries()) {
      const column = Math.floor(place / this.daysPerColumn);
      const isFirst = place === 0 || day.endsWith('-01');
      if (isFirst && (line === '' || line.length < column)) {
        line = `${line.padEnd(column)}${ENGLISH.shortMonth(day)}`;
      }
    }
    const most = Math.ceil(this.days.length / this.daysPerColumn);
    return line.length > most ? line.slice(0, Math.max(most, MONTH_COLUMNS)) : line;
  }
}

/** The day in the worst state; of several, the one with the most receipts. */
function worstDay(days: readonly DayCoverage[]): DayCoverage | undefined {
  return days.toSorted(
    (a, b) =>
      DAY_STATES.indexOf(a.state) - DAY_STATES.indexOf(b.state) || (b.receipts ?? 0) - (a.receipts ?? 0),
  )[0];
}
