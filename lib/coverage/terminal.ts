import { LANGUAGES, type Language } from '../text/language.ts';
import { type Paint, printableLine, STYLES, type Style } from '../text/terminal.ts';
import { type Alignment, textTable } from '../text/text-table.ts';
import { dayRanges } from '../time/days.ts';
import {
  type Calendar,
  type CompanyCoverage,
  countStates,
  countTrouble,
  type DayCoverage,
  monthRows,
} from './company-coverage.ts';
import {
  busyDay,
  DAY_STATES,
  type DayState,
  isTroubled,
  MARKED_STATES,
  type StateCounts,
  shadeOf,
} from './day.ts';
import { COVERAGE } from './phrases.ts';

/** `3 missing, 1 failed`; states without days are left out. */
export function statesText(
  counts: StateCounts,
  language: Language,
  states: readonly DayState[] = DAY_STATES,
): string {
  const say = COVERAGE[language];
  const said = states.filter((state) => counts[state] > 0);
  return said.map((state) => `${say.count(counts[state])} ${say.state(state)}`).join(', ');
}

function lookText(counts: StateCounts, language: Language): string {
  return statesText(counts, language, MARKED_STATES) || COVERAGE[language].nothingToLookAt();
}

/**
 * How days look: one glyph, or one by shade, from no receipts to as many as on a busy day. Only ANSI's 8 colours: every
 * terminal's theme makes them legible.
 */
const LOOKS: Readonly<Record<DayState, { glyphs: string; colour: Style }>> = {
  // ASCII, so that they can be read wherever blocks look alike.
  missing: { glyphs: '?', colour: ['bold', 'magenta'] },
  failed: { glyphs: 'X', colour: STYLES.failure },
  early: { glyphs: '<', colour: STYLES.warning },
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

function glyphsOf(days: readonly DayCoverage[], busy: number): string {
  return days.map(({ state, receipts }) => dayGlyph(state, receipts, busy)).join('');
}

/** Colours glyphs. Neighbours of the same state share one colour code. */
function painted(glyphs: string, paint: Paint): string {
  const states = DAY_STATES.map((state) => `(?<${state}>[${LOOKS[state].glyphs.replace('-', '\\-')}]+)`);
  return glyphs.replace(new RegExp(states.join('|'), 'g'), (run, ...captures) => {
    const groups: Partial<Record<DayState, string>> = captures.at(-1);
    const state = DAY_STATES.find((known) => groups[known] !== undefined);
    return state === undefined ? run : paint(LOOKS[state].colour, run);
  });
}

/** The legend: a line for each state. */
export function legendLines({ paint, language }: TerminalForm): string[] {
  const say = COVERAGE[language];
  const stateColumns = Math.max(...DAY_STATES.map((state) => say.state(state).length));
  return [
    ...DAY_STATES.map((state) => {
      const { glyphs, colour } = LOOKS[state];
      const different = [...new Set(glyphs)].join('');
      return `${paint(colour, different)}${' '.repeat(8 - different.length)}${say.state(state).padEnd(stateColumns)} ${say.meaning(state)}`;
    }),
    say.shades(),
  ];
}

/** 1, 5, 10, …, each ending above its day of the month. */
const RULER = [1, 5, 10, 15, 20, 25, 30]
  .reduce((ruler, date) => ruler + String(date).padStart(date - ruler.length), '')
  .padEnd(31);

export interface TerminalForm {
  columns: number;
  paint: Paint;
  language: Language;
}

/** A company's calendars as lines: a row for each list and month, with a column for each day of it. */
export function companyLines(
  { rut, name, calendars }: CompanyCoverage,
  { columns, paint, language }: TerminalForm,
): string[] {
  const say = COVERAGE[language];
  const title = name === undefined ? rut : `${rut}  ${printableLine(name)}`;
  const rows = calendars.flatMap((calendar) => {
    const busy = busyOf(calendar);
    return monthRows(calendar).map(({ first, days, receipts, states }) => [
      calendar.direction,
      first.slice(0, 7),
      `${' '.repeat(Number(first.slice(8)) - 1)}${glyphsOf(days, busy)}`.padEnd(RULER.length),
      say.count(receipts),
      lookText(states, language),
    ]);
  });
  // Days are aligned like numbers, because numbers are never cut.
  const alignments: Alignment[] = ['left', 'left', 'right', 'right', 'left'];
  const headings = [say.list(), say.month(), RULER, say.receipts(), say.states()];
  const table = textTable(headings, rows, alignments, {
    columns,
    wraps: say.states(),
    droppableLast: [say.states(), say.receipts()],
    paintCell: (text, heading) => (heading === RULER ? painted(text, paint) : text),
  });
  return [title, ...table.split('\n')];
}

function busyOf({ days }: Calendar): number {
  return busyDay(days.map(({ receipts }) => receipts));
}

/** With more companies than this, those without troubled days are left out. */
const MOST_WITHOUT_TROUBLE = 100;

/** All companies, those with problems first: a row per list, with the days that need a look in words. */
export function terminalOverview({ columns, paint, language }: TerminalForm) {
  const say = COVERAGE[language];
  const companies: { rut: string; trouble: number; rows: string[][] }[] = [];
  const shown = () =>
    companies.length <= MOST_WITHOUT_TROUBLE ? companies : companies.filter(({ trouble }) => trouble > 0);
  return {
    add({ rut, name = '', calendars }: CompanyCoverage): void {
      const rows = calendars.map(({ direction, days }) => {
        const troubled = days.filter(({ state }) => isTroubled(state)).map(({ day }) => day);
        const ranges = dayRanges(troubled).join(', ');
        const states = lookText(countStates(days), language);
        return [rut, name, direction, ranges === '' ? states : `${states}: ${ranges}`];
      });
      companies.push({ rut, trouble: countTrouble(calendars), rows });
    },
    /** The table, and what it leaves out. */
    lines(): string[] {
      const sorted = shown().toSorted((a, b) => b.trouble - a.trouble || (a.rut < b.rut ? -1 : 1));
      const leftOut = companies.length - sorted.length;
      const table = textTable(
        ['rut', say.company(), say.list(), say.look()],
        sorted.flatMap(({ rows }) => rows),
        ['right', 'left', 'right', 'left'],
        {
          columns,
          wraps: say.look(),
          paintCell: (text, heading) => (heading === say.look() ? paintedStates(text, paint) : text),
        },
      );
      return [...table.split('\n'), '', `${leftOut > 0 ? say.leftOut(leftOut) : ''}${say.hint()}`];
    },
  };
}

/** The states by their names in either language. */
const STATE_BY_NAME = new Map(
  LANGUAGES.flatMap((language) =>
    DAY_STATES.map((state) => [COVERAGE[language].state(state), state] as const),
  ),
);
const COUNTED_STATE = new RegExp(`\\d[\\d.,]* (${[...STATE_BY_NAME.keys()].join('|')})`, 'g');

/** Colours what needs to be read again. */
function paintedStates(text: string, paint: Paint): string {
  return text.replace(COUNTED_STATE, (said, name) => {
    const state = STATE_BY_NAME.get(name);
    return state === undefined ? said : paint(LOOKS[state].colour, said);
  });
}
