import { DAY_STATES, type DayState } from '../day-state.ts';
import { STATE_MEANING, STATE_NAME } from '../words.ts';
import { coloured, FULL_GLYPHS, LOW_GLYPHS, MARKS } from './glyphs.ts';

const GLYPHS: Readonly<Record<DayState, string>> = {
  ...MARKS,
  aged: LOW_GLYPHS,
  open: FULL_GLYPHS,
  exported: FULL_GLYPHS,
};

const NAME_COLUMNS = Math.max(...DAY_STATES.map((state) => STATE_NAME[state].length));

/** What the glyphs mean. Days still re-read and settled ones look alike but for their colour: both are as they should be. */
export function legendLines(isColoured: boolean): string[] {
  return [
    ...DAY_STATES.map((state) => {
      const glyphs = coloured(GLYPHS[state], state, isColoured) + ' '.repeat(6 - GLYPHS[state].length);
      return `${glyphs}  ${STATE_NAME[state].padEnd(NAME_COLUMNS)} ${STATE_MEANING[state]}`;
    }),
    'Shades go from no receipts to as many as on the busy days of the same calendar.',
  ];
}
