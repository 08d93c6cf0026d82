import { SHADES } from '../shade.ts';
import type { Texts } from '../texts/texts.ts';
import { element } from './dom.ts';

/** What shades mean and how the grids are used; the grids refer to it. */
export function shadeLegend(words: Texts): HTMLElement {
  const shades = Array.from({ length: SHADES + 1 }, (_, shade) =>
    element('span', { class: `day s${shade} swatch`, 'aria-hidden': 'true' }),
  );
  const scale = element('span', { class: 'scale' }, `${words.noReceipts} `, ...shades, ` ${words.busyDays}`);
  return element('div', { class: 'legend' }, scale, element('span', { id: 'grid-help' }, words.gridHelp));
}
