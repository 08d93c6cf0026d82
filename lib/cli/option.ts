import { parseArgs } from 'node:util';
import { PROGRAM } from '../program.ts';
import { isDay } from '../time/days.ts';
import { didYouMean, nearest, quoted, shown, UsageError } from './usage.ts';

/** An option of a command: its kind of value, its help, and what a shell completes. */
export interface Option extends Details<string> {
  kind: 'flag' | 'value' | 'values' | 'number';
  /** The value's placeholder in the help: `DIR`, `N`. */
  placeholder?: string;
  help: string;
  least?: number;
  most?: number;
}

interface Details<Choice extends string> {
  /** All values that it takes, if there are few; others are refused. */
  choices?: () => readonly Choice[];
  /** Whether its value names a file or a folder. */
  path?: 'file' | 'folder';
  /** Whether the file holds tokens, so that only its owner should read it. */
  holdsTokens?: true;
}

export type OptionTable = Readonly<Record<string, Option>>;

interface ParsedKinds<Choice> {
  flag: boolean;
  value: Choice;
  values: readonly Choice[];
  number: number;
}

type ChoiceOf<Of extends Option> = Of extends Details<infer Choice> ? Choice : never;

/** The parsed options: `true` for a flag, one text for a value, several for values. */
export type Parsed<Options extends OptionTable> = {
  readonly [Name in keyof Options]?: ParsedKinds<ChoiceOf<Options[Name]>>[Options[Name]['kind']];
};

export function flag(help: string) {
  return { kind: 'flag', help } as const;
}

export function oneValue<Choice extends string = string>(
  placeholder: string,
  help: string,
  details: Details<Choice> = {},
) {
  return { kind: 'value', placeholder, help, ...details } as const;
}

/** May be repeated. */
export function manyValues<Choice extends string = string>(
  placeholder: string,
  help: string,
  choices?: () => readonly Choice[],
) {
  return { kind: 'values', placeholder, help, choices } as const;
}

export function wholeNumber(least: number, most: number, help: string) {
  return { kind: 'number', placeholder: 'N', help, least, most } as const;
}

export function fileName(help: string, placeholder = 'FILE') {
  return oneValue(placeholder, help, { path: 'file' });
}

export function tokensFile(help: string) {
  return oneValue('FILE', help, { path: 'file', holdsTokens: true });
}

export const COMMON_OPTIONS = {
  help: flag('explain the command'),
  debug: flag('show where an error came from'),
};

/** With more choices than this, a message names only the nearest one. */
const MANY = 6;
/** A choice that shows the others. */
export const LIST = 'list';

/**
 * A command's words by its options; `positionals` belong to none. Throws UsageError: one line that says what to type
 * instead.
 */
export function parseWords<Options extends OptionTable>(
  command: string,
  options: Options,
  takesWords: boolean,
  words: readonly string[],
): { values: Parsed<Options>; positionals: string[] } {
  const { tokens } = parseArgs({
    args: [...words],
    allowPositionals: true,
    strict: false,
    tokens: true,
    options: Object.fromEntries(
      Object.entries(options).map(([name, { kind }]) => [
        name,
        { type: kind === 'flag' ? 'boolean' : 'string' } as const,
      ]),
    ),
  });
  const values: Record<string, true | string | number | string[]> = {};
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    // SQL may begin with a comment.
    else if (token.kind === 'option' && takesWords && /\s/.test(token.rawName))
      positionals.push(words[token.index] ?? '');
    else if (token.kind === 'option') {
      const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
      if (option === undefined || !token.rawName.startsWith('--')) {
        throw new UsageError(unknownOption(command, token.rawName, options));
      }
      keep(values, token.name, option, checkedValue(token, option));
    }
  }
  if (!takesWords && positionals[0] !== undefined) {
    throw new UsageError(surplusWord(command, positionals[0], options));
  }
  // Each value has the type of its option's kind: `true` for a flag, a text or texts for the others.
  return { values: values as Parsed<Options>, positionals };
}

