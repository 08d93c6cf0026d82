import { API, NETWORK } from '../../api/phrases.ts';
import { COMPANIES_FILE, LOGIN } from '../../companies/phrases.ts';
import { REASONS } from '../../system/phrases.ts';
import type { Language, Localized } from '../../text/language.ts';
import { RUT_FAULT } from '../../units/phrases.ts';

/** Rooms whose texts are stored in English, or parts of others: why a day failed, what is wrong with a file. */
const ROOMS = [API, NETWORK, LOGIN, COMPANIES_FILE, RUT_FAULT, REASONS];

/** Stand for values of phrases, in which no text has them. */
const VALUES = ['\u{e000}', '\u{e001}', '\u{e002}'];

interface Known {
  english: RegExp;
  /** The number of the value that each group is. */
  groups: readonly number[];
  spanish: string;
}

/** How a phrase is known in a text, with any values: without its full stop, which is left where it is. */
function knownBy(phrase: (...values: never[]) => Localized): Known {
  const said = phrase(...(VALUES as never[]));
  const [english, spanish] = [said('en'), said('es')].map((text) => text.replace(/\.$/, ''));
  const parts = (english ?? '').split(/([\u{e000}-\u{e002}])/u);
  const literal = (part = '') => part.replaceAll(/[^\w\s]/g, '\\$&');
  // No value has the words that the phrase begins with.
  const value = parts[0] ? `((?:(?!${literal(parts[0])}).)*?)` : '(.*?)';
  const pattern = parts.map((part, at) => (at % 2 === 1 ? value : literal(part)));
  const groups = parts.flatMap((part) => (VALUES.includes(part) ? [VALUES.indexOf(part)] : []));
  return { english: new RegExp(pattern.join(''), 'g'), groups, spanish: spanish ?? '' };
}

let known: readonly Known[] | undefined;

/** A longer line holds a text from elsewhere, in which a pattern with several values may search for minutes. */
const MOST_CHARACTERS = 5_000;

/** The text in the language of whoever reads it: each phrase of it by its own words, those of most words first. */
export function retold(text: string, language: Language): string {
  return language === 'en' ? text : text.split('\n').map(retoldLine).join('\n');
}

function retoldLine(line: string): string {
  if (line.length > MOST_CHARACTERS) return line;
  known ??= ROOMS.flatMap((room) => Object.values(room).map(knownBy)).sort(
    (a, b) => b.english.source.length - a.english.source.length,
  );
  return known.reduce(
    (said, { english, groups, spanish }) =>
      said.replaceAll(english, (_all: string, ...values: string[]) =>
        spanish.replaceAll(
          /[\u{e000}-\u{e002}]/gu,
          (value) => values[groups.indexOf(VALUES.indexOf(value))] ?? '',
        ),
      ),
    line,
  );
}
