/**
 * What commands a terminal, or makes a text read as another: control characters, what turns the direction of writing,
 * what has no width. Not the choice of an emoji's look, which comes with ordinary names.
 */
const UNPRINTABLE = /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\ufe0e\ufe0f]]/gv;
const PLAIN = /^[\x20-\x7e\n]*$/;

/** A text that may be shown: what must not be is written `\u001b`, which is what a JSON document may say as well. */
export function printable(text: string): string {
  // Most is plain, and there may be much.
  return PLAIN.test(text)
    ? text
    : text.replace(UNPRINTABLE, (character) => (/[\n\t]/.test(character) ? character : escaped(character)));
}

/** The same on one line: somebody else's text, which can't make a second one. */
export function printableLine(text: string): string {
  return text.replace(UNPRINTABLE, escaped);
}

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return SHORT[character] ?? units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** A word as a shell takes it, for a command that is suggested. */
export function shellWord(word: string): string {
  return /^[\w./:@%+,=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
