import { addDays, DAY_MS, type Day, dayFromNumber, dayNumber, monthOf, weekdayOf } from '../../time/days.ts';
import { DAY_STATES, type DayState, shadeOf } from '../day.ts';
import type { PackedCalendar } from '../html/packed.ts';
import { dayText, type Texts } from '../texts/texts.ts';
import { element } from './dom.ts';

const STATE_OF = new Map(DAY_STATES.map((state) => [state[0], state]));

export function stateAt({ states }: PackedCalendar, place: number): DayState {
  return STATE_OF.get(states[place]) ?? 'missing';
}

export type CalendarGrid = ReturnType<typeof calendarGrid>;

/** A calendar on the page: a grid of days with a roving tabindex. */
export function calendarGrid(
  calendar: PackedCalendar,
  from: Day,
  words: Texts,
  labels: { labelledBy: string; describedBy: string },
  onOpen: (place: number) => void,
) {
  const cells = Array.from(calendar.states, (_, place) => dayCell(calendar, from, place, words));
  const months = monthsOf(from, cells.length).map(({ first, weeks }) => {
    const rows = weeks.map((places) =>
      element('div.week', { role: 'row' }, ...places.flatMap((place) => cells[place] ?? [])),
    );
    const labelled = { 'aria-label': words.longMonth(first), 'data-label': words.shortMonth(first) };
    return element('div.month', { role: 'rowgroup', ...labelled }, ...rows);
  });
  const { labelledBy, describedBy } = labels;
  const root = element(
    'div.months',
    { role: 'grid', 'aria-labelledby': labelledBy, 'aria-describedby': describedBy },
    ...months,
  );
  let current = 0;
  /** Makes this day the one that Tab reaches. */
  const pointTo = (place: number): void => {
    if (cells[place] === undefined) return;
    cells[current]?.setAttribute('tabindex', '-1');
    current = place;
    cells[place].setAttribute('tabindex', '0');
  };
  const focus = (place: number): void => {
    pointTo(place);
    cells[place]?.focus();
  };
  const open = ({ target }: Event): void => {
    const place = placeOf(target);
    if (place === undefined) return;
    focus(place);
    onOpen(place);
  };
  pointTo(cells.length - 1);
  root.addEventListener('click', open);
  root.addEventListener('keydown', (event) => {
    const place = placeOf(event.target);
    if (place === undefined || event.altKey || event.metaKey) return;
    const isOpening = event.key === 'Enter' || event.key === ' ';
    const wanted = isOpening ? place : placeAfter(event, place, from, cells.length);
    if (wanted === undefined) return;
    event.preventDefault();
    if (isOpening) open(event);
    else focus(Math.min(Math.max(wanted, 0), cells.length - 1));
  });
  /** Marks the open day; undefined if none is open. */
  const select = (place: number | undefined): void => {
    root.querySelector('[aria-selected=true]')?.setAttribute('aria-selected', 'false');
    if (place === undefined) return;
    pointTo(place);
    cells[place]?.setAttribute('aria-selected', 'true');
  };
  return { root, focus, select };
}

function dayCell(calendar: PackedCalendar, from: Day, place: number, words: Texts): HTMLElement {
  const day = addDays(from, place);
  const state = stateAt(calendar, place);
  const receipts = calendar.receipts[place] ?? null;
  const shade = receipts === null ? '' : ` s${shadeOf(receipts, calendar.busy)}`;
  return element(`div.day ${state}${shade} w${placeInWeek(day)}`, {
    role: 'gridcell',
    tabindex: -1,
    'aria-selected': 'false',
    'aria-label': dayText(day, state, receipts, words),
    'data-place': place,
  });
}

function placeOf(target: EventTarget | null): number | undefined {
  const cell = target instanceof Element ? target.closest('[data-place]') : null;
  return cell === null ? undefined : Number(cell.getAttribute('data-place'));
}

/** The place to go to. Weeks are columns, so up and down move by a day, left and right by a week. */
function placeAfter(
  { key, ctrlKey }: KeyboardEvent,
  place: number,
  from: Day,
  dayCount: number,
): number | undefined {
  const day = addDays(from, place);
  const placeIn = (other: Day) => dayNumber(other) - dayNumber(from);
  const places: Readonly<Record<string, number>> = {
    ArrowUp: place - 1,
    ArrowDown: place + 1,
    ArrowLeft: place - 7,
    ArrowRight: place + 7,
    Home: ctrlKey ? 0 : place - placeInWeek(day),
    End: ctrlKey ? dayCount - 1 : place + 6 - placeInWeek(day),
    PageUp: placeIn(monthsOn(day, -1)),
    PageDown: placeIn(monthsOn(day, 1)),
  };
  return places[key];
}

export interface Month {
  /** Its first day, which the calendar may not have. */
  first: Day;
  /** Places of the days in the calendar, by week from Monday to Sunday. */
  weeks: number[][];
}

export function monthsOf(from: Day, dayCount: number): Month[] {
  const months: Month[] = [];
  for (let place = 0; place < dayCount; place += 1) {
    const day = addDays(from, place);
    let month = months.at(-1);
    if (month?.first.slice(0, 7) !== day.slice(0, 7)) {
      month = { first: monthOf(day).from, weeks: [] };
      months.push(month);
    }
    if (month.weeks.length === 0 || placeInWeek(day) === 0) month.weeks.push([]);
    month.weeks.at(-1)?.push(place);
  }
  return months;
}

/** The place of a day in its week: 0 for Monday to 6 for Sunday. */
function placeInWeek(day: Day): number {
  return (weekdayOf(day) + 6) % 7;
}

/** The same day `count` months later, or the last day of that month if it is shorter. */
function monthsOn(day: Day, count: number): Day {
  const date = new Date(`${day.slice(0, 7)}-01T00:00:00Z`);
  date.setUTCMonth(date.getUTCMonth() + count + 1, 0);
  date.setUTCDate(Math.min(date.getUTCDate(), Number(day.slice(8))));
  return dayFromNumber(date.getTime() / DAY_MS);
}
