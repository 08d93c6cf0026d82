import { ENGLISH } from '../texts/english.ts';
import { SPANISH } from '../texts/spanish.ts';
import type { Texts } from '../texts/texts.ts';

const LANGUAGES = [ENGLISH, SPANISH];
const KEPT_AS = 'cfe-lake-language';

/** The language that was chosen here before, else the browser's first that the page speaks, else English. */
export function firstLanguage(): Texts {
  const wanted = [keptLanguage() ?? '', ...navigator.languages];
  const spoken = wanted.flatMap((name) =>
    LANGUAGES.filter(({ language }) => name.split('-')[0] === language),
  );
  return spoken[0] ?? ENGLISH;
}

/** The other language, which is kept for the next page. */
export function otherLanguage({ language }: Texts): Texts {
  const other = LANGUAGES.find((texts) => texts.language !== language) ?? ENGLISH;
  try {
    localStorage.setItem(KEPT_AS, other.language);
  } catch {
    // A browser that keeps nothing for this page asks its own languages again next time.
  }
  return other;
}

function keptLanguage(): string | null {
  try {
    return localStorage.getItem(KEPT_AS);
  } catch {
    return null;
  }
}
