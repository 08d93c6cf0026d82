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

/** ANSI's 8 colours, which every terminal's theme makes legible; `97` and the like are not. */
const STYLES: Readonly<Record<DayState, string>> = {
  missing: '1;35',
  failed: '1;31',
  unstable: '1;33',
  aged: '33',
  open: '32',
  exported: '36',
};

/** Puts a state's colour around a text, or leaves it as it is. */
export function coloured(text: string, state: DayState, isColoured: boolean): string {
  return isColoured ? `\u001b[${STYLES[state]}m${text}\u001b[0m` : text;
}

/** Whether to write colours there: to a person's terminal, unless they said no (https://no-color.org). */
export function isColourWanted(
  stream: { isTTY?: boolean },
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  const isRefused = (environment.NO_COLOR ?? '') !== '' || environment.TERM === 'dumb';
  return stream.isTTY === true && !isRefused;
}

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
