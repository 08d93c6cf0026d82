import type { Environment } from './terminal.ts';

/** The languages in which the program speaks to a person. What is stored, logged or JSON is not translated. */
export const LANGUAGES = ['en', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];

/** A text in the language of whoever reads it. */
export type Localized = (language: Language) => string;
/** A text for people: in both languages, or as it is in either. */
export type Said = string | Localized;

type Phrases = Readonly<Record<string, (...values: never[]) => string>>;
/** The same phrases, whose texts wait for their reader. */
type InBoth<English extends Phrases> = {
  readonly [Name in keyof English]: (...values: Parameters<English[Name]>) => Localized;
};

/** The phrases of a room, side by side. The compiler names those that lack in Spanish, and values that differ. */
export function inBoth<English extends Phrases>(en: English, es: NoInfer<English>): InBoth<English> {
  const phrases = { en, es };
  const entries = Object.keys(en).map((name) => [
    name,
    (...values: never[]): Localized =>
      (language) =>
        phrases[language][name]?.(...values) ?? '',
  ]);
  return Object.fromEntries(entries);
}

export function textIn(said: Said, language: Language): string {
  return typeof said === 'string' ? said : said(language);
}

/** The texts one after the other, in the language of whoever reads them. */
export function joined(parts: readonly Said[], separator: string): Localized {
  return (language) => parts.map((part) => textIn(part, language)).join(separator);
}

/** The language of a person's session: POSIX's variables, in their order; on Windows the system's. */
export function languageOf(environment: Environment, platform: string = process.platform): Language {
  const { LC_ALL, LC_MESSAGES, LANG } = environment;
  const named = LC_ALL || LC_MESSAGES || LANG;
  const system = platform === 'win32' ? Intl.DateTimeFormat().resolvedOptions().locale : '';
  return /^es(?![a-z])/i.test(named || system) ? 'es' : 'en';
}
