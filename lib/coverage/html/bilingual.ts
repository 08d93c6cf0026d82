import { htmlText } from '../../text/html.ts';
import { ENGLISH } from '../texts/english.ts';
import { SPANISH } from '../texts/spanish.ts';
import type { Texts } from '../texts/texts.ts';

/** HTML in both languages, of which the style shows one (lib/text/page-style.ts). */
export function inBoth(tag: 'div' | 'span' | 'tspan', htmlIn: (words: Texts) => string): string {
  const [english, spanish] = [htmlIn(ENGLISH), htmlIn(SPANISH)];
  return english === spanish
    ? english
    : `<${tag} lang="en">${english}</${tag}><${tag} lang="es">${spanish}</${tag}>`;
}

/** A text in both languages. It is escaped. */
export function both(textIn: (words: Texts) => string): string {
  return inBoth('span', (words) => htmlText(textIn(words)));
}

/** A term of the API or of the lake's tables, which is Spanish in both languages. */
export function term(name: string): string {
  return `<i lang="es">${htmlText(name)}</i>`;
}
