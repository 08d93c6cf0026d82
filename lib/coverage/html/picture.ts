import type { Day } from '../../time/days.ts';
import { type Calendar, type DayCoverage, monthRows } from '../company-coverage.ts';
import { busyDay, type DayState, SHADES, shadeOf } from '../day.ts';
import { inBoth } from '../texts.ts';

/** Height of a month's row, in pixels. */
const ROW_PX = 16;
/** The shade that stands for all days with receipts. */
const SOME_RECEIPTS = 3;

/** The share of an overview's width that a month's name needs. */
const MONTH_SHARE = 0.12;

/** Days side by side, the first of them at the column `x`. */
interface Line {
  x: number;
  days: readonly DayCoverage[];
}

/** Lines of days, one below another: a path for each state and shade, in which neighbours are one stroke. */
function paths(lines: readonly Line[], shadeFor: (receipts: number) => number): string {
  const strokes = new Map<string, string>();
  const lookOf = ({ state, receipts }: DayCoverage) =>
    isShaded(state) ? `${state} s${shadeFor(receipts ?? 0)}` : state;
  for (const [y, { x, days }] of lines.entries()) {
    let start = 0;
    const looks = days.map(lookOf);
    for (const [place, look] of looks.entries()) {
      if (looks[place + 1] === look) continue;
      strokes.set(look, `${strokes.get(look) ?? ''}M${x + start} ${y}h${place + 1 - start}`);
      start = place + 1;
    }
  }
  return [...strokes].map(([look, stroke]) => `<path class="${look}" d="${stroke}"/>`).join('');
}

/** Whether the colour says how many receipts the day has. The others have a colour and a mark of their own. */
function isShaded(state: DayState): boolean {
  return state === 'aged' || state === 'open' || state === 'exported';
}

/** A calendar: a row is a month, a column a day of it. */
export function calendarPicture(calendar: Calendar): string {
  const rows = monthRows(calendar);
  const busy = busyDay(calendar.days.map(({ receipts }) => receipts));
  const lines = rows.map(({ first, days }) => ({ x: Number(first.slice(8)) - 1, days }));
  const height = rows.length * ROW_PX;
  return `<div class="picture" aria-hidden="true"><svg class="months" height="${height}"><use href="#months"/></svg><svg class="ruler"><use href="#ruler"/></svg><svg class="days" viewBox="0 -.5 31 ${rows.length}" height="${height}" preserveAspectRatio="none">${paths(lines, (receipts) => shadeOf(receipts, busy))}</svg></div>`;
}

/** A calendar in one line, for the overview. */
export function linePicture({ direction, days }: Calendar): string {
  return `<svg class="line ${direction}" viewBox="0 -.5 ${days.length} 1" preserveAspectRatio="none" aria-hidden="true">${paths([{ x: 0, days }], (receipts) => (receipts > 0 ? SOME_RECEIPTS : 0))}</svg>`;
}

/** A small picture of a state, or of a shade, as days look. */
export function swatch(state: DayState, shade = SOME_RECEIPTS): string {
  const look = isShaded(state) ? `${state} s${shade}` : state;
  return `<svg class="swatch" viewBox="0 -.5 1 1" aria-hidden="true"><path class="${look}" d="M0 0h1"/></svg>`;
}

export function shadeSwatches(): string {
  return Array.from({ length: SHADES + 1 }, (_, shade) => swatch('exported', shade)).join('');
}

/** What all calendars of the page use: names of their months, days of a month, marks of states. */
export function sharedPictures(months: readonly Day[][]): string {
  const names = months.map(([first], row) => monthName(0, row * ROW_PX + 12, first));
  const ruler = [1, 5, 10, 15, 20, 25, 30].map(
    (date) => `<text x="${(((date - 0.5) / 31) * 100).toFixed(1)}%" y="11">${date}</text>`,
  );
  const mark = (state: DayState, drawn: string) =>
    `<pattern id="${state}" width="1" height="1" y="-.5" patternUnits="userSpaceOnUse"><rect x=".08" y=".08" width=".84" height=".84" rx=".16"/>${drawn}</pattern>`;
  return `<svg class="hidden" aria-hidden="true"><defs>
<g id="months">${names.join('')}</g>
<g id="ruler">${ruler.join('')}</g>
${mark('missing', '<path d="M.2 .8l.6-.6M.2 .45l.25-.25M.55 .8l.25-.25"/>')}
${mark('failed', '<path d="M.3 .3l.4 .4M.7 .3l-.4 .4"/>')}
${mark('unstable', '<path d="M.22 .56q.14-.26 .28-.06t.28-.06"/>')}
</defs></svg>`;
}

/** The months above an overview of these days, as far as their names have room: on a narrow screen less. */
export function monthAxis(months: readonly Day[][]): string {
  const dayCount = months.flat().length;
  let [left, end, narrowEnd] = [0, 0, 0];
  const labels = months.map((days) => {
    const place = left;
    left += days.length / dayCount;
    if (place < end || place > 1 - MONTH_SHARE) return '';
    end = place + MONTH_SHARE;
    const isMinor = place < narrowEnd || place > 1 - 2 * MONTH_SHARE;
    if (!isMinor) narrowEnd = place + 2 * MONTH_SHARE;
    return `<g${isMinor ? ' class="minor"' : ''}>${monthName(`${(place * 100).toFixed(1)}%`, 11, days[0])}</g>`;
  });
  return `<svg class="axis" aria-hidden="true">${labels.join('')}</svg>`;
}

function monthName(x: number | string, y: number, month: Day | undefined): string {
  if (month === undefined) return '';
  return `<text x="${x}" y="${y}">${inBoth('tspan', (words) => words.shortMonth(month))}</text>`;
}
