import { styleText } from 'node:util';

/** A colour or an attribute, or several: `'red'`, `['bold', 'red']`. */
export type Style = Parameters<typeof styleText>[0];

/** The text in this style, or unchanged if no colour is wanted. */
export type Paint = (style: Style, text: string) => string;

/** Styles by meaning. Only ANSI's 8 colours: every terminal's theme makes them legible. */
export const STYLES = {
  failure: ['bold', 'red'],
  warning: ['bold', 'yellow'],
  good: 'green',
  faint: 'dim',
} as const satisfies Record<string, Style>;

export type Environment = Readonly<Record<string, string | undefined>>;

export const plain: Paint = (_style, text) => text;

// paintFor has decided whether the stream takes colour.
const coloured: Paint = (style, text) => styleText(style, text, { validateStream: false });

/** Colours for a person's terminal, unless NO_COLOR is set (https://no-color.org). None for pipes, files and CI. */
export function paintFor(stream: { isTTY?: boolean }, environment: Environment): Paint {
  return isInteractive(stream, environment) && !isSet(environment.NO_COLOR) ? coloured : plain;
}

/** Whether the stream is a person's terminal that can erase a line. */
export function isInteractive({ isTTY }: { isTTY?: boolean }, { CI, TERM }: Environment): boolean {
  return isTTY === true && TERM !== 'dumb' && !(isSet(CI) && CI !== 'false');
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

/** A name and at least two spaces, before its description. They are tried from the first alone: there may be thousands. */
const FIRST_COLUMN = /^ {2,}\S.*?(?<! ) {2,}(?=\S)/;
/** With less room than this for the second column, lines are left to the terminal. */
const LEAST_RIGHT = 24;

/**
 * Wraps the text to the terminal's width. A description continues below its beginning. A line that begins with spaces
 * and has no second column is a command to be copied, and stays whole.
 */
export function wrapped(text: string, columns: number): string {
  return text
    .split('\n')
    .flatMap((line) => wrappedLine(line, columns))
    .join('\n');
}

function wrappedLine(line: string, columns: number): string[] {
  if (line.length <= columns) return [line];
  const [left = ''] = FIRST_COLUMN.exec(line) ?? [];
  const room = columns - left.length;
  if (room < LEAST_RIGHT || (left === '' && line.startsWith(' '))) return [line];
  return wordLines(line.slice(left.length), room).map(
    (part, index) => (index === 0 ? left : ' '.repeat(left.length)) + part,
  );
}

/** The text's words on lines of at most this width, as far as the words are no wider. */
export function wordLines(text: string, columns: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && last.length + 1 + word.length > columns) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}

/**
 * Characters that control a terminal or make a text look like another: control characters, changes of writing
 * direction, characters without width. Emoji variation selectors are allowed, because ordinary names have them.
 */
const UNPRINTABLE = /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\ufe0e\ufe0f]]/gv;
const PLAIN = /^[\x20-\x7e\n]*$/;

/** The text with unprintable characters as `\u001b`, which means the same in JSON. */
export function printable(text: string): string {
  // A fast path: most texts are plain, and there may be many.
  return PLAIN.test(text)
    ? text
    : text.replace(UNPRINTABLE, (character) => (/[\n\t]/.test(character) ? character : escaped(character)));
}

/** The same on one line, for text from outside. */
export function printableLine(text: string): string {
  return text.replace(UNPRINTABLE, escaped);
}

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return SHORT[character] ?? units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** `1 row`, `2,000 rows`. */
export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? noun : nouns}`;
}

/** The word quoted for a shell if needed, for a suggested command. */
export function shellWord(word: string): string {
  return /^[\w./:@%+,=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
