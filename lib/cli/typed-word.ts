import { showableRut } from '../companies/rut.ts';

/** Longer than any name or value that is meant to be typed. */
const MAX_SHOWN = 32;
const BEGINNING = 6;

/** What was typed, as a message may show it: of a long word the beginning only, since it may be a token. */
export function shown(word: string): string {
  return word.length > MAX_SHOWN ? `${word.slice(0, BEGINNING)}…` : word;
}

/** A JSON Web Token, in whatever: no option takes one. */
export function holdsToken(word: string): boolean {
  return /\beyJ[\w-]+\.[\w-]+\./.test(word);
}

export function quoted(word: string): string {
  return `"${shown(word)}"`;
}

/** The beginning of a sentence about a RUT that was typed; anything else may be a token in the wrong place. */
export function namedRut(text: string): string {
  return showableRut(text) === undefined ? 'What stands after --rut' : `--rut ${text}`;
}
