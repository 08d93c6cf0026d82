import { addDays, dayRanges, isDay } from '../../time/days.ts';
import { DAY_STATES, isTroubled } from '../day.ts';
import type { PackedCalendar } from '../html/packed.ts';
import { countText } from '../texts/texts.ts';
import { stateAt } from './calendar.ts';
import type { PageData } from './data.ts';
import { button, element, scrolled } from './dom.ts';

/** Companies added at a time: a thousand at once would be too many. */
const COMPANIES_PER_PAGE = 25;
const RANGES_SHOWN = 8;

/** The calendars as a table: a row for each company and direction, with the days that need a look in words. */
export class TableView {
  readonly root: HTMLElement;
  private readonly data: PageData;
  private readonly body = element('tbody');
  private readonly more: HTMLButtonElement;
  private waiting: number[] = [];
  private directions: readonly number[] = [];
  /** Number of the last call of `show`: rows arrive later, and those of earlier calls are dropped. */
  private asked = 0;

  constructor(data: PageData) {
    this.data = data;
    const { words } = data;
    const numbers = [words.receiptsColumn, ...DAY_STATES.map((state) => words.states[state])];
    const headings = [words.company, 'RUT', words.direction, ...numbers, words.troubleColumn];
    const heading = (text: string) =>
      element('th', { scope: 'col', class: numbers.includes(text) ? 'number' : 'text' }, text);
    const head = element('thead', element('tr', ...headings.map(heading)));
    const caption = element('caption.hidden', words.tableCaption);
    this.more = button(words.moreCompanies(COMPANIES_PER_PAGE), () => void this.addPage(), {
      class: 'more',
    });
    this.root = element(
      'div.table-view',
      scrolled(words.tableLabel, element('table', caption, head, this.body)),
      this.more,
    );
  }

  async show(places: Iterable<number>, directions: readonly number[]): Promise<void> {
    this.waiting = [...places];
    this.directions = directions;
    this.body.replaceChildren();
    this.asked += 1;
    await this.addPage();
  }

  private async addPage(): Promise<void> {
    const asked = this.asked;
    const places = this.waiting.splice(0, COMPANIES_PER_PAGE);
    const rows = await Promise.all(places.map((place) => this.rowsOf(place)));
    if (asked !== this.asked) return;
    this.body.append(...rows.flat());
    this.more.hidden = this.waiting.length === 0;
  }

  private async rowsOf(place: number): Promise<HTMLElement[]> {
    const { companies, directions } = this.data.index;
    const company = companies[place];
    if (company === undefined) return [];
    const calendars = await this.data.calendars(place);
    return this.directions.flatMap((direction) => {
      const [summary, calendar] = [company.summaries[direction], calendars[direction]];
      if (summary === undefined || calendar === undefined) return [];
      const counts = [summary.receipts, ...DAY_STATES.map((state) => summary.states[state])];
      return [
        element(
          'tr',
          element('th', { scope: 'row' }, company.name || '–'),
          element('td.rut', company.rut),
          element('td', { lang: 'es' }, directions[direction] ?? ''),
          ...counts.map((count) =>
            element(
              'td',
              { class: count === 0 ? 'number zero' : 'number' },
              countText(count, this.data.words),
            ),
          ),
          element('td.ranges', this.troubleText(calendar)),
        ),
      ];
    });
  }

  private troubleText(calendar: PackedCalendar): string {
    const days = Array.from({ length: calendar.states.length }, (_, place) => place)
      .filter((place) => isTroubled(stateAt(calendar, place)))
      .map((place) => addDays(this.data.index.from, place));
    const ranges = dayRanges(days);
    const rest = ranges.length - RANGES_SHOWN;
    const { words } = this.data;
    const shown = ranges
      .slice(0, RANGES_SHOWN)
      .map((range) =>
        range.replaceAll(/\d{4}-\d\d-\d\d/g, (day) => (isDay(day) ? words.shortDay(day) : day)),
      );
    return [...shown, ...(rest > 0 ? [words.moreRanges(rest)] : [])].join(', ');
  }
}
