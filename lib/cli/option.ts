import { Option as CommanderOption } from 'commander';
import { didYouMean, nearest, quoted, UsageError } from './usage.ts';

/** An option of a command: its kind of value, and its help. */
export interface Option<Choice extends string = string> {
  kind: 'flag' | 'value' | 'values' | 'number';
  /** The value's placeholder in the help: `DIR`, `N`. */
  placeholder?: string;
  help: string;
  least?: number;
  most?: number;
  /** All values that it takes, if there are few; others are refused. */
  choices?: readonly Choice[];
  /** The value of an option that is typed without one. */
  preset?: Choice;
  /** Whether its file holds tokens, so that only its owner should read it, or is to be written. */
  file?: 'tokens' | 'written';
}

export type OptionTable = Readonly<Record<string, Option>>;

interface ParsedKinds<Choice> {
  flag: boolean;
  value: Choice;
  values: readonly Choice[];
  number: number;
}

type ChoiceOf<Of extends Option> = Of extends Option<infer Choice> ? Choice : never;

/** The parsed options: `true` for a flag, one text for a value, several for values. */
export type Parsed<Options extends OptionTable> = {
  readonly [Name in keyof Options]?: ParsedKinds<ChoiceOf<Options[Name]>>[Options[Name]['kind']];
};

type Details<Choice extends string> = Pick<Option<Choice>, 'choices' | 'preset' | 'file'>;

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
  choices?: readonly Choice[],
) {
  return { kind: 'values', placeholder, help, choices } as const;
}

export function wholeNumber(least: number, most: number, help: string) {
  return { kind: 'number', placeholder: 'N', help, least, most } as const;
}

export function fileToWrite(help: string, placeholder = 'FILE') {
  return oneValue(placeholder, help, { file: 'written' });
}

export function tokensFile(help: string) {
  return oneValue('FILE', help, { file: 'tokens' });
}

/** Keeps its values under the option's name as it is typed. */
class NamedOption extends CommanderOption {
  override attributeName(): string {
    return this.name();
  }
}

/** A choice that shows the others, where they are many. */
export const LIST = 'list';

/** Its values are checked as they are parsed: UsageError. */
export function commanderOption(name: string, option: Option): CommanderOption {
  const { kind, placeholder, help, preset } = option;
  if (kind === 'flag') return new NamedOption(`--${name}`, help);
  const value = preset === undefined ? `<${placeholder}>` : `[${placeholder}]`;
  return new NamedOption(`--${name} ${value}`, help)
    .preset(preset)
    .argParser((text: string, earlier: unknown) => {
      const checked = checkedValue(name, option, text);
      if (kind === 'values') return [...(Array.isArray(earlier) ? earlier : []), checked];
      if (earlier === undefined || earlier === checked) return checked;
      throw new UsageError(`--${name} is given twice, with different values: keep one of them.`);
    });
}

function checkedValue(name: string, option: Option, text: string): string | number {
  const { kind, placeholder, choices, least = 0, most = Number.POSITIVE_INFINITY } = option;
  if (text.startsWith('--')) throw new UsageError(`--${name} needs a value: --${name} ${placeholder}`);
  if (choices !== undefined && !choices.includes(text)) {
    const near = nearest(text, choices);
    const meant = didYouMean(near);
    throw new UsageError(
      choices.includes(LIST)
        ? `There is no --${name} ${quoted(text, near)}.${meant} --${name} ${LIST} shows them all.`
        : `--${name} takes ${oneOf(choices)}, not ${quoted(text, near)}.${meant}`,
    );
  }
  if (kind !== 'number') return text;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  throw new UsageError(`--${name} takes a whole number from ${least} to ${most}, not ${quoted(text)}.`);
}

export function oneOf(choices: readonly string[]): string {
  return `${choices.slice(0, -1).join(', ')}${choices.length > 1 ? ' or ' : ''}${choices.at(-1) ?? ''}`;
}
