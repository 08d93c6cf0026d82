import { Command as CommanderCommand, CommanderError } from 'commander';
import { WrongInputError } from '../system/errors.ts';
import { PROGRAM } from '../system/program.ts';
import { wrapped } from '../text/terminal.ts';
import { type Command, checkFiles, commanderOption, type Terminal } from './command.ts';

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
  init: 'Begin with your own companies: asks for what it needs, exports three days, and does so every night.',
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
  init: async () => (await import('./commands/init.ts')).initCommand,
  demo: async () => (await import('./commands/demo.ts')).demoCommand,
};

const HELP_WORDS = ['help', '--help', '-h'];
/** SQL may begin with a comment: dashes, then a space. */
const COMMENT = /^-[^\s=]*\s/;

/** Runs the command that the words of a command line name. Returns the exit code. Throws WrongInputError. */
export async function runCommand(
  typed: readonly string[],
  terminal: Terminal,
  version: string,
): Promise<number> {
  let exitCode = 0;
  const program = programOf(terminal, version);
  for (const name of COMMAND_NAMES) program.command(name).description(SUMMARIES[name]);
  program.hook('preSubcommand', async (_program, entry) => {
    const command = await LOADERS[entry.name() as CommandName]();
    describe(entry, command);
    entry.action(async () => {
      const options = entry.opts();
      await checkFiles(command.options, options, terminal);
      exitCode = await command.run(options, entry.args, terminal);
    });
  });
  // A request for help may stand before the command's name.
  const [first = 'help', ...others] = typed;
  const isKnown = COMMAND_NAMES.some((name) => name === (others[0] ?? name));
  const words = HELP_WORDS.includes(first) ? [...others, ...(isKnown ? ['--help'] : [])] : typed;
  try {
    await program.parseAsync(
      words.map((word) => (COMMENT.test(word) ? ` ${word}` : word)),
      { from: 'user' },
    );
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // The help or the version was printed.
    if (error.exitCode === 0) return 0;
    const help = [PROGRAM, ...COMMAND_NAMES.filter((name) => name === first), '--help'].join(' ');
    const problem =
      error.code === 'commander.help'
        ? 'missing command'
        : error.message.replace(/^error: /, '').replace('\n', ' ');
    throw new WrongInputError(`${problem.replace(/[^.)]$/, '$&.')} See: ${help}`);
  }
  return exitCode;
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
    .configureOutput({
      writeOut: (text) => stdout.write(stdout.columns === undefined ? text : wrapped(text, stdout.columns)),
      // Told as every other error.
      writeErr: () => undefined,
      getOutHelpWidth: () => Number.POSITIVE_INFINITY,
    })
    .exitOverride();
}

function describe(entry: CommanderCommand, { words, choices, options, examples, notes = [] }: Command): void {
  if (words !== undefined) entry.arguments(words);
  if (choices !== undefined) entry.registeredArguments[0]?.choices(choices);
  for (const [name, option] of Object.entries(options)) entry.addOption(commanderOption(name, option));
  const lines = ['', 'Examples:', ...examples.map((example) => `  ${PROGRAM} ${example}`)];
  entry.addHelpText('after', [...lines, ...(notes.length === 0 ? [] : ['', ...notes])].join('\n'));
}
