import { addDays } from '../../time/days.ts';
import { areMany } from '../day.ts';
import { type PackedCalendar, type PackedCompany, unpackDay } from '../html/packed.ts';
import { countText, receiptsText } from '../texts/texts.ts';
import { type CalendarGrid, calendarGrid, stateAt } from './calendar.ts';
import type { PageData } from './data.ts';
import { dayDetail } from './day-detail.ts';
import { element, spanish, stateChips } from './dom.ts';

/** A day of a company, as indexes: of the direction, and of the day in its calendar. */
export interface DayPlace {
  direction: number;
  place: number;
}

interface Drawn {
  calendar: PackedCalendar;
  grid: CalendarGrid;
  box: HTMLElement;
}

export type CompanySection = ReturnType<typeof companySection>;

/**
 * One company. Its heading is always drawn, its calendars only near the viewport. `onOpen` is called with the day that is
 * opened, and with undefined when it is closed.
 */
export function companySection(
  data: PageData,
  company: PackedCompany,
  companyPlace: number,
  onOpen: (day: DayPlace | undefined) => void,
) {
  const { index, words } = data;
  const { name, rut, summaries } = company;
  const id = `company-${companyPlace}`;
  const titles = name === '' ? [rut] : [name, ' ', element('span.rut', rut)];
  const heading = element('h2', { id, tabindex: -1 }, ...titles);
  const top = element('div.company-top', heading);
  if (areMany(index.companies.length)) top.append(element('a.up', { href: '#overview' }, words.toOverview));
  const states = summaries.map((summary) => summary.states);
  top.append(stateChips(states, words));
  const body = element('div.calendars');
  const root = element('section.company', { 'aria-labelledby': id }, top, body);
  // The new focus is known only after the event.
  root.addEventListener('focusout', () => setTimeout(tidy));
  /** By the direction's place in the index. */
  let drawn: Map<number, Drawn> | undefined;
  let isNear = false;
  let directions: readonly number[] = [];
  let openDay: DayPlace | undefined;

  /** Which directions to show, by their places in the index. */
  function setDirections(wanted: readonly number[]): void {
    const isSame = wanted.every((direction, place) => direction === directions[place]);
    if (isSame && wanted.length === directions.length) return;
    directions = wanted;
    const wasNear = isNear;
    close();
    clear();
    if (wasNear) void draw();
  }

  /** Draws the calendars, when the section comes near the viewport or next to the focus. */
  async function draw(): Promise<void> {
    isNear = true;
    if (drawn !== undefined) return;
    const calendars = await data.calendars(companyPlace);
    // Meanwhile it may have been scrolled away, or drawn by another call.
    if (!isNear || drawn !== undefined) return;
    drawn = new Map();
    for (const direction of directions) {
      const calendar = calendars[direction];
      if (calendar !== undefined) drawn.set(direction, drawCalendar(direction, calendar));
    }
    body.replaceChildren(...[...drawn.values()].map(({ box }) => box));
  }

  /** The section is no longer near the viewport: clears it as soon as it is not in use. */
  function leave(): void {
    isNear = false;
    tidy();
  }

  function tidy(): void {
    const isInUse = openDay !== undefined || root.contains(document.activeElement);
    if (!isNear && !isInUse) clear();
  }

  function clear(): void {
    drawn = undefined;
    body.replaceChildren();
  }

  /** Height of the calendars; undefined if they are not drawn or a day is open among them. */
  function drawnHeight(): number | undefined {
    return drawn === undefined || openDay !== undefined ? undefined : body.getBoundingClientRect().height;
  }

  /** Opens a day below its calendar. */
  async function open(day: DayPlace): Promise<void> {
    await draw();
    const ofDay = drawn?.get(day.direction);
    if (ofDay?.calendar.states[day.place] === undefined) return;
    takeDetail();
    openDay = day;
    ofDay.grid.select(day.place);
    onOpen(day);
    const detail = await detailOf(day, ofDay);
    if (openDay !== day) return;
    ofDay.box.after(detail);
    detail.querySelector('h4')?.focus({ preventScroll: true });
    detail.scrollIntoView({ block: 'nearest' });
  }

  /** Closes the open day. If the focus was in its detail, it goes back to the day's cell. */
  function close(): void {
    const day = openDay;
    if (day === undefined) return;
    const hasFocus = root.querySelector('.detail')?.contains(document.activeElement) === true;
    takeDetail();
    if (hasFocus) drawn?.get(day.direction)?.grid.focus(day.place);
    onOpen(undefined);
    tidy();
  }

  function takeDetail(): void {
    if (openDay === undefined) return;
    drawn?.get(openDay.direction)?.grid.select(undefined);
    root.querySelector('.detail')?.remove();
    openDay = undefined;
  }

  function drawCalendar(direction: number, calendar: PackedCalendar): Drawn {
    const labelledBy = `calendar-${companyPlace}-${direction}`;
    const most = calendar.receipts.reduce<number>((greatest, count) => Math.max(greatest, count ?? 0), 0);
    const title = element(
      'h3',
      { id: labelledBy },
      spanish(index.directions[direction] ?? ''),
      element('span.hidden', ` ${words.ofCompany(name || rut)}`),
    );
    const facts = [
      receiptsText(summaries[direction]?.receipts ?? 0, words),
      ...(most > 0 ? [words.most(countText(most, words))] : []),
    ].join(', ');
    const labels = { labelledBy, describedBy: 'grid-help' };
    const onDay = (place: number) => void open({ direction, place });
    const grid = calendarGrid(calendar, index.from, words, labels, onDay);
    const calendarTop = element('div.calendar-top', title, element('span.facts', facts));
    return { calendar, grid, box: element('div.calendar', calendarTop, grid.root) };
  }

  async function detailOf({ direction, place }: DayPlace, { calendar }: Drawn): Promise<HTMLElement> {
    const details = await data.details(companyPlace);
    const move = (to: number) =>
      to < 0 || to >= calendar.states.length ? undefined : () => void open({ direction, place: to });
    return dayDetail({
      company,
      direction: index.directions[direction] ?? '',
      day: addDays(index.from, place),
      state: stateAt(calendar, place),
      receipts: calendar.receipts[place] ?? null,
      record: unpackDay(details, direction, place),
      index,
      words,
      previous: move(place - 1),
      next: move(place + 1),
      close,
    });
  }

  return {
    root,
    company,
    setDirections,
    draw,
    leave,
    /** Moves the focus to the heading, after a jump from elsewhere on the page. */
    focus: () => heading.focus({ preventScroll: true }),
    drawnHeight,
    open,
    close,
  };
}
