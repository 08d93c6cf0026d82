type Attributes = Readonly<Record<string, string | number | undefined>>;

/** An element with attributes and children. Texts become text nodes, never markup, whoever wrote them. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) made.setAttribute(name, String(value));
  }
  made.append(...children);
  return made;
}

/** A text in the language of the API's terms. */
export function spanish(text: string): HTMLElement {
  return element('span', { lang: 'es' }, text);
}

export function button(label: string, onClick: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, label);
  made.addEventListener('click', onClick);
  return made;
}

/** Where a table may be wider than the window: it scrolls by itself, also by keyboard. */
export function scrolled(label: string, table: HTMLTableElement): HTMLElement {
  return element('div', { class: 'scrolled', tabindex: 0, role: 'group', 'aria-label': label }, table);
}

const GAP_PX = 8;

/** Shows a cell's text beside it at once; the cells' own labels are there for those who don't see it. */
export function showTooltips(root: HTMLElement, signal: AbortSignal): void {
  const tip = element('div', { class: 'tip', 'aria-hidden': 'true' });
  tip.hidden = true;
  document.body.append(tip);
  const show = ({ target }: Event): void => {
    const cell = target instanceof Element ? target.closest('[role=gridcell]') : null;
    tip.hidden = cell === null;
    if (cell === null) return;
    tip.textContent = cell.getAttribute('aria-label');
    const box = cell.getBoundingClientRect();
    const most = document.documentElement.clientWidth - tip.offsetWidth - GAP_PX;
    const left = Math.min(Math.max(GAP_PX, box.left + box.width / 2 - tip.offsetWidth / 2), most);
    const above = box.top - tip.offsetHeight - GAP_PX;
    tip.style.left = `${left}px`;
    tip.style.top = `${above > 0 ? above : box.bottom + GAP_PX}px`;
  };
  const hide = (): void => {
    tip.hidden = true;
  };
  signal.addEventListener('abort', () => tip.remove());
  root.addEventListener('mouseover', show);
  root.addEventListener('mouseleave', hide);
  root.addEventListener('focusin', show);
  root.addEventListener('focusout', hide);
  window.addEventListener('scroll', hide, { passive: true, signal });
}
