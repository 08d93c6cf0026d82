import { type DayState, MARKED_STATES, SHADES, type StateCounts } from '../day.ts';
import { countText, type Texts } from '../texts/texts.ts';

type Attributes = Readonly<Record<string, string | number>>;

type Tag = keyof HTMLElementTagNameMap;

/** An element: `div`, or with its classes, `div.day open`. Strings become text nodes, never markup. */
export function element<Name extends Tag>(
  name: Name | `${Name}.${string}`,
  ...parts: readonly (Attributes | Node | string)[]
): HTMLElementTagNameMap[Name];
export function element(name: string, ...parts: readonly (Attributes | Node | string)[]): HTMLElement {
  const [tag = '', classes] = name.split('.');
  const made = document.createElement(tag);
  if (classes !== undefined) made.className = classes;
  for (const part of parts) {
    if (typeof part === 'string' || part instanceof Node) made.append(part);
    else for (const [attribute, value] of Object.entries(part)) made.setAttribute(attribute, String(value));
  }
  return made;
}

/** Attributes of Spanish texts, such as the API's terms. */
export const SPANISH = { lang: 'es' };

export function spanish(text: string): HTMLElement {
  return element('span', SPANISH, text);
}

export function heading(kind: 'text' | 'number', text: string, attributes: Attributes = {}): HTMLElement {
  return element(`th.${kind}`, { scope: 'col', ...attributes }, text);
}

export function button(label: string, onClick: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, label);
  made.addEventListener('click', onClick);
  return made;
}

/** A box for a table that may be wider than the window: it scrolls by itself, also by keyboard. */
export function scrolled(label: string, table: HTMLTableElement): HTMLElement {
  return element('div.scrolled', { tabindex: 0, role: 'group', 'aria-label': label }, table);
}

const GAP_PX = 8;

/** A tooltip for what the pointer or the focus is on. Screen readers read the elements' own labels instead. */
export class Tip {
  private readonly root = element('div.tip', { 'aria-hidden': 'true' });

  /** Removed when the signal is aborted. */
  constructor(signal: AbortSignal) {
    this.hide();
    document.body.append(this.root);
    signal.addEventListener('abort', () => this.root.remove());
    window.addEventListener('scroll', () => this.hide(), { passive: true, signal });
  }

  /** Shows a text above a box of the window, or below it where there is no room. */
  show(text: string, box: DOMRect): void {
    const { root } = this;
    root.hidden = false;
    root.textContent = text;
    const most = document.documentElement.clientWidth - root.offsetWidth - GAP_PX;
    const left = Math.min(Math.max(GAP_PX, box.left + box.width / 2 - root.offsetWidth / 2), most);
    const above = box.top - root.offsetHeight - GAP_PX;
    root.style.left = `${left}px`;
    root.style.top = `${above > 0 ? above : box.bottom + GAP_PX}px`;
  }

  hide(): void {
    this.root.hidden = true;
  }
}

/** Shows a cell's label in the tooltip, without the browser's delay. */
export function showTooltips(root: HTMLElement, tip: Tip): void {
  const show = ({ target }: Event): void => {
    const cell = target instanceof Element ? target.closest('[role=gridcell]') : null;
    if (cell === null) tip.hide();
    else tip.show(cell.getAttribute('aria-label') ?? '', cell.getBoundingClientRect());
  };
  root.addEventListener('mouseover', show);
  root.addEventListener('mouseleave', () => tip.hide());
  root.addEventListener('focusin', show);
  root.addEventListener('focusout', () => tip.hide());
}

/** A small picture of a state, as its cells look. */
export function swatch(state: DayState): HTMLElement {
  const shade = state === 'missing' || state === 'failed' ? '' : ' s3';
  return element(`span.day ${state}${shade} swatch`, { 'aria-hidden': 'true' });
}

export function sumStates(counts: readonly StateCounts[], state: DayState): number {
  return counts.reduce((sum, count) => sum + count[state], 0);
}

/** Number of days in each state that needs a look: `3 missing`, `1 failed`. */
export function stateChips(counts: readonly StateCounts[], words: Texts): HTMLElement {
  const chips = MARKED_STATES.flatMap((state) => {
    const count = sumStates(counts, state);
    return count === 0
      ? []
      : [element('span.chip', swatch(state), `${countText(count, words)} ${words.states[state]}`)];
  });
  return element('span.chips', ...chips);
}

/** Legend of the shades, and how to use the grids, which refer to it. */
export function shadeLegend(words: Texts): HTMLElement {
  const shades = Array.from({ length: SHADES + 1 }, (_, shade) =>
    element(`span.day s${shade} swatch`, { 'aria-hidden': 'true' }),
  );
  const scale = element('span.scale', `${words.noReceipts} `, ...shades, ` ${words.busyDays}`);
  return element('div.legend', scale, element('span', { id: 'grid-help' }, words.gridHelp));
}
