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
