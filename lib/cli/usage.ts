import { closestMatch } from 'leven';
import { repeated } from '../text/typed-words.ts';

const MAX_SHOWN = 32;

/** A typed word, for a message: nothing of it if it may be a token. One like a name that is known, `meant`, is none. */
export function shown(word: string, meant?: string): string {
  const text = meant === undefined ? repeated(word) : word;
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

export function quoted(word: string, meant?: string): string {
  return `"${shown(word, meant)}"`;
}

/** The candidate that was most likely meant, or that the word begins; undefined if none is near. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const asked = word.toLowerCase();
  if (asked === '') return undefined;
  const maxDistance = Math.ceil(asked.length / 3);
  return (
    closestMatch(asked, candidates, { maxDistance }) ?? candidates.find((each) => each.startsWith(asked))
  );
}

/** `Did you mean x?` with a space before it, or nothing. */
export function didYouMean(candidate: string | undefined): string {
  return candidate === undefined ? '' : ` Did you mean ${candidate}?`;
}
