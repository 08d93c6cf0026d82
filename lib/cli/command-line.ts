import { Command as CommanderCommand, CommanderError } from 'commander';
import { WrongInputError } from '../system/errors.ts';
import { PROGRAM } from '../system/program.ts';
import { type Language, type Localized, textIn } from '../text/language.ts';
import { englishOption, spanishCommand, withNamesOf } from '../text/spanish-names.ts';
import { wrapped } from '../text/terminal.ts';
import { type Command, checkFiles, commanderOption, type Terminal } from './command.ts';
import { withFoundCompanies } from './options/found-companies.ts';
import { COMMANDER_IN_SPANISH, SAY } from './phrases/program.ts';
import { COMMAND_NAMES, type CommandName, SUMMARIES } from './phrases/summaries.ts';

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

const HELP_WORDS = ['help', 'ayuda', '--help', '-h'];
/** SQL may begin with a comment: dashes, then a space. */
const COMMENT = /^-[^\s=]*\s/;

/** Runs the command that the words of a command line name. Returns the exit code. Throws WrongInputError. */
export async function runCommand(
  typed: readonly string[],
  terminal: Terminal,
  version: string,
): Promise<number> {
  let exitCode = 0;
  const { language } = terminal.stdout;
  const program = programOf(terminal, version);
  for (const name of COMMAND_NAMES) {
    const entry = program.command(name).description(SUMMARIES[name]()(language));
    const spanish = spanishCommand(name);
    if (spanish !== undefined) entry.alias(spanish);
  }
  program.hook('preSubcommand', async (_program, entry) => {
    const command = await LOADERS[entry.name() as CommandName]();
    describe(entry, command, language);
    entry.action(async () => {
      const options = withFoundCompanies(command.options, entry.opts(), terminal);
      await checkFiles(command.options, options, terminal);
      exitCode = await command.run(options, entry.args, terminal);
    });
  });
  // A request for help may stand before the command's name.
  const [first = 'help', ...moreWords] = typed.map(englishOption);
  const isKnown = moreWords[0] === undefined || namedBy(moreWords[0]) !== undefined;
  const words = HELP_WORDS.includes(first)
    ? [...moreWords, ...(isKnown ? ['--help'] : [])]
    : [first, ...moreWords];
  try {
    await program.parseAsync(
      words.map((word) => (COMMENT.test(word) ? ` ${word}` : word)),
      { from: 'user' },
    );
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // The help or the version was printed.
    if (error.exitCode === 0) return 0;
    const help = [PROGRAM, namedBy(first) ?? [], '--help'].flat().join(' ');
    throw new WrongInputError((reader) => SAY.see(problemOf(error)(reader), help)(reader));
  }
  return exitCode;
}

/** The command that a word is the name of, in either language. */
export function namedBy(word: string): CommandName | undefined {
  return COMMAND_NAMES.find((name) => name === word || spanishCommand(name) === word);
}

/** What is wrong with the words. */
function problemOf({ code, message }: CommanderError): Localized {
  if (code === 'commander.help') return SAY.missingCommand();
  const english = message.replace(/^error: /, '').replace('\n', ' ');
  return (language) => (language === 'es' ? inSpanish(english) : english.replace(/[^.)]$/, '$&.'));
}

function inSpanish(english: string): string {
  const [, problem = english, near] = /^(.*?) \(Did you mean (.*)\?\)$/s.exec(english) ?? [];
  const [words, spanish] = COMMANDER_IN_SPANISH.find(([known]) => known.test(problem)) ?? [];
  const said = words === undefined || spanish === undefined ? problem : problem.replace(words, spanish);
  return near === undefined ? said : `${said} ¿Quiso decir ${near}?`;
}

/** Commander's headings, such as `Options:`. */
const HEADINGS: Readonly<Record<string, () => Localized>> = {
  'Usage:': SAY.usage,
  'Options:': SAY.options,
  'Commands:': SAY.commands,
  'Arguments:': SAY.arguments,
};

function programOf({ stdout }: Terminal, version: string): CommanderCommand {
  const { language } = stdout;
  return new CommanderCommand(PROGRAM)
    .usage(`${SAY.command()(language)} [options]`)
    .description(SAY.about()(language))
    .version(version, '-v, --version', SAY.version()(language))
    .helpOption('-h, --help', SAY.help()(language))
    .option('--debug', SAY.debug()(language))
    .option('--lang <L>', SAY.lang()(language))
    .helpCommand(false)
    .enablePositionalOptions()
    .configureHelp({
      styleUsage: (usage) => usage.replace('[options]', SAY.anyOptions()(language)),
      styleTitle: (title) => HEADINGS[title]?.()(language) ?? title,
      optionTerm: ({ flags }) => withNamesOf(language, flags),
    })
    .addHelpText('after', SAY.exitCodes(PROGRAM)(language))
    .configureOutput({
      writeOut: (help) => {
        const text = stdout.textOf(help);
        stdout.write(stdout.columns === undefined ? text : wrapped(text, stdout.columns));
      },
      // Told as every other error.
      writeErr: () => undefined,
      getOutHelpWidth: () => Number.POSITIVE_INFINITY,
    })
    .exitOverride();
}

function describe(
  entry: CommanderCommand,
  { words, choices, options, examples, notes = [] }: Command,
  language: Language,
): void {
  if (words !== undefined) entry.arguments(words);
  if (choices !== undefined) entry.registeredArguments[0]?.choices(choices);
  for (const [name, option] of Object.entries(options))
    entry.addOption(commanderOption(name, option, language));
  const lines = ['', SAY.examples()(language), ...examples.map((example) => `  ${PROGRAM} ${example}`)];
  const below = notes.length === 0 ? [] : ['', ...notes.map((note) => textIn(note, language))];
  entry.addHelpText('after', [...lines, ...below].join('\n'));
}