/** Checks the argument of a command that takes one of a few words. Throws UsageError. */
export function checkedArgument(
  command: string,
  choices: readonly string[],
  words: readonly string[],
  example: string,
): void {
  const [word, surplus] = words;
  if (word !== undefined && choices.includes(word) && surplus === undefined) return;
  const wrong = word === undefined || choices.includes(word) ? surplus : word;
  const near = wrong === undefined ? undefined : nearest(wrong, choices);
  const meant = wrong === undefined ? '' : `, not ${quoted(wrong, near)}.${didYouMean(near)}`;
  throw new UsageError(
    `${command} takes ${oneOf(choices)}${meant || '.'} For example: ${PROGRAM} ${example}`,
  );
}

function oneOf(choices: readonly string[]): string {
  return `${choices.slice(0, -1).join(', ')}${choices.length > 1 ? ' or ' : ''}${choices.at(-1) ?? ''}`;
}

function checkedValue(
  { name, value, inlineValue }: { name: string; value?: string; inlineValue?: boolean },
  { kind, placeholder, choices, least = 0, most = Number.POSITIVE_INFINITY }: Option,
): true | string | number {
  if (kind === 'flag') {
    if (value !== undefined) throw new UsageError(`--${name} takes no value: write --${name} alone.`);
    return true;
  }
  if (value === undefined || (inlineValue !== true && value.startsWith('--'))) {
    throw new UsageError(`--${name} needs a value: --${name} ${placeholder}`);
  }
  const known = choices?.();
  if (known !== undefined && !known.includes(value)) {
    const near = nearest(value, known);
    const isListed = known.includes(LIST);
    const isShort = known.length > MANY && (isListed || near !== undefined);
    const problem = isShort
      ? `There is no --${name} ${quoted(value, near)}.`
      : `--${name} takes ${oneOf(known)}, not ${quoted(value, near)}.`;
    const list = isShort && isListed ? ` --${name} ${LIST} shows them all.` : '';
    throw new UsageError(problem + didYouMean(near) + list);
  }
  return kind === 'number' ? checkedNumber(name, value, least, most) : value;
}

function checkedNumber(name: string, text: string, least: number, most: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  throw new UsageError(`--${name} takes a whole number from ${least} to ${most}, not ${quoted(text)}.`);
}

function keep(
  values: Record<string, true | string | number | string[]>,
  name: string,
  { kind }: Option,
  value: true | string | number,
): void {
  const earlier = values[name];
  if (kind === 'values' && typeof value === 'string') {
    values[name] = [...(Array.isArray(earlier) ? earlier : []), value];
    return;
  }
  if (earlier !== undefined && earlier !== value) {
    throw new UsageError(`--${name} is given twice, with different values: keep one of them.`);
  }
  values[name] = value;
}

function unknownOption(command: string, rawName: string, options: OptionTable): string {
  const names = Object.keys({ ...options, ...COMMON_OPTIONS }).map((name) => `--${name}`);
  const near = rawName.startsWith('--')
    ? nearest(rawName, names)
    : // A single letter, as other programs have them.
      names.find((name) => name.startsWith(`-${rawName}`));
  return `${command} has no option ${shown(rawName, near)}.${didYouMean(near)} See: ${PROGRAM} ${command} --help`;
}

function surplusWord(command: string, word: string, options: OptionTable): string {
  const names = Object.keys({ ...options, ...COMMON_OPTIONS }).filter((name) => name.length > 2);
  const asName = nearest(word, names);
  const asValue = Object.entries(options).find(([, { choices }]) => choices?.().includes(word) === true)?.[0];
  const withValue = asValue ?? (isDay(word) && Object.hasOwn(options, 'date') ? 'date' : undefined);
  const meant = withValue === undefined ? asName && `--${asName}` : `--${withValue} ${word}`;
  return `${command} does not take the word ${quoted(word, meant)}.${didYouMean(meant)} See: ${PROGRAM} ${command} --help`;
}
