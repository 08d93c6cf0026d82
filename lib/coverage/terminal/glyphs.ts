import { type Paint, STYLES, type Style } from '../../text/colour.ts';
import { DAY_STATES, type DayState, shadeOf } from '../day-state.ts';
import { STATE_MEANING, STATE_NAME } from '../texts/words.ts';

/** By shade: nothing, then from few receipts to as many as on busy days. */
const FULL = ['·', '░', '░', '▒', '▓', '█'] as const;
/** The same for days that are aged: half as high, so that they are told apart without colour. */
const LOW = ['_', '▂', '▂', '▃', '▅', '▆'] as const;

/** Letters of ASCII, for they must be read wherever blocks look alike. */
export const MARKS = { missing: '?', failed: 'X', unstable: '~' } as const;

/** How a day looks: one column wide, and plain without any colour. */
export function dayGlyph(state: DayState, receipts: number | null, busy: number): string {
  if (state === 'missing' || state === 'failed' || state === 'unstable') return MARKS[state];
  return (state === 'aged' ? LOW : FULL)[shadeOf(receipts ?? 0, busy)] ?? '';
}

export const FULL_GLYPHS = [...new Set(FULL)].join('');
export const LOW_GLYPHS = [...new Set(LOW)].join('');

/** Only ANSI's 8 colours: every terminal's theme makes them legible. */
const COLOURS: Readonly<Record<DayState, Style>> = {
  missing: ['bold', 'magenta'],
  failed: STYLES.failure,
  unstable: STYLES.warning,
  aged: 'yellow',
  open: 'green',
  exported: 'cyan',
};

/** A day as it is drawn; undefined where the calendar has none. */
export type Cell = { glyph: string; state: DayState } | undefined;

/** Cells beside each other, those of one state in a row coloured as one. */
export function cellsText(cells: readonly Cell[], paint: Paint): string {
  const runs: { state: DayState | undefined; text: string }[] = [];
  for (const cell of cells) {
    const last = runs.at(-1);
    if (last !== undefined && last.state === cell?.state) last.text += cell?.glyph ?? ' ';
    else runs.push({ state: cell?.state, text: cell?.glyph ?? ' ' });
  }
  return runs.map(({ state, text }) => (state === undefined ? text : paint(COLOURS[state], text))).join('');
}

const GLYPHS: Readonly<Record<DayState, string>> = {
  ...MARKS,
  aged: LOW_GLYPHS,
  open: FULL_GLYPHS,
  exported: FULL_GLYPHS,
};

const NAME_COLUMNS = Math.max(...DAY_STATES.map((state) => STATE_NAME[state].length));

/** What the glyphs mean. Days still re-read and settled ones look alike but for their colour: both are as they should be. */
export function legendLines(paint: Paint): string[] {
  return [
    ...DAY_STATES.map((state) => {
      const glyphs = paint(COLOURS[state], GLYPHS[state]) + ' '.repeat(6 - GLYPHS[state].length);
      return `${glyphs}  ${STATE_NAME[state].padEnd(NAME_COLUMNS)} ${STATE_MEANING[state]}`;
    }),
    'Shades go from no receipts to as many as on the busy days of the same calendar.',
  ];
}
