import { type DayState, shadeOf } from '../day.ts';
import type { PackedCalendar } from '../html/packed.ts';
import { stateAt } from './calendar.ts';
import { barsOf } from './day-bars.ts';

/** Days at least this wide have a gap between them. */
const GAPPED_DAY_PX = 4;
/** Opacity of days in other states than the chosen one. */
const FADED = 0.22;

/** The current value of a colour, by its name in the style. */
export type Colours = (name: string) => string;

export function coloursOf(root: HTMLElement): Colours {
  const style = getComputedStyle(root);
  const known = new Map<string, string>();
  return (name) => {
    const colour = known.get(name) ?? style.getPropertyValue(`--${name}`);
    known.set(name, colour);
    return colour;
  };
}

/**
 * Draws each calendar as a line, one below the other, a column per day. Fills the picture's size on the page. Days in
 * other states than `onlyState` are faded, if it is given.
 */
export function paintDays(
  picture: HTMLCanvasElement,
  calendars: readonly PackedCalendar[],
  colours: Colours,
  onlyState: DayState | undefined,
): void {
  const { clientWidth, clientHeight } = picture;
  const context = picture.getContext('2d');
  if (clientWidth === 0 || context === null) return;
  const scale = window.devicePixelRatio;
  picture.width = Math.round(clientWidth * scale);
  picture.height = Math.round(clientHeight * scale);
  const gap = Math.round(scale);
  const height = Math.floor((picture.height - gap * (calendars.length - 1)) / calendars.length);
  for (const [line, calendar] of calendars.entries()) {
    const top = line * (height + gap);
    const dayCount = calendar.states.length;
    const dayWidth = picture.width / dayCount;
    const dayGap = dayWidth >= GAPPED_DAY_PX * scale ? gap : 0;
    for (let place = 0; place < dayCount; place += 1) {
      const left = Math.round(place * dayWidth);
      const width = Math.round((place + 1) * dayWidth) - left - dayGap;
      const state = stateAt(calendar, place);
      context.globalAlpha = onlyState === undefined || onlyState === state ? 1 : FADED;
      const shade = shadeOf(calendar.receipts[place] ?? 0, calendar.busy);
      for (const { name, from, to } of barsOf(state, shade)) {
        const start = Math.round(from * height);
        context.fillStyle = colours(name);
        context.fillRect(left, top + start, width, Math.round(to * height) - start);
      }
    }
  }
}
