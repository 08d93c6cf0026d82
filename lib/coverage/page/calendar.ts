import { addDays, DAY_MS, type Day, dayFromNumber, dayNumber, monthOf, weekdayOf } from '../../time/days.ts';
import { DAY_STATES, type DayState, shadeOf } from '../day.ts';
import type { PackedCalendar } from '../html/packed.ts';
import { dayText, type Texts } from '../texts/texts.ts';
import { element } from './dom.ts';

const STATE_OF = new Map(DAY_STATES.map((state) => [state[0], state]));

/** The state of the day at this place of a calendar. */
export function stateAt({ states }: PackedCalendar, place: number): DayState {
  return STATE_OF.get(states[place]) ?? 'missing';
}

/** A calendar on the page: a grid of days with a roving tabindex. */
export class CalendarGrid {
  readonly root: HTMLElement;
  private readonly from: Day;
  private readonly words: Texts;
  private readonly cells: HTMLElement[] = [];
  private current = 0;
  private readonly onOpen: (place: number) => void;

  constructor(
    calendar: PackedCalendar,
    from: Day,
    words: Texts,
    labels: { labelledBy: string; describedBy: string },
    onOpen: (place: number) => void,
  ) {
    this.from = from;
    this.words = words;
    this.onOpen = onOpen;
    this.root = element('div.months', {
      role: 'grid',
      'aria-labelledby': labels.labelledBy,
      'aria-describedby': labels.describedBy,
    });
    for (const { first, weeks } of monthsOf(from, calendar.states.length)) {
      const rows = weeks.map((places) =>
        element('div.week', { role: 'row' }, ...places.map((place) => this.cell(calendar, place))),
      );
      const month = { class: 'month', role: 'rowgroup', 'aria-label': words.longMonth(first) };
      this.root.append(element('div', { ...month, 'data-label': words.shortMonth(first) }, ...rows));
    }
    this.pointTo(this.cells.length - 1);
    this.root.addEventListener('click', (event) => this.open(this.placeOf(event.target)));
    this.root.addEventListener('keydown', (event) => this.onKey(event));
  }

  focus(place: number): void {
    this.pointTo(place);
    this.cells[place]?.focus();
  }

  /** Marks the open day; undefined if none is open. */
  select(place: number | undefined): void {
    this.root.querySelector('[aria-selected=true]')?.setAttribute('aria-selected', 'false');
    if (place === undefined) return;
    this.pointTo(place);
    this.cells[place]?.setAttribute('aria-selected', 'true');
  }

  /** Makes this day the one that Tab reaches. */
  private pointTo(place: number): void {
    if (this.cells[place] === undefined) return;
    this.cells[this.current]?.setAttribute('tabindex', '-1');
    this.current = place;
    this.cells[place]?.setAttribute('tabindex', '0');
  }

  private cell(calendar: PackedCalendar, place: number): HTMLElement {
    const day = addDays(this.from, place);
    const state = stateAt(calendar, place);
    const receipts = calendar.receipts[place] ?? null;
    const shade = receipts === null ? '' : ` s${shadeOf(receipts, calendar.busy)}`;
    const cell = element(`div.day ${state}${shade} w${placeInWeek(day)}`, {
      role: 'gridcell',
      tabindex: -1,
      'aria-selected': 'false',
      'aria-label': dayText(day, state, receipts, this.words),
      'data-place': place,
    });
    this.cells[place] = cell;
    return cell;
  }

  private placeOf(target: EventTarget | null): number | undefined {
    const cell = target instanceof Element ? target.closest('[data-place]') : null;
    return cell === null ? undefined : Number(cell.getAttribute('data-place'));
  }

  private open(place: number | undefined): void {
    if (place === undefined) return;
    this.focus(place);
    this.onOpen(place);
  }

  private onKey(event: KeyboardEvent): void {
    const place = this.placeOf(event.target);
    if (place === undefined || event.altKey || event.metaKey) return;
    const wanted = event.key === 'Enter' || event.key === ' ' ? place : this.placeAfter(event, place);
    if (wanted === undefined) return;
    event.preventDefault();
    if (event.key === 'Enter' || event.key === ' ') this.open(place);
    else this.focus(Math.min(Math.max(wanted, 0), this.cells.length - 1));
  }

  /** The place to go to. Weeks are columns, so up and down move by a day, left and right by a week. */
  private placeAfter({ key, ctrlKey }: KeyboardEvent, place: number): number | undefined {
    const day = addDays(this.from, place);
    const placeOf = (other: Day) => dayNumber(other) - dayNumber(this.from);
    switch (key) {
      case 'ArrowUp':
        return place - 1;
      case 'ArrowDown':
        return place + 1;
      case 'ArrowLeft':
        return place - 7;
      case 'ArrowRight':
        return place + 7;
      case 'Home':
        return ctrlKey ? 0 : place - placeInWeek(day);
      case 'End':
        return ctrlKey ? this.cells.length - 1 : place + 6 - placeInWeek(day);
      case 'PageUp':
        return placeOf(monthsOn(day, -1));
      case 'PageDown':
        return placeOf(monthsOn(day, 1));
      default:
        return undefined;
    }
  }
}

export interface Month {
  /** Its first day, which the calendar may not have. */
  first: Day;
  /** Places of the days in the calendar, by week from Monday to Sunday. */
  weeks: number[][];
}

/** The days of a calendar, by month and week. */
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
