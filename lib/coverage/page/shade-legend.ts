import { SHADES } from '../shade.ts';
import { element } from './dom.ts';

/** What shades mean and how the grids are used; the grids refer to it. */
export function shadeLegend(): HTMLElement {
  const shades = Array.from({ length: SHADES + 1 }, (_, shade) =>
    element('span', { class: `day s${shade} swatch`, 'aria-hidden': 'true' }),
  );
  const scale = element(
    'span',
    { class: 'scale' },
    'no receipts ',
    ...shades,
    " as many as on the calendar's busy days",
  );
  const help =
    'Weeks run down, from Monday. Arrow keys move by day and by week, Page Up and Page Down by month; Enter opens a day.';
  return element('div', { class: 'legend' }, scale, element('span', { id: 'grid-help' }, help));
}
