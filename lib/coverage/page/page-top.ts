import type { PackedIndex } from '../html/packed.ts';
import type { Texts } from '../texts/texts.ts';
import { countText } from '../words.ts';
import { button, element } from './dom.ts';

/** What the page is, and the switch to the other language. */
export function pageTop(index: PackedIndex, words: Texts, onSwitch: () => void): Node[] {
  const { from, to, lake, madeAt, companies } = index;
  const range = words.range(words.shortDay(from), words.shortDay(to));
  const count = words.companies(countText(companies.length, words), companies.length === 1);
  const moment = `${words.shortDay(madeAt.slice(0, 10))} ${madeAt.slice(11)}`;
  document.documentElement.lang = words.language;
  document.title = `${words.title} ${range} · cfe-lake`;
  const other = words.language === 'en' ? 'es' : 'en';
  return [
    element(
      'div',
      { class: 'title' },
      element('h1', {}, words.title),
      button(words.otherLanguage, onSwitch, { class: 'language', lang: other }),
    ),
    element(
      'p',
      {},
      `${words.whichDays} `,
      element('b', {}, range),
      `, ${count}, ${words.inLake} `,
      element('b', {}, lake),
      `. ${words.asOf(moment)}`,
    ),
  ];
}
