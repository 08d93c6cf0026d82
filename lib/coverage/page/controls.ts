import { DAY_STATES, type DayState } from '../day.ts';
import type { PackedIndex } from '../html/packed.ts';
import { countText, type Texts } from '../texts/texts.ts';
import { element, sumStates, swatch } from './dom.ts';

export interface Choice {
  /** Shows companies whose name or RUT contains this; all if empty. */
  text: string;
  /** Shows companies that have days in this state; all if undefined. */
  state: DayState | undefined;
  /** Indexes of the directions shown. */
  directions: readonly number[];
  view: 'calendars' | 'table';
}

/** The page's filters (state, company, direction), and the switch between calendars and table. */
export class Controls {
  readonly root: HTMLElement;
  private readonly index: PackedIndex;
  private readonly words: Texts;
  private readonly count = element('p.count', { role: 'status' });
  private readonly onChange: (choice: Choice) => void;
  private choice: Choice;

  /** `before`: the choice to begin with, made in the other language. */
  constructor(index: PackedIndex, words: Texts, onChange: (choice: Choice) => void, before?: Choice) {
    this.index = index;
    this.words = words;
    this.onChange = onChange;
    const all = index.directions.map((_, place) => place);
    this.choice = before ?? { text: '', state: undefined, directions: all, view: 'calendars' };
    const search = element('input', {
      type: 'search',
      id: 'company-filter',
      placeholder: words.nameOrRut,
      autocomplete: 'off',
    });
    search.value = this.choice.text;
    search.addEventListener('input', () => this.choose({ text: search.value }));
    const find = element('label.find', { for: 'company-filter' }, element('span', words.company), search);
    const directions = [...(all.length > 1 ? [{ label: words.both, places: all }] : [])].concat(
      all.map((place) => ({ label: index.directions[place] ?? '', places: [place] })),
    );
    this.root = element(
      'div.controls',
      this.states(),
      element(
        'div.choices',
        find,
        radios(
          'direction',
          words.direction,
          directions.map(({ label, places }) => ({
            text: label,
            isChosen: places.join() === this.choice.directions.join(),
            onChoice: () => this.choose({ directions: places }),
          })),
        ),
        radios(
          'view',
          words.showAs,
          (['calendars', 'table'] as const).map((view) => ({
            text: words[view],
            isChosen: view === this.choice.view,
            onChoice: () => this.choose({ view }),
          })),
        ),
        this.count,
      ),
    );
  }

  /** Reports the first choice. */
  start(): void {
    this.choose({});
  }

  private choose(change: Partial<Choice>): void {
    this.choice = { ...this.choice, ...change };
    this.onChange(this.choice);
  }

  /** Shows how many companies are shown. */
  sayCount(shown: number): void {
    const { length } = this.index.companies;
    const { words } = this;
    this.count.textContent = words.count(countText(shown, words), countText(length, words), length === 1);
  }

  /** The states with their number of days, which are both legend and filter. */
  private states(): HTMLElement {
    const counts = this.index.companies.flatMap(({ summaries }) => summaries.map(({ states }) => states));
    const { words } = this;
    const tiles = DAY_STATES.map((state) => {
      const count = sumStates(counts, state);
      const tile = element(
        `button.tile ${count === 0 ? 'none' : ''}`,
        { type: 'button', 'aria-pressed': String(state === this.choice.state) },
        element(
          'span.tile-top',
          swatch(state),
          element('b', countText(count, words)),
          ` ${words.states[state]}`,
        ),
        element('span.meaning', words.meanings[state]),
      );
      tile.addEventListener('click', () => {
        const isChosen = this.choice.state === state;
        for (const other of tiles) other.setAttribute('aria-pressed', String(other === tile && !isChosen));
        this.choose({ state: isChosen ? undefined : state });
      });
      return tile;
    });
    return element('div.tiles', { role: 'group', 'aria-label': words.statesLabel }, ...tiles);
  }
}

/** The companies that match a choice, as indexes. */
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

interface Option {
  text: string;
  isChosen: boolean;
  onChoice: () => void;
}

function radios(name: string, label: string, options: readonly Option[]): HTMLElement {
  const choices = options.map(({ text, isChosen, onChoice }) => {
    const input = element('input', { type: 'radio', name, value: text });
    input.checked = isChosen;
    input.addEventListener('change', onChoice);
    return element('label', input, element('span', text));
  });
  return element('fieldset.radios', element('legend', label), ...choices);
}
