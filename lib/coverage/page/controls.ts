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

/**
 * The page's filters (state, company, direction), and the switch between calendars and table. `before`: the choice to
 * begin with, made in the other language. `start` reports the first choice.
 */
export function controls(
  index: PackedIndex,
  words: Texts,
  onChange: (choice: Choice) => void,
  before?: Choice,
) {
  const all = index.directions.map((_, place) => place);
  let choice = before ?? { text: '', state: undefined, directions: all, view: 'calendars' };
  const choose = (change: Partial<Choice>): void => {
    choice = { ...choice, ...change };
    onChange(choice);
  };
  const search = element('input', {
    type: 'search',
    id: 'company-filter',
    placeholder: words.nameOrRut,
    autocomplete: 'off',
  });
  search.value = choice.text;
  search.addEventListener('input', () => choose({ text: search.value }));
  const find = element('label.find', { for: 'company-filter' }, element('span', words.company), search);
  const directions = all.map((place) => ({ text: index.directions[place] ?? '', places: [place] }));
  if (all.length > 1) directions.unshift({ text: words.both, places: all });
  const directionRadios = directions.map(({ text, places }) => ({
    text,
    isChosen: places.join() === choice.directions.join(),
    onChoice: () => choose({ directions: places }),
  }));
  const viewRadios = (['calendars', 'table'] as const).map((view) => ({
    text: words[view],
    isChosen: view === choice.view,
    onChoice: () => choose({ view }),
  }));
  const count = element('p.count', { role: 'status' });
  const root = element(
    'div.controls',
    stateTiles(index, words, choice.state, (state) => choose({ state })),
    element(
      'div.choices',
      find,
      radios('direction', words.direction, directionRadios),
      radios('view', words.showAs, viewRadios),
      count,
    ),
  );
  const sayCount = (shown: number): void => {
    const { length } = index.companies;
    count.textContent = words.count(countText(shown, words), countText(length, words), length === 1);
  };
  return { root, start: () => choose({}), sayCount };
}

/** The states with their number of days, which are both legend and filter. */
function stateTiles(
  { companies }: PackedIndex,
  words: Texts,
  first: DayState | undefined,
  onChoice: (state: DayState | undefined) => void,
): HTMLElement {
  const counts = companies.flatMap(({ summaries }) => summaries.map(({ states }) => states));
  const tiles = DAY_STATES.map((state) => {
    const count = sumStates(counts, state);
    const number = element('b', countText(count, words));
    const tile = element(
      `button.tile ${count === 0 ? 'none' : ''}`,
      { type: 'button', 'aria-pressed': String(state === first) },
      element('span.tile-top', swatch(state), number, ` ${words.states[state]}`),
      element('span.meaning', words.meanings[state]),
    );
    tile.addEventListener('click', () => {
      const isChosen = tile.getAttribute('aria-pressed') === 'true';
      for (const other of tiles) other.setAttribute('aria-pressed', String(other === tile && !isChosen));
      onChoice(isChosen ? undefined : state);
    });
    return tile;
  });
  return element('div.tiles', { role: 'group', 'aria-label': words.statesLabel }, ...tiles);
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

function radios(
  name: string,
  label: string,
  options: readonly { text: string; isChosen: boolean; onChoice: () => void }[],
): HTMLElement {
  const choices = options.map(({ text, isChosen, onChoice }) => {
    const input = element('input', { type: 'radio', name, value: text });
    input.checked = isChosen;
    input.addEventListener('change', onChoice);
    return element('label', input, element('span', text));
  });
  return element('fieldset.radios', element('legend', label), ...choices);
}
