import { Command as CommanderCommand, CommanderError } from 'commander';
import { WrongInputError } from '../system/errors.ts';
import { PROGRAM } from '../system/program.ts';
import { wrapped } from '../text/terminal.ts';
import { didYouMean, nearest, quoted, shown } from '../text/typed-words.ts';
import { type Command, checkFiles, commanderOption, oneOf, type Terminal } from './command.ts';

/** In the order of the help. */
export const SUMMARIES = {
  export: 'Export receipts from the API to the lake.',
  missing: 'List company-days that were never exported or failed last time; --export exports them.',
  coverage: 'Show which days the lake has: a calendar for each company and direction.',
  verify: 'Read the API again and compare it with the lake, receipt by receipt; writes nothing.',
  probe: 'Find out how the API behaves where its contract is silent, in a few requests for one company.',
  query: 'Query the lake in SQL (DuckDB), with the table names that it has in Athena.',
  publish: 'Bring the tables up to date with their units, after an export that was interrupted.',
  forget: "Remove a company's receipts from the lake.",
  report:
    'Report on a month before its books are closed, of a company or of all: a page, a workbook or text.',
  close:
    'Close a month: the report, the VAT books, form 2181 and the rows of each company in a folder that never changes.',
  reconcile: 'Compare a list of receipts downloaded from the tax authority with the lake.',
  rates: 'Read exchange rates from a CSV or a workbook into the lake, for receipts that state none.',
  mcp: 'Let an assistant read the lake, over standard input and output; it changes nothing.',
  list: 'List receipts straight from the API, by any of its filters; stores nothing.',
  show: 'Show one receipt in full, straight from the API; stores nothing.',
  check: "Check, in a minute, whether tonight's run of the deployed stack would succeed; exports nothing.",
  backfill: 'Export a range of issue dates with the deployed stack, and follow the run to its end.',
  runs: 'List the recent runs of the deployed stack.',
  sandbox:
    "Run a local server for the whole query API, which can imitate the real service's quirks and faults.",
  companies: 'Check which tokens work, and when each expires.',
  demo: "Export yesterday's receipts of the sandbox, write a company's month as a page, and ask one question.",
} as const;

export type CommandName = keyof typeof SUMMARIES;

export const COMMAND_NAMES = Object.keys(SUMMARIES) as readonly CommandName[];

/** Loaded on demand: a query needs no server, a sandbox no DuckDB, and the overview no command at all. */
export const LOADERS: Readonly<Record<CommandName, () => Promise<Command>>> = {
  export: async () => (await import('./commands/export.ts')).exportCommand,
  missing: async () => (await import('./commands/missing.ts')).missingCommand,
  coverage: async () => (await import('./commands/coverage.ts')).coverageCommand,
  verify: async () => (await import('./commands/verify.ts')).verifyCommand,
  probe: async () => (await import('./commands/probe.ts')).probeCommand,
  query: async () => (await import('./commands/query.ts')).queryCommand,
  publish: async () => (await import('./commands/lake-upkeep.ts')).publishCommand,
  forget: async () => (await import('./commands/lake-upkeep.ts')).forgetCommand,
  report: async () => (await import('./commands/report.ts')).reportCommand,
  close: async () => (await import('./commands/close.ts')).closeCommand,
  reconcile: async () => (await import('./commands/reconcile.ts')).reconcileCommand,
  rates: async () => (await import('./commands/rates.ts')).ratesCommand,
  mcp: async () => (await import('./commands/mcp.ts')).mcpCommand,
  list: async () => (await import('./commands/receipts.ts')).listCommand,
  show: async () => (await import('./commands/receipts.ts')).showCommand,
  check: async () => (await import('./commands/deployed.ts')).checkCommand,
  backfill: async () => (await import('./commands/deployed.ts')).backfillCommand,
  runs: async () => (await import('./commands/deployed.ts')).runsCommand,
  sandbox: async () => (await import('./commands/sandbox.ts')).sandboxCommand,
  companies: async () => (await import('./commands/companies.ts')).companiesCommand,
  demo: async () => (await import('./commands/demo.ts')).demoCommand,
};

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
      const instead = command.formerOptions?.[option.slice(2)];
      if (instead !== undefined) return new WrongInputError(`There is no ${option} any more: ${instead}`);
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
