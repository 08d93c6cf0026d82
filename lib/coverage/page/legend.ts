import { DAY_STATES, type DayState, SHADES, type StateCounts } from '../day-state.ts';
import type { Texts } from '../texts/texts.ts';
import { countText } from '../texts/words.ts';
import { element } from './dom.ts';

/** What a company is asked about first; days without trouble need no mark. */
export const MARKED_STATES: readonly DayState[] = ['missing', 'failed', 'unstable', 'aged'];

/** A small picture of a state, as its cells look. */
export function swatch(state: DayState): HTMLElement {
  const shade = state === 'missing' || state === 'failed' ? '' : ' s3';
  return element('span', { class: `day ${state}${shade} swatch`, 'aria-hidden': 'true' });
}

export function sumStates(counts: readonly StateCounts[], state: DayState): number {
  return counts.reduce((sum, count) => sum + count[state], 0);
}

/** How many days of the calendars are in the states that need a look: `3 missing`, `1 failed`. */
export function stateChips(counts: readonly StateCounts[], words: Texts): HTMLElement {
  const chips = DAY_STATES.filter((state) => MARKED_STATES.includes(state)).flatMap((state) => {
    const count = sumStates(counts, state);
    return count === 0
      ? []
      : [
          element(
            'span',
            { class: 'chip' },
            swatch(state),
            `${countText(count, words)} ${words.states[state]}`,
          ),
        ];
  });
  return element('span', { class: 'chips' }, ...chips);
}

/** What shades mean and how the grids are used; the grids refer to it. */
export function shadeLegend(words: Texts): HTMLElement {
  const shades = Array.from({ length: SHADES + 1 }, (_, shade) =>
    element('span', { class: `day s${shade} swatch`, 'aria-hidden': 'true' }),
  );
  const scale = element('span', { class: 'scale' }, `${words.noReceipts} `, ...shades, ` ${words.busyDays}`);
  return element('div', { class: 'legend' }, scale, element('span', { id: 'grid-help' }, words.gridHelp));
}
