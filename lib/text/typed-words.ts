import { closestMatch } from 'leven';

/** How each JSON Web Token begins: `{"` in base64url. As long as the shortest header, so that no name is taken for one. */
const JSON_WEB_TOKEN = /eyJ[\w-]{14}/;

/** Whether the text has a JSON Web Token in it, whole or cut. No command takes one. */
export function holdsJsonWebToken(text: string): boolean {
  return JSON_WEB_TOKEN.test(text);
}

const DATE_TIME = /^[\dTZ:.+ /-]{1,32}$/;
const FILE_NAME = /\.(?:csv|html|json|parquet|sql|xlsx)$/i;
/** Names have shorter words; tokens that are no JSON Web Tokens are longer. */
const LONG_WORD = /[^\s/\\.]{17}/;
/** The only colon is that of a drive. */
const WITHOUT_PASSWORD = /^(?:[a-z]:(?=[\\/]))?[^:@]*$/i;

/**
 * Whether a message may repeat a text that was typed: it is neither a token in the wrong place nor an address with a
 * password.
 */
export function isRepeatable(text: string): boolean {
  if (DATE_TIME.test(text)) return true;
  if (!WITHOUT_PASSWORD.test(text) || text.includes('eyJ')) return false;
  return FILE_NAME.test(text) || !LONG_WORD.test(text);
}

/** The text, for a message; nothing of it if it may not be repeated. */
export function repeated(text: string): string {
  return isRepeatable(text) ? text : '…';
}

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
