import { parseArgs } from 'node:util';

/** What was typed can't be carried out; the message is one line that says what to type instead. */
export class UsageError extends Error {
  override name = 'UsageError';
}

export interface Option {
  kind: 'flag' | 'value' | 'values';
  /** What stands for the value in the help: `DIR`, `N`. */
  placeholder?: string;
  help: string;
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

/** Where a command reads from and writes to. */
export interface Terminal {
  stdout: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  stderr: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
}

export interface Command {
  name: string;
  summary: string;
  /** The help's body, below the summary. */
  help: string;
  /** Runs with the words after the command's name; gives the exit code. Throws UsageError. */
  run(words: readonly string[], terminal: Terminal): Promise<number>;
}

export interface CommandDefinition<Options extends OptionTable> {
  name: string;
  summary: string;
  /** The words after the name, as the help shows them: `"SQL"`. */
  argument?: string;
  options: Options;
  examples: readonly string[];
  run(options: Parsed<Options>, argumentWords: readonly string[], terminal: Terminal): Promise<number>;
}

/** How the program is called from a checkout. */
export const PROGRAM = 'npm run -s cfe-lake --';

export function defineCommand<Options extends OptionTable>(definition: CommandDefinition<Options>): Command {
  const { name, summary, argument, options } = definition;
  const usage = `${PROGRAM} ${name}${argument === undefined ? '' : ` ${argument}`} [options]`;
  const lines = Object.entries(options).map(([option, { placeholder, kind, help }]) => {
    const left = `  --${option}${placeholder === undefined ? '' : ` ${placeholder}`}${kind === 'values' ? ' …' : ''}`;
    return `${left.padEnd(32)} ${help}`;
  });
  return {
    name,
    summary,
    help: [
      `Usage: ${usage}`,
      '',
      summary,
      '',
      'Options:',
      ...lines,
      '',
      'Examples:',
      ...definition.examples.map((example) => `  ${PROGRAM} ${example}`),
    ].join('\n'),
    run: async (words, terminal) => {
      const { values, positionals } = parseWords(name, options, words);
      if (argument === undefined && positionals.length > 0) {
        throw new UsageError(
          `"${positionals[0]}" is not an option of ${name}. See: ${PROGRAM} ${name} --help`,
        );
      }
      return await definition.run(values, positionals, terminal);
    },
  };
}

function parseWords<Options extends OptionTable>(
  name: string,
  options: Options,
  words: readonly string[],
): { values: Parsed<Options>; positionals: string[] } {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: Object.fromEntries(
        Object.entries(options).map(([option, { kind }]) => [
          option,
          { type: kind === 'flag' ? 'boolean' : 'string', multiple: kind === 'values' } as const,
        ]),
      ),
    });
    // parseArgs gives what the table asked for: a boolean for a flag, a text or texts for the others.
    return { values: values as Parsed<Options>, positionals };
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error);
    throw new UsageError(`${reason}. See: ${PROGRAM} ${name} --help`);
  }
}

/** A whole number within bounds, from an option's text. Throws UsageError. */
export function wholeNumber(option: string, text: string, least: number, most: number): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < least || number > most) {
    throw new UsageError(`--${option} takes a whole number from ${least} to ${most}, not "${text}".`);
  }
  return number;
}
