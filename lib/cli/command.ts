import { CfeLakeError } from '../errors.ts';
import { isOpenToOthers } from '../private-files.ts';
import { PROGRAM } from '../program.ts';
import { shellWord } from '../text/terminal.ts';
import { checkedArgument, type OptionTable, type Parsed, parseWords } from './option.ts';
import type { Printer } from './printer.ts';

/** Where a command reads from and writes to. */
export interface Terminal {
  stdout: Printer;
  stderr: Printer;
  /** Standard input, opened when it is asked for. */
  stdin?: () => AsyncIterable<Uint8Array | string>;
  /** Asks a person, and gives the answer; absent where nobody is there to answer. */
  ask?: (question: string) => Promise<string>;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
}

/** Ctrl-C ended the command, which has said how to go on. */
export class ToldInterruption extends CfeLakeError {
  override name = 'ToldInterruption';
}

type Described = Required<Omit<CommandDefinition<OptionTable>, 'argument' | 'takesMoreWords' | 'run'>>;

export interface Command extends Described {
  /** The command line after the program's name: `query "SQL" [options]`. */
  usage: string;
  /** Runs with the words after the command's name. Returns the exit code. Throws UsageError. */
  run(words: readonly string[], terminal: Terminal): Promise<number>;
}

export type ListedCommand = Command & { summary: string };

export interface CommandDefinition<Options extends OptionTable> {
  name: string;
  /** The words after the name, as the help shows them: `"SQL"`. */
  argument?: string;
  /** All values of the argument, if there are few; a shell completes them. */
  argumentChoices?: readonly string[];
  /** Whether other words follow that one. */
  takesMoreWords?: boolean;
  options: Options;
  examples: readonly string[];
  /** Lines below the examples in the help. */
  notes?: readonly string[];
  run(options: Parsed<Options>, argumentWords: readonly string[], terminal: Terminal): Promise<number>;
}

export function defineCommand<Options extends OptionTable>(definition: CommandDefinition<Options>): Command {
  const { name, argument, argumentChoices = [], takesMoreWords = false } = definition;
  const { options, examples, notes = [] } = definition;
  return {
    name,
    usage: `${name}${argument === undefined ? '' : ` ${argument}`} [options]`,
    options,
    argumentChoices,
    examples,
    notes,
    run: async (words, terminal) => {
      const { values, positionals } = parseWords(name, options, argument !== undefined, words);
      if (argumentChoices.length > 0) {
        const asked = takesMoreWords ? positionals.slice(0, 1) : positionals;
        checkedArgument(name, argumentChoices, asked, examples[0] ?? name);
      }
      for (const [option, { holdsTokens }] of Object.entries(options)) {
        if (holdsTokens === true) await warnOfReaders(values[option], terminal);
      }
      return await definition.run(values, positionals, terminal);
    },
  };
}

/** The text that `--help` prints for a command. */
export function helpOf({ usage, options, examples, notes }: Command, summary: string): string {
  const lines = Object.entries(options).map(([option, { placeholder, kind, help }]) => {
    const left = `  --${option}${placeholder === undefined ? '' : ` ${placeholder}`}${kind === 'values' ? ' …' : ''}`;
    return `${left.padEnd(31)}  ${help}`;
  });
  return [
    `Usage: ${PROGRAM} ${usage}`,
    '',
    summary,
    ...(lines.length === 0 ? [] : ['', 'Options:', ...lines]),
    '',
    'Examples:',
    ...examples.map((example) => `  ${PROGRAM} ${example}`),
    ...(notes.length === 0 ? [] : ['', ...notes]),
  ].join('\n');
}

/** Only warns: somebody may share the file with a group on purpose. */
async function warnOfReaders(file: unknown, { stderr }: Terminal): Promise<void> {
  if (typeof file !== 'string' || !(await isOpenToOthers(file))) return;
  stderr.writeProblem(
    `${file} holds tokens, and other users of this machine may read or change it. Run: chmod 600 ${shellWord(file)}`,
    'Warning:',
    'warning',
  );
}
