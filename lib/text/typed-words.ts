import { closestMatch } from 'leven';

/** How each JSON Web Token begins: `{"` in base64url. As long as the shortest header, so that no name is taken for one. */
const JSON_WEB_TOKEN = /eyJ[\w-]{14}/;

/** Whether the text has a JSON Web Token in it, whole or cut. No command takes one. */
export function holdsJsonWebToken(text: string): boolean {
  return JSON_WEB_TOKEN.test(text);
}

/** The candidate that was most likely meant, or that the word begins; undefined if none is near. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const asked = word.toLowerCase();
  if (asked === '') return undefined;
  const maxDistance = Math.ceil(asked.length / 3);
  return (
    closestMatch(asked, candidates, { maxDistance }) ??
    candidates.find((candidate) => candidate.startsWith(asked))
  );
}

/** `Did you mean x?` with a space before it, or nothing. */
export function didYouMean(candidate: string | undefined): string {
  return candidate === undefined ? '' : ` Did you mean ${candidate}?`;
}
