/** An option of a command: its kind of value, its help, and what a shell completes. */
export interface Option extends Details<string> {
  kind: 'flag' | 'value' | 'values' | 'number';
  /** The value's placeholder in the help: `DIR`, `N`. */
  placeholder?: string;
  help: string;
  /** The bounds of a number. */
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

/** Options of every command. */
export const COMMON_OPTIONS = {
  help: flag('explain the command'),
  debug: flag('show where an error came from'),
};
