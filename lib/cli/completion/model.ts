import type { ListedCommand } from '../commands.ts';
import type { Option } from '../option.ts';

/** What a shell has to know of the program, taken from the commands' own definitions. */
export interface CompletionModel {
  /** How the program is called where no `cfe-lake` is installed: node, its flags, the file. */
  program: readonly string[];
  commands: readonly CompletedCommand[];
}

export interface CompletedCommand {
  name: string;
  summary: string;
  /** The words that may stand after its name. */
  words: readonly string[];
  options: readonly CompletedOption[];
}

export interface CompletedOption {
  /** Without the dashes. */
  name: string;
  help: string;
  /** What stands for its value; undefined for a flag. */
  placeholder: string | undefined;
  /** All its values; empty when they are not known. */
  values: readonly string[];
  path: Option['path'];
  isRepeatable: boolean;
}

/** Options of every command. */
const COMMON: readonly CompletedOption[] = [
  ['help', 'explains the command'],
  ['debug', 'shows where an error came from'],
].map(([name = '', help = '']) => ({
  name,
  help,
  placeholder: undefined,
  values: [],
  path: undefined,
  isRepeatable: false,
}));

export function completionModel(
  commands: readonly ListedCommand[],
  program: readonly string[],
): CompletionModel {
  const help: CompletedCommand = {
    name: 'help',
    summary: 'Explains a command.',
    words: commands.map(({ name }) => name),
    options: [],
  };
  const completed = commands.map(({ name, summary, argumentChoices, options }) => ({
    name,
    summary,
    words: argumentChoices,
    options: [...Object.entries(options).map(([option, of]) => completedOption(option, of)), ...COMMON],
  }));
  return { program, commands: [...completed, help] };
}

function completedOption(
  name: string,
  { kind, help, placeholder = 'VALUE', choices, path }: Option,
): CompletedOption {
  return {
    name,
    help,
    placeholder: kind === 'flag' ? undefined : placeholder,
    values: choices?.() ?? [],
    path,
    isRepeatable: kind === 'values',
  };
}

/** A word that every shell takes as it is. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
