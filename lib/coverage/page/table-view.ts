import { addDays, dayRanges, isDay } from '../../time/days.ts';
import { DAY_STATES, isTroubled } from '../day.ts';
import type { PackedCalendar } from '../html/packed.ts';
import { countText } from '../texts/texts.ts';
import { stateAt } from './calendar.ts';
import type { PageData } from './data.ts';
import { button, element, heading, SPANISH, scrolled } from './dom.ts';

/** Companies added at a time: a thousand at once would be too many. */
const COMPANIES_PER_PAGE = 25;
const RANGES_SHOWN = 8;

/** The calendars as a table: a row for each company and direction, with the days that need a look in words. */
export function tableView(data: PageData) {
  const { words, index } = data;
  const numbers = [words.receiptsColumn, ...DAY_STATES.map((state) => words.states[state])];
  const headings = [
    ...[words.company, 'RUT', words.direction].map((text) => heading('text', text)),
    ...numbers.map((text) => heading('number', text)),
    heading('text', words.troubleColumn),
  ];
  const body = element('tbody');
  const table = element(
    'table',
    element('caption.hidden', words.tableCaption),
    element('thead', element('tr', ...headings)),
    body,
  );
  const more = button(words.moreCompanies(COMPANIES_PER_PAGE), () => void addPage(), { class: 'more' });
  let waiting: number[] = [];
  let shownDirections: readonly number[] = [];
  /** Number of the last call of `show`: rows arrive later, and those of earlier calls are dropped. */
  let lastAsked = 0;

  async function addPage(): Promise<void> {
    const asked = lastAsked;
    const rows = await Promise.all(waiting.splice(0, COMPANIES_PER_PAGE).map(rowsOf));
    if (asked !== lastAsked) return;
    body.append(...rows.flat());
    more.hidden = waiting.length === 0;
  }

  async function rowsOf(place: number): Promise<HTMLElement[]> {
    const company = index.companies[place];
    if (company === undefined) return [];
    const calendars = await data.calendars(place);
    return shownDirections.flatMap((direction) => {
      const [summary, calendar] = [company.summaries[direction], calendars[direction]];
      if (summary === undefined || calendar === undefined) return [];
      const counts = [summary.receipts, ...DAY_STATES.map((state) => summary.states[state])];
      const row = element(
        'tr',
        element('th', { scope: 'row' }, company.name || '–'),
        element('td.rut', company.rut),
        element('td', SPANISH, index.directions[direction] ?? ''),
        ...counts.map((count) => element(`td.number${count === 0 ? ' zero' : ''}`, countText(count, words))),
        element('td.ranges', troubleText(calendar, data)),
      );
      return [row];
    });
  }

  return {
    root: element('div.table-view', scrolled(words.tableLabel, table), more),
    async show(places: Iterable<number>, directions: readonly number[]): Promise<void> {
      waiting = [...places];
      shownDirections = directions;
      body.replaceChildren();
      lastAsked += 1;
      await addPage();
    },
  };
}

function troubleText(calendar: PackedCalendar, { index, words }: PageData): string {
  const days = Array.from(calendar.states, (_, place) => place)
    .filter((place) => isTroubled(stateAt(calendar, place)))
    .map((place) => addDays(index.from, place));
  const ranges = dayRanges(days).map((range) =>
    range.replaceAll(/\d{4}-\d\d-\d\d/g, (day) => (isDay(day) ? words.shortDay(day) : day)),
  );
  const rest = ranges.length - RANGES_SHOWN;
  return [...ranges.slice(0, RANGES_SHOWN), ...(rest > 0 ? [words.moreRanges(rest)] : [])].join(', ');
}
