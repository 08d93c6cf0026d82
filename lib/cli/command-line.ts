import { Command as CommanderCommand, CommanderError } from 'commander';
import { WrongInputError } from '../system/errors.ts';
import { PROGRAM } from '../system/program.ts';
import { wrapped } from '../text/terminal.ts';
import { didYouMean, nearest, quoted, shown } from '../text/typed-words.ts';
import { type Command, commanderOption, oneOf, type Terminal } from './command.ts';
import { COMMAND_NAMES, type CommandName, LOADERS, SUMMARIES } from './commands.ts';
import { checkFiles } from './options/files.ts';

const HELP_WORDS = ['help', '--help', '-h'];
const VERSION_WORDS = ['version', '-V'];
/** SQL may begin with a comment: dashes, then a space. */
const COMMENT = /^-[^\s=]*\s/;
const DAY = /^\d{4}-\d\d-\d\d$/;

/** Carries out the words of a command line. Returns the exit code. Throws WrongInputError. */
export async function carryOut(
  typed: readonly string[],
  terminal: Terminal,
  version: string,
): Promise<number> {
  const words = commandFirst(typed).map((word) => (COMMENT.test(word) ? ` ${word}` : word));
  const program = programOf(terminal, version);
  const [first = ''] = words;
  const name = COMMAND_NAMES.find((known) => known === first);
  let exitCode = 0;
  if (name !== undefined) {
    const command = await LOADERS[name]();
    const entry = addCommand(program, name, command);
    entry.action(async () => {
      const [word] = entry.args;
      if (word !== undefined && command.choices?.includes(word) === false) {
        throw wrongChoice(name, command, word);
      }
      const options = entry.opts();
      await checkFiles(command.options, options, terminal);
      exitCode = await command.run(options, entry.args, terminal);
    });
  } else if (first.startsWith('-')) {
    for (const each of COMMAND_NAMES) program.command(each).description(SUMMARIES[each]);
  } else {
    const near = nearest(first, [...COMMAND_NAMES, 'help']);
    throw wrongWord(`There is no command ${quoted(first, near)}`, near);
  }
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    // The help or the version was printed.
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    throw error;
  }
  return exitCode;
}

/** A request for help, or for the version, may stand before the command's name. */
function commandFirst([first = '--help', ...others]: readonly string[]): string[] {
  if (VERSION_WORDS.includes(first)) return ['--version'];
  return HELP_WORDS.includes(first) ? [...others, '--help'] : [first, ...others];
}

function programOf({ stdout }: Terminal, version: string): CommanderCommand {
  return new CommanderCommand(PROGRAM)
    .usage('COMMAND [options]')
    .description('Every CFE that your companies issue or receive, as Parquet, ready for SQL.')
    .version(version, '-v, --version', 'show the version')
    .helpOption('-h, --help', 'explain the program, or a command')
    .option('--debug', 'show where an error came from')
    .helpCommand(false)
    .enablePositionalOptions()
    .addHelpText(
      'after',
      `\nHelp for a command:  ${PROGRAM} export --help\n` +
        'Exit codes: 0 done; 1 failed, wholly or in part; 2 wrong input or set-up; 130 interrupted.',
    )
    .showSuggestionAfterError(false)
    .configureOutput({
      writeOut: (text) => stdout.write(stdout.columns === undefined ? text : wrapped(text, stdout.columns)),
      writeErr: () => undefined,
      getOutHelpWidth: () => Number.POSITIVE_INFINITY,
    })
    .exitOverride((error) => {
      throw error.exitCode === 0 ? error : unknownOption(error, 'There is', ['--version', '--debug']);
    });
}

function addCommand(program: CommanderCommand, name: CommandName, command: Command): CommanderCommand {
  const { words, options, examples, notes = [] } = command;
  const entry = program.command(name).description(SUMMARIES[name]);
  if (words !== undefined) entry.arguments(words);
  for (const [option, of] of Object.entries(options)) entry.addOption(commanderOption(option, of));
  const shownExamples = examples.map((example) => `  ${PROGRAM} ${example}`);
  const lines = ['', 'Examples:', ...shownExamples, ...(notes.length === 0 ? [] : ['', ...notes])];
  return entry.addHelpText('after', lines.join('\n')).exitOverride((error) => {
    throw error.exitCode === 0 ? error : usageError(error, name, command, entry);
  });
}

/** In place of Commander's own messages, which repeat words that may be tokens. */
function usageError(
  error: CommanderError,
  name: CommandName,
  command: Command,
  { args, registeredArguments }: CommanderCommand,
): WrongInputError {
  switch (error.code) {
    case 'commander.missingArgument':
      return wrongChoice(name, command);
    case 'commander.excessArguments':
      return surplusWord(name, command, args[registeredArguments.length] ?? '');
    case 'commander.optionMissingArgument': {
      const typed = typedIn(error).replaceAll(/[<>]/g, '');
      return new WrongInputError(`${typed.split(' ')[0]} needs a value: ${typed}`);
    }
    default: {
      const [option = ''] = typedIn(error).split('=');
      if (Object.hasOwn(command.options, option.slice(2))) {
        return new WrongInputError(`${option} takes no value: write ${option} alone.`);
      }
      const names = Object.keys(command.options).map((each) => `--${each}`);
      return unknownOption(error, `${name} has`, names, name, withChoice(command, option.slice(2)));
    }
  }
}

/** What stands in quotes in Commander's message. */
function typedIn({ message }: CommanderError): string {
  return /'(.*)'/s.exec(message)?.[1] ?? '';
}

function unknownOption(
  error: CommanderError,
  who: string,
  names: readonly string[],
  command?: CommandName,
  asValue?: string,
): WrongInputError {
  const [option = ''] = typedIn(error).split('=');
  const all = [...names, '--help'];
  // A single letter, as other programs have them.
  const near = option.startsWith('--')
    ? (asValue ?? nearest(option, all))
    : all.find((name) => name.startsWith(`-${option}`));
  return wrongWord(`${who} no option ${shown(option, near)}`, near, command);
}

/** The option that has the word among its values, with this value. */
function withChoice({ options }: Command, word: string): string | undefined {
  const [option] = Object.entries(options).find(([, { choices }]) => choices?.includes(word) === true) ?? [];
  return option && `--${option} ${word}`;
}

function surplusWord(name: CommandName, command: Command, word: string): WrongInputError {
  const { options } = command;
  const asName = nearest(word, ['help', ...Object.keys(options)]);
  const asDay = DAY.test(word) && Object.hasOwn(options, 'date') ? `--date ${word}` : undefined;
  const meant = asDay ?? withChoice(command, word) ?? (asName && `--${asName}`);
  return wrongWord(`${name} does not take the word ${quoted(word, meant)}`, meant, name);
}

function wrongChoice(name: CommandName, { choices = [], examples }: Command, word?: string): WrongInputError {
  const near = word === undefined ? undefined : nearest(word, choices);
  const not = word === undefined ? '' : `, not ${quoted(word, near)}`;
  return new WrongInputError(
    `${name} takes ${oneOf(choices)}${not}.${didYouMean(near)} For example: ${PROGRAM} ${examples[0]}`,
  );
}

function wrongWord(problem: string, meant: string | undefined, command?: CommandName): WrongInputError {
  const help = [PROGRAM, command, '--help'].filter((word) => word !== undefined).join(' ');
  return new WrongInputError(`${problem}.${didYouMean(meant)} See: ${help}`);
}
