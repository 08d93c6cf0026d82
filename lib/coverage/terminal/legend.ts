import { DAY_STATES, type DayState } from '../day-state.ts';
import { STATE_MEANING } from '../words.ts';
import { coloured, FULL_GLYPHS, LOW_GLYPHS, MARKS } from './glyphs.ts';

const GLYPHS: Readonly<Record<DayState, string>> = {
  ...MARKS,
  aged: LOW_GLYPHS,
  open: FULL_GLYPHS,
  exported: FULL_GLYPHS,
};

/** What the glyphs mean. Open and exported look alike but for their colour: both are as they should be. */
export function legendLines(isColoured: boolean): string[] {
  return [
    ...DAY_STATES.map((state) => {
      const glyphs = coloured(GLYPHS[state], state, isColoured) + ' '.repeat(6 - GLYPHS[state].length);
      return `${glyphs}  ${state.padEnd(9)} ${STATE_MEANING[state]}`;
    }),
    'Shades go from no receipts to as many as on the busy days of the same calendar.',
  ];
}
