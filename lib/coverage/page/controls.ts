import { DAY_STATES, type DayState } from '../day-state.ts';
import type { PackedIndex } from '../html/packed.ts';
import { countText, STATE_MEANING } from '../words.ts';
import { element } from './dom.ts';
import { sumStates, swatch } from './state-chips.ts';

export interface Choice {
  /** Companies whose name or RUT has this; all when empty. */
  text: string;
  /** Companies that have days in this state; all when undefined. */
  state: DayState | undefined;
  /** Places in the index's directions. */
  directions: readonly number[];
  view: 'calendars' | 'table';
}

/** What can be chosen: a state, a company's name, directions, calendars or a table. */
export class Controls {
  readonly root: HTMLElement;
  private readonly index: PackedIndex;
  private readonly count = element('p', { class: 'count', role: 'status' });
  private readonly onChange: (choice: Choice) => void;
  private choice: Choice;

  constructor(index: PackedIndex, onChange: (choice: Choice) => void) {
    this.index = index;
    this.onChange = onChange;
    const all = index.directions.map((_, place) => place);
    this.choice = { text: '', state: undefined, directions: all, view: 'calendars' };
    const search = element('input', {
      type: 'search',
      id: 'company-filter',
      placeholder: 'Name or RUT',
      autocomplete: 'off',
    });
    search.addEventListener('input', () => this.choose({ text: search.value }));
    const find = element(
      'label',
      { class: 'find', for: 'company-filter' },
      element('span', {}, 'Company'),
      search,
    );
    const directions = [...(all.length > 1 ? [{ label: 'both', places: all }] : [])].concat(
      all.map((place) => ({ label: index.directions[place] ?? '', places: [place] })),
    );
    this.root = element(
      'div',
      { class: 'controls' },
      this.states(),
      element(
        'div',
        { class: 'choices' },
        find,
        radios(
          'Direction',
          directions.map(({ label, places }) => [label, () => this.choose({ directions: places })]),
        ),
        radios('Show as', [
          ['calendars', () => this.choose({ view: 'calendars' })],
          ['table', () => this.choose({ view: 'table' })],
        ]),
        this.count,
      ),
    );
  }

  /** Says the first choice. */
  start(): void {
    this.choose({});
  }

  private choose(change: Partial<Choice>): void {
    this.choice = { ...this.choice, ...change };
    this.onChange(this.choice);
  }

  /** Says how many companies are shown. */
  sayCount(shown: number): void {
    const { length } = this.index.companies;
    this.count.textContent = `${countText(shown)} of ${countText(length)} ${length === 1 ? 'company' : 'companies'}`;
  }

  /** The states with their number of days: a legend, and a choice of companies. */
  private states(): HTMLElement {
    const counts = this.index.companies.flatMap(({ summaries }) => summaries.map(({ states }) => states));
    const tiles = DAY_STATES.map((state) => {
      const count = sumStates(counts, state);
      const tile = element(
        'button',
        { type: 'button', class: `tile ${count === 0 ? 'none' : ''}`, 'aria-pressed': 'false' },
        element(
          'span',
          { class: 'tile-top' },
          swatch(state),
          element('b', {}, countText(count)),
          ` ${state}`,
        ),
        element('span', { class: 'meaning' }, STATE_MEANING[state]),
      );
      tile.addEventListener('click', () => {
        const isChosen = this.choice.state === state;
        for (const other of tiles) other.setAttribute('aria-pressed', String(other === tile && !isChosen));
        this.choose({ state: isChosen ? undefined : state });
      });
      return tile;
    });
    const label = 'Company-days by state; each shows the companies that have such days';
    return element('div', { class: 'tiles', role: 'group', 'aria-label': label }, ...tiles);
  }
}

/** The companies of a choice, as places in the index. */
export function chosenCompanies(
  { companies }: PackedIndex,
  { text, state, directions }: Choice,
): Set<number> {
  const wanted = plain(text.trim());
  const places = new Set<number>();
  for (const [place, { rut, name, summaries }] of companies.entries()) {
    const states = directions.flatMap((direction) => summaries[direction]?.states ?? []);
    const hasState = state === undefined || sumStates(states, state) > 0;
    if (hasState && (plain(name).includes(wanted) || rut.includes(wanted))) places.add(place);
  }
  return places;
}

/** Without accents and capitals, as people type. */
function plain(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

function radios(label: string, options: readonly (readonly [string, () => void])[]): HTMLElement {
  const name = label.replaceAll(' ', '-').toLowerCase();
  const choices = options.map(([text, onChoice], place) => {
    const input = element('input', { type: 'radio', name, value: text });
    input.checked = place === 0;
    input.addEventListener('change', onChoice);
    return element('label', {}, input, element('span', {}, text));
  });
  return element('fieldset', { class: 'radios' }, element('legend', {}, label), ...choices);
}
