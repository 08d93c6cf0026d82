/** An option of a command: what is typed, what the help says, and what a shell completes. */
export interface Option {
  kind: 'flag' | 'value' | 'values';
  /** What stands for the value in the help: `DIR`, `N`. */
  placeholder?: string;
  help: string;
  /** All values that it takes, where they are few; others are refused. */
  choices?: () => readonly string[];
  /** What its value names on this machine. */
  path?: 'file' | 'folder';
  /** Whether that file is nobody else's business. */
  holdsTokens?: true;
}

export type OptionTable = Readonly<Record<string, Option>>;

/** The parsed options: `true` for a flag, one text for a value, several for values. */
export type Parsed<Options extends OptionTable> = {
  readonly [Name in keyof Options]?: Options[Name]['kind'] extends 'flag'
    ? boolean
    : Options[Name]['kind'] extends 'values'
      ? readonly string[]
      : string;
};
