import { styleText } from 'node:util';

/** A colour or an attribute, or several: `'red'`, `['bold', 'red']`. */
export type Style = Parameters<typeof styleText>[0];

/** Gives the text in this style, or as it is where no colour is wanted. */
export type Paint = (style: Style, text: string) => string;

/** What a style says, the same everywhere. Only ANSI's 8 colours: every terminal's theme makes them legible. */
export const STYLES = {
  failure: ['bold', 'red'],
  warning: ['bold', 'yellow'],
  good: 'green',
  faint: 'dim',
} as const satisfies Record<string, Style>;

/** How a text is laid out for a terminal. */
export interface TextForm {
  /** How wide it may be; no limit when undefined. */
  columns?: number;
  /** Default: no colour. */
  paint?: Paint;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export const plain: Paint = (_style, text) => text;

// Whether colour is wanted was decided before, of the stream that the text goes to.
const coloured: Paint = (style, text) => styleText(style, text, { validateStream: false });

/** For a person's terminal colours, unless they said no (https://no-color.org); for pipes, files and CI none. */
export function paintFor(stream: { isTTY?: boolean }, environment: Environment): Paint {
  return isInteractive(stream, environment) && !isSet(environment.NO_COLOR) ? coloured : plain;
}

/** Whether a person sees the stream as it is written, in a terminal that can erase a line. */
export function isInteractive({ isTTY }: { isTTY?: boolean }, { CI, TERM }: Environment): boolean {
  return isTTY === true && TERM !== 'dumb' && !(isSet(CI) && CI !== 'false');
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

/** A name, two blanks at least, and what is said of it. */
const TWO_COLUMNS = /^(?<left> {2,}\S.*? {2,})(?<right>\S.*)$/;
/** Less room than this for the second column is worse than lines that the terminal breaks. */
const LEAST_RIGHT = 24;

/**
 * The text with lines no longer than the terminal is wide: what is said of a name goes on below where it began. A line
 * that begins with blanks and has no second column is a command to be copied, and stays whole.
 */
export function wrapped(text: string, columns: number): string {
  return text
    .split('\n')
    .flatMap((line) => wrappedLine(line, columns))
    .join('\n');
}

function wrappedLine(line: string, columns: number): string[] {
  if (line.length <= columns) return [line];
  const { left = '', right = line } = TWO_COLUMNS.exec(line)?.groups ?? {};
  const room = columns - left.length;
  if (room < LEAST_RIGHT || (left === '' && line.startsWith(' '))) return [line];
  return words(right, room).map((part, index) => (index === 0 ? left : ' '.repeat(left.length)) + part);
}

function words(text: string, columns: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && last.length + 1 + word.length > columns) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}

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
